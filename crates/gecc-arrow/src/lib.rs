//! Arrow.
mod answers;
mod calls;
mod cells;
mod columns;
mod error;
mod keys;
mod mapping;
mod operation;
mod pool;
mod read;
mod reason;
mod texts;

pub use answers::{Answers, Counts};
pub use error::Error;
pub use mapping::{Field, Mapping};
pub use operation::{Key, KeyForm, Operation, Signer, Signing};
pub use pool::Pool;
pub use read::{Batches, Columns, Format, Input, ReadOptions, open, open_stream};
pub use reason::{CellProblem, Reason};
mod transform;
mod write;
pub use transform::{Job, Outcome, TransformOptions, transform};
pub use write::{Compression, Encoded, Encoder, Output, Writer};

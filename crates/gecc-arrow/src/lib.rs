//! gecc for Arrow: record batches, Parquet and Arrow IPC as input, columns of verdicts and results
//! as output.
//!
//! [`TableOperation::apply`] computes one [`RecordBatch`](arrow_array::RecordBatch): verification,
//! recovery, signing, shared secrets or public keys, with ECDSA or SM2 (depending on the curve) or
//! BIP 340. [`open`] reads files as batches, [`Writer`] writes them, and [`transform`] does all
//! three concurrently. [`answer_batches`] leaves writing to the caller, and [`AnswerColumns`] also makes
//! columns from answers that were not computed from tables.
//!
//! ```
//! use arrow_array::{ArrayRef, FixedSizeBinaryArray, RecordBatch, StringArray};
//! use gecc::{CurveId, Engine, call};
//! use gecc_arrow::{Mapping, TableOperation, Pool, complete};
//! use std::sync::Arc;
//!
//! let digests: ArrayRef = Arc::new(FixedSizeBinaryArray::try_from_iter([[7; 32], [8; 32]].into_iter())?);
//! let signatures: ArrayRef = Arc::new(FixedSizeBinaryArray::try_from_iter([[1; 64], [2; 64]].into_iter())?);
//! let keys: ArrayRef = Arc::new(StringArray::from(vec![Some("0x02ab"), None]));
//! let batch = RecordBatch::try_from_iter([("digest", digests), ("sig", signatures), ("pk", keys)])?;
//!
//! let engine = Engine::new()?;
//! let verify = TableOperation::from(call::Operation::verify(CurveId::Secp256k1, Default::default()));
//! let mapping = complete(Mapping::new(), &batch.schema(), &verify)?;
//! let answers = verify.apply(&engine, &batch, &mapping, &Pool::default())?;
//! assert_eq!(answers.reason(0).unwrap().to_string(), "the point's encoding is malformed");
//! assert_eq!(answers.reason(1).unwrap().to_string(), "`public_key` is null");
//! assert_eq!(answers.to_columns()?.schema().field(0).name(), "valid");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Columns
//!
//! The columns of the [`Field`]s are specified as text ([`Mapping`]) or found by name
//! ([`complete`]). Bytes may be FixedSizeBinary, Binary, LargeBinary or BinaryView, and hexadecimal
//! text, with or without `0x`, may be Utf8, LargeUtf8 or Utf8View; any of these may be in a
//! dictionary. Contiguous cells of the right width are passed to the engine without a copy. Others
//! are copied in parallel. Public keys may also be PEM, DER, X.509 certificates or JSON Web Keys.
//!
//! A null or malformed cell is the [`Reason`] of its row, and affects no other row. An [`Error`]
//! concerns the whole input: a missing column, a type that a field cannot have, a file that
//! contradicts itself.
//!
//! # Adversarial files
//!
//! Claims of a file are checked before memory is allocated for them: sizes of pages and messages,
//! also after decompression, the number of columns, row groups and values, and the nesting depth of
//! columns ([`ReadOptions`] has the limits). A panic in a decoder becomes an [`Error`]. The headers
//! of Parquet are parsed once: the footer is rewritten from the checked values before a decoder
//! receives it, and pages are located and decompressed here. Statistics, indexes and filters are
//! not read.
//!
//! Arrays created by other programs must be checked with [`check_imported`] before anything else is
//! done with them. Those of files are checked when they are read.
//!
//! # Secrets
//!
//! Columns that are copied for the engine are wiped if they contain secret keys. The memory of
//! shared secrets is wiped when the last array that refers to it is dropped. Arrays of the caller
//! and of files, such as a column of secret keys, are not wiped, and neither are the copies that
//! encoders make of shared secrets and the files they are written to.

#[cfg(not(unix))]
compile_error!("files are read at places of their own, which is done here for Unix alone");

mod answer_columns;
mod answers;
mod byte_strings;
mod calls;
mod cells;
mod columns;
mod compaction;
mod encoding;
mod error;
mod import_check;
mod keys;
mod mapping;
mod operation;
mod output_lists;
mod parquet_types;
mod pipeline;
mod pool;
mod read;
mod reason;
mod secrets;
mod signatures;
mod size;
pub mod sql;
mod transform;
mod write;

pub use answer_columns::{AnswerColumns, AnswerSelection, Places, PreparedAnswers};
pub use answers::{Answers, Counts};
pub use calls::decode_keys_through;
pub use cells::{Cells, Integers, append_hexadecimal, holds_bytes, holds_integers};
pub use encoding::detects_encoding;
pub use error::{Error, catches_panics};
pub use gecc::fields::{Field, Hash, Mapping};
pub use import_check::check_imported;
pub use mapping::{column_of, complete, takes};
pub use operation::{Key, KeyForm, TableOperation};
pub use output_lists::OutputLists;
pub use pipeline::{AnsweredBatch, BatchJob, answer_batches};
pub use pool::Pool;
pub use read::{Batches, Format, Input, Progress, Projection, ReadOptions, open, open_stream};
pub use reason::{CellProblem, Reason};
pub use transform::{TransformOptions, TransformOutcome, columns_beside, transform};
pub use write::{Compression, Destination, EncodedBatch, Encoder, Writer};

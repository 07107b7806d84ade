//! Common parts of the commands on whole chains: kinds of answers ([`AnswerRow`]), their output,
//! and the summary. `gecc-chains` reads files and computes signatures.

#[cfg(feature = "arrow")]
mod columns;
mod fields;
mod session;
mod sink;
mod state;
mod summary;

pub use fields::{AnswerField, FieldType, FieldValue, MissingValue, displayed_txid};
use gecc_chains::{Paths, Progress};
#[cfg(feature = "arrow")]
pub use session::refuse_overwriting_any;
pub use session::{BlockOptions, memory_for_files, run};
pub use state::StateFile;
#[cfg(feature = "arrow")]
pub use summary::count_problems;

/// A group of answers, with the progress of reading files for them.
pub trait AnswerGroup: Send {
    type Row: AnswerRow;

    fn take(self) -> (Vec<Self::Row>, Progress);
}

/// An answer.
pub trait AnswerRow: Sized + Sync + 'static {
    /// The name of the counted items, for the summary.
    const WHAT: &'static str;
    /// The fields other than `valid` and `reason`, in the order of output.
    const FIELDS: &'static [AnswerField<Self>];
    /// True if progress counts blocks: with neither answers nor blocks, there was nothing to check.
    const COUNTS_BLOCKS: bool = false;

    /// Returns an error if the input has nothing to check, by the names of its files.
    fn require_input(_: &Paths) -> Result<(), String> {
        Ok(())
    }

    /// Returns whether the source states the block of the item.
    fn states_block(&self) -> bool {
        true
    }

    /// Returns the kind of the signed item.
    fn kind(&self) -> &'static str;

    /// Returns whether the signature is valid; `None` if that was not checked.
    fn valid(&self) -> Option<bool>;

    /// Returns whether the signature is missing and not required.
    fn is_unsigned(&self) -> bool {
        false
    }

    /// Returns the reason why the signature is not valid or was not checked. The summary omits what
    /// follows a colon and a space.
    fn reason(&self) -> Option<String>;
}

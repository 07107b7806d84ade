//! What the commands on whole chains have in common: answers of a kind ([`Row`]), how they are written, and what is
//! said of them at the end. Files are read, and signatures computed, by `gecc-chains`.

#[cfg(feature = "arrow")]
mod columns;
mod fields;
mod put;
mod run;
mod state;
mod summary;

pub use fields::{Absent, Field, Holds, Value, shown};
use gecc_chains::Progress;
pub use run::{memory_for_files, refuse_overwriting_any, run};
pub use state::Noted;
#[cfg(feature = "arrow")]
pub use summary::count_problems;

/// Some answers, with how far files were read for them.
pub trait Answered: Send {
    type Row: Row;

    fn take(self) -> (Vec<Self::Row>, Progress);
}

/// An answer.
pub trait Row: Sized + Sync + 'static {
    /// What is counted, for the summary.
    const WHAT: &'static str;
    /// The fields of all but `valid` and `reason`, in the order in which they are written.
    const FIELDS: &'static [Field<Self>];
    /// Whether the progress of the answers counts blocks: without answers and blocks there was nothing to check.
    const COUNTS_BLOCKS: bool = false;

    /// The kind of what was signed.
    fn kind(&self) -> &'static str;

    /// Whether the signature holds; `None` where that was not checked.
    fn valid(&self) -> Option<bool>;

    /// Whether there is no signature, and none is needed.
    fn is_unsigned(&self) -> bool {
        false
    }

    /// Why it does not hold, or was not checked. What comes after a colon and a space is left out of the summary.
    fn reason(&self) -> Option<String>;
}

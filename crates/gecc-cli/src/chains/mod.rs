//! What the commands on whole chains have in common: answers of a kind ([`Row`]), how they are written, and what is
//! said of them at the end. Files are read, and signatures computed, by `gecc-chains`.

#[cfg(feature = "arrow")]
mod columns;
mod put;
mod run;
mod state;
mod summary;

use crate::output::Line;
#[cfg(feature = "arrow")]
use arrow_array::ArrayRef;
#[cfg(feature = "arrow")]
use arrow_schema::Schema;
use gecc_chains::Progress;
pub use run::run;

/// Some answers, with how far files were read for them.
pub trait Answered: Send {
    type Row: Row;

    fn take(self) -> (Vec<Self::Row>, Progress);
}

/// An answer.
pub trait Row: Sync {
    /// What is counted, for the summary.
    const WHAT: &'static str;
    /// The fields of all but `valid` and `reason`, in the order in which they are written.
    const FIELDS: &'static [&'static str];

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

    /// Writes all but `valid` and `reason`.
    fn write(&self, line: &mut Line);

    /// The columns of all but `valid` and `reason`.
    #[cfg(feature = "arrow")]
    fn schema() -> Schema;

    /// What [`Row::schema`] says.
    #[cfg(feature = "arrow")]
    fn columns(rows: &[&Self]) -> Vec<ArrayRef>;
}

//! The commands for silent payments.

mod index;
mod scan;
mod table;

pub use index::run as index;
pub use scan::run as scan;

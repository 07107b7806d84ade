//! Answers, one JSON line per item, where they go, and what is said on standard error.

mod direct;
mod file;
mod line;

pub use direct::Put;
pub use file::{Output, refuse_overwriting};
pub use gecc_cli::failure::{Failure, note};
pub use line::Line;

//! Answers, one JSON line per item, where they go, and what is said on standard error.

mod direct;
mod failure;
mod file;
mod line;

pub use direct::Put;
pub use failure::{Failure, note};
pub use file::{Output, refuse_overwriting};
pub use line::Line;

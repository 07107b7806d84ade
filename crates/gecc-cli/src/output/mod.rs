//! Answers, one JSON line per item, and what is said on standard error.

mod answer;
mod failure;
mod file;

pub use answer::Answer;
pub use failure::{Failure, note};
pub use file::{Output, refuse_overwriting};

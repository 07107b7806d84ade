//! Output of answers, with their formatting and destinations, and messages on standard error.

mod direct;
mod file;
mod line;
mod progress;

pub use crate::failure::Failure;
pub use crate::messages::{debug, info, note, path_error, shown_path, warn};
pub use direct::WriteOutcome;
pub use file::{Output, refuse_overwriting};
#[cfg(feature = "chains")]
pub use file::{is_replaced, is_same_place};
pub use line::Line;
pub use progress::Progress;

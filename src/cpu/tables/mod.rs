//! Tables of multiples of points known beforehand: the base point, and keys that repeat.

mod build;
pub mod key_plan;
mod precomputed;

pub use precomputed::{BaseTables, Precomputed, warm_up};

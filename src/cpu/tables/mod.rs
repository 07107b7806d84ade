//! Tables of multiples of points known in advance: the base point, and keys that repeat.

mod build;
pub mod key_plan;
mod precomputed;

#[cfg(test)]
#[allow(unused_imports, reason = "for tests/small_groups.rs")]
pub use precomputed::Precomputed;
pub use precomputed::{BaseTables, warm_up};

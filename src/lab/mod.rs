//! What measures the library itself, for benchmarks and not for programs that want results. Behind the feature `lab`,
//! with no promise of stability.

pub mod measure;
pub mod methods;

/// What the library does and when.
pub mod notes {
    pub use crate::host::notes::{Note, begin, now, take};
}

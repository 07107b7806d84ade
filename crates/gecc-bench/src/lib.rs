//! The measurements of individual kernels of `gecc-bench`, shared with its benchmarks and tests.

pub mod kernels;

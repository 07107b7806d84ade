//! What `gecc-bench` measures of kernels alone, for its benchmarks and tests too.

pub mod kernels;

//! Points: arithmetic, sums, the constants of the curves.

pub mod arithmetic;
pub mod batch_sizes;
pub mod columns;
pub mod constants;
pub mod encodings;
pub mod isolation;
pub mod msm;
pub mod sums;
pub mod vectors;

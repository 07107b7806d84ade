//! Points: arithmetic, sums, the constants of the curves.

pub mod arithmetic;
pub mod constants;
pub mod isolation;
pub mod msm;
pub mod sums;
pub mod vectors;

//! Constant-time arithmetic in portable code, for processors without the vector code of
//! `cpu::simd`: the same instructions at the same addresses for all secrets.
//!
//! Batches share inversions with Montgomery's trick, and each inversion is a power with a public
//! exponent. Selections are masks, which the compiler cannot trace back to the comparison that made
//! them, so it has no reason to turn one into a branch; tools/constant-time checks that it did not.

mod base;
mod element;
mod map_to_curve;
mod multiply;
mod point;
mod table;
#[cfg(test)]
mod tests;

pub use base::BaseTable;
pub use map_to_curve::map_to_curve;
pub use multiply::mul_uniform;

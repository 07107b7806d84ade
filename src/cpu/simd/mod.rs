//! Eight items at a time, one per 64-bit lane of a vector register, by the instructions of AVX-512 IFMA that multiply
//! words of 52 bits. Variable-time, for public data only, except `uniform` and
//! `uniform_points`.
//!
//! The lanes take the same steps: digits of fixed windows, all of them odd. Additions are made without a look at the
//! points; a lane whose points were equal or opposite, or whose sum so far was the identity, shows it by Z = 0, and is
//! put right at once. That costs about as much as the addition, so crafted items cannot slow down a batch by much.

mod chains;
mod convert;
mod invert;
mod keccak;
mod lift;
mod multiply;
mod normalize;
mod pairs;
mod point;
mod tables;
mod uniform;
mod uniform_points;

#[cfg(test)]
mod tests;

pub use super::field::vector::{LANES as KECCAK_LANES, Lanes};
pub use chains::{CHAINS, Chains};
pub use keccak::keccak256;
pub use lift::lift_x;
pub use multiply::{mul_add, sum_products};
pub use normalize::normalize;
pub use pairs::{add_pairs, entries_of, points_of};
pub use tables::{multiples_of, powers_of};
pub use uniform::UniformTable;
pub use uniform_points::mul_uniform;

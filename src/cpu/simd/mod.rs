//! Vector code for eight items at a time, one per 64-bit lane of a register, with the instructions
//! of AVX-512 IFMA that multiply words of 52 bits. Variable-time, for public data only, except
//! `uniform`, `uniform_points` and `map_to_curve`.
//!
//! All lanes take the same steps: digits of fixed windows, all of which are odd. Additions do not
//! examine the points. A lane whose points were equal or opposite, or whose sum was the identity
//! before, yields Z = 0 and is then corrected at once. The correction takes about as long as the
//! addition, so adversarial items cannot slow down a batch by much.

mod chains;
mod convert;
mod invert;
mod keccak;
mod lift;
mod map_to_curve;
mod multiply;
mod normalize;
mod pairs;
mod point;
mod tables;
mod uniform;
mod uniform_points;

#[cfg(test)]
mod avx512_tests;

pub use super::field::vector::{LANES as KECCAK_LANES, Lanes};
pub use chains::{CHAINS, Chains};
pub use keccak::keccak256;
pub use lift::lift_x;
pub use map_to_curve::{ELEMENT_BYTES, ElementBytes, map_to_curve};
pub use multiply::{mul_add, sum_products};
pub use normalize::normalize;
pub use pairs::{add_pairs, entries_of, points_of};
pub use tables::{multiples_of, powers_of};
pub use uniform::UniformTable;
pub use uniform_points::{Bases, mul_uniform};

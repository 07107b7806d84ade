//! Batch equations: groups of signatures that are verified together, by one sum.
//!
//! Signature i says that u1_i G + u2_i Q_i = R_i, where R_i is known: BIP 340 gives x(R) and takes the even y, and for
//! ECDSA a recovery id says both. With coefficients a_i below 2^128, which nobody knew before, all of a group are
//! valid, but for a probability of 2^-128, if
//!
//! (sum a_i u1_i) G + sum (a_i u2_i) Q_i - sum a_i R_i = O
//!
//! (BIP 340, "Batch Verification"; Bellare, Garay and Rabin, "Fast batch verification for modular exponentiation and
//! digital signatures", EUROCRYPT 1998). The points have prime order n > 2^128. So where an item of the group is
//! invalid, at most one of the 2^128 values of its coefficient makes the equation hold, whatever the other coefficients
//! are.
//!
//! A GPU makes the coefficients of a group by SHA-256 from 32 random bytes (`cuda/scheme/together.cuh`): there the
//! probability is that bound as far as nobody who does not know these bytes can tell the coefficients from random ones.
//!
//! Equations find valid items. Whatever is not found valid here is verified by itself, which gives its verdict and its
//! reason.

mod chunks;
pub mod cpu;
pub mod gpu;
#[cfg(test)]
pub mod gpu_tests;
mod groups;
#[cfg(test)]
pub mod tests;

pub use chunks::Chunks;

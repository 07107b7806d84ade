//! Batch verification: groups of signatures that are verified with a single sum.
//!
//! Signature i claims that u1_i G + u2_i Q_i = R_i, where R_i is known: BIP 340 defines it by x(R)
//! and an even y, and in ECDSA a recovery id determines both coordinates. With unpredictable
//! coefficients a_i below 2^128, all signatures of a group are valid, except with probability
//! 2^-128, if
//!
//! (sum a_i u1_i) G + sum (a_i u2_i) Q_i - sum a_i R_i = O
//!
//! (BIP 340, "Batch Verification"; Bellare, Garay and Rabin, "Fast batch verification for modular
//! exponentiation and digital signatures", EUROCRYPT 1998). The points have prime order n > 2^128.
//! So if an item of the group is invalid, at most one of the 2^128 values of its coefficient makes
//! the equation hold, regardless of the other coefficients.
//!
//! A GPU derives the coefficients of a group with SHA-256 from 32 random bytes
//! (`cuda/scheme/batch_verification.cuh`). There the bound on the probability holds under the
//! assumption that the coefficients cannot be distinguished from random ones without knowledge of
//! these bytes.
//!
//! Equations only find valid items. All other items are verified individually, which yields their
//! verdicts and reasons.

mod chunks;
pub mod cpu;
pub mod gpu;
#[cfg(test)]
pub mod gpu_tests;
mod groups;
#[cfg(test)]
pub mod tests;

pub use chunks::Chunks;

//! Field elements in vectors of eight, one per 64-bit lane of a register, with the instructions of
//! AVX-512 IFMA that multiply words of 52 bits. No branch depends on values.

mod element;
mod general;
mod p256;
mod secp256k1;
mod sm2;
mod words;

#[cfg(test)]
pub use element::LOW;
pub use element::{BITS, Element, Prime, Sum, carry};
pub use words::{LANES, Lanes, Mask, Words, transpose};

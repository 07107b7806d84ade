//! Hashing to points, and masking.

pub mod calls;
pub mod isolation;
pub mod masks;
pub mod reference;
pub mod vectors;

//! Points: affine points in batches and in pairs, Jacobian points for sequences of doublings, and
//! tables of multiples.

pub mod affine;
pub mod comb;
pub mod jacobian;
pub mod pairs;

pub use affine::Affine;

//! Points: affine ones in batches, Jacobian ones in a row of doublings, and tables of multiples.

pub mod affine;
pub mod comb;
pub mod jacobian;

pub use affine::Affine;

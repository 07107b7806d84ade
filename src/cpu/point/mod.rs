//! Points: affine ones in batches and in pairs, Jacobian ones in a row of doublings, and tables of multiples.

pub mod affine;
pub mod comb;
pub mod jacobian;
pub mod pairs;

pub use affine::Affine;

//! Scalars: signed digits, and the endomorphism of secp256k1.

mod glv;
mod recode;

pub use glv::{Endomorphism, Signed};
pub use recode::{Wnaf, odd_windows, signed_windows, windows_of_odd};

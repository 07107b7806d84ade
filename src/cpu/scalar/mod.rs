//! Scalars: signed digits, and the endomorphism of secp256k1.

mod glv;
mod recode;

pub use glv::{Endomorphism, SignedScalar};
#[cfg_attr(
    any(gecc_no_avx512, not(target_arch = "x86_64")),
    allow(unused_imports, reason = "for the lanes")
)]
pub use recode::{
    Wnaf, length, odd_windows, signed_windows, uniform_windows, window_digit, windows_of_odd,
};

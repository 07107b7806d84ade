//! Twisted Edwards curves, from the field to products of points: everything that differs from short
//! Weierstrass curves.

pub mod curves;
pub mod decode;
pub mod elligator;
pub mod field;
pub mod halves;
pub mod ladder;
pub mod msm;
pub mod multiply;
pub mod point;
pub mod ristretto;
pub mod scalar;
pub mod secret;
// Selected as `cpu::simd` is.
#[cfg(all(target_arch = "x86_64", not(gecc_no_avx512)))]
pub mod simd;
#[cfg(any(gecc_no_avx512, not(target_arch = "x86_64")))]
#[path = "simd_absent.rs"]
pub mod simd;
pub mod tables;

#[cfg(test)]
mod tests;

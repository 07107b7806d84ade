//! The twisted Edwards curves, generated from `curves/NAME.toml`.

use super::field::Element;
use crate::cpu::field::limbs::Limbs;
use crate::cpu::field::moduli::Modulus;
use crate::curve::constants;

/// A curve -x^2 + y^2 = 1 + d x^2 y^2 as the CPU engine needs it.
pub trait EdwardsCurve: Copy + Send + Sync + 'static {
    /// n, the order of the base point.
    type Order: Modulus;
    /// The coefficient d, which is not a square.
    const D: Element;
    /// The number 2d.
    const D2: Element;
    /// The base point.
    const G: [Element; 2];
    /// The number of doublings that multiply by the cofactor.
    const COFACTOR_DOUBLINGS: u32;
}

include!(concat!(env!("OUT_DIR"), "/cpu_edwards_curves.rs"));

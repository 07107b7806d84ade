//! The twisted Edwards curves.

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

/// The curve ed25519 (RFC 8032, section 5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ed25519;

/// The modulus N of ed25519.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Ed25519N;

impl Modulus for Ed25519N {
    const M: Limbs = constants::ed25519::N;
    const R: Limbs = constants::ed25519::N_R;
    const R2: Limbs = constants::ed25519::N_R2;
    const NEG_INV64: u64 = constants::ed25519::N_INV;
    const INV62: u64 = constants::ed25519::N_INV62;
}

impl EdwardsCurve for Ed25519 {
    type Order = Ed25519N;
    const D: Element = Element::from_limbs(constants::ed25519::D);
    const D2: Element = Element::from_limbs(constants::ed25519::D2);
    const G: [Element; 2] = [
        Element::from_limbs(constants::ed25519::GX),
        Element::from_limbs(constants::ed25519::GY),
    ];
    const COFACTOR_DOUBLINGS: u32 = constants::ed25519::COFACTOR_DOUBLINGS;
}

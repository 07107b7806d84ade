//! The moduli of the curves as types: `NameP` of the coordinates, `NameN` of the scalars. `build.rs` writes them.

use super::SqrtChain;
use super::limbs::Limbs;
use crate::curve::constants;

/// Constants of arithmetic modulo an odd m between 2^255 and 2^256, with R = 2^256.
pub trait Modulus: Copy + Eq + Send + Sync + 'static {
    /// The modulus m.
    const M: Limbs;
    /// R mod m.
    const R: Limbs;
    /// R^2 mod m.
    const R2: Limbs;
    /// -m^-1 mod 2^64.
    const NEG_INV64: u64;
    /// m^-1 mod 2^62.
    const INV62: u64;
}

/// A prime p that is 3 modulo 4.
pub trait PrimeOfCoordinates: Modulus {
    /// The addition chain for the power (p + 1) / 4.
    const SQRT_CHAIN: SqrtChain;
}

include!(concat!(env!("OUT_DIR"), "/moduli.rs"));

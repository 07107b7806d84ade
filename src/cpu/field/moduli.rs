//! The moduli of the curves as types: `NameP` for coordinates, `NameN` for scalars.

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

/// Defines the moduli p and n of a short Weierstrass curve.
macro_rules! moduli {
    ($curve:ident: $p:ident, $n:ident) => {
        #[doc = concat!("The modulus P of ", stringify!($curve), ".")]
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub struct $p;

        impl Modulus for $p {
            const M: Limbs = constants::$curve::P;
            const R: Limbs = constants::$curve::P_R;
            const R2: Limbs = constants::$curve::P_R2;
            const NEG_INV64: u64 = constants::$curve::P_INV;
            const INV62: u64 = constants::$curve::P_INV62;
        }

        impl PrimeOfCoordinates for $p {
            const SQRT_CHAIN: SqrtChain = constants::$curve::SQRT_CHAIN;
        }

        #[doc = concat!("The modulus N of ", stringify!($curve), ".")]
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub struct $n;

        impl Modulus for $n {
            const M: Limbs = constants::$curve::N;
            const R: Limbs = constants::$curve::N_R;
            const R2: Limbs = constants::$curve::N_R2;
            const NEG_INV64: u64 = constants::$curve::N_INV;
            const INV62: u64 = constants::$curve::N_INV62;
        }
    };
}

moduli!(brainpoolp256r1: BrainpoolP256r1P, BrainpoolP256r1N);
moduli!(p256: P256P, P256N);
moduli!(secp256k1: Secp256k1P, Secp256k1N);
moduli!(sm2: Sm2P, Sm2N);

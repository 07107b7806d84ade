//! The fields of scalars, modulo the group orders, which have no shape that a reduction could use.

use super::limbs::{Limbs, mul_limb_add};
use super::montgomery::Modulus;
use crate::curve::constants;

macro_rules! order {
    ($(#[$doc:meta])* $name:ident, $curve:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub struct $name;

        impl Modulus for $name {
            const M: Limbs = constants::$curve::N;
            const R: Limbs = constants::$curve::N_R;
            const R2: Limbs = constants::$curve::N_R2;
            const INV62: u64 = constants::$curve::N_INV62;

            #[inline(always)]
            fn reduce_limb(t: &Limbs) -> Limbs {
                let k = t[0].wrapping_mul(constants::$curve::N_INV);
                let [_, t1, t2, t3, t4] = mul_limb_add(t, &Self::M, k);
                [t1, t2, t3, t4]
            }
        }
    };
}

order! {
    /// The order of secp256k1.
    Secp256k1, secp256k1
}
order! {
    /// The order of P-256.
    P256, p256
}
order! {
    /// The order of SM2.
    Sm2, sm2
}

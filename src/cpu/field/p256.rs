//! The field of the coordinates of P-256, p = 2^256 - 2^224 + 2^192 + 2^96 - 1.

use super::limbs::{Limbs, mul_wide_limb};
use super::montgomery::{Element, Modulus};
use super::{BaseField, Coordinate, Power};
use crate::curve::constants::p256::{P, P_INV62, P_R, P_R2};

/// The modulus p.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Prime;

impl Modulus for Prime {
    const M: Limbs = P;
    const R: Limbs = P_R;
    const R2: Limbs = P_R2;
    const INV62: u64 = P_INV62;

    /// p = -1 mod 2^64, so k is the lowest limb of t itself, and t - k drops that limb. What is left of k (p + 1) is
    /// k 2^96, a shift, and k times the highest limb of p at 2^192.
    #[inline(always)]
    fn reduce_limb(&[k, t1, t2, t3]: &Limbs) -> Limbs {
        let (low, high) = mul_wide_limb(k, P[3]);
        let (t1, carry) = t1.overflowing_add(k << 32);
        let (t2, carry) = t2.carrying_add(k >> 32, carry);
        let (t3, carry) = t3.carrying_add(low, carry);
        [t1, t2, t3, high + u64::from(carry)]
    }
}

impl BaseField for Element<Prime> {
    fn sqrt_candidate(&self) -> Self {
        Self::root_chain(self)
    }
}

impl Coordinate for Element<Prime> {
    const MODULUS: Limbs = P;

    #[inline(always)]
    fn stored(&self) -> Limbs {
        self.limbs()
    }

    #[inline(always)]
    fn from_stored(limbs: Limbs) -> Self {
        Self::from_limbs(limbs)
    }

    /// (p + 1) / 4 = 2^94 (2^96 (2^32 (2^32 - 1) + 1) + 1).
    #[inline(always)]
    fn root_chain<P: Power>(base: &P) -> P {
        // `ones_k` is base^(2^k - 1).
        let ones_2 = base.squared(1).times(base);
        let ones_4 = ones_2.squared(2).times(&ones_2);
        let ones_8 = ones_4.squared(4).times(&ones_4);
        let ones_16 = ones_8.squared(8).times(&ones_8);
        let ones_32 = ones_16.squared(16).times(&ones_16);
        ones_32.squared(32).times(base).squared(96).times(base).squared(94)
    }
}

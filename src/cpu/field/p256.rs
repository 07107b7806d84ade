//! The field of the coordinates of P-256, p = 2^256 - 2^224 + 2^192 + 2^96 - 1.

use super::limbs::{Limbs, mul_wide_limb};
use super::montgomery::{Element, Modulus};
use super::{Coordinate, SqrtChain};
use crate::curve::constants::p256::{P, P_INV62, P_R, P_R2, SQRT_CHAIN};

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

impl Coordinate for Element<Prime> {
    const MODULUS: Limbs = P;
    const SQRT_CHAIN: SqrtChain = SQRT_CHAIN;

    #[inline(always)]
    fn stored(&self) -> Limbs {
        self.limbs()
    }

    #[inline(always)]
    fn from_stored(limbs: Limbs) -> Self {
        Self::from_limbs(limbs)
    }
}

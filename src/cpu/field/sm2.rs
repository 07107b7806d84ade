//! The field of the coordinates of SM2, p = 2^256 - 2^224 - 2^96 + 2^64 - 1.

use super::limbs::{self, Limbs};
use super::montgomery::{Element, Modulus};
use super::{BaseField, Coordinate, Power};
use crate::curve::constants::sm2::{P, P_INV62, P_R, P_R2};

/// The modulus p.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Prime;

impl Modulus for Prime {
    const M: Limbs = P;
    const R: Limbs = P_R;
    const R2: Limbs = P_R2;
    const INV62: u64 = P_INV62;

    /// p = -1 mod 2^64, so k is the lowest limb of t itself, and t - k drops that limb. What is left of k (p + 1) is
    /// k 2^64 (2^192 + 1 - 2^32 (2^128 + 1)): nothing but shifts.
    #[inline(always)]
    fn reduce_limb(&[k, t1, t2, t3]: &Limbs) -> Limbs {
        let (low, high) = (k << 32, k >> 32);
        // k 2^192 alone exceeds what is subtracted, so neither this borrows nor the whole carries out of 256 bits.
        let (difference, _) = limbs::sub(&[t1, t2, t3, k], &[low, high, low, high]);
        limbs::add(&difference, &[k, 0, 0, 0]).0
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

    /// (p + 1) / 4 in binary: 31 ones, a zero, 128 ones, 31 zeros, a one, and 62 zeros.
    #[inline(always)]
    fn root_chain<P: Power>(base: &P) -> P {
        // `ones_k` is base^(2^k - 1).
        let ones_2 = base.squared(1).times(base);
        let ones_3 = ones_2.squared(1).times(base);
        let ones_6 = ones_3.squared(3).times(&ones_3);
        let ones_12 = ones_6.squared(6).times(&ones_6);
        let ones_15 = ones_12.squared(3).times(&ones_3);
        let ones_30 = ones_15.squared(15).times(&ones_15);
        let ones_31 = ones_30.squared(1).times(base);
        let ones_32 = ones_31.squared(1).times(base);
        let high = (0..3).fold(ones_31.squared(33).times(&ones_32), |high, _| high.squared(32).times(&ones_32));
        high.squared(32).times(base).squared(62)
    }
}

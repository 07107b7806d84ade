//! The field of the coordinates of SM2, p = 2^256 - 2^224 - 2^96 + 2^64 - 1.

use super::limbs::{self, Limbs};
use super::moduli::Modulus;
use super::montgomery::Shape;

/// The shape of p.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Prime;

impl Shape for Prime {
    /// p = -1 mod 2^64, so k is the lowest limb of t itself, and t - k drops that limb. The rest of
    /// k (p + 1) is k 2^64 (2^192 + 1 - 2^32 (2^128 + 1)), which needs only shifts.
    #[inline(always)]
    fn reduce_limb<M: Modulus>(&[k, t1, t2, t3]: &Limbs) -> Limbs {
        let low = k << 32;
        let high = k >> 32;
        // k 2^192 alone exceeds the subtracted terms, so there is no borrow, and no carry out of
        // 256 bits in total.
        let (difference, _) = limbs::sub(&[t1, t2, t3, k], &[low, high, low, high]);
        limbs::add(&difference, &[k, 0, 0, 0]).0
    }
}

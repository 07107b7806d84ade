//! The field of the coordinates of P-256, p = 2^256 - 2^224 + 2^192 + 2^96 - 1.

use super::limbs::{Limbs, mul_wide_limb};
use super::moduli::Modulus;
use super::montgomery::Shape;

/// The shape of p.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Prime;

impl Shape for Prime {
    /// p = -1 mod 2^64, so k is the lowest limb of t itself, and t - k drops that limb. The rest of
    /// k (p + 1) is k 2^96, a shift, and k times the highest limb of p at 2^192.
    #[inline(always)]
    fn reduce_limb<M: Modulus>(&[k, t1, t2, t3]: &Limbs) -> Limbs {
        let (low, high) = mul_wide_limb(k, M::M[3]);
        let (t1, carry) = t1.overflowing_add(k << 32);
        let (t2, carry) = t2.carrying_add(k >> 32, carry);
        let (t3, carry) = t3.carrying_add(low, carry);
        [t1, t2, t3, high + u64::from(carry)]
    }
}

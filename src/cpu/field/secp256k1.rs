//! The field of the coordinates of secp256k1, p = 2^256 - c with c = 2^32 + 977.

use super::invert::Inverter;
use super::limbs::{self, Limbs};
use super::{Coordinate, Field, SqrtChain, modular};
use crate::curve::constants::secp256k1::{P, P_INV62, SQRT_CHAIN};

/// c = 2^256 - p; the limbs of p above the lowest are all ones.
const C: u64 = P[0].wrapping_neg();

static MODULUS: Limbs = P;
static INVERTER: Inverter = Inverter::new(&P, P_INV62);

/// A plain number below p.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Element(Limbs);

impl core::fmt::Debug for Element {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        limbs::write_hex(&self.0, out)
    }
}

/// (low + 2^256 high) mod p. Since 2^256 = c mod p, the high half folds onto the low one times c.
#[inline(always)]
fn reduce((low, high): (Limbs, Limbs)) -> Limbs {
    // low + c high < 2^256 (c + 1), so the top limb is at most c, and its own fold is at most c^2 < 2^65.
    let [s0, s1, s2, s3, top] = limbs::mul_limb_add(&low, &high, C);
    let (fold0, fold1) = limbs::mul_wide_limb(top, C);
    let (s0, carry) = s0.overflowing_add(fold0);
    let (s1, carry) = s1.carrying_add(fold1, carry);
    let (s2, carry) = s2.overflowing_add(u64::from(carry));
    let (s3, carry) = s3.overflowing_add(u64::from(carry));
    let sum = [s0, s1, s2, s3];
    // A carry leaves less than 2^65. A branch, because a random product takes it once in about 2^191 times.
    if carry || is_reducible(&sum) { add_c(&sum) } else { sum }
}

/// Whether p <= value.
#[inline(always)]
fn is_reducible(value: &Limbs) -> bool {
    (value[1] & value[2] & value[3]) == u64::MAX && value[0] >= P[0]
}

/// value + c modulo 2^256: value - p for a value from p on, value + 2^256 mod p for a small one.
#[inline(always)]
fn add_c(value: &Limbs) -> Limbs {
    limbs::add(value, &[C, 0, 0, 0]).0
}

impl Field for Element {
    const ZERO: Self = Element(limbs::ZERO);
    const ONE: Self = Element([1, 0, 0, 0]);

    #[inline]
    fn from_be_bytes(bytes: &[u8; 32]) -> Option<Self> {
        let value = limbs::from_be_bytes(bytes);
        (!is_reducible(&value)).then_some(Element(value))
    }

    #[inline]
    fn from_be_bytes_reduced(bytes: &[u8; 32]) -> Self {
        Element(modular::add_mod(&limbs::from_be_bytes(bytes), &limbs::ZERO, &MODULUS))
    }

    #[inline]
    fn to_be_bytes(&self) -> [u8; 32] {
        limbs::to_be_bytes(&self.0)
    }

    #[inline(always)]
    fn add(&self, rhs: &Self) -> Self {
        Element(modular::add_mod(&self.0, &rhs.0, &MODULUS))
    }

    #[inline(always)]
    fn sub(&self, rhs: &Self) -> Self {
        Element(modular::sub_mod(&self.0, &rhs.0, &MODULUS))
    }

    #[inline(always)]
    fn neg(&self) -> Self {
        Self::ZERO.sub(self)
    }

    #[inline(always)]
    fn double(&self) -> Self {
        self.add(self)
    }

    #[inline(always)]
    fn mul(&self, rhs: &Self) -> Self {
        Element(reduce(limbs::mul_wide(&self.0, &rhs.0)))
    }

    #[inline(always)]
    fn square(&self) -> Self {
        Element(reduce(limbs::square_wide(&self.0)))
    }

    #[inline(always)]
    fn half(&self) -> Self {
        Element(modular::half_mod(&self.0, &MODULUS))
    }

    #[inline(always)]
    fn mul_sub_mul(&self, rhs: &Self, c: &Self, d: &Self) -> Self {
        let (ab, cd) = (limbs::mul_wide(&self.0, &rhs.0), limbs::mul_wide(&c.0, &d.0));
        Element(reduce(modular::sub_wide_mod(&ab, &cd, &MODULUS)))
    }

    #[inline(always)]
    fn mul_sub_square(&self, rhs: &Self, c: &Self) -> Self {
        let (ab, cc) = (limbs::mul_wide(&self.0, &rhs.0), limbs::square_wide(&c.0));
        Element(reduce(modular::sub_wide_mod(&ab, &cc, &MODULUS)))
    }

    #[inline(always)]
    fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }

    #[inline(always)]
    fn is_odd(&self) -> bool {
        self.0[0] & 1 == 1
    }

    fn invert_var(&self) -> Option<Self> {
        INVERTER.invert_var(&self.0).map(Element)
    }
}

impl Coordinate for Element {
    const MODULUS: Limbs = P;
    const SQRT_CHAIN: SqrtChain = SQRT_CHAIN;

    #[inline(always)]
    fn stored(&self) -> Limbs {
        self.0
    }

    #[inline(always)]
    fn from_stored(limbs: Limbs) -> Self {
        debug_assert!(!is_reducible(&limbs));
        Element(limbs)
    }
}

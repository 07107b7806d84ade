//! Fields in Montgomery form with R = 2^256, for any odd modulus between 2^255 and 2^256.

use super::invert::Inverter;
use super::limbs::{self, Limbs};
use super::{Field, modular};
use core::fmt::{Debug, Formatter};
use core::marker::PhantomData;

/// What one modulus brings along.
pub trait Modulus: Copy + Eq + Send + Sync + 'static {
    /// The modulus m.
    const M: Limbs;
    /// R mod m.
    const R: Limbs;
    /// R^2 mod m.
    const R2: Limbs;
    /// m^-1 mod 2^62.
    const INV62: u64;

    /// (t + k m) / 2^64, with the k below 2^64 that makes the division exact. The quotient is at most
    /// m + (t - m) / 2^64, so less than 2^256.
    fn reduce_limb(t: &Limbs) -> Limbs;
}

/// The number x below m is stored as x R mod m, below m.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Element<M: Modulus>(Limbs, PhantomData<M>);

impl<M: Modulus> Element<M> {
    const MODULUS: &'static Limbs = &M::M;
    const INVERTER: &'static Inverter = &Inverter::new(&M::M, M::INV62);

    #[inline(always)]
    const fn new(limbs: Limbs) -> Self {
        Element(limbs, PhantomData)
    }

    /// The representation.
    #[inline(always)]
    pub(super) fn limbs(&self) -> Limbs {
        self.0
    }

    /// The element with this representation, which must be below m.
    #[inline(always)]
    pub(super) fn from_limbs(limbs: Limbs) -> Self {
        debug_assert!(limbs::sub(&limbs, &M::M).1);
        Self::new(limbs)
    }

    #[inline(always)]
    fn from_plain(value: &Limbs) -> Self {
        Self::new(reduce_wide::<M>(limbs::mul_wide(value, &M::R2)))
    }

    #[inline(always)]
    fn to_plain(self) -> Limbs {
        reduce_low::<M>(&self.0)
    }
}

/// (low + k m) / 2^256, with the k below 2^256 that makes the division exact: at most m + (low - m) / 2^256, so at most
/// m, and below m if low is.
#[inline(always)]
fn reduce_low<M: Modulus>(low: &Limbs) -> Limbs {
    M::reduce_limb(&M::reduce_limb(&M::reduce_limb(&M::reduce_limb(low))))
}

/// (low + 2^256 high) / R mod m, for high < m.
#[inline(always)]
fn reduce_wide<M: Modulus>((low, high): (Limbs, Limbs)) -> Limbs {
    // high <= m - 1 and the reduced half is at most m: their sum is below 2m.
    modular::add_mod(&reduce_low::<M>(&low), &high, Element::<M>::MODULUS)
}

impl<M: Modulus> Debug for Element<M> {
    fn fmt(&self, out: &mut Formatter<'_>) -> core::fmt::Result {
        limbs::write_hex(&self.to_plain(), out)
    }
}

impl<M: Modulus> Field for Element<M> {
    const ZERO: Self = Self::new(limbs::ZERO);
    const ONE: Self = Self::new(M::R);

    #[inline]
    fn from_be_bytes(bytes: &[u8; 32]) -> Option<Self> {
        let value = limbs::from_be_bytes(bytes);
        let (_, is_below) = limbs::sub(&value, &M::M);
        is_below.then(|| Self::from_plain(&value))
    }

    /// The product with R^2 < m has a high half below m for every value below 2^256.
    #[inline]
    fn from_be_bytes_reduced(bytes: &[u8; 32]) -> Self {
        Self::from_plain(&limbs::from_be_bytes(bytes))
    }

    #[inline]
    fn to_be_bytes(&self) -> [u8; 32] {
        limbs::to_be_bytes(&self.to_plain())
    }

    #[inline(always)]
    fn add(&self, rhs: &Self) -> Self {
        Self::new(modular::add_mod(&self.0, &rhs.0, Self::MODULUS))
    }

    #[inline(always)]
    fn sub(&self, rhs: &Self) -> Self {
        Self::new(modular::sub_mod(&self.0, &rhs.0, Self::MODULUS))
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
        Self::new(reduce_wide::<M>(limbs::mul_wide(&self.0, &rhs.0)))
    }

    #[inline(always)]
    fn square(&self) -> Self {
        Self::new(reduce_wide::<M>(limbs::square_wide(&self.0)))
    }

    #[inline(always)]
    fn half(&self) -> Self {
        Self::new(modular::half_mod(&self.0, Self::MODULUS))
    }

    #[inline(always)]
    fn mul_sub_mul(&self, rhs: &Self, c: &Self, d: &Self) -> Self {
        let (ab, cd) = (limbs::mul_wide(&self.0, &rhs.0), limbs::mul_wide(&c.0, &d.0));
        Self::new(reduce_wide::<M>(modular::sub_wide_mod(&ab, &cd, Self::MODULUS)))
    }

    #[inline(always)]
    fn mul_sub_square(&self, rhs: &Self, c: &Self) -> Self {
        let (ab, cc) = (limbs::mul_wide(&self.0, &rhs.0), limbs::square_wide(&c.0));
        Self::new(reduce_wide::<M>(modular::sub_wide_mod(&ab, &cc, Self::MODULUS)))
    }

    #[inline(always)]
    fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }

    #[inline(always)]
    fn is_odd(&self) -> bool {
        self.to_plain()[0] & 1 == 1
    }

    fn invert_var(&self) -> Option<Self> {
        let plain = Self::INVERTER.invert_var(&self.to_plain())?;
        Some(Self::from_plain(&plain))
    }
}

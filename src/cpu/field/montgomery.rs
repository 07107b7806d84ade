//! Fields in Montgomery form with R = 2^256, for any odd modulus between 2^255 and 2^256.

use super::invert::Inverter;
use super::limbs::{self, Limbs};
use super::moduli::{Modulus, PrimeOfCoordinates};
use super::vector::Prime;
use super::{Coordinate, Field, SqrtChain, modular};
use core::fmt::{Debug, Formatter};
use core::marker::PhantomData;

/// A shape of modulus and the reductions that it permits.
pub trait Shape: Copy + Eq + Send + Sync + 'static {
    /// (t + k m) / 2^64, with the k below 2^64 that makes the division exact. The quotient is at
    /// most m + (t - m) / 2^64, so less than 2^256.
    fn reduce_limb<M: Modulus>(t: &Limbs) -> Limbs;
}

/// A modulus without a shape that reductions could use.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct General;

impl Shape for General {
    #[inline(always)]
    fn reduce_limb<M: Modulus>(t: &Limbs) -> Limbs {
        let k = t[0].wrapping_mul(M::NEG_INV64);
        let [_, t1, t2, t3, t4] = limbs::mul_limb_add(t, &M::M, k);
        [t1, t2, t3, t4]
    }
}

/// An element: the number x below m is stored as x R mod m, below m.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Element<M, S = General>(Limbs, PhantomData<(M, S)>);

impl<M: Modulus, S: Shape> Element<M, S> {
    const MODULUS: &'static Limbs = &M::M;
    const INVERTER: &'static Inverter = &Inverter::new(&M::M, M::INV62);

    #[inline(always)]
    const fn new(limbs: Limbs) -> Self {
        Element(limbs, PhantomData)
    }

    #[inline(always)]
    fn from_plain(value: &Limbs) -> Self {
        Self::new(reduce_wide::<M, S>(limbs::mul_wide(value, &M::R2)))
    }

    #[inline(always)]
    fn to_plain(self) -> Limbs {
        reduce_low::<M, S>(&self.0)
    }
}

/// (low + k m) / 2^256, with the k below 2^256 that makes the division exact: at most m + (low - m)
/// / 2^256, so at most m, and below m if low is.
#[inline(always)]
fn reduce_low<M: Modulus, S: Shape>(low: &Limbs) -> Limbs {
    S::reduce_limb::<M>(&S::reduce_limb::<M>(&S::reduce_limb::<M>(
        &S::reduce_limb::<M>(low),
    )))
}

/// (low + 2^256 high) / R mod m, for high < m.
#[inline(always)]
fn reduce_wide<M: Modulus, S: Shape>((low, high): (Limbs, Limbs)) -> Limbs {
    // high <= m - 1 and the reduced half is at most m: their sum is below 2m.
    modular::add_mod(&reduce_low::<M, S>(&low), &high, Element::<M, S>::MODULUS)
}

impl<M: Modulus, S: Shape> Debug for Element<M, S> {
    fn fmt(&self, out: &mut Formatter<'_>) -> core::fmt::Result {
        limbs::write_hex(&self.to_plain(), out)
    }
}

impl<M: Modulus, S: Shape> Field for Element<M, S> {
    const ZERO: Self = Self::new(limbs::ZERO);
    const ONE: Self = Self::new(M::R);

    #[inline]
    fn from_be_bytes(bytes: &[u8; 32]) -> Option<Self> {
        let value = limbs::from_be_bytes(bytes);
        let (_, is_below) = limbs::sub(&value, &M::M);
        is_below.then(|| Self::from_plain(&value))
    }

    /// The product with R^2 < m has a high half below m for every value below 2^256, so no prior
    /// reduction is needed.
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
    fn mul(&self, rhs: &Self) -> Self {
        Self::new(reduce_wide::<M, S>(limbs::mul_wide(&self.0, &rhs.0)))
    }

    #[inline(always)]
    fn square(&self) -> Self {
        Self::new(reduce_wide::<M, S>(limbs::square_wide(&self.0)))
    }

    #[inline(always)]
    fn half(&self) -> Self {
        Self::new(modular::half_mod(&self.0, Self::MODULUS))
    }

    #[inline(always)]
    fn mul_sub_mul(&self, rhs: &Self, c: &Self, d: &Self) -> Self {
        let ab = limbs::mul_wide(&self.0, &rhs.0);
        let cd = limbs::mul_wide(&c.0, &d.0);
        Self::new(reduce_wide::<M, S>(modular::sub_wide_mod(
            &ab,
            &cd,
            Self::MODULUS,
        )))
    }

    #[inline(always)]
    fn mul_sub_square(&self, rhs: &Self, c: &Self) -> Self {
        let ab = limbs::mul_wide(&self.0, &rhs.0);
        let cc = limbs::square_wide(&c.0);
        Self::new(reduce_wide::<M, S>(modular::sub_wide_mod(
            &ab,
            &cc,
            Self::MODULUS,
        )))
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

impl<M: PrimeOfCoordinates, S: Shape> Coordinate for Element<M, S>
where
    Self: Prime,
{
    const MODULUS: Limbs = M::M;
    const SQRT_CHAIN: SqrtChain = M::SQRT_CHAIN;

    #[inline(always)]
    fn stored(&self) -> Limbs {
        self.0
    }

    #[inline(always)]
    fn from_stored(limbs: Limbs) -> Self {
        debug_assert!(limbs::sub(&limbs, &M::M).1);
        Self::new(limbs)
    }
}

//! Fields of coordinates modulo a p = 2^256 - c with 2^32 <= c < 2^32 + 2^31, such as that of
//! secp256k1, where c = 2^32 + 977.

use super::invert::Inverter;
use super::limbs::{self, Limbs};
use super::moduli::PrimeOfCoordinates;
use super::{Coordinate, Field, SqrtChain, modular};
use core::marker::PhantomData;

/// A plain number below p.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Element<M>(Limbs, PhantomData<M>);

impl<M: PrimeOfCoordinates> Element<M> {
    const MODULUS: &'static Limbs = &M::M;
    const INVERTER: &'static Inverter = &Inverter::new(&M::M, M::INV62);
    /// c = 2^256 - p; the limbs of p above the lowest are all ones.
    pub const C: u64 = M::M[0].wrapping_neg();

    #[inline(always)]
    const fn new(limbs: Limbs) -> Self {
        Element(limbs, PhantomData)
    }
}

impl<M: PrimeOfCoordinates> core::fmt::Debug for Element<M> {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        limbs::write_hex(&self.0, out)
    }
}

/// Returns two numbers whose sum is congruent to low + 2^256 high: one below 2^256, and one below
/// 2^66. Since 2^256 = c mod p, the high half folds onto the low one times c.
#[inline(always)]
fn fold<M: PrimeOfCoordinates>((low, high): (Limbs, Limbs)) -> (Limbs, [u64; 2]) {
    // low + c high < 2^256 (c + 1), so the top limb is at most c, and its own fold is at most c^2 <
    // 2^66.
    let [s0, s1, s2, s3, top] = limbs::mul_limb_add(&low, &high, Element::<M>::C);
    let (fold0, fold1) = limbs::mul_wide_limb(top, Element::<M>::C);
    ([s0, s1, s2, s3], [fold0, fold1])
}

/// (low + 2^256 high) mod p in constant time.
#[inline(always)]
fn reduce_uniform<M: PrimeOfCoordinates>(product: (Limbs, Limbs)) -> Limbs {
    let (sum, [fold0, fold1]) = fold::<M>(product);
    // Below 2^256 + 2^66, which is below 2 p.
    modular::add_mod(&sum, &[fold0, fold1, 0, 0], Element::<M>::MODULUS)
}

/// (low + 2^256 high) mod p.
#[inline(always)]
fn reduce<M: PrimeOfCoordinates>(product: (Limbs, Limbs)) -> Limbs {
    let ([s0, s1, s2, s3], [fold0, fold1]) = fold::<M>(product);
    let (s0, carry) = s0.overflowing_add(fold0);
    let (s1, carry) = s1.carrying_add(fold1, carry);
    let (s2, carry) = s2.overflowing_add(u64::from(carry));
    let (s3, carry) = s3.overflowing_add(u64::from(carry));
    let sum = [s0, s1, s2, s3];
    // After a carry less than 2^66 remains. A branch is used because a random product takes it with
    // a probability of about 2^-191.
    if carry || is_reducible::<M>(&sum) {
        add_c::<M>(&sum)
    } else {
        sum
    }
}

/// Returns `true` if p <= value.
#[inline(always)]
fn is_reducible<M: PrimeOfCoordinates>(value: &Limbs) -> bool {
    (value[1] & value[2] & value[3]) == u64::MAX && value[0] >= M::M[0]
}

/// value + c modulo 2^256: value - p for a value from p on, value + 2^256 mod p for a small one.
#[inline(always)]
fn add_c<M: PrimeOfCoordinates>(value: &Limbs) -> Limbs {
    limbs::add(value, &[Element::<M>::C, 0, 0, 0]).0
}

impl<M: PrimeOfCoordinates> Field for Element<M> {
    const ZERO: Self = Self::new(limbs::ZERO);
    const ONE: Self = Self::new([1, 0, 0, 0]);

    #[inline]
    fn from_be_bytes(bytes: &[u8; 32]) -> Option<Self> {
        let value = limbs::from_be_bytes(bytes);
        (!is_reducible::<M>(&value)).then_some(Self::new(value))
    }

    #[inline]
    fn from_be_bytes_reduced(bytes: &[u8; 32]) -> Self {
        Self::new(modular::add_mod(
            &limbs::from_be_bytes(bytes),
            &limbs::ZERO,
            Self::MODULUS,
        ))
    }

    #[inline]
    fn to_be_bytes(&self) -> [u8; 32] {
        limbs::to_be_bytes(&self.0)
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
        Self::new(reduce::<M>(limbs::mul_wide(&self.0, &rhs.0)))
    }

    #[inline(always)]
    fn square(&self) -> Self {
        Self::new(reduce::<M>(limbs::square_wide(&self.0)))
    }

    #[inline(always)]
    fn half(&self) -> Self {
        Self::new(modular::half_mod(&self.0, Self::MODULUS))
    }

    #[inline(always)]
    fn mul_sub_mul(&self, rhs: &Self, c: &Self, d: &Self) -> Self {
        let ab = limbs::mul_wide(&self.0, &rhs.0);
        let cd = limbs::mul_wide(&c.0, &d.0);
        Self::new(reduce::<M>(modular::sub_wide_mod(&ab, &cd, Self::MODULUS)))
    }

    #[inline(always)]
    fn mul_sub_square(&self, rhs: &Self, c: &Self) -> Self {
        let ab = limbs::mul_wide(&self.0, &rhs.0);
        let cc = limbs::square_wide(&c.0);
        Self::new(reduce::<M>(modular::sub_wide_mod(&ab, &cc, Self::MODULUS)))
    }

    #[inline(always)]
    fn is_odd(&self) -> bool {
        self.0[0] & 1 == 1
    }

    fn invert_var(&self) -> Option<Self> {
        Self::INVERTER.invert_var(&self.0).map(Self::new)
    }
}

impl<M: PrimeOfCoordinates> Coordinate for Element<M> {
    const MODULUS: Limbs = M::M;
    const SQRT_CHAIN: SqrtChain = M::SQRT_CHAIN;

    #[inline(always)]
    fn stored(&self) -> Limbs {
        self.0
    }

    #[inline(always)]
    fn from_stored(limbs: Limbs) -> Self {
        debug_assert!(!is_reducible::<M>(&limbs));
        Self::new(limbs)
    }

    #[inline(always)]
    fn mul_uniform(&self, rhs: &Self) -> Self {
        Self::new(reduce_uniform::<M>(limbs::mul_wide(&self.0, &rhs.0)))
    }

    #[inline(always)]
    fn square_uniform(&self) -> Self {
        Self::new(reduce_uniform::<M>(limbs::square_wide(&self.0)))
    }

    #[inline(always)]
    fn mul_sub_mul_uniform(&self, rhs: &Self, c: &Self, d: &Self) -> Self {
        let ab = limbs::mul_wide(&self.0, &rhs.0);
        let cd = limbs::mul_wide(&c.0, &d.0);
        let difference = modular::sub_wide_mod(&ab, &cd, Self::MODULUS);
        Self::new(reduce_uniform::<M>(difference))
    }

    #[inline(always)]
    fn mul_sub_square_uniform(&self, rhs: &Self, c: &Self) -> Self {
        let ab = limbs::mul_wide(&self.0, &rhs.0);
        let cc = limbs::square_wide(&c.0);
        let difference = modular::sub_wide_mod(&ab, &cc, Self::MODULUS);
        Self::new(reduce_uniform::<M>(difference))
    }
}

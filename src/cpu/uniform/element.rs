//! Elements of coordinate fields with constant-time operations alone, and masks.

use crate::cpu::field::Coordinate;
use crate::host::wiped::Wiped;
use std::hint::black_box;
use std::ops::{BitAnd, BitXor, Not};

/// All ones for true, or all zeros for false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask(u64);

impl Mask {
    /// Makes a mask of a bit, 0 or 1.
    #[inline(always)]
    pub fn from_bit(bit: u64) -> Self {
        Mask(black_box(bit).wrapping_neg())
    }

    /// Returns whether a word is zero.
    #[inline(always)]
    pub fn is_zero(word: u64) -> Self {
        Self::from_bit(1 ^ ((word | word.wrapping_neg()) >> 63))
    }

    /// Returns `chosen` where the mask is set, and otherwise `other`.
    #[inline(always)]
    pub fn select(self, chosen: u64, other: u64) -> u64 {
        other ^ (self.0 & (chosen ^ other))
    }

    /// Returns the word if the mask is set, and otherwise zero.
    #[inline(always)]
    pub fn and(self, word: u64) -> u64 {
        self.0 & word
    }

    /// Converts a mask that is not secret.
    #[inline(always)]
    pub fn is_set(self) -> bool {
        self.0 != 0
    }
}

impl BitAnd for Mask {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Mask(self.0 & other.0)
    }
}

impl BitXor for Mask {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Mask(self.0 ^ other.0)
    }
}

impl Not for Mask {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Mask(!self.0)
    }
}

/// An element of a coordinate field.
#[derive(Clone, Copy)]
pub struct Element<F>(pub F);

impl<F: Coordinate> Element<F> {
    pub const ZERO: Self = Element(F::ZERO);
    pub const ONE: Self = Element(F::ONE);

    #[inline(always)]
    pub fn add(self, other: Self) -> Self {
        Element(self.0.add(&other.0))
    }

    #[inline(always)]
    pub fn sub(self, other: Self) -> Self {
        Element(self.0.sub(&other.0))
    }

    #[inline(always)]
    pub fn neg(self) -> Self {
        Element(self.0.neg())
    }

    #[inline(always)]
    pub fn double(self) -> Self {
        Element(self.0.double())
    }

    #[inline(always)]
    pub fn half(self) -> Self {
        Element(self.0.half())
    }

    #[inline(always)]
    pub fn mul(self, other: Self) -> Self {
        Element(self.0.mul_uniform(&other.0))
    }

    #[inline(always)]
    pub fn square(self) -> Self {
        Element(self.0.square_uniform())
    }

    /// self other - c d.
    #[inline(always)]
    pub fn mul_sub_mul(self, other: Self, c: Self, d: Self) -> Self {
        Element(self.0.mul_sub_mul_uniform(&other.0, &c.0, &d.0))
    }

    /// self other - c^2.
    #[inline(always)]
    pub fn mul_sub_square(self, other: Self, c: Self) -> Self {
        Element(self.0.mul_sub_square_uniform(&other.0, &c.0))
    }

    /// Returns whether this is zero.
    #[inline(always)]
    pub fn is_zero(self) -> Mask {
        let [a, b, c, d] = self.0.stored();
        Mask::is_zero(a | b | c | d)
    }

    /// Returns whether the number below p is odd.
    #[inline(always)]
    pub fn is_odd(self) -> Mask {
        Mask::from_bit(u64::from(self.0.is_odd()))
    }

    /// Returns this element where the mask is set, and otherwise `other`.
    #[inline(always)]
    pub fn select(self, mask: Mask, other: Self) -> Self {
        let chosen = self.0.stored();
        let other = other.0.stored();
        Element(F::from_stored([
            mask.select(chosen[0], other[0]),
            mask.select(chosen[1], other[1]),
            mask.select(chosen[2], other[2]),
            mask.select(chosen[3], other[3]),
        ]))
    }

    /// Returns the negative where the mask is set, and otherwise the element itself.
    #[inline(always)]
    pub fn negate(self, mask: Mask) -> Self {
        self.neg().select(mask, self)
    }

    /// Computes self^(p - 2), the inverse, or 0 for 0.
    pub fn invert(self) -> Self {
        /// Bits of the exponent per multiplication.
        const WINDOW: usize = 4;
        let exponent = const {
            // p is odd and above 2, so there is no borrow.
            [
                F::MODULUS[0] - 2,
                F::MODULUS[1],
                F::MODULUS[2],
                F::MODULUS[3],
            ]
        };
        let mut powers = [Self::ONE; 1 << WINDOW];
        for index in 1..powers.len() {
            powers[index] = powers[index - 1].mul(self);
        }
        let mut power = Self::ONE;
        for position in (0..256).step_by(WINDOW).rev() {
            for _ in 0..WINDOW {
                power = power.square();
            }
            // The exponent is public.
            let digit = exponent[position / 64] >> (position % 64) & ((1 << WINDOW) - 1);
            power = power.mul(powers[digit as usize]);
        }
        power
    }
}

/// The number of interleaved chains of products or powers: while one waits for a product, the
/// others proceed.
pub const CHAINS: usize = 2;

/// Elements whose powers are computed in lockstep.
pub type Chains<F> = [Element<F>; CHAINS];

/// Computes base^((p + 1) / 4) of each element, a square root of it or of its negative. `powers` is
/// memory for `F::SQRT_CHAIN.len()` intermediate powers, which the caller wipes.
pub fn root_power<F: Coordinate>(base: &Chains<F>, powers: &mut [Chains<F>]) -> Chains<F> {
    let mut last = *base;
    for (step, &(squarings, factor)) in F::SQRT_CHAIN.iter().enumerate() {
        powers[step] = last;
        last = squared(last, squarings);
        if let Some(factor) = factor {
            let factor = powers[factor];
            last = [last[0].mul(factor[0]), last[1].mul(factor[1])];
        }
    }
    last
}

/// Computes base^(2^count) of each element. Not inlined, so that there is one loop per field.
#[inline(never)]
fn squared<F: Coordinate>([mut first, mut second]: Chains<F>, count: u32) -> Chains<F> {
    for _ in 0..count {
        first = first.square();
        second = second.square();
    }
    [first, second]
}

/// Replaces elements, none of which is zero, by their inverses: Montgomery's trick in interleaved
/// chains, with an inversion by a power.
pub fn invert_all<F: Coordinate>(values: &mut [Element<F>]) {
    let mut before = Wiped::with_capacity(values.len());
    let mut products = [Element::ONE; CHAINS];
    for (index, value) in values.iter().enumerate() {
        let product = &mut products[index % CHAINS];
        before.push(*product);
        *product = product.mul(*value);
    }
    let [first, second] = products;
    let inverse = first.mul(second).invert();
    // The inverses of the products of the values up to the current one.
    let mut suffixes = [inverse.mul(second), inverse.mul(first)];
    for (index, value) in values.iter_mut().enumerate().rev() {
        let suffix = &mut suffixes[index % CHAINS];
        let inverse = suffix.mul(before[index]);
        *suffix = suffix.mul(*value);
        *value = inverse;
    }
}

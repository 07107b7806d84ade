//! Arithmetic modulo p = 2^255 - c, with c = 19 for edwards25519. **Constant-time** except for
//! functions whose names end in `_var`: secrets and public data are processed by the same code.
//!
//! An element is represented by any of the two or three numbers below 2^256 that are congruent to
//! it modulo p. The part above 2^256 is multiplied by 2c and added to the rest, since 2^256 = 2c
//! modulo p.

use crate::cpu::field::Power;
use crate::cpu::field::limbs::{self, Limbs};
use crate::curve::constants::ed25519;
use core::hint::black_box;
use zeroize::{DefaultIsZeroes, Zeroizing};

/// p = 2^255 - c.
const P: Limbs = ed25519::P;
pub(super) const C: u64 = P[0].wrapping_neg();

/// An element of the field.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub struct Element(Limbs);

impl DefaultIsZeroes for Element {}

impl core::fmt::Debug for Element {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        limbs::write_hex(&self.canonical(), out)
    }
}

/// Equality modulo p.
impl PartialEq for Element {
    fn eq(&self, other: &Self) -> bool {
        self.sub(other).is_zero()
    }
}

impl Eq for Element {}

/// Computes value + extra modulo p, for an extra so small that extra + 2c is below 2^64.
#[inline(always)]
fn fold(value: &Limbs, extra: u64) -> Element {
    let ([s0, s1, s2, s3], carry) = limbs::add(value, &[extra, 0, 0, 0]);
    // After a carry, the rest is below `extra`.
    Element([s0 + 2 * C * u64::from(carry), s1, s2, s3])
}

#[inline(always)]
fn reduce((low, high): (Limbs, Limbs)) -> Element {
    // low + 2c high < 2^256 (2c + 1): the top limb is at most 2c.
    let [s0, s1, s2, s3, top] = limbs::mul_limb_add(&low, &high, 2 * C);
    fold(&[s0, s1, s2, s3], 2 * C * top)
}

impl Power for Element {
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        self.mul(other)
    }

    #[inline(always)]
    fn squared(&self, count: u32) -> Self {
        self.square_times(count)
    }
}

/// Two interleaved chains: while one waits for a square, the other proceeds.
impl Power for [Element; 2] {
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        [self[0].mul(&other[0]), self[1].mul(&other[1])]
    }

    #[inline(never)]
    fn squared(&self, count: u32) -> Self {
        (0..count).fold(*self, |[first, second], _| {
            [first.square(), second.square()]
        })
    }
}

impl Element {
    pub const ZERO: Self = Element(limbs::ZERO);
    pub const ONE: Self = Element([1, 0, 0, 0]);
    /// A square root of -1.
    pub const ROOT_OF_MINUS_ONE: Self = Element(ed25519::ROOT_OF_MINUS_ONE);

    /// Makes the element of any number below 2^256.
    pub const fn from_limbs(limbs: Limbs) -> Self {
        Element(limbs)
    }

    /// Returns the number below 2^256 that represents the element.
    #[cfg_attr(
        any(gecc_no_avx512, not(target_arch = "x86_64")),
        allow(dead_code, reason = "for the lanes")
    )]
    pub fn limbs(&self) -> &Limbs {
        &self.0
    }

    /// Returns the number below p.
    #[inline]
    pub fn canonical(&self) -> Limbs {
        // Below 2^255 + c after the first step. Then below 2^255, except for numbers from p on,
        // which one more subtraction reduces.
        let top_bit = |limbs: &Limbs| limbs[3] >> 63;
        let without = |limbs: &Limbs| [limbs[0], limbs[1], limbs[2], limbs[3] & (u64::MAX >> 1)];
        let (once, _) = limbs::add(&without(&self.0), &[C * top_bit(&self.0), 0, 0, 0]);
        // once >= p exactly if once + c >= 2^255.
        let (shifted, _) = limbs::add(&once, &[C, 0, 0, 0]);
        let is_large = 0u64.wrapping_sub(top_bit(&shifted));
        let shifted = without(&shifted);
        std::array::from_fn(|i| once[i] ^ (is_large & (once[i] ^ shifted[i])))
    }

    /// Encodes the number below p in 32 bytes, little-endian.
    #[inline]
    pub fn to_le_bytes(self) -> [u8; 32] {
        limbs::to_le_bytes(&self.canonical())
    }

    #[inline(always)]
    pub fn add(&self, rhs: &Self) -> Self {
        let (sum, carry) = limbs::add(&self.0, &rhs.0);
        fold(&sum, 2 * C * u64::from(carry))
    }

    #[inline(always)]
    pub fn sub(&self, rhs: &Self) -> Self {
        let (difference, borrow) = limbs::sub(&self.0, &rhs.0);
        let ([d0, d1, d2, d3], borrow) =
            limbs::sub(&difference, &[2 * C * u64::from(borrow), 0, 0, 0]);
        // After a borrow, the rest is 2^256 minus at most 2c.
        Element([d0 - 2 * C * u64::from(borrow), d1, d2, d3])
    }

    #[inline(always)]
    pub fn neg(&self) -> Self {
        Self::ZERO.sub(self)
    }

    #[inline(always)]
    pub fn double(&self) -> Self {
        self.add(self)
    }

    #[inline(always)]
    pub fn mul(&self, rhs: &Self) -> Self {
        reduce(limbs::mul_wide(&self.0, &rhs.0))
    }

    #[inline(always)]
    pub fn square(&self) -> Self {
        reduce(limbs::square_wide(&self.0))
    }

    /// Multiplies by a factor below 2^58.
    #[inline(always)]
    pub fn mul_small(&self, factor: u64) -> Self {
        // The top limb is below the factor, so 2c top + 2c is below 2^64.
        let [s0, s1, s2, s3, top] = limbs::mul_limb_add(&limbs::ZERO, &self.0, factor);
        fold(&[s0, s1, s2, s3], 2 * C * top)
    }

    /// Not inlined: the code of a square is long, so there is one loop instead of one per use.
    #[inline(never)]
    pub fn square_times(&self, count: u32) -> Self {
        (0..count).fold(*self, |power, _| power.square())
    }

    /// self^((p - 5) / 8).
    #[inline(never)]
    pub fn root_power(&self) -> Self {
        Self::root_chain(self)
    }

    /// Computes base^((p - 5) / 8) of one element or of several interleaved ones.
    #[inline(always)]
    pub fn root_chain<T: Power>(base: &T) -> T {
        let mut powers = [*base; ed25519::ROOT_CHAIN.len()];
        let mut last = *base;
        for (number, &(squarings, factor)) in ed25519::ROOT_CHAIN.iter().enumerate() {
            powers[number] = last;
            last = last.squared(squarings);
            if let Some(factor) = factor {
                last = last.times(&powers[factor]);
            }
        }
        last
    }

    /// Returns the inverse, or 0 for 0.
    pub fn invert(&self) -> Self {
        // p - 2 = 8 (p - 5) / 8 + 3.
        self.root_power()
            .square_times(3)
            .mul(&self.square())
            .mul(self)
    }

    pub fn is_zero(&self) -> bool {
        self.canonical() == limbs::ZERO
    }

    /// Returns `true` if the number below p is odd.
    pub fn is_odd(&self) -> bool {
        self.canonical()[0] & 1 == 1
    }

    /// Returns a mask of all ones for zero, and 0 for any other element.
    #[inline(always)]
    pub fn zero_mask(&self) -> u64 {
        let bits = self
            .canonical()
            .into_iter()
            .fold(0, |bits, limb| bits | limb);
        // The top bit of bits | -bits is set unless all bits are 0. Hides that there are two masks,
        // between which a compiler might branch.
        black_box(((bits | bits.wrapping_neg()) >> 63).wrapping_sub(1))
    }

    /// Returns a mask of all ones if the number below p is odd, and 0 otherwise.
    #[inline(always)]
    pub fn odd_mask(&self) -> u64 {
        // Hides that there are two masks, as above.
        black_box((self.canonical()[0] & 1).wrapping_neg())
    }

    /// Returns -self if the mask is all ones, and self if it is 0.
    #[inline(always)]
    pub fn negate_masked(&self, mask: u64) -> Self {
        let mut element = *self;
        element.assign_masked(&self.neg(), mask);
        element
    }

    /// Returns the element or its negative, whose number below p is even (CT_ABS of RFC 9496,
    /// section 3.1).
    #[inline(always)]
    pub fn even(&self) -> Self {
        self.negate_masked(self.odd_mask())
    }

    /// Assigns `other` if the mask is all ones, and keeps the value if it is 0.
    #[inline(always)]
    pub fn assign_masked(&mut self, other: &Self, mask: u64) {
        for (limb, other) in self.0.iter_mut().zip(other.0) {
            *limb ^= mask & (*limb ^ other);
        }
    }
}

/// Computes value^((p - 5) / 8) for each value.
pub fn root_powers(values: &[Element]) -> Vec<Element> {
    let mut powers = Vec::with_capacity(values.len());
    for pair in values.chunks(2) {
        powers.extend_from_slice(
            &Element::root_chain(&[pair[0], pair[pair.len() - 1]])[..pair.len()],
        );
    }
    powers
}

/// The state of computing the square root of a ratio u / v as in RFC 8032, section 5.1.3: u v^3 (u
/// v^7)^((p - 5) / 8), whose square times v is u, -u, or neither.
#[derive(Clone, Copy)]
pub struct Ratio {
    u: Element,
    v: Element,
    /// The factor u v^3.
    factor: Element,
}

impl Ratio {
    /// Starts a division u / v. Returns the state and u v^7, whose power the caller computes.
    pub fn new(u: Element, v: Element) -> (Self, Element) {
        let cube = v.square().mul(&v);
        let factor = u.mul(&cube);
        (Ratio { u, v, factor }, factor.mul(&cube.mul(&v)))
    }

    /// Returns a square root if there is one, either of the two. Variable-time.
    pub fn root_var(&self, power: &Element) -> Option<Element> {
        let root = self.factor.mul(power);
        let found = root.square().mul(&self.v);
        if found == self.u {
            Some(root)
        } else if found == self.u.neg() {
            Some(root.mul(&Element::ROOT_OF_MINUS_ONE))
        } else {
            None
        }
    }

    /// Returns an even square root of u / v, with a mask of all ones if there is one, and otherwise
    /// that of i u / v with the square root i of -1 (SQRT_RATIO_M1 of RFC 9496, section 4.2). If v is
    /// 0, this is 0, and there is one only if u is 0.
    #[inline(never)]
    pub fn even_root(&self, power: &Element) -> (Element, u64) {
        let mut root = self.factor.mul(power);
        let found = root.square().mul(&self.v);
        let is_root = found.sub(&self.u).zero_mask();
        let is_of_minus_u = found.add(&self.u).zero_mask();
        let is_of_minus_i_u = found
            .add(&self.u.mul(&Element::ROOT_OF_MINUS_ONE))
            .zero_mask();
        let other = root.mul(&Element::ROOT_OF_MINUS_ONE);
        root.assign_masked(&other, is_of_minus_u | is_of_minus_i_u);
        (root.even(), is_root | is_of_minus_u)
    }
}

/// Replaces non-zero elements by their inverses, with Montgomery's trick: three products per
/// element, and one inversion.
pub fn invert_all(elements: &mut [Element]) {
    let mut products = Zeroizing::new(Vec::with_capacity(elements.len()));
    let mut product = Element::ONE;
    for element in &*elements {
        products.push(product);
        product = product.mul(element);
    }
    let mut suffix = product.invert();
    for (element, product) in elements.iter_mut().zip(&*products).rev() {
        let inverse = suffix.mul(product);
        suffix = suffix.mul(element);
        *element = inverse;
    }
}

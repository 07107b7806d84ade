//! Eight field elements in vectors, each as five words of 52 bits, as `vpmadd52luq` and
//! `vpmadd52huq` multiply them.
//!
//! Elements are not canonical. Bounds are in multiples of p; with R = 2^260, a number below 16 p <
//! R fits. A product of factors below a p and b p with a b <= 16 is below 2 p, for every prime
//! here: all comments on bounds rely on this. Sums are not carried, and may be negative, until they
//! are converted to an element.

use super::words::{Mask, Words};
use core::marker::PhantomData;
use core::ops::{Add, Neg, Sub};

/// Bits per word, and their mask.
pub const BITS: u32 = 52;
pub const LOW: u64 = (1 << BITS) - 1;

/// A prime p between 2^255 and 2^256. In memory an element is stored as four 64-bit words, a number
/// v below p; in a vector it is 2^SHIFT v.
pub trait Prime: Copy + 'static {
    /// The shift, at most 4, so that 2^SHIFT v < 16 p.
    const SHIFT: i32;

    /// Reduces the columns of a product below 2^520, each below 2^58, to a representative below
    /// product / 2^260 + p or below 1.01 p.
    fn reduce(columns: [Words; 10]) -> [Words; 5];

    /// sum + k p.
    fn add_multiple(sum: [Words; 5], k: i64) -> [Words; 5];

    /// Reduces a sum modulo p, to between 0 and 2.01 p once it is carried. The sum may be negative,
    /// with words below 2^57 in absolute value.
    fn fold(sum: [Words; 5]) -> [Words; 5];
}

/// Implements `Prime::fold` for a p close to 2^256. `add_complement(sum, k)` is sum + k (2^256 -
/// p), for a k of few bits.
#[inline(always)]
pub fn fold_by_complement(
    [t0, t1, t2, t3, t4]: [Words; 5],
    add_complement: impl FnOnce([Words; 5], Words) -> [Words; 5],
) -> [Words; 5] {
    const TOP: u32 = 48;
    // With q = floor(t4 / 2^48), sum - (q - 1) p = sum - q 2^256 + 2^256 + (q - 1) (2^256 - p),
    // where sum - q 2^256 is between -2^214 and 2^256 + 2^214, as words are below 2^57.
    let q = t4.sar::<TOP>().sub(t4.all(1));
    let t4 = t4.and(t4.all((1 << TOP) - 1)).or(t4.all(1 << TOP));
    add_complement([t0, t1, t2, t3, t4], q)
}

/// Eight elements: non-negative, all words below 2^52.
pub struct Element<P>([Words; 5], PhantomData<P>);

/// A sum of a few elements, not carried: words are signed and below 2^57 in absolute value.
pub struct Sum<P>([Words; 5], PhantomData<P>);

impl<P> Clone for Element<P> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<P> Copy for Element<P> {}
impl<P> Clone for Sum<P> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<P> Copy for Sum<P> {}

/// Carries so that words 0 to 3 are in 0..2^52; word 4 keeps the rest.
#[inline(always)]
pub fn carry(words: [Words; 5]) -> [Words; 5] {
    let [t0, t1, t2, t3, t4] = words;
    let low = t0.all(LOW);
    let t1 = t1.add(t0.sar::<BITS>());
    let t2 = t2.add(t1.sar::<BITS>());
    let t3 = t3.add(t2.sar::<BITS>());
    let t4 = t4.add(t3.sar::<BITS>());
    [t0.and(low), t1.and(low), t2.and(low), t3.and(low), t4]
}

/// Returns the words of 2^shift number, for a shift of at most 4.
pub const fn split(number: &[u64; 4], shift: u32) -> [u64; 5] {
    let [n0, n1, n2, n3] = *number;
    [
        n0 << shift & LOW,
        (n0 >> (52 - shift) | n1 << (12 + shift)) & LOW,
        (n1 >> (40 - shift) | n2 << (24 + shift)) & LOW,
        (n2 >> (28 - shift) | n3 << (36 + shift)) & LOW,
        n3 >> (16 - shift),
    ]
}

impl<P: Prime> Element<P> {
    /// Returns 2^N times numbers of four 64-bit words.
    #[inline(always)]
    pub fn unpack<const N: i32>(words: [Words; 4]) -> Self {
        const { assert!(N == 0 || N == 4) };
        let [w0, w1, w2, w3] = words;
        let low = w0.all(LOW);
        let words = if N == 0 {
            [
                w0,
                w0.shr_wide::<52>(w1),
                w1.shr_wide::<40>(w2),
                w2.shr_wide::<28>(w3),
                w3.shr::<16>(),
            ]
        } else {
            [
                w0.shl::<4>(),
                w0.shr_wide::<48>(w1),
                w1.shr_wide::<36>(w2),
                w2.shr_wide::<24>(w3),
                w3.shr::<12>(),
            ]
        };
        let [t0, t1, t2, t3, t4] = words;
        Self::new([t0.and(low), t1.and(low), t2.and(low), t3.and(low), t4])
    }

    /// Returns numbers below 2^256 as four 64-bit words.
    #[inline(always)]
    pub fn pack(self) -> [Words; 4] {
        let [t0, t1, t2, t3, t4] = self.0;
        [
            t0.or(t1.shl::<52>()),
            t1.shr::<12>().or(t2.shl::<40>()),
            t2.shr::<24>().or(t3.shl::<28>()),
            t3.shr::<36>().or(t4.shl::<16>()),
        ]
    }

    /// Returns the element with the given stored form, below 16 p, in every lane; the value of
    /// `self` is not used.
    #[inline(always)]
    pub fn all(self, stored: &[u64; 4]) -> Self {
        Self::new(split(stored, P::SHIFT as u32).map(|word| self.0[0].all(word)))
    }

    /// Wraps non-negative words below 2^52.
    #[inline(always)]
    pub fn new(words: [Words; 5]) -> Self {
        Element(words, PhantomData)
    }

    /// Returns the words.
    #[inline(always)]
    pub fn words(self) -> [Words; 5] {
        self.0
    }

    /// Returns the residue below p of a number below 2 p.
    #[inline(always)]
    pub fn canonical(self) -> Self {
        let difference = carry(P::add_multiple(self.0, -1));
        let below = difference[4].negatives();
        Self::new(select(difference, below, self.0))
    }

    /// Returns the lanes that are zero modulo p, of elements below 3 p.
    #[inline(always)]
    pub fn zeros(self) -> Mask {
        let [zero, p, twice] = self.multiples();
        self.equals(zero) | self.equals(p) | self.equals(twice)
    }

    /// Returns the lanes that are zero modulo p, and others with a probability of about 2^-50:
    /// compares only the lowest word.
    #[inline(always)]
    pub fn likely_zeros(self) -> Mask {
        self.multiples()
            .into_iter()
            .fold(0, |mask, multiple| mask | self.0[0].equals(multiple[0]))
    }

    /// Returns 0, p and 2 p.
    #[inline(always)]
    fn multiples(self) -> [[Words; 5]; 3] {
        let zero = [self.0[0].all(0); 5];
        [
            zero,
            carry(P::add_multiple(zero, 1)),
            carry(P::add_multiple(zero, 2)),
        ]
    }

    #[inline(always)]
    fn equals(self, other: [Words; 5]) -> Mask {
        self.0
            .into_iter()
            .zip(other)
            .fold(Mask::MAX, |mask, (word, other)| mask & word.equals(other))
    }

    /// self rhs.
    #[inline(always)]
    pub fn mul(self, rhs: Self) -> Self {
        let mut columns = [self.0[0].all(0); 10];
        add_product(&mut columns, &self.0, &rhs.0);
        Self::new(P::reduce(columns))
    }

    /// self rhs + c d. Below 2 p for factors below a p, b p, c p and d p with a b + c d <= 16.
    #[inline(always)]
    pub fn mul_add(self, rhs: Self, c: Self, d: Self) -> Self {
        let mut columns = [self.0[0].all(0); 10];
        add_product(&mut columns, &self.0, &rhs.0);
        add_product(&mut columns, &c.0, &d.0);
        Self::new(P::reduce(columns))
    }

    /// self^2.
    #[inline(always)]
    pub fn square(self) -> Self {
        let a = &self.0;
        let mut columns = [a[0].all(0); 10];
        for i in 0..5 {
            for j in i + 1..5 {
                columns[i + j] = columns[i + j].mul_add_low(a[i], a[j]);
            }
            for j in i + 1..5 {
                columns[i + j + 1] = columns[i + j + 1].mul_add_high(a[i], a[j]);
            }
        }
        for column in &mut columns[1..9] {
            *column = column.add(*column);
        }
        for i in 0..5 {
            columns[2 * i] = columns[2 * i].mul_add_low(a[i], a[i]);
            columns[2 * i + 1] = columns[2 * i + 1].mul_add_high(a[i], a[i]);
        }
        Self::new(P::reduce(columns))
    }

    /// Converts the element to a sum.
    #[inline(always)]
    pub fn sum(self) -> Sum<P> {
        Sum(self.0, PhantomData)
    }

    /// Returns the lanes of `other` where the mask is set, and those of `self` elsewhere.
    #[inline(always)]
    pub fn select(self, mask: Mask, other: Self) -> Self {
        Self::new(select(self.0, mask, other.0))
    }
}

#[inline(always)]
fn select(words: [Words; 5], mask: Mask, other: [Words; 5]) -> [Words; 5] {
    let mut selected = words;
    for (word, other) in selected.iter_mut().zip(other) {
        *word = word.select(mask, other);
    }
    selected
}

/// Adds a product row by row, so that neighbouring instructions add to different columns. A column
/// gets at most ten terms.
#[inline(always)]
fn add_product(columns: &mut [Words; 10], a: &[Words; 5], b: &[Words; 5]) {
    for i in 0..5 {
        for j in 0..5 {
            columns[i + j] = columns[i + j].mul_add_low(a[i], b[j]);
        }
        for j in 0..5 {
            columns[i + j + 1] = columns[i + j + 1].mul_add_high(a[i], b[j]);
        }
    }
}

impl<P: Prime> Sum<P> {
    /// Returns the element sum + k p, which must be in 0..16 p.
    #[inline(always)]
    pub fn plus_multiple(self, k: i64) -> Element<P> {
        Element::new(carry(if k == 0 {
            self.0
        } else {
            P::add_multiple(self.0, k)
        }))
    }

    /// Returns the sum modulo p, below 2.01 p; the sum may be negative.
    #[inline(always)]
    pub fn fold(self) -> Element<P> {
        Element::new(carry(P::fold(self.0)))
    }

    /// Returns 2^N sum.
    #[inline(always)]
    pub fn shl<const N: u32>(self) -> Self {
        let [t0, t1, t2, t3, t4] = self.0;
        Sum(
            [
                t0.shl::<N>(),
                t1.shl::<N>(),
                t2.shl::<N>(),
                t3.shl::<N>(),
                t4.shl::<N>(),
            ],
            PhantomData,
        )
    }

    /// Returns -sum where the mask is set, and sum elsewhere.
    #[inline(always)]
    pub fn negate(self, mask: Mask) -> Self {
        let mut words = self.0;
        for word in &mut words {
            *word = word.select_difference(mask, word.all(0), *word);
        }
        Sum(words, PhantomData)
    }
}

impl<P> Add for Sum<P> {
    type Output = Self;
    #[inline(always)]
    fn add(self, rhs: Self) -> Self {
        let mut words = self.0;
        for (word, other) in words.iter_mut().zip(rhs.0) {
            *word = word.add(other);
        }
        Sum(words, PhantomData)
    }
}

impl<P> Sub for Sum<P> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, rhs: Self) -> Self {
        let mut words = self.0;
        for (word, other) in words.iter_mut().zip(rhs.0) {
            *word = word.sub(other);
        }
        Sum(words, PhantomData)
    }
}

impl<P> Neg for Sum<P> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        let zero = Sum([self.0[0].all(0); 5], PhantomData);
        zero - self
    }
}

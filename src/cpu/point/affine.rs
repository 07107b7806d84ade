//! Affine points in batches: additions that share one inversion with Montgomery's trick.
//!
//! The trick multiplies the denominators of a whole batch, so a single zero would invalidate every
//! item. Each pair is therefore classified first: only slopes of chords and tangents contribute
//! their denominator, all other cases contribute one.

use crate::cpu::field::{Coordinate, Field};
use crate::cpu::{CoefficientA, CpuCurve, coefficient_a, three};
use core::marker::PhantomData;
use zeroize::Zeroize;

/// A point in affine coordinates. `x` and `y` are meaningless if `infinity` is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Affine<F> {
    pub x: F,
    pub y: F,
    pub infinity: bool,
}

impl<F: Field> Affine<F> {
    pub const IDENTITY: Self = Affine {
        x: F::ZERO,
        y: F::ZERO,
        infinity: true,
    };

    pub fn new(x: F, y: F) -> Self {
        Affine {
            x,
            y,
            infinity: false,
        }
    }

    pub fn neg(&self) -> Self {
        Affine {
            y: self.y.neg(),
            ..*self
        }
    }
}

/// A point in one cache line, as stored in tables. In tables it is never the identity; elsewhere
/// zeros represent the identity, since (0, 0) is not on any curve: b is not 0.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Entry<F> {
    /// The stored forms of x and y.
    words: [u64; 8],
    field: PhantomData<F>,
}

impl<F: Coordinate> Entry<F> {
    pub fn new(x: &F, y: &F) -> Self {
        let ([x0, x1, x2, x3], [y0, y1, y2, y3]) = (x.stored(), y.stored());
        Entry {
            words: [x0, x1, x2, x3, y0, y1, y2, y3],
            field: PhantomData,
        }
    }

    /// Restores a point from the result of `words`.
    #[inline(always)]
    pub fn from_words(words: [u64; 8]) -> Self {
        Entry {
            words,
            field: PhantomData,
        }
    }

    #[inline(always)]
    pub fn x(&self) -> F {
        let [x0, x1, x2, x3, ..] = self.words;
        F::from_stored([x0, x1, x2, x3])
    }

    #[inline(always)]
    pub fn y(&self) -> F {
        let [.., y0, y1, y2, y3] = self.words;
        F::from_stored([y0, y1, y2, y3])
    }

    #[inline(always)]
    pub fn words(&self) -> &[u64; 8] {
        &self.words
    }

    /// The identity.
    pub const ZERO: Self = Entry {
        words: [0; 8],
        field: PhantomData,
    };

    pub fn is_zero(&self) -> bool {
        self.words == [0; 8]
    }

    /// Converts any point.
    pub fn of(point: &Affine<F>) -> Self {
        if point.infinity {
            Self::ZERO
        } else {
            Self::new(&point.x, &point.y)
        }
    }

    /// Returns the point, which may be the identity.
    pub fn point(&self) -> Affine<F> {
        if self.is_zero() {
            Affine::IDENTITY
        } else {
            Affine::new(self.x(), self.y())
        }
    }

    /// Returns the negative of the point, in any representation of coordinates: a number below p
    /// becomes p minus that number.
    pub fn neg(&self) -> Self {
        if self.is_zero() {
            Self::ZERO
        } else {
            Self::new(&self.x(), &self.y().neg())
        }
    }
}

/// Prefetches an entry that will be read soon.
pub fn prefetch<F>(entry: &Entry<F>) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint without architectural effect, and SSE is part of every x86-64.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(entry).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = entry;
}

/// The number of interleaved chains of products. Each product of a chain depends on the one before;
/// with four chains the processor can compute others meanwhile.
const CHAINS: usize = 4;

/// The denominators of a batch of slopes and their running products, reused between batches to save
/// allocations.
pub struct Denominators<F> {
    values: Vec<F>,
    /// The entry `prefix[i]` is the product of the values before i in the chain of i, which is `i %
    /// CHAINS`.
    prefix: Vec<F>,
    products: [F; CHAINS],
    /// A blinding factor for the variable-time inversion.
    blind: F,
}

impl<F: Field> Denominators<F> {
    pub fn new() -> Self {
        Denominators {
            values: Vec::new(),
            prefix: Vec::new(),
            products: [F::ONE; CHAINS],
            blind: F::ONE,
        }
    }

    /// Reserves capacity for `pairs` pairs, because growing a vector would leave its old contents
    /// in freed memory.
    pub fn with_capacity(pairs: usize) -> Self {
        Denominators {
            values: Vec::with_capacity(pairs),
            prefix: Vec::with_capacity(pairs),
            ..Self::new()
        }
    }

    /// Blinds the denominators of secret points with a non-zero number known to nobody else, so
    /// that the time of an inversion reveals nothing about them.
    pub fn blind(&mut self, factor: F) {
        self.blind = factor;
    }

    /// Wipes everything that was computed.
    pub fn wipe(&mut self) {
        self.blind = F::ONE;
        self.clear();
        self.values.spare_capacity_mut().zeroize();
        self.prefix.spare_capacity_mut().zeroize();
    }

    fn clear(&mut self) {
        self.values.clear();
        self.prefix.clear();
        self.products = [F::ONE; CHAINS];
        self.products[0] = self.blind;
    }

    /// Adds a value, which must not be zero.
    #[inline(always)]
    fn push(&mut self, value: F) {
        let product = &mut self.products[self.values.len() % CHAINS];
        self.values.push(value);
        self.prefix.push(*product);
        *product = product.mul(&value);
    }

    /// Calls `take` with the inverses, last first.
    #[inline(always)]
    fn for_each_inverse_reversed(&self, mut take: impl FnMut(usize, F)) {
        let mut suffixes = self.inverse_products();
        for index in (0..self.values.len()).rev() {
            let suffix = &mut suffixes[index % CHAINS];
            take(index, suffix.mul(&self.prefix[index]));
            *suffix = suffix.mul(&self.values[index]);
        }
    }

    /// Returns the inverses of the chains' products, computed with the same trick one level up.
    fn inverse_products(&self) -> [F; CHAINS] {
        let mut before = [F::ONE; CHAINS];
        for chain in 1..CHAINS {
            before[chain] = before[chain - 1].mul(&self.products[chain - 1]);
        }
        let all = before[CHAINS - 1].mul(&self.products[CHAINS - 1]);
        let mut suffix = all.invert_var().expect("no denominator is zero");
        for chain in (0..CHAINS).rev() {
            before[chain] = before[chain].mul(&suffix);
            suffix = suffix.mul(&self.products[chain]);
        }
        before
    }
}

/// Inverts all non-zero values in place; zeros stay zero.
pub fn invert_all<F: Field>(values: &mut [F]) {
    let mut denominators = Denominators::new();
    for value in values.iter() {
        denominators.push(if value.is_zero() { F::ONE } else { *value });
    }
    denominators.for_each_inverse_reversed(|index, inverse| {
        if !values[index].is_zero() {
            values[index] = inverse;
        }
    });
}

/// The cases of a sum of two points.
enum Sum {
    /// Different x: the chord.
    Chord,
    /// Equal points: the tangent. Its denominator 2y is not zero, since a group of odd order has no
    /// point of order 2.
    Tangent,
    /// Opposite points.
    Identity,
    /// The right operand is the identity.
    Left,
    /// The left operand is the identity.
    Right,
}

#[inline(always)]
fn classify<F: Field>(left: &Affine<F>, right: &Affine<F>) -> Sum {
    if right.infinity {
        Sum::Left
    } else if left.infinity {
        Sum::Right
    } else if left.x != right.x {
        Sum::Chord
    } else if left.y == right.y {
        Sum::Tangent
    } else {
        Sum::Identity
    }
}

/// Computes `left[i] += right[i]`. The addition is complete: equal, opposite and identity operands
/// give correct results.
pub fn add_assign<C: CpuCurve>(
    left: &mut [Affine<C::Base>],
    right: &[Affine<C::Base>],
    denominators: &mut Denominators<C::Base>,
) {
    debug_assert_eq!(left.len(), right.len());
    denominators.clear();
    for (l, r) in left.iter().zip(right) {
        denominators.push(match classify(l, r) {
            Sum::Chord => r.x.sub(&l.x),
            Sum::Tangent => l.y.double(),
            Sum::Identity | Sum::Left | Sum::Right => C::Base::ONE,
        });
    }
    denominators.for_each_inverse_reversed(|index, inverse| {
        let l = left[index];
        let r = right[index];
        left[index] = match classify(&l, &r) {
            Sum::Chord => third_point(&l, &r.x, &r.y.sub(&l.y).mul(&inverse)),
            Sum::Tangent => third_point(&l, &l.x, &tangent_numerator::<C>(&l.x).mul(&inverse)),
            Sum::Identity => Affine::IDENTITY,
            Sum::Left => l,
            Sum::Right => r,
        };
    });
}

/// Computes `points[i] = 2 points[i]`.
pub fn double_assign<C: CpuCurve>(
    points: &mut [Affine<C::Base>],
    denominators: &mut Denominators<C::Base>,
) {
    denominators.clear();
    for point in points.iter() {
        denominators.push(if point.infinity {
            C::Base::ONE
        } else {
            point.y.double()
        });
    }
    denominators.for_each_inverse_reversed(|index, inverse| {
        let point = points[index];
        if !point.infinity {
            points[index] = third_point(
                &point,
                &point.x,
                &tangent_numerator::<C>(&point.x).mul(&inverse),
            );
        }
    });
}

/// Computes 3x^2 + a.
#[inline(always)]
fn tangent_numerator<C: CpuCurve>(x: &C::Base) -> C::Base {
    let square = x.square();
    let triple = square.double().add(&square);
    match C::A {
        CoefficientA::Zero => triple,
        CoefficientA::MinusThree => triple.sub(&three::<C::Base>()),
        CoefficientA::General(_) => triple.add(&coefficient_a::<C>()),
    }
}

/// Returns the sum of `left` and a point with x-coordinate `right_x`, given the slope of the line
/// through them.
#[inline(always)]
fn third_point<F: Field>(left: &Affine<F>, right_x: &F, slope: &F) -> Affine<F> {
    let x = slope.square().sub(&left.x).sub(right_x);
    Affine::new(x, slope.mul(&left.x.sub(&x)).sub(&left.y))
}

/// Sums columns: `points` consists of rows of `columns` points each; the sums are written to the
/// first row.
///
/// Rows are added pairwise, so that even a few columns share each inversion among many additions.
pub fn sum_rows<C: CpuCurve>(
    points: &mut [Affine<C::Base>],
    columns: usize,
    denominators: &mut Denominators<C::Base>,
) {
    let mut rows = points.len() / columns;
    while rows > 1 {
        let kept = rows.div_ceil(2);
        let (left, right) = points[..rows * columns].split_at_mut(kept * columns);
        add_assign::<C>(&mut left[..right.len()], right, denominators);
        rows = kept;
    }
}

/// Returns rows of multiples: row i contains (2i + 1) times each point.
pub fn odd_multiples<C: CpuCurve>(
    points: &[Affine<C::Base>],
    count: usize,
) -> Vec<Affine<C::Base>> {
    let mut denominators = Denominators::new();
    let mut doubled = points.to_vec();
    double_assign::<C>(&mut doubled, &mut denominators);
    let mut rows = points.to_vec();
    for row in 1..count {
        rows.extend_from_within((row - 1) * points.len()..);
        add_assign::<C>(&mut rows[row * points.len()..], &doubled, &mut denominators);
    }
    rows
}

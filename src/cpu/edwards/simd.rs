//! Vector code for eight items at a time, one per 64-bit lane of a register, as `cpu::simd` for
//! twisted Edwards curves. Variable-time and for public data only, except `ladder`, `secret`
//! and `secret_points`, although all lanes take the same steps for all data.
//!
//! Bounds are in multiples of p: a product is below 1.01 p for all factors below 2^260, which is 32
//! p.

use super::curves::EdwardsCurve;
use super::field::{C, Element as Stored};
use super::multiply::Term;
use super::point::{Niels, Projective};
use super::scalar::Scalar;
use super::tables::Comb;
use crate::cpu::field::limbs::Limbs;
pub use crate::cpu::field::vector::Lanes;
use crate::cpu::field::vector::{
    BITS, Element as Vector, LANES, Mask, Prime, Sum, Words, carry, transpose,
};
use crate::cpu::scalar::{length, uniform_windows};
use crate::cpu::simd::{CHAINS, Chains};

mod ladder;
mod secret;
mod secret_points;

pub use ladder::ladder_products;
pub use secret::uniform_products;
pub use secret_points::{secret_products, secret_root_powers};

type Element = Vector<Stored>;

/// The bits of p, 255, that are in the highest word.
const TOP: u32 = 47;

impl Prime for Stored {
    const SHIFT: i32 = 0;

    /// The upper half is multiplied by 2^260 = 32 c modulo p and added to the lower half; the part
    /// of the result above 2^260, and finally the part above 2^255, are reduced in the same way.
    #[inline(always)]
    fn reduce(columns: [Words; 10]) -> [Words; 5] {
        let [mut t0, mut t1, mut t2, mut t3, mut t4, h0, h1, h2, h3, h4] = columns;
        // Factors are below 2^260, and so is the upper half: h4 fits 52 bits after adding its
        // carry. A factor is taken modulo 2^52.
        let h1 = h1.add(h0.shr::<BITS>());
        let h2 = h2.add(h1.shr::<BITS>());
        let h3 = h3.add(h2.shr::<BITS>());
        let h4 = h4.add(h3.shr::<BITS>());
        let fold = t0.all(C << 5);
        // Below 32 c, so its product with it is below 2^20.
        let top = t0.all(0).mul_add_high(h4, fold);
        t0 = t0.mul_add_low(h0, fold).mul_add_low(top, fold);
        t1 = t1.mul_add_low(h1, fold).mul_add_high(h0, fold);
        t2 = t2.mul_add_low(h2, fold).mul_add_high(h1, fold);
        t3 = t3.mul_add_low(h3, fold).mul_add_high(h2, fold);
        t4 = t4.mul_add_low(h4, fold).mul_add_high(h3, fold);
        // t4 < 2^59, so this is below 2^12, and t4 is then below 2^47 except for its carry, of a
        // few bits.
        t0 = t0.mul_add_low(t4.shr::<TOP>(), t0.all(C));
        carry([t0, t1, t2, t3, t4.and(t4.all((1 << TOP) - 1))])
    }

    #[inline(always)]
    fn add_multiple([t0, t1, t2, t3, t4]: [Words; 5], k: i64) -> [Words; 5] {
        [
            t0.sub(t0.all((k * C as i64) as u64)),
            t1,
            t2,
            t3,
            t4.add(t4.all((k << TOP) as u64)),
        ]
    }

    /// Reduces a sum modulo p. With q = floor(t4 / 2^47),
    /// sum - (q - 1) p = sum - q 2^255 + 2^255 + (q - 1) c.
    #[inline(always)]
    fn fold([t0, t1, t2, t3, t4]: [Words; 5]) -> [Words; 5] {
        let q = t4.sar::<TOP>().sub(t4.all(1));
        let t4 = t4.and(t4.all((1 << TOP) - 1)).or(t4.all(1 << TOP));
        [t0.add(q.mul_signed_32(q.all(C))), t1, t2, t3, t4]
    }
}

impl Element {
    /// Loads one element per lane, below 2.01 p.
    #[inline(always)]
    fn load(lanes: Lanes, values: [&Limbs; LANES]) -> Self {
        let mut words = [[0; LANES]; 4];
        for (lane, value) in values.into_iter().enumerate() {
            for (words, word) in words.iter_mut().zip(value) {
                words[lane] = *word;
            }
        }
        let [w0, w1, w2, w3] = &words;
        // Not in a closure, which would be compiled without the instructions.
        Self::unpack::<0>([
            Words::load(lanes, w0),
            Words::load(lanes, w1),
            Words::load(lanes, w2),
            Words::load(lanes, w3),
        ])
    }

    /// Returns the element of each lane, for elements below 1.01 p.
    #[inline(always)]
    fn store(self) -> [Stored; LANES] {
        let mut words = [[0; LANES]; 4];
        for (packed, words) in self.pack().into_iter().zip(&mut words) {
            packed.store(words);
        }
        std::array::from_fn(|lane| {
            Stored::from_limbs([
                words[0][lane],
                words[1][lane],
                words[2][lane],
                words[3][lane],
            ])
        })
    }

    /// Returns a vector with the same element in every lane.
    #[inline(always)]
    fn splat(lanes: Lanes, value: &Stored) -> Self {
        let zero = Words::splat(lanes, 0);
        Self::new([zero; 5]).all(value.limbs())
    }
}

/// Coordinates below 1.01 p, as in `point`.
#[derive(Clone, Copy)]
struct Point {
    x: Element,
    y: Element,
    z: Element,
    t: Element,
}

/// A sum or a double before its products, as in `point`. Coordinates are below 6 p.
struct Completed {
    x: Element,
    y: Element,
    z: Element,
    t: Element,
}

/// An addend: Y + X, Y - X, 2 d T, 2 Z. Below 4 p.
#[derive(Clone, Copy)]
struct Addend {
    sum: Element,
    difference: Element,
    product: Element,
    z2: Element,
}

impl Point {
    #[inline(always)]
    fn identity(lanes: Lanes) -> Self {
        let zero = Element::splat(lanes, &Stored::ZERO);
        let one = Element::splat(lanes, &Stored::ONE);
        Point {
            x: zero,
            y: one,
            z: one,
            t: zero,
        }
    }

    #[inline(always)]
    fn double(&self) -> Completed {
        let xx = self.x.square().sum();
        let yy = self.y.square().sum();
        let zz = self.z.square().sum();
        let sum = yy + xx;
        let difference = yy - xx;
        let square = (self.x.sum() + self.y.sum())
            .plus_multiple(0)
            .square()
            .sum();
        Completed {
            x: (square - sum).plus_multiple(3),
            y: sum.plus_multiple(0),
            z: difference.plus_multiple(2),
            t: (zz.shl::<1>() - difference).plus_multiple(2),
        }
    }

    /// Adds another point, or its negative where the mask is set. `zz2` is twice the product of
    /// both Z, below 3 p.
    #[inline(always)]
    fn add(&self, addend: &Addend, negate: Mask, zz2: Sum<Stored>) -> Completed {
        let sum = addend.sum.select(negate, addend.difference);
        let difference = addend.difference.select(negate, addend.sum);
        let plus = (self.y.sum() + self.x.sum())
            .plus_multiple(0)
            .mul(sum)
            .sum();
        let minus = (self.y.sum() - self.x.sum())
            .plus_multiple(2)
            .mul(difference)
            .sum();
        let product = self.t.mul(addend.product).sum().negate(negate);
        Completed {
            x: (plus - minus).plus_multiple(2),
            y: (plus + minus).plus_multiple(0),
            z: (zz2 + product).plus_multiple(2),
            t: (zz2 - product).plus_multiple(2),
        }
    }

    #[inline(always)]
    fn add_projective(&self, addend: &Addend, negate: Mask) -> Completed {
        self.add(addend, negate, self.z.mul(addend.z2).sum())
    }

    #[inline(always)]
    fn to_addend(self, d2: Element) -> Addend {
        Addend {
            sum: (self.y.sum() + self.x.sum()).plus_multiple(0),
            difference: (self.y.sum() - self.x.sum()).plus_multiple(2),
            product: self.t.mul(d2),
            z2: self.z.sum().shl::<1>().plus_multiple(0),
        }
    }

    #[inline(always)]
    fn select(self, mask: Mask, other: Self) -> Self {
        Point {
            x: self.x.select(mask, other.x),
            y: self.y.select(mask, other.y),
            z: self.z.select(mask, other.z),
            t: self.t.select(mask, other.t),
        }
    }

    #[inline(always)]
    fn store(self) -> [Projective; LANES] {
        let x = self.x.store();
        let y = self.y.store();
        let z = self.z.store();
        std::array::from_fn(|lane| Projective {
            x: x[lane],
            y: y[lane],
            z: z[lane],
        })
    }
}

impl Completed {
    #[inline(always)]
    fn to_point(&self) -> Point {
        Point {
            t: self.x.mul(self.y),
            ..self.without_t()
        }
    }

    /// Converts to a point without T, which a doubling does not need.
    #[inline(always)]
    fn without_t(&self) -> Point {
        Point {
            x: self.x.mul(self.t),
            y: self.y.mul(self.z),
            z: self.z.mul(self.t),
            t: self.t,
        }
    }
}

/// Bits per window, and the number of stored multiples of a point: 1 to 8 times it.
const WINDOW: u32 = 4;
const MULTIPLES: usize = 1 << (WINDOW - 1);
/// The largest number of windows, for numbers below 2^254.
const MOST_WINDOWS: usize = 64;

/// The digits of a number in each lane.
type Digits = [[i32; LANES]; MOST_WINDOWS];

/// Returns the sum of all three products of each item, using the table of B. Numbers are below
/// 2^254.
pub fn products<C: EdwardsCurve>(
    lanes: Lanes,
    items: &[Term<C>],
    base: &Comb<C>,
) -> Vec<Projective> {
    let mut sums = Vec::with_capacity(items.len().next_multiple_of(LANES));
    for group in items.chunks(LANES) {
        // Lanes without an item repeat the last one.
        let item = |lane: usize| &group[lane.min(group.len() - 1)];
        // Signed digits, the highest of which is below 4.
        let bits = group
            .iter()
            .flat_map(|item| &item.numbers)
            .map(length)
            .max()
            .unwrap_or(0);
        let windows = (bits + 2).div_ceil(WINDOW) as usize;
        let digits = [0, 1].map(|which| {
            let mut digits: Digits = [[0; LANES]; MOST_WINDOWS];
            for (lane, number) in (0..LANES)
                .map(|lane| &item(lane).numbers[which])
                .enumerate()
            {
                uniform_windows(number, WINDOW, windows, |window, digit| {
                    digits[window][lane] = digit
                });
            }
            digits
        });
        let points = [0, 1].map(|which| std::array::from_fn(|lane| &item(lane).points[which]));
        let combs = std::array::from_fn(|lane| (base, &item(lane).s));
        // SAFETY: a `Lanes` proves that the instructions exist.
        let sum = unsafe {
            product::<C>(
                lanes,
                points,
                digits.each_ref().map(|digits| &digits[..windows]),
                combs,
            )
        };
        sums.extend(sum.into_iter().take(group.len()));
    }
    sums
}

/// Returns, for each item, the sum of its products with tables.
pub fn sum_products<C: EdwardsCurve>(
    lanes: Lanes,
    items: &[[(&Comb<C>, &Scalar<C::Order>); 2]],
) -> Vec<Projective> {
    let mut sums = Vec::with_capacity(items.len());
    for group in items.chunks(LANES) {
        let products = std::array::from_fn(|product| {
            std::array::from_fn(|lane: usize| group[lane.min(group.len() - 1)][product])
        });
        // SAFETY: a `Lanes` proves that the instructions exist.
        let sum = unsafe { sum_group::<C>(lanes, products) };
        sums.extend(sum.into_iter().take(group.len()));
    }
    sums
}

/// A table and a scalar for each lane; all tables have the same window width.
type Products<'a, C> = [(&'a Comb<C>, &'a Scalar<<C as EdwardsCurve>::Order>); LANES];

#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn sum_group<C: EdwardsCurve>(lanes: Lanes, products: [Products<C>; 2]) -> [Projective; LANES] {
    let [first, second] = products;
    add_products(
        lanes,
        add_products(lanes, Point::identity(lanes), first),
        second,
    )
    .store()
}

#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn product<C: EdwardsCurve>(
    lanes: Lanes,
    points: [[&[Stored; 2]; LANES]; 2],
    digits: [&[[i32; LANES]]; 2],
    base: Products<C>,
) -> [Projective; LANES] {
    let [first, second] = points;
    let multiples = [multiples::<C>(lanes, first), multiples::<C>(lanes, second)];
    let identity = Point::identity(lanes).to_addend(Element::splat(lanes, &Stored::ZERO));
    let mut sum = Point::identity(lanes);
    for window in (0..digits[0].len()).rev() {
        if window + 1 < digits[0].len() {
            for _ in 0..WINDOW - 1 {
                sum = sum.double().without_t();
            }
            sum = sum.double().to_point();
        }
        for (multiples, digits) in multiples.iter().zip(digits) {
            let (addend, negate) = select(lanes, multiples, identity, &digits[window]);
            sum = sum.add_projective(&addend, negate).to_point();
        }
    }
    add_products(lanes, sum, base).store()
}

/// Returns 1 to 8 times each point.
#[inline(always)]
fn multiples<C: EdwardsCurve>(lanes: Lanes, points: [&[Stored; 2]; LANES]) -> [Addend; MULTIPLES] {
    let one = Element::splat(lanes, &Stored::ONE);
    // Below 1.01 p, since it is a product.
    let x = Element::load(lanes, points.map(|[x, _]| x.limbs())).mul(one);
    let y = Element::load(lanes, points.map(|[_, y]| y.limbs())).mul(one);
    let d2 = Element::splat(lanes, &C::D2);
    let mut multiple = Point {
        x,
        y,
        z: one,
        t: x.mul(y),
    };
    let first = multiple.to_addend(d2);
    let mut multiples = [first; MULTIPLES];
    for place in &mut multiples[1..] {
        multiple = multiple.add_projective(&first, 0).to_point();
        *place = multiple.to_addend(d2);
    }
    multiples
}

/// Returns the multiple for the digit of each lane, without its sign, and a mask of negative
/// digits.
#[inline(always)]
fn select(
    lanes: Lanes,
    multiples: &[Addend; MULTIPLES],
    identity: Addend,
    digits: &[i32; LANES],
) -> (Addend, Mask) {
    let absolute = Words::load(lanes, &digits.map(|digit| digit.unsigned_abs().into()));
    let negative = digits.iter().enumerate().fold(0, |mask, (lane, digit)| {
        mask | Mask::from(*digit < 0) << lane
    });
    let mut selected = identity;
    for (multiple, number) in multiples.iter().zip(1..) {
        let mask = absolute.equals(Words::splat(lanes, number));
        selected = Addend {
            sum: selected.sum.select(mask, multiple.sum),
            difference: selected.difference.select(mask, multiple.difference),
            product: selected.product.select(mask, multiple.product),
            z2: selected.z2.select(mask, multiple.z2),
        };
    }
    (selected, negative)
}

/// Adds the products of each lane to the sum.
#[inline(always)]
fn add_products<C: EdwardsCurve>(lanes: Lanes, mut sum: Point, products: Products<C>) -> Point {
    let windows = products[0].0.terms();
    let mut digits = [[0; LANES]; 256 / 3 + 1];
    for (lane, (comb, scalar)) in products.iter().enumerate() {
        comb.recode(scalar, |window, digit| digits[window][lane] = digit);
    }
    for (window, digits) in digits[..windows].iter().enumerate() {
        let entries = std::array::from_fn(|lane| products[lane].0.entry(window, digits[lane]));
        let mut negative: Mask = 0;
        let mut zero: Mask = 0;
        for (lane, digit) in digits.iter().enumerate() {
            negative |= Mask::from(*digit < 0) << lane;
            zero |= Mask::from(*digit == 0) << lane;
        }
        let addend = gather(lanes, entries, sum.z);
        let next = sum
            .add(&addend, negative, sum.z.sum().shl::<1>())
            .to_point();
        sum = next.select(zero, sum);
    }
    sum
}

/// Loads one entry per lane; Z is given by `z2`.
#[inline(always)]
fn gather(lanes: Lanes, entries: [&Niels; LANES], z2: Element) -> Addend {
    let zero = Words::splat(lanes, 0);
    let mut first = [zero; LANES];
    let mut last = [zero; LANES];
    for lane in 0..LANES {
        let words = entries[lane].words();
        first[lane] = Words::load(lanes, words.first_chunk().expect("12 words"));
        last[lane] = Words::load(lanes, words.last_chunk().expect("12 words"));
    }
    let ([s0, s1, s2, s3, d0, d1, d2, d3], [.., p0, p1, p2, p3]) =
        (transpose(first), transpose(last));
    Addend {
        sum: Element::unpack::<0>([s0, s1, s2, s3]),
        difference: Element::unpack::<0>([d0, d1, d2, d3]),
        product: Element::unpack::<0>([p0, p1, p2, p3]),
        z2,
    }
}

/// A point of one lane: the words of its four coordinates, each below 1.01 p.
type Bucket = [[u64; LANES]; 2];

/// Returns, for each window (one per lane), the sum of digit times point. Digits are below the
/// number of buckets.
pub fn window_sums<'a, C: EdwardsCurve, const BUCKETS: usize>(
    lanes: Lanes,
    terms: impl Iterator<Item = ([i32; LANES], &'a Niels)>,
) -> [Projective; LANES] {
    let one = [1, 0, 0, 0];
    let identity: Bucket = [[[0; 4], one].as_flattened(), [one, [0; 4]].as_flattened()]
        .map(|words| words.try_into().expect("8 words"));
    let mut buckets = vec![[identity; BUCKETS]; LANES];
    // SAFETY: a `Lanes` proves that the instructions exist.
    unsafe {
        for (digits, point) in terms {
            add_to_buckets(lanes, &mut buckets, &digits, point);
        }
        bucket_sums::<C, BUCKETS>(lanes, &buckets)
    }
}

#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn add_to_buckets<const BUCKETS: usize>(
    lanes: Lanes,
    buckets: &mut [[Bucket; BUCKETS]],
    digits: &[i32; LANES],
    point: &Niels,
) {
    let places = digits.map(|digit| digit.unsigned_abs() as usize);
    let negative = digits.iter().enumerate().fold(0, |mask, (lane, digit)| {
        mask | Mask::from(*digit < 0) << lane
    });
    let bucket = load_buckets(lanes, buckets, places);
    let addend = Addend {
        sum: Element::splat(lanes, &point.sum),
        difference: Element::splat(lanes, &point.difference),
        product: Element::splat(lanes, &point.product),
        z2: bucket.z,
    };
    let Point { x, y, z, t } = bucket
        .add(&addend, negative, bucket.z.sum().shl::<1>())
        .to_point();
    let ([x0, x1, x2, x3], [y0, y1, y2, y3]) = (x.pack(), y.pack());
    let ([z0, z1, z2, z3], [t0, t1, t2, t3]) = (z.pack(), t.pack());
    let first = transpose([x0, x1, x2, x3, y0, y1, y2, y3]);
    let last = transpose([z0, z1, z2, z3, t0, t1, t2, t3]);
    for lane in 0..LANES {
        let bucket = &mut buckets[lane][places[lane]];
        first[lane].store(&mut bucket[0]);
        last[lane].store(&mut bucket[1]);
    }
}

/// Loads, for each lane, its bucket with the given index.
#[inline(always)]
fn load_buckets<const BUCKETS: usize>(
    lanes: Lanes,
    buckets: &[[Bucket; BUCKETS]],
    places: [usize; LANES],
) -> Point {
    let zero = Words::splat(lanes, 0);
    let mut first = [zero; LANES];
    let mut last = [zero; LANES];
    for lane in 0..LANES {
        let bucket = &buckets[lane][places[lane]];
        first[lane] = Words::load(lanes, &bucket[0]);
        last[lane] = Words::load(lanes, &bucket[1]);
    }
    let ([x0, x1, x2, x3, y0, y1, y2, y3], [z0, z1, z2, z3, t0, t1, t2, t3]) =
        (transpose(first), transpose(last));
    Point {
        x: Element::unpack::<0>([x0, x1, x2, x3]),
        y: Element::unpack::<0>([y0, y1, y2, y3]),
        z: Element::unpack::<0>([z0, z1, z2, z3]),
        t: Element::unpack::<0>([t0, t1, t2, t3]),
    }
}

/// Returns the sum of all buckets of each lane, weighted by their digits.
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn bucket_sums<C: EdwardsCurve, const BUCKETS: usize>(
    lanes: Lanes,
    buckets: &[[Bucket; BUCKETS]],
) -> [Projective; LANES] {
    let d2 = Element::splat(lanes, &C::D2);
    let mut above = Point::identity(lanes);
    let mut total = Point::identity(lanes);
    for place in (1..BUCKETS).rev() {
        let bucket = load_buckets(lanes, buckets, [place; LANES]);
        above = above.add_projective(&bucket.to_addend(d2), 0).to_point();
        total = total.add_projective(&above.to_addend(d2), 0).to_point();
    }
    total.store()
}

/// Computes value^((p - 5) / 8) for each value.
pub fn root_powers(lanes: Lanes, values: &[Stored]) -> Vec<Stored> {
    let mut powers = Vec::with_capacity(values.len());
    for group in values.chunks(LANES * CHAINS) {
        let values = std::array::from_fn(|chain| {
            std::array::from_fn(|lane| group[(chain * LANES + lane).min(group.len() - 1)].limbs())
        });
        // SAFETY: a `Lanes` proves that the instructions exist.
        let found = unsafe { root_power(lanes, values) };
        powers.extend(found.as_flattened().iter().take(group.len()));
    }
    powers
}

#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn root_power(
    lanes: Lanes,
    [first, second]: [[&Limbs; LANES]; CHAINS],
) -> [[Stored; LANES]; CHAINS] {
    let base = Chains([Element::load(lanes, first), Element::load(lanes, second)]);
    let Chains([first, second]) = Stored::root_chain(&base);
    [first.store(), second.store()]
}

//! Multiplication of eight points by eight scalars in lockstep, and sums of table entries.
//! Variable-time.

use super::convert::gather;
use super::point::{Affine, Jacobian};
use super::tables::odd_multiples;
use crate::cpu::field::vector::{Element, LANES, Lanes, Mask};
use crate::cpu::field::{Coordinate, Field};
use crate::cpu::point::affine::{self, Entry};
use crate::cpu::point::comb::{BaseTerm, Comb, Product};
use crate::cpu::point::jacobian;
use crate::cpu::scalar::odd_windows;
use crate::cpu::{CpuCurve, be_bytes_to_limbs};

/// Bits per window.
const WINDOW: u32 = 5;
/// The number of odd multiples P, 3P, ..., (2^w - 1) P.
const ODD_MULTIPLES: usize = 1 << (WINDOW - 1);
/// The number of digits in all windows of a scalar: of 256 bits, or of two halves of 130 bits.
const DIGITS: usize = 52;

/// The digits of eight scalars, the most significant first; the digits of two halves alternate.
struct Digits {
    /// The index of the table entry for each lane.
    entries: [[u8; LANES]; DIGITS],
    negative: [Mask; DIGITS],
}

impl Digits {
    fn new<C: CpuCurve>(scalars: &[C::Scalar]) -> Self {
        let mut digits = Digits {
            entries: [[0; LANES]; DIGITS],
            negative: [0; DIGITS],
        };
        for (lane, scalar) in scalars.iter().enumerate() {
            let limbs = be_bytes_to_limbs(&scalar.to_be_bytes());
            match &C::ENDOMORPHISM {
                Some(endomorphism) => {
                    let (k1, k2) = endomorphism.decompose_odd(&limbs);
                    digits.set(lane, 0, 2, k1.negative, &k1.magnitude);
                    digits.set(lane, 1, 2, k2.negative, &k2.magnitude);
                }
                // n is odd, so exactly one of k and n - k is, unless k is 0, whose digits are
                // ignored.
                None if limbs[0] & 1 == 1 => digits.set(lane, 0, 1, false, &limbs),
                None => digits.set(
                    lane,
                    0,
                    1,
                    true,
                    &be_bytes_to_limbs(&scalar.neg().to_be_bytes()),
                ),
            }
        }
        digits
    }

    fn set(&mut self, lane: usize, first: usize, step: usize, negate: bool, value: &[u64; 4]) {
        odd_windows(value, WINDOW, DIGITS / step, |window, digit| {
            let row = (DIGITS / step - 1 - window) * step + first;
            self.entries[row][lane] = (digit.unsigned_abs() / 2) as u8;
            self.negative[row] |= Mask::from((digit < 0) != negate) << lane;
        });
    }
}

/// The number of items whose tables are built at a time: enough to share an inversion, and few
/// enough that their tables stay in the L2 cache.
const BATCH: usize = 256;

/// Computes scalars[i] points[i], plus u1[i] G if the table of G and u1 are given.
pub fn mul_add<C: CpuCurve>(
    lanes: Lanes,
    scalars: &[C::Scalar],
    points: &[affine::Affine<C::Base>],
    base: Option<BaseTerm<C>>,
) -> Vec<jacobian::Jacobian<C::Base>> {
    let mut sums = Vec::with_capacity(points.len());
    for start in (0..points.len()).step_by(BATCH) {
        let range = start..(start + BATCH).min(points.len());
        let base = base.map(|(comb, u1)| (comb, &u1[range.clone()]));
        mul_add_batch::<C>(
            lanes,
            &scalars[range.clone()],
            &points[range],
            base,
            &mut sums,
        );
    }
    sums
}

fn mul_add_batch<C: CpuCurve>(
    lanes: Lanes,
    scalars: &[C::Scalar],
    points: &[affine::Affine<C::Base>],
    base: Option<BaseTerm<C>>,
    sums: &mut Vec<jacobian::Jacobian<C::Base>>,
) {
    // The identity has no table; that of G is used instead. Lanes without an item repeat the last
    // one.
    let generator = crate::cpu::generator::<C>();
    let last = points.len() - 1;
    let entries: Vec<_> = (0..points.len().next_multiple_of(LANES))
        .map(|item| {
            let point = &points[item.min(last)];
            let point = if point.infinity { &generator } else { point };
            Entry::new(&point.x, &point.y)
        })
        .collect();
    // SAFETY: a `Lanes` proves that the instructions exist.
    let tables = unsafe { odd_multiples::<C, ODD_MULTIPLES>(lanes, &entries) };
    let mut base_digits = Vec::new();
    for (group, tables) in tables.as_chunks().0.iter().enumerate() {
        let first = group * LANES;
        let item = |lane: usize| (first + lane).min(last);
        let digits = Digits::new::<C>(&core::array::from_fn::<_, LANES, _>(|lane| {
            scalars[item(lane)]
        }));
        base_digits.clear();
        if let Some((comb, u1)) = base {
            for lane in 0..LANES {
                comb.recode(&u1[item(lane)], &mut base_digits);
            }
        }
        let base = base.map(|(comb, _)| (comb, base_digits.as_slice()));
        let trivial = (0..LANES).fold(0, |mask, lane| {
            let is_trivial = points[item(lane)].infinity || scalars[item(lane)].is_zero();
            mask | Mask::from(is_trivial) << lane
        });
        // SAFETY: a `Lanes` proves that the instructions exist.
        let sum = unsafe { mul_add_group::<C>(lanes, &digits, tables, trivial, base) };
        sums.extend(sum.into_iter().take(last + 1 - first));
    }
}

/// The odd multiples of a point.
type Table<C> = [Entry<<C as CpuCurve>::Base>; ODD_MULTIPLES];

/// Computes the sums of eight items. In lanes of `trivial` the product is the identity, regardless
/// of the digits.
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn mul_add_group<C: CpuCurve>(
    lanes: Lanes,
    digits: &Digits,
    tables: &[Table<C>; LANES],
    trivial: Mask,
    base: Option<(&Comb<C>, &[i32])>,
) -> [jacobian::Jacobian<C::Base>; LANES] {
    let halves = if C::ENDOMORPHISM.is_some() { 2 } else { 1 };
    let beta = Element::splat(lanes, &C::constants().beta);
    let Affine { x, y } = entry::<C>(lanes, tables, &digits.entries[0]);
    // Coordinates are below p, so they need no folding.
    let y = y.sum().negate(digits.negative[0]).fold();
    let mut sum = Jacobian {
        x,
        y,
        z: Element::one(lanes),
    };
    for row in 1..DIGITS {
        if row % halves == 0 {
            for _ in 0..WINDOW {
                sum = sum.double::<C>();
            }
        }
        let mut point = entry::<C>(lanes, tables, &digits.entries[row]);
        if halves == 2 && row % 2 == 1 {
            point.x = point.x.mul(beta);
        }
        sum = sum.add_complete::<C>(lanes, point, digits.negative[row], 0);
    }
    sum = sum.select(trivial, Jacobian::identity(lanes));
    if let Some((comb, digits)) = base {
        let terms = comb.terms();
        for index in 0..terms {
            let Term {
                point,
                negative,
                zero,
            } = term(lanes, index, |lane| (digits[lane * terms + index], comb));
            sum = sum.add_complete::<C>(lanes, point, negative, zero);
        }
    }
    store(lanes, sum)
}

#[inline(always)]
fn entry<C: CpuCurve>(
    lanes: Lanes,
    tables: &[Table<C>; LANES],
    positions: &[u8; LANES],
) -> Affine<C::Base> {
    let mut entries = [&tables[0][0]; LANES];
    for lane in 0..LANES {
        entries[lane] = &tables[lane][usize::from(positions[lane]) % ODD_MULTIPLES];
    }
    gather::<C::Base, false>(lanes, entries)
}

/// One term per lane of a product with a table.
struct Term<F> {
    point: Affine<F>,
    negative: Mask,
    /// Lanes whose term is the identity; their point is meaningless.
    zero: Mask,
}

/// Returns the term of each lane, given its table and digit.
#[inline(always)]
fn term<'a, C: CpuCurve>(
    lanes: Lanes,
    index: usize,
    of_lane: impl Fn(usize) -> (i32, &'a Comb<C>),
) -> Term<C::Base> {
    let mut negative: Mask = 0;
    let mut zero: Mask = 0;
    let mut entries = [of_lane(0).1.entry(index, 0); LANES];
    for (lane, entry) in entries.iter_mut().enumerate() {
        let (digit, comb) = of_lane(lane);
        negative |= Mask::from(digit < 0) << lane;
        zero |= Mask::from(digit == 0) << lane;
        *entry = comb.entry(index, digit);
    }
    Term {
        point: gather::<C::Base, true>(lanes, entries),
        negative,
        zero,
    }
}

/// Returns, for each item, the sum of its products. All items have the same number of terms.
pub fn sum_products<C: CpuCurve, const P: usize>(
    lanes: Lanes,
    items: &[[Product<C>; P]],
) -> Vec<jacobian::Jacobian<C::Base>> {
    let mut sums = Vec::with_capacity(items.len());
    let mut digits = Vec::new();
    for group in items.chunks(LANES) {
        // Lanes without an item repeat the last one.
        let products = core::array::from_fn(|lane| group[lane.min(group.len() - 1)]);
        digits.clear();
        for (comb, scalar) in products.iter().flatten() {
            comb.recode(scalar, &mut digits);
        }
        // SAFETY: a `Lanes` proves that the instructions exist.
        let sum = unsafe { sum_group::<C, P>(lanes, &products, &digits) };
        sums.extend(sum.into_iter().take(group.len()));
    }
    sums
}

#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn sum_group<C: CpuCurve, const P: usize>(
    lanes: Lanes,
    products: &[[Product<C>; P]; LANES],
    digits: &[i32],
) -> [jacobian::Jacobian<C::Base>; LANES] {
    let rows = digits.len() / LANES;
    let mut sum = Jacobian::identity(lanes);
    let mut first_row = 0;
    for (product, (comb, _)) in products[0].iter().enumerate() {
        let terms = comb.terms();
        for index in 0..terms {
            let Term {
                point,
                negative,
                zero,
            } = term(lanes, index, |lane| {
                (
                    digits[lane * rows + first_row + index],
                    products[lane][product].0,
                )
            });
            sum = sum.add_complete::<C>(lanes, point, negative, zero);
        }
        first_row += terms;
    }
    store(lanes, sum)
}

#[inline(always)]
fn store<F: Coordinate>(lanes: Lanes, point: Jacobian<F>) -> [jacobian::Jacobian<F>; LANES] {
    let x = point.x.store(lanes);
    let y = point.y.store(lanes);
    let z = point.z.store(lanes);
    let mut points = [jacobian::Jacobian::IDENTITY; LANES];
    for (lane, point) in points.iter_mut().enumerate() {
        *point = jacobian::Jacobian {
            x: x[lane],
            y: y[lane],
            z: z[lane],
        };
    }
    points
}

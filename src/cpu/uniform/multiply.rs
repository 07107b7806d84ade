//! Multiplication of points that differ between items by secret scalars.
//!
//! As in `cpu::simd::uniform_points`, digits are odd and in fixed windows, so that no addition is
//! skipped; lookups read whole tables; signs and selections are masks. Everything derived from the
//! scalars, and from the points, is wiped: the heap here, the stack by the caller.

use super::element::{Element, Mask, invert_all};
use super::point::{Affine, Jacobian, affine_tangent_slope, normalize};
use super::table::{Table, multiple, point_of};
use crate::cpu::CpuCurve;
use crate::cpu::field::{Coordinate, limbs};
use crate::cpu::point::affine::{self, Entry};
use crate::cpu::scalar::windows_of_odd;
use crate::host::wiped::Wiped;
use zeroize::Zeroizing;

/// Bits per window.
const WINDOW: u32 = 5;
/// The number of odd multiples P, 3P, ..., (2^w - 1) P.
const ENTRIES: usize = 1 << (WINDOW - 1);
/// The number of digits in all windows of a scalar: of 256 bits, or of two halves of 130 bits.
const DIGITS: usize = 52;
/// The number of items whose tables are built at a time: enough to share an inversion, and few
/// enough that their tables stay in the L2 cache.
const BATCH: usize = 128;
/// The number of items from which an inversion for each row of their tables, of 335 products, takes
/// less time than Jacobian coordinates.
const FEWEST_IN_ROWS: usize = 26;

/// The digits of a scalar, the most significant first; the digits of two halves alternate.
struct Digits {
    /// The digit e denotes 2e - (2^w - 1).
    rows: [u64; DIGITS],
    /// Marks the halves that have to be negated.
    negate: [Mask; 2],
}

impl Digits {
    /// Computes the digits of an odd scalar, or of its negative if `negate` is 1 instead of 0.
    fn new<C: CpuCurve>(scalar: &[u64; 4], negate: u8) -> Self {
        let mut digits = Digits {
            rows: [0; DIGITS],
            negate: [Mask::from_bit(0); 2],
        };
        match &C::ENDOMORPHISM {
            Some(endomorphism) => {
                let (first, second) = endomorphism.decompose_odd(scalar);
                for (half, number) in [first, second].iter().enumerate() {
                    let negate = negate ^ u8::from(number.negative);
                    digits.set(half, 2, negate, &number.magnitude);
                }
            }
            None => digits.set(0, 1, negate, scalar),
        }
        digits
    }

    /// Sets the digits of the half `first` of `halves`.
    fn set(&mut self, first: usize, halves: usize, negate: u8, value: &[u64; 4]) {
        let windows = DIGITS / halves;
        self.negate[first] = Mask::from_bit(u64::from(negate));
        windows_of_odd(value, WINDOW, windows, |window, digit| {
            self.rows[(windows - 1 - window) * halves + first] = u64::from(digit);
        });
    }
}

/// Computes scalars[i] points[i] for odd scalars below n, or the negative if `negate[i]` is 1
/// instead of 0. No point is the identity. Returns x and y as plain numbers.
pub fn mul_uniform<C: CpuCurve>(
    scalars: &[[u64; 4]],
    negate: &[u8],
    points: &[affine::Affine<C::Base>],
) -> Zeroizing<Vec<[[u64; 4]; 2]>> {
    let mut sums = Wiped::with_capacity(points.len());
    for ((scalars, negate), points) in scalars
        .chunks(BATCH)
        .zip(negate.chunks(BATCH))
        .zip(points.chunks(BATCH))
    {
        let tables = odd_multiples::<C>(points);
        for ((scalar, negate), table) in scalars.iter().zip(negate).zip(tables.iter()) {
            sums.push(sum::<C>(&Digits::new::<C>(scalar, *negate), table));
        }
    }
    coordinates(&sums)
}

/// Returns the odd multiples of each point: sums of P and multiples of 2P, which differ from each
/// other and are not opposite, as all are multiples by less than n / 2.
fn odd_multiples<C: CpuCurve>(
    points: &[affine::Affine<C::Base>],
) -> Wiped<Table<C::Base, ENTRIES>> {
    let doubles = doubles::<C>(points);
    let mut tables = Wiped::with_capacity(points.len());
    for point in points {
        tables.push([Entry::new(&point.x, &point.y); ENTRIES]);
    }
    if points.len() < FEWEST_IN_ROWS {
        fill_tables(&mut tables, &doubles);
    } else {
        fill_rows(&mut tables, &doubles);
    }
    tables
}

/// Returns the double of each point, with one inversion.
fn doubles<C: CpuCurve>(points: &[affine::Affine<C::Base>]) -> Wiped<Affine<C::Base>> {
    let mut denominators = Wiped::with_capacity(points.len());
    for point in points {
        // Not zero: no point has order 2.
        denominators.push(Element(point.y).double());
    }
    invert_all(&mut denominators);
    let mut doubles = Wiped::with_capacity(points.len());
    for (point, inverse) in points.iter().zip(denominators.iter()) {
        let point = point_of(&Entry::new(&point.x, &point.y));
        let slope = affine_tangent_slope::<C>(point.x).mul(*inverse);
        doubles.push(third_point(point, point.x, slope));
    }
    doubles
}

/// Adds doubles to the first entries, table by table in Jacobian coordinates, with one inversion:
/// 18 products per entry.
fn fill_tables<F: Coordinate>(tables: &mut [Table<F, ENTRIES>], doubles: &[Affine<F>]) {
    let entries = tables.len() * (ENTRIES - 1);
    let mut multiples = Wiped::with_capacity(entries);
    for (table, double) in tables.iter().zip(doubles) {
        let mut multiple = point_of(&table[0]).to_jacobian();
        for _ in 1..ENTRIES {
            multiple = multiple.add(*double);
            multiples.push(multiple);
        }
    }
    let multiples = normalize(&multiples);
    for (table, multiples) in tables.iter_mut().zip(multiples.chunks(ENTRIES - 1)) {
        for (entry, Affine { x, y }) in table[1..].iter_mut().zip(multiples) {
            *entry = Entry::new(&x.0, &y.0);
        }
    }
}

/// Adds doubles to the first entries, row by row in affine coordinates, with an inversion for each
/// row: 6 products per entry.
fn fill_rows<F: Coordinate>(tables: &mut [Table<F, ENTRIES>], doubles: &[Affine<F>]) {
    let mut denominators = Wiped::with_capacity(tables.len());
    doubles.iter().for_each(|_| denominators.push(Element::ONE));
    for entry in 1..ENTRIES {
        for ((table, double), denominator) in
            tables.iter().zip(doubles).zip(denominators.iter_mut())
        {
            *denominator = double.x.sub(Element(table[entry - 1].x()));
        }
        invert_all(&mut denominators);
        for ((table, double), inverse) in tables.iter_mut().zip(doubles).zip(denominators.iter()) {
            let last = point_of(&table[entry - 1]);
            let slope = double.y.sub(last.y).mul(*inverse);
            let Affine { x, y } = third_point(last, double.x, slope);
            table[entry] = Entry::new(&x.0, &y.0);
        }
    }
}

/// Returns the sum of `left` and a point with x-coordinate `right_x`, given the slope of the line
/// through them.
#[inline(always)]
fn third_point<F: Coordinate>(
    left: Affine<F>,
    right_x: Element<F>,
    slope: Element<F>,
) -> Affine<F> {
    let x = slope.square().sub(left.x).sub(right_x);
    let y = slope.mul(left.x.sub(x)).sub(left.y);
    Affine { x, y }
}

/// Computes the sum of all digits' multiples, with five doublings after each window.
///
/// An addition meets equal or opposite points only in the last window, where it is complete: see
/// `cpu::simd::uniform_points`.
fn sum<C: CpuCurve>(digits: &Digits, table: &Table<C::Base, ENTRIES>) -> Jacobian<C::Base> {
    let halves = if C::ENDOMORPHISM.is_some() { 2 } else { 1 };
    let beta = Element(C::constants().beta);
    let term = |row: usize| {
        let half = row % halves;
        let mut point = multiple(table, digits.rows[row], digits.negate[half]);
        if half == 1 {
            point.x = point.x.mul(beta);
        }
        point
    };
    let mut sum = term(0).to_jacobian();
    for row in 1..DIGITS {
        if row % halves == 0 {
            for _ in 0..WINDOW {
                sum = sum.double::<C>();
            }
        }
        // The index of the window is public.
        sum = if row >= DIGITS - halves {
            sum.add_complete::<C>(term(row))
        } else {
            sum.add(term(row))
        };
    }
    sum
}

/// Returns the coordinates of the sums as numbers. No sum is the identity.
fn coordinates<F: Coordinate>(sums: &[Jacobian<F>]) -> Zeroizing<Vec<[[u64; 4]; 2]>> {
    // Allocated once: growing the vector would leave its old contents in freed memory.
    let mut products = Zeroizing::new(Vec::with_capacity(sums.len()));
    for Affine { x, y } in normalize(sums).iter() {
        products.push([x, y].map(|coordinate| limbs::from_be_bytes(&coordinate.0.to_be_bytes())));
    }
    products
}

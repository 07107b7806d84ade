//! Affine multiples of points: rounds of additions that share an inversion.
//!
//! No addition meets equal or opposite points unexpectedly, and no result is the identity, since
//! points have a large prime order.

use super::convert::{gather, scatter, scatter_stored};
use super::invert::{Denominators, invert_public, invert_secret};
use super::point::{Affine, Jacobian};
use crate::cpu::field::Coordinate;
use crate::cpu::field::vector::{Element, LANES, Lanes};
use crate::cpu::point::affine::Entry;
use crate::cpu::{CpuCurve, coefficient_a};
use crate::host::wiped::wipe;

/// Returns the odd multiples P, 3P, ..., (2 COUNT - 1)P of each point in turn, for `mul_add`. The
/// conditions on points are those of `odd_rows`.
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
pub fn odd_multiples<C: CpuCurve, const COUNT: usize>(
    lanes: Lanes,
    points: &[Entry<C::Base>],
) -> Vec<[Entry<C::Base>; COUNT]> {
    let rows = odd_rows::<C, COUNT>(lanes, points, false);
    let groups = points.len() / LANES;
    let mut tables = vec![[points[0]; COUNT]; points.len()];
    for (index, row) in rows.iter().enumerate() {
        for (lane, entry) in scatter(*row).into_iter().enumerate() {
            tables[index % groups * LANES + lane][index / groups] = entry;
        }
    }
    tables
}

/// Returns odd multiples in vectors: (2i + 1)P for the points of vector j is at index
/// `i points / 8 + j`. Coordinates are below 2.01 p. `COUNT` is a power of two. The number of
/// points is a multiple of 8, and none is the identity. If the points are secret, the time does not
/// depend on them, and all memory but that of the result is wiped.
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
pub fn odd_rows<C: CpuCurve, const COUNT: usize>(
    lanes: Lanes,
    points: &[Entry<C::Base>],
    are_secret: bool,
) -> Vec<Affine<C::Base>> {
    let groups = points.len().div_ceil(LANES);
    // Row i of `groups` vectors contains (2i + 1)P; during a round an even multiple follows.
    let mut rows = Vec::with_capacity(groups * (COUNT + 1));
    load(lanes, points, &mut rows);
    // Allocated once, so that it can be wiped. The last round adds to half of the rows, and doubles.
    let mut sums = Vec::with_capacity(groups * (COUNT / 2 + 1));
    add_last::<C>(lanes, &rows, 0, are_secret, &mut sums);
    rows.extend_from_slice(&sums);
    while rows.len() < groups * (COUNT + 1) {
        // P, ..., (2m - 1)P and 2m P yield (2m + 1)P, ..., (4m - 1)P and 4m P.
        let even = rows.len() - groups;
        add_last::<C>(lanes, &rows, even, are_secret, &mut sums);
        rows.truncate(even);
        rows.extend_from_slice(&sums);
    }
    rows.truncate(groups * COUNT);
    if are_secret {
        wipe(&mut sums);
    }
    rows
}

/// The number of multiples of a point that are computed by doubling the known ones. Larger tables
/// continue block by block, so that building needs little memory in addition to the table.
const FIRST_MULTIPLES: usize = 256;

/// Writes the multiples P, 2P, ... of each point in turn until `out` is full, as tables of the
/// portable code. Their number is a power of two, and no point is the identity.
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn multiples<C: CpuCurve>(lanes: Lanes, points: &[Entry<C::Base>], out: &mut [Entry<C::Base>]) {
    let count = out.len() / points.len();
    let first = count.min(FIRST_MULTIPLES);
    let mut rows = Vec::new();
    load(lanes, points, &mut rows);
    let groups = rows.len();
    let mut store = |from: usize, rows: &[Affine<C::Base>]| {
        for (index, row) in rows.iter().enumerate() {
            for (lane, entry) in scatter_stored(lanes, *row).into_iter().enumerate() {
                // Lanes without a point repeat the last one.
                let point = index % groups * LANES + lane;
                if point < points.len() {
                    out[point * count + from + index / groups] = entry;
                }
            }
        }
    };
    let mut sums = Vec::with_capacity(groups * first);
    while rows.len() < groups * first {
        // P, ..., mP and mP yield (m + 1)P, ..., 2m P; the last of these is a doubling.
        let last = rows.len() - groups;
        add_last::<C>(lanes, &rows, last, false, &mut sums);
        rows.extend_from_slice(&sums);
    }
    store(0, &rows);
    let block = rows.len();
    for from in (first..count).step_by(first) {
        // At first m P is the last of the rows, so it is doubled; later k P follows m P, and its
        // double is not needed.
        let addends = rows.len() - groups;
        add_last::<C>(lanes, &rows, addends, false, &mut sums);
        store(from, &sums[..block]);
        rows.truncate(block);
        rows.extend_from_slice(&sums[block - groups..block]);
    }
}

/// Returns P, 2^w P, 2^(2w) P, ..., `count` multiples of each point in turn. No point is the
/// identity.
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn powers<C: CpuCurve>(
    lanes: Lanes,
    points: &[Entry<C::Base>],
    width: u32,
    count: usize,
) -> Vec<Entry<C::Base>> {
    let mut starts = Vec::new();
    load(lanes, points, &mut starts);
    let mut denominators = Denominators::new(lanes);
    let mut rows = Vec::with_capacity(starts.len() * count);
    for Affine { x, y } in starts {
        let mut power = Jacobian {
            x,
            y,
            z: Element::one(lanes),
        };
        for _ in 0..count {
            rows.push(power);
            denominators.push(power.z);
            for _ in 0..width {
                power = power.double::<C>();
            }
        }
    }
    denominators.invert();
    let mut entries = vec![points[0]; points.len() * count];
    for (index, Jacobian { x, y, .. }) in rows.into_iter().enumerate().rev() {
        let inverse = denominators.pop_inverse();
        let square = inverse.square();
        let row = Affine {
            x: x.mul(square),
            y: y.mul(square.mul(inverse)),
        };
        for (lane, entry) in scatter_stored(lanes, row).into_iter().enumerate() {
            let point = index / count * LANES + lane;
            if point < points.len() {
                entries[point * count + index % count] = entry;
            }
        }
    }
    entries
}

/// Calls `multiples` from code compiled without the instructions.
pub fn multiples_of<C: CpuCurve>(
    lanes: Lanes,
    points: &[Entry<C::Base>],
    out: &mut [Entry<C::Base>],
) {
    // SAFETY: a `Lanes` proves that the instructions exist.
    unsafe { multiples::<C>(lanes, points, out) }
}

/// Calls `powers` from code compiled without the instructions.
pub fn powers_of<C: CpuCurve>(
    lanes: Lanes,
    points: &[Entry<C::Base>],
    width: u32,
    count: usize,
) -> Vec<Entry<C::Base>> {
    // SAFETY: a `Lanes` proves that the instructions exist.
    unsafe { powers::<C>(lanes, points, width, count) }
}

/// Loads points into vectors, with coordinates below 2.01 p; unused lanes repeat the last point.
#[inline(always)]
fn load<F: Coordinate>(lanes: Lanes, points: &[Entry<F>], out: &mut Vec<Affine<F>>) {
    for group in points.chunks(LANES) {
        let mut entries = [&group[group.len() - 1]; LANES];
        for (entry, point) in entries.iter_mut().zip(group) {
            *entry = point;
        }
        let Affine { x, y } = gather::<F, true>(lanes, entries);
        out.push(Affine {
            x: x.sum().fold(),
            y: y.sum().fold(),
        });
    }
}

/// Sets `sums` to the sum of each of `points` and the one of `points[last..]` at its place, modulo
/// their number; each of the latter is doubled. Coordinates are below 2.01 p.
///
/// The steps are separate functions for all tables, as each copy takes long to compile, and so that
/// their machine code can be analysed (tools/constant-time).
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn add_last<C: CpuCurve>(
    lanes: Lanes,
    points: &[Affine<C::Base>],
    last: usize,
    are_secret: bool,
    sums: &mut Vec<Affine<C::Base>>,
) {
    sums.resize(points.len(), points[0]);
    let mut products = [Element::one(lanes); 2];
    multiply_denominators(points, last, sums, &mut products);
    if are_secret {
        invert_secret(lanes, &mut products);
    } else {
        invert_public(lanes, &mut products);
    }
    divide::<C>(lanes, points, last, sums, &products);
}

/// Returns a point and its addend: none if it is doubled.
#[inline(always)]
fn operands<F>(
    points: &[Affine<F>],
    last: usize,
    index: usize,
) -> (&Affine<F>, Option<&Affine<F>>) {
    let addends = &points[last..];
    let addend = (index < last).then(|| &addends[index % addends.len()]);
    (&points[index], addend)
}

/// Stores the denominator of each slope as the x of its sum, and the product of those before it in
/// its chain as y. `products` are those of the two chains, to which denominators belong in turn;
/// the first is that of the next one.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn multiply_denominators<F: Coordinate>(
    points: &[Affine<F>],
    last: usize,
    sums: &mut [Affine<F>],
    products: &mut [Element<F>; 2],
) {
    let [mut next, mut other] = *products;
    for (index, sum) in sums.iter_mut().enumerate() {
        let denominator = match operands(points, last, index) {
            (left, Some(right)) => (right.x.sum() - left.x.sum()).plus_multiple(3),
            (point, None) => point.y.sum().shl::<1>().plus_multiple(0),
        };
        *sum = Affine {
            x: denominator,
            y: next,
        };
        (next, other) = (other, next.mul(denominator));
    }
    *products = [next, other];
}

/// Completes the sums after `multiply_denominators`, given the inverses of its products.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn divide<C: CpuCurve>(
    lanes: Lanes,
    points: &[Affine<C::Base>],
    last: usize,
    sums: &mut [Affine<C::Base>],
    inverses: &[Element<C::Base>; 2],
) {
    let [mut next, mut other] = *inverses;
    let a = Element::splat(lanes, &coefficient_a::<C>());
    for (index, sum) in sums.iter_mut().enumerate().rev() {
        // The chain of the last denominator is the second.
        let inverse = other.mul(sum.y);
        (next, other) = (other.mul(sum.x), next);
        let (left, right) = operands(points, last, index);
        let (numerator, right_x) = match right {
            Some(right) => ((right.y.sum() - left.y.sum()).plus_multiple(3), right.x),
            None => {
                let square = left.x.square().sum();
                (
                    (square.shl::<1>() + square + a.sum()).plus_multiple(0),
                    left.x,
                )
            }
        };
        let slope = numerator.mul(inverse);
        let x = (slope.square().sum() - left.x.sum() - right_x.sum()).fold();
        let y = (slope.mul((left.x.sum() - x.sum()).plus_multiple(3)).sum() - left.y.sum()).fold();
        *sum = Affine { x, y };
    }
}

//! Affine multiples of points: rounds of additions that share an inversion.
//!
//! No addition meets equal or opposite points unexpectedly, and no result is the identity, since
//! points have a large prime order.

use super::convert::{gather, scatter, scatter_stored};
use super::invert::Denominators;
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
    // Row i of `groups` vectors contains (2i + 1)P.
    let mut rows = Vec::with_capacity(points.len() / LANES * COUNT);
    load(lanes, points, &mut rows);
    let groups = rows.len();
    // The last round adds to half of the rows, and doubles.
    let most = groups * (COUNT / 2 + 1);
    let mut rounds = if are_secret {
        Rounds::<C>::of_secrets(lanes, most)
    } else {
        Rounds::<C>::new(lanes)
    };
    let mut even = Vec::with_capacity(groups);
    rounds.add(groups, &|index| (&rows[index], None), &mut even);
    // Allocated once, so that it can be wiped.
    let mut sums = Vec::with_capacity(most);
    while rows.len() < groups * COUNT {
        // P, ..., (2m - 1)P and 2m P yield (2m + 1)P, ..., (4m - 1)P and 4m P.
        let known = rows.len();
        rounds.add(
            known + groups,
            &|index| match index.checked_sub(known) {
                None => (&rows[index], Some(&even[index % groups])),
                Some(group) => (&even[group], None),
            },
            &mut sums,
        );
        even.clear();
        even.extend_from_slice(&sums[known..]);
        rows.extend_from_slice(&sums[..known]);
    }
    if are_secret {
        wipe(&mut even);
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
    let mut rounds = Rounds::<C>::new(lanes);
    let mut sums = Vec::with_capacity(groups * first);
    while rows.len() < groups * first {
        // P, ..., mP and mP yield (m + 1)P, ..., 2m P; the last of these is a doubling.
        let known = rows.len();
        let last = known - groups;
        rounds.add(
            known,
            &|index| {
                (
                    &rows[index],
                    (index < last).then(|| &rows[last + index % groups]),
                )
            },
            &mut sums,
        );
        rows.extend_from_slice(&sums);
    }
    store(0, &rows);
    let last = rows.len() - groups;
    let mut addend = rows[last..].to_vec();
    for from in (first..count).step_by(first) {
        rounds.add(
            rows.len(),
            &|index| {
                // The last addition of the first block is a doubling, too.
                let doubles = from == first && index >= last;
                (&rows[index], (!doubles).then(|| &addend[index % groups]))
            },
            &mut sums,
        );
        store(from, &sums);
        addend.copy_from_slice(&sums[last..]);
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

/// Two points to be added, or a single one to be doubled.
type Pair<'a, F> = (&'a Affine<F>, Option<&'a Affine<F>>);

/// Rounds of additions.
struct Rounds<C: CpuCurve> {
    denominators: Denominators<C::Base>,
    /// The coefficient a.
    a: Element<C::Base>,
}

impl<C: CpuCurve> Rounds<C> {
    #[inline(always)]
    fn new(lanes: Lanes) -> Self {
        Self::with(lanes, Denominators::new(lanes))
    }

    /// Makes rounds of at most `most` additions of secret points.
    #[inline(always)]
    fn of_secrets(lanes: Lanes, most: usize) -> Self {
        Self::with(lanes, Denominators::secret(lanes, most))
    }

    #[inline(always)]
    fn with(lanes: Lanes, denominators: Denominators<C::Base>) -> Self {
        Rounds {
            denominators,
            a: Element::splat(lanes, &coefficient_a::<C>()),
        }
    }

    /// Writes the sum of each of `count` pairs. Coordinates are below 2.01 p.
    ///
    /// One function for the pairs of all tables, as each copy takes long to compile.
    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
    fn add<'a>(
        &mut self,
        count: usize,
        pair: &dyn Fn(usize) -> Pair<'a, C::Base>,
        sums: &mut Vec<Affine<C::Base>>,
    ) {
        self.denominators.restart();
        for index in 0..count {
            self.denominators.push(match pair(index) {
                (left, Some(right)) => (right.x.sum() - left.x.sum()).plus_multiple(3),
                (point, None) => point.y.sum().shl::<1>().plus_multiple(0),
            });
        }
        self.denominators.invert();
        sums.resize(count, *pair(0).0);
        for index in (0..count).rev() {
            let inverse = self.denominators.pop_inverse();
            let (left, right) = pair(index);
            let (numerator, right_x) = match right {
                Some(right) => ((right.y.sum() - left.y.sum()).plus_multiple(3), right.x),
                None => {
                    let square = left.x.square().sum();
                    (
                        (square.shl::<1>() + square + self.a.sum()).plus_multiple(0),
                        left.x,
                    )
                }
            };
            let slope = numerator.mul(inverse);
            let x = (slope.square().sum() - left.x.sum() - right_x.sum()).fold();
            let y =
                (slope.mul((left.x.sum() - x.sum()).plus_multiple(3)).sum() - left.y.sum()).fold();
            sums[index] = Affine { x, y };
        }
    }
}

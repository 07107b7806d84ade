//! Pairwise sums of entries of a slice in vectors, as in `point/pairs.rs`. Entries have the form
//! that `gather` reads with `STORED` unset.

use super::convert::{gather, scatter};
use super::invert::Denominators;
use super::point::Affine;
use crate::cpu::field::Coordinate;
use crate::cpu::field::vector::{Element, LANES, Lanes, Mask, Sum};
use crate::cpu::point::affine::{Affine as Point, Entry, prefetch};
use crate::cpu::point::pairs::{BATCH, Pair};
use crate::cpu::{CpuCurve, coefficient_a};

/// The prefetch distance in pairs: the points are at random addresses in memory.
const AHEAD: usize = 4 * LANES;

/// Converts points to the form that `add_pairs` takes.
pub fn entries_of<F: Coordinate>(lanes: Lanes, points: &[Point<F>]) -> Vec<Entry<F>> {
    // SAFETY: a `Lanes` proves that the instructions exist.
    unsafe { entries_of_batch(lanes, points) }
}

#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn entries_of_batch<F: Coordinate>(lanes: Lanes, points: &[Point<F>]) -> Vec<Entry<F>> {
    let mut entries = Vec::with_capacity(points.len());
    for group in points.chunks(LANES) {
        let coordinate = |of: fn(&Point<F>) -> F| {
            let mut values = [F::ZERO; LANES];
            values
                .iter_mut()
                .zip(group)
                .for_each(|(value, point)| *value = of(point));
            Element::load(lanes, &values)
        };
        let point = Affine {
            x: coordinate(|point| point.x),
            y: coordinate(|point| point.y),
        };
        let group = group.iter().zip(scatter(point));
        entries
            .extend(group.map(|(point, entry)| if point.infinity { Entry::ZERO } else { entry }));
    }
    entries
}

/// Converts such entries to points.
pub fn points_of<F: Coordinate>(lanes: Lanes, entries: &[Entry<F>]) -> Vec<Point<F>> {
    // SAFETY: a `Lanes` proves that the instructions exist.
    unsafe { points_of_batch(lanes, entries) }
}

#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn points_of_batch<F: Coordinate>(lanes: Lanes, entries: &[Entry<F>]) -> Vec<Point<F>> {
    let mut points = Vec::with_capacity(entries.len());
    for group in entries.chunks(LANES) {
        // Lanes without an entry repeat the last one.
        let mut repeated = [&group[group.len() - 1]; LANES];
        repeated
            .iter_mut()
            .zip(group)
            .for_each(|(place, entry)| *place = entry);
        let Affine { x, y } = gather::<F, false>(lanes, repeated);
        let coordinates = x.store(lanes).into_iter().zip(y.store(lanes));
        points.extend(group.iter().zip(coordinates).map(|(entry, (x, y))| {
            if entry.is_zero() {
                Point::IDENTITY
            } else {
                Point::new(x, y)
            }
        }));
    }
    points
}

/// Adds pairs of points, any of which may be the identity.
pub fn add_pairs<C: CpuCurve>(
    lanes: Lanes,
    points: &[Entry<C::Base>],
    pairs: &[Pair],
    sums: &mut [Entry<C::Base>],
) {
    let mut denominators = Denominators::new(lanes);
    for pairs in pairs.chunks(BATCH) {
        // SAFETY: a `Lanes` proves that the instructions exist.
        unsafe { add_batch::<C>(lanes, points, pairs, &mut denominators, sums) }
    }
}

#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn add_batch<C: CpuCurve>(
    lanes: Lanes,
    points: &[Entry<C::Base>],
    pairs: &[Pair],
    denominators: &mut Denominators<C::Base>,
    sums: &mut [Entry<C::Base>],
) {
    denominators.restart();
    for (group, ahead) in pairs.chunks(LANES).zip((AHEAD..).step_by(LANES)) {
        for member in pairs
            .iter()
            .skip(ahead)
            .take(LANES)
            .flat_map(|pair| pair.members)
        {
            prefetch(&points[member as usize / 2]);
        }
        denominators.push(Operands::load(lanes, points, group).denominator());
    }
    denominators.invert();
    for pairs in pairs.chunks(LANES).rev() {
        let sum = Operands::load(lanes, points, pairs).sum::<C>(denominators.pop_inverse());
        for (pair, entry) in pairs.iter().zip(scatter(sum)) {
            sums[pair.place as usize] = entry;
        }
    }
}

/// Eight points with their signs; coordinates are between -p and p.
struct Side<F> {
    x: Element<F>,
    y: Sum<F>,
    /// Lanes whose point is the identity.
    empty: Mask,
}

impl<F: Coordinate> Side<F> {
    #[inline(always)]
    fn load(lanes: Lanes, points: &[Entry<F>], pairs: &[Pair], which: usize) -> Self {
        let mut entries = [&points[0]; LANES];
        let mut negate = 0;
        for (lane, entry) in entries.iter_mut().enumerate() {
            // Lanes without a pair repeat the last one.
            let member = pairs[lane.min(pairs.len() - 1)].members[which];
            *entry = &points[member as usize / 2];
            negate |= ((member & 1) as Mask) << lane;
        }
        let Affine { x, y } = gather::<F, false>(lanes, entries);
        let ([x0, x1, x2, x3, x4], [y0, y1, y2, y3, y4]) = (x.words(), y.words());
        let all = x0
            .or(x1)
            .or(x2)
            .or(x3)
            .or(x4)
            .or(y0)
            .or(y1)
            .or(y2)
            .or(y3)
            .or(y4);
        Side {
            x,
            y: y.sum().negate(negate),
            empty: all.zeros(),
        }
    }
}

/// Eight pairs of points.
struct Operands<F> {
    lanes: Lanes,
    left: Side<F>,
    right: Side<F>,
    /// The difference right x - left x + p.
    difference: Element<F>,
    /// Lanes with the same x.
    same: Mask,
}

impl<F: Coordinate> Operands<F> {
    #[inline(always)]
    fn load(lanes: Lanes, points: &[Entry<F>], pairs: &[Pair]) -> Self {
        let left = Side::load(lanes, points, pairs, 0);
        let right = Side::load(lanes, points, pairs, 1);
        let difference = (right.x.sum() - left.x.sum()).plus_multiple(1);
        let same = if difference.likely_zeros() == 0 {
            0
        } else {
            difference.zeros()
        };
        Operands {
            lanes,
            left,
            right,
            difference,
            same,
        }
    }

    /// Returns the lanes whose sum is not computed with a chord.
    #[inline(always)]
    fn exceptions(&self) -> Mask {
        self.left.empty | self.right.empty | self.same
    }

    /// Returns the lanes whose points are equal and not the identity.
    #[inline(always)]
    fn tangents(&self) -> Mask {
        let same_y = (self.right.y - self.left.y).fold().zeros();
        self.same & same_y & !self.left.empty & !self.right.empty
    }

    /// Returns the denominator of the slope, or one if there is none: non-zero, below 4 p.
    #[inline(always)]
    fn denominator(&self) -> Element<F> {
        if self.exceptions() == 0 {
            return self.difference;
        }
        // No point has order 2, so y is not 0.
        let twice = self.left.y.shl::<1>().plus_multiple(2);
        self.difference
            .select(self.exceptions(), Element::one(self.lanes))
            .select(self.tangents(), twice)
    }

    /// Computes the sums, with zeros for the identity, given the inverses of the denominators.
    /// Coordinates are below 2.01 p.
    #[inline(always)]
    fn sum<C: CpuCurve<Base = F>>(self, inverse: Element<F>) -> Affine<F> {
        let mut numerator = (self.right.y - self.left.y).plus_multiple(3);
        if self.exceptions() != 0 {
            let square = self.left.x.square().sum();
            let a = Element::splat(self.lanes, &coefficient_a::<C>()).sum();
            numerator = numerator.select(
                self.tangents(),
                (square.shl::<1>() + square + a).plus_multiple(0),
            );
        }
        let slope = numerator.mul(inverse);
        let x = (slope.square().sum() - self.left.x.sum() - self.right.x.sum()).fold();
        let y = (slope
            .mul((self.left.x.sum() - x.sum()).plus_multiple(3))
            .sum()
            - self.left.y)
            .fold();
        if self.exceptions() == 0 {
            return Affine { x, y };
        }
        let zero = Element::splat(self.lanes, &F::ZERO);
        let opposite = self.exceptions() & !self.tangents();
        let left_y = self.left.y.fold();
        let right_y = self.right.y.fold();
        let left = self.right.empty;
        let right = self.left.empty;
        Affine {
            x: x.select(opposite, zero)
                .select(left, self.left.x)
                .select(right, self.right.x),
            y: y.select(opposite, zero)
                .select(left, left_y)
                .select(right, right_y),
        }
    }
}

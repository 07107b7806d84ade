//! Sums of two points each, of a slice of entries, in lanes: the same as `point/pairs.rs`. Entries have the form that `gather` reads
//! with `STORED` unset.

use super::convert::{gather, scatter};
use super::invert::Denominators;
use super::point::Affine;
use crate::cpu::field::Coordinate;
use crate::cpu::field::vector::{Element, Lanes, Mask, Sum};
use crate::cpu::point::affine::{Affine as Point, Entry};
use crate::cpu::point::pairs::{BATCH, Pair};
use crate::cpu::{CpuCurve, coefficient_a};

const LANES: usize = 8;

/// Points in the form that `add_pairs` takes.
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
            values.iter_mut().zip(group).for_each(|(value, point)| *value = of(point));
            Element::load(lanes, &values)
        };
        let point = Affine { x: coordinate(|point| point.x), y: coordinate(|point| point.y) };
        let entry = |(point, entry): (&Point<F>, Entry<F>)| if point.infinity { Entry::ZERO } else { entry };
        entries.extend(group.iter().zip(scatter(point)).map(entry));
    }
    entries
}

/// The points of such entries.
pub fn points_of<F: Coordinate>(lanes: Lanes, entries: &[Entry<F>]) -> Vec<Point<F>> {
    // SAFETY: a `Lanes` proves that the instructions exist.
    unsafe { points_of_batch(lanes, entries) }
}

#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn points_of_batch<F: Coordinate>(lanes: Lanes, entries: &[Entry<F>]) -> Vec<Point<F>> {
    let mut points = Vec::with_capacity(entries.len());
    for group in entries.chunks(LANES) {
        // Lanes without an entry repeat the last one.
        let Affine { x, y } = gather::<F, false>(lanes, std::array::from_fn(|lane| &group[lane.min(group.len() - 1)]));
        let coordinates = x.store(lanes).into_iter().zip(y.store(lanes));
        let point = |(entry, (x, y)): (&Entry<F>, _)| if entry.is_zero() { Point::IDENTITY } else { Point::new(x, y) };
        points.extend(group.iter().zip(coordinates).map(point));
    }
    points
}

/// Adds up pairs of points, any of which may be the identity.
pub fn add_pairs<C: CpuCurve>(lanes: Lanes, points: &[Entry<C::Base>], pairs: &[Pair], sums: &mut [Entry<C::Base>]) {
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
    for pairs in pairs.chunks(LANES) {
        denominators.push(Operands::load(lanes, points, pairs).denominator());
    }
    denominators.invert();
    for pairs in pairs.chunks(LANES).rev() {
        let sum = Operands::load(lanes, points, pairs).sum::<C>(denominators.pop_inverse());
        for (pair, entry) in pairs.iter().zip(scatter(sum)) {
            sums[pair.place as usize] = entry;
        }
    }
}

/// Eight pairs of points: coordinates between -p and p.
struct Operands<F> {
    lanes: Lanes,
    left_x: Element<F>,
    left_y: Sum<F>,
    right_x: Element<F>,
    right_y: Sum<F>,
    /// right x - left x + p.
    difference: Element<F>,
    /// Lanes whose left point, or right one, is the identity.
    left_empty: Mask,
    right_empty: Mask,
    /// Lanes with the same x.
    same: Mask,
}

impl<F: Coordinate> Operands<F> {
    #[inline(always)]
    fn load(lanes: Lanes, points: &[Entry<F>], pairs: &[Pair]) -> Self {
        // Lanes without a pair repeat the last one.
        let pair = |lane: usize| &pairs[lane.min(pairs.len() - 1)].members;
        let side = |side: usize| {
            let entries = std::array::from_fn(|lane| &points[pair(lane)[side] as usize / 2]);
            let negate = (0..LANES).fold(0, |mask: Mask, lane| mask | ((pair(lane)[side] & 1) as Mask) << lane);
            let Affine { x, y } = gather::<F, false>(lanes, entries);
            let all = x.words().into_iter().chain(y.words()).reduce(|all, word| all.or(word));
            (x, y.sum().negate(negate), all.expect("an element has words").zeros())
        };
        let ((left_x, left_y, left_empty), (right_x, right_y, right_empty)) = (side(0), side(1));
        let difference = (right_x.sum() - left_x.sum()).plus_multiple(1);
        let same = if difference.likely_zeros() == 0 { 0 } else { difference.zeros() };
        Operands { lanes, left_x, left_y, right_x, right_y, difference, left_empty, right_empty, same }
    }

    /// Lanes whose sum is not by a chord.
    #[inline(always)]
    fn exceptions(&self) -> Mask {
        self.left_empty | self.right_empty | self.same
    }

    /// Lanes whose points are equal, and not the identity.
    #[inline(always)]
    fn tangents(&self) -> Mask {
        let same_y = (self.right_y - self.left_y).fold().zeros();
        self.same & same_y & !self.left_empty & !self.right_empty
    }

    /// What the slope is divided by, one where there is none: not zero, below 4 p.
    #[inline(always)]
    fn denominator(&self) -> Element<F> {
        if self.exceptions() == 0 {
            return self.difference;
        }
        // No point has order 2, so that y is not 0.
        let twice = self.left_y.shl::<1>().plus_multiple(2);
        self.difference.select(self.exceptions(), Element::one(self.lanes)).select(self.tangents(), twice)
    }

    /// The sums, zeros for the identity, given the inverses of the denominators. Coordinates are below 2.01 p.
    #[inline(always)]
    fn sum<C: CpuCurve<Base = F>>(self, inverse: Element<F>) -> Affine<F> {
        let mut numerator = (self.right_y - self.left_y).plus_multiple(3);
        if self.exceptions() != 0 {
            let square = self.left_x.square().sum();
            let a = Element::splat(self.lanes, &coefficient_a::<C>()).sum();
            numerator = numerator.select(self.tangents(), (square.shl::<1>() + square + a).plus_multiple(0));
        }
        let slope = numerator.mul(inverse);
        let x = (slope.square().sum() - self.left_x.sum() - self.right_x.sum()).fold();
        let y = (slope.mul((self.left_x.sum() - x.sum()).plus_multiple(3)).sum() - self.left_y).fold();
        if self.exceptions() == 0 {
            return Affine { x, y };
        }
        let zero = Element::splat(self.lanes, &F::ZERO);
        let select = |sum: Element<F>, left: Element<F>, right: Element<F>| {
            let opposite = self.exceptions() & !self.tangents();
            sum.select(opposite, zero).select(self.right_empty, left).select(self.left_empty, right)
        };
        Affine { x: select(x, self.left_x, self.right_x), y: select(y, self.left_y.fold(), self.right_y.fold()) }
    }
}

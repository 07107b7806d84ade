//! Multi-scalar multiplication: the sum of many products, by buckets (Pippenger, "On the evaluation
//! of powers and monomials", SIAM Journal on Computing 9, 1980; with signed digits). Variable-time,
//! for public data.
//!
//! A product has one term, or two if the curve has an endomorphism: a scalar below 2^255, or below
//! 2^130, and a point. Each window of the scalars has buckets: bucket d contains the terms whose
//! digit in this window is d or -d. The sum of d times bucket d is computed without running sums,
//! which would be sequential additions: with d = h 2^l + r, the buckets are summed by h and by r,
//! and these sums are then summed by the bits of h and r. So all work is sums of groups of points
//! ([`groups`]), which leaves one point per bit of a scalar.

mod groups;
mod plan;

use self::groups::Groups;
use self::plan::Bucketing;
use super::CpuCurve;
use super::be_bytes_to_limbs;
use super::field::{Coordinate, Field};
use super::point::affine::{Affine, Entry};
use super::point::jacobian::{self, Jacobian};
use super::scalar::{SignedScalar, length, window_digit};
use super::simd::Lanes;
use crate::host::workers::Pool;
use std::ops::Range;

/// The number of products below which they are computed individually.
pub const FEWEST: usize = 16;

/// The terms of a sum.
pub struct Terms<C: CpuCurve> {
    scalars: Vec<SignedScalar>,
    /// The points, in the representation that `groups` expects.
    points: Vec<Entry<C::Base>>,
}

impl<C: CpuCurve> Terms<C> {
    /// Builds the terms of scalars[i] points[i].
    pub fn new(lanes: Option<Lanes>, scalars: &[C::Scalar], points: &[Affine<C::Base>]) -> Self {
        debug_assert_eq!(scalars.len(), points.len());
        let Some(endomorphism) = C::ENDOMORPHISM else {
            return Terms::whole(
                lanes,
                scalars.iter().map(SignedScalar::shorter).collect(),
                points,
            );
        };
        let limbs = scalars
            .iter()
            .map(|scalar| be_bytes_to_limbs(&scalar.to_be_bytes()));
        let (mut halves, second): (Vec<_>, Vec<_>) =
            limbs.map(|limbs| endomorphism.decompose(&limbs)).unzip();
        halves.extend(second);
        let beta = &C::constants().beta;
        let images = points.iter().map(|point| Affine {
            x: point.x.mul(beta),
            ..*point
        });
        let points: Vec<_> = points.iter().copied().chain(images).collect();
        Terms::whole(lanes, halves, &points)
    }

    /// Builds terms for scalars below 2^255, one per scalar even if the curve has an endomorphism.
    pub fn whole(
        lanes: Option<Lanes>,
        scalars: Vec<SignedScalar>,
        points: &[Affine<C::Base>],
    ) -> Self {
        debug_assert_eq!(scalars.len(), points.len());
        Terms {
            scalars,
            points: groups::entries::<C>(lanes, points),
        }
    }

    /// Creates an empty list of terms with capacity for `products` products.
    pub fn with_capacity(products: usize) -> Self {
        let terms = if C::ENDOMORPHISM.is_some() {
            2 * products
        } else {
            products
        };
        Terms {
            scalars: Vec::with_capacity(terms),
            points: Vec::with_capacity(terms),
        }
    }

    pub fn append(&mut self, more: Self) {
        self.scalars.extend(more.scalars);
        self.points.extend(more.points);
    }

    /// Returns the number of bits of the longest scalar.
    fn bits(&self) -> u32 {
        let all = self.scalars.iter().fold([0; 4], |all, scalar| {
            std::array::from_fn(|i| all[i] | scalar.magnitude[i])
        });
        length(&all)
    }
}

/// Returns the sum of all terms, computed on the threads of a pool. `lanes` has to be the value
/// with which the terms were created.
pub fn sum<C: CpuCurve>(pool: &Pool, lanes: Option<Lanes>, terms: &Terms<C>) -> Affine<C::Base> {
    let plan = Bucketing::new(terms.scalars.len(), terms.bits(), pool.threads());
    let tasks = plan.tasks();
    let mut sums: Vec<Vec<Affine<C::Base>>> = vec![Vec::new(); tasks.len()];
    pool.for_each(
        tasks.iter().zip(&mut sums).collect(),
        |((windows, part), sums): (&(Range<u32>, Range<usize>), _)| {
            *sums = bit_sums(lanes, terms, part.clone(), windows.clone(), plan.width);
        },
    );
    // For each bit of the scalars, the points from all parts of the terms.
    let mut of_bits = vec![Vec::new(); (plan.windows * plan.width) as usize];
    for ((windows, _), sums) in tasks.iter().zip(sums) {
        for (index, sum) in sums.into_iter().enumerate() {
            of_bits[(windows.start * plan.width) as usize + index].push(sum);
        }
    }
    let sum = of_bits
        .iter()
        .rev()
        .fold(Jacobian::IDENTITY, |sum, points| {
            points
                .iter()
                .fold(sum.double::<C>(), |sum, point| sum.add_affine::<C>(point))
        });
    jacobian::normalize(&[sum])[0]
}

/// Returns, for each bit of each window from the lowest, the sum of the terms whose digit has that
/// bit.
fn bit_sums<C: CpuCurve>(
    lanes: Option<Lanes>,
    terms: &Terms<C>,
    part: Range<usize>,
    windows: Range<u32>,
    width: u32,
) -> Vec<Affine<C::Base>> {
    let scalars = &terms.scalars[part.clone()];
    let points = &terms.points[part];
    let count = windows.len();
    let in_buckets = windows.enumerate().flat_map(|(place, window)| {
        scalars
            .iter()
            .enumerate()
            .filter_map(move |(term, scalar)| {
                let digit = window_digit(&scalar.magnitude, width, window);
                let bucket = (place << (width - 1)) + digit.unsigned_abs().wrapping_sub(1) as usize;
                (digit != 0).then_some((bucket, term, scalar.negative != (digit < 0)))
            })
    });
    let buckets = Groups::of(count << (width - 1), in_buckets).sums::<C>(lanes, points);
    // Digit d is at index d - 1. It is in row d >> low and column d % 2^low; row 0 and column 0
    // have no weight.
    let low = width / 2;
    let size = 1 << (width - 1);
    let rows = (size >> low) + 1;
    let columns = 1 << low;
    let in_lines = present(&buckets).flat_map(|index| {
        let start = index / size * (rows + columns);
        let digit = index % size + 1;
        [start + (digit >> low), start + rows + digit % columns].map(|line| (line, index, false))
    });
    let lines = Groups::of(count * (rows + columns), in_lines).sums::<C>(lanes, &buckets);
    let of_bits = present(&lines).flat_map(|index| {
        let window = index / (rows + columns);
        let line = index % (rows + columns);
        let (number, first) = if line < rows {
            (line, low)
        } else {
            (line - rows, 0)
        };
        let bits = (0..width - first).filter(move |bit| number >> bit & 1 == 1);
        bits.map(move |bit| ((window as u32 * width + first + bit) as usize, index, false))
    });
    let bits = Groups::of(count * width as usize, of_bits);
    groups::points::<C>(lanes, &bits.sums::<C>(lanes, &lines))
}

/// Returns the indices of points other than the identity.
fn present<F: Coordinate>(points: &[Entry<F>]) -> impl Iterator<Item = usize> + Clone {
    points
        .iter()
        .enumerate()
        .filter(|(_, point)| !point.is_zero())
        .map(|(place, _)| place)
}

#[cfg(test)]
mod tests;

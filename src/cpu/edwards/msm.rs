//! Multi-scalar multiplication with buckets, as in `cpu::msm`. Variable-time, for public data. The
//! formulas have no exceptions, so points are added in input order and may be equal.

use super::curves::EdwardsCurve;
use super::field::Element;
use super::point::{Extended, Niels, Projective};
use super::simd::{self, Lanes};
use crate::cpu::field::limbs::Limbs;
use crate::cpu::scalar::window_digit;
use crate::host::workers::Pool;
use std::ops::Range;

/// Bits per window: a digit is at most 2^(w-1) in absolute value.
const WIDTH: u32 = 9;
/// Buckets per window, one per digit; the bucket of 0 is not used.
const BUCKETS: usize = (1 << (WIDTH - 1)) + 1;
/// The number of windows that are computed at a time, one per lane.
const TOGETHER: usize = 8;
/// The number of groups of windows for scalars below 2^256.
const GROUPS: u32 = (256 / WIDTH + 1).div_ceil(TOGETHER as u32);

/// The terms of a sum.
pub struct Terms {
    scalars: Vec<Limbs>,
    points: Vec<Niels>,
}

impl Terms {
    pub fn with_capacity(terms: usize) -> Self {
        Terms {
            scalars: Vec::with_capacity(terms),
            points: Vec::with_capacity(terms),
        }
    }

    /// Appends scalar times point, for any scalar below 2^256.
    pub fn push<C: EdwardsCurve>(&mut self, scalar: Limbs, point: &[Element; 2]) {
        self.scalars.push(scalar);
        self.points.push(Niels::from_affine::<C>(point));
    }

    pub fn append(&mut self, mut more: Self) {
        self.scalars.append(&mut more.scalars);
        self.points.append(&mut more.points);
    }

    /// Returns the points of a range, each with its digits in the windows of a group, without
    /// points whose digits are all 0.
    fn with_digits(
        &self,
        group: u32,
        part: Range<usize>,
    ) -> impl Iterator<Item = ([i32; TOGETHER], &Niels)> {
        let terms = self.scalars[part.clone()].iter().zip(&self.points[part]);
        let with_digits = terms.map(move |(scalar, point)| (window_digits(scalar, group), point));
        with_digits.filter(|(digits, _)| *digits != [0; TOGETHER])
    }
}

/// Returns the digits of a scalar in the windows of a group.
fn window_digits(scalar: &Limbs, group: u32) -> [i32; TOGETHER] {
    let first = group * TOGETHER as u32;
    std::array::from_fn(|window| window_digit(scalar, WIDTH, first + window as u32))
}

/// Returns the sum of all terms, computed on the threads of a pool.
pub fn sum<C: EdwardsCurve>(pool: &Pool, lanes: Option<Lanes>, terms: &Terms) -> Extended {
    let count = terms.scalars.len();
    let part = count.div_ceil(pool.threads()).max(1);
    let parts = (0..count)
        .step_by(part)
        .map(|start| start..count.min(start + part));
    let tasks: Vec<(u32, Range<usize>)> = parts
        .flat_map(|part| (0..GROUPS).map(move |group| (group, part.clone())))
        .collect();
    let mut sums = vec![None; tasks.len()];
    pool.for_each(
        tasks.iter().zip(&mut sums).collect(),
        |((group, part), sums): (&(u32, Range<usize>), _)| {
            let terms = terms.with_digits(*group, part.clone());
            *sums = Some(match lanes {
                Some(lanes) => simd::window_sums::<C, BUCKETS>(lanes, terms),
                None => window_sums::<C>(terms),
            });
        },
    );
    let mut of_windows = [Extended::IDENTITY; GROUPS as usize * TOGETHER];
    for ((group, _), sums) in tasks.iter().zip(sums) {
        let of_group = of_windows[*group as usize * TOGETHER..].iter_mut();
        for (total, sum) in of_group.zip(sums.expect("it was computed")) {
            *total = total.add(&sum.to_extended().to_niels::<C>()).to_extended();
        }
    }
    of_windows
        .iter()
        .rev()
        .fold(Extended::IDENTITY, |sum, of_window| {
            let shifted = (0..WIDTH)
                .fold(sum.to_projective(), |sum, _| sum.double().to_projective())
                .to_extended();
            shifted.add(&of_window.to_niels::<C>()).to_extended()
        })
}

/// Returns, for each window, the sum of digit times point.
fn window_sums<'a, C: EdwardsCurve>(
    terms: impl Iterator<Item = ([i32; TOGETHER], &'a Niels)>,
) -> [Projective; TOGETHER] {
    let mut buckets = vec![[Extended::IDENTITY; BUCKETS]; TOGETHER];
    for (digits, point) in terms {
        let opposite = point.neg();
        for (buckets, digit) in buckets
            .iter_mut()
            .zip(digits)
            .filter(|(_, digit)| *digit != 0)
        {
            let bucket = &mut buckets[digit.unsigned_abs() as usize];
            *bucket = bucket
                .add_affine(if digit < 0 { &opposite } else { point })
                .to_extended();
        }
    }
    std::array::from_fn(|window| weighted_sum::<C>(&buckets[window]))
}

/// Returns the sum of the buckets of a window, each weighted by its digit: it is added once for
/// each number from 1 to the digit.
fn weighted_sum<C: EdwardsCurve>(buckets: &[Extended; BUCKETS]) -> Projective {
    let mut above = Extended::IDENTITY;
    let mut total = Extended::IDENTITY;
    for bucket in buckets[1..].iter().rev() {
        above = above.add(&bucket.to_niels::<C>()).to_extended();
        total = total.add(&above.to_niels::<C>()).to_extended();
    }
    total.to_projective()
}

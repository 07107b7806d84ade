//! Odd multiples of eight points at a time, affine: rounds of additions that share an inversion.
//!
//! With P, 3P, ..., (2m - 1)P and 2m P known, one round of additions gives (2m + 1)P, ..., (4m - 1)P, and a doubling 4m P.
//! No addition meets equal or opposite points and no result is the identity, as P has a large prime order.

use super::convert::{gather, scatter};
use super::field::Element;
use super::invert::Denominators;
use super::point::Affine;
use super::words::Lanes;
use crate::cpu::affine::Entry;
use crate::cpu::field::{Coordinate, Field};
use crate::cpu::{CpuCurve, three};

/// The entries of `COUNT` odd multiples of each point, in turn, for a `COUNT` that is a power of two. The number of points
/// is a multiple of 8, and none is the identity.
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
pub fn odd_multiples<C: CpuCurve, const COUNT: usize>(
    lanes: Lanes,
    points: &[Entry<C::Base>],
) -> Vec<[Entry<C::Base>; COUNT]> {
    let groups = points.len() / 8;
    let mut tables = vec![[points[0]; COUNT]; points.len()];
    let mut denominators = Denominators::new(lanes);
    // Row i of `groups` points each: 2i + 1 times every point.
    let mut rows = Vec::with_capacity(groups * COUNT);
    let mut doubled = Vec::with_capacity(groups);
    for group in points.as_chunks().0 {
        let group: &[_; 8] = group;
        let Affine { x, y } = gather::<C::Base, true>(lanes, group.each_ref());
        let point = Affine { x: x.sum().fold(), y: y.sum().fold() };
        rows.push(point);
        doubled.push(point);
    }
    double_all::<C>(lanes, &mut doubled, &mut denominators);
    while rows.len() < groups * COUNT {
        let known = rows.len();
        denominators.restart();
        for index in 0..known {
            let (left, right) = (rows[index], doubled[index % groups]);
            denominators.push((right.x.sum() - left.x.sum()).plus_multiple(3));
        }
        denominators.invert();
        rows.resize(2 * known, rows[0]);
        for index in (0..known).rev() {
            let (left, right) = (rows[index], doubled[index % groups]);
            let slope = (right.y.sum() - left.y.sum()).plus_multiple(3).mul(denominators.pop_inverse());
            rows[known + index] = third_point(left, right.x, slope);
        }
        if 2 * known < groups * COUNT {
            double_all::<C>(lanes, &mut doubled, &mut denominators);
        }
    }
    for (index, row) in rows.iter().enumerate() {
        let entries = scatter(*row);
        for (lane, entry) in entries.into_iter().enumerate() {
            tables[index % groups * 8 + lane][index / groups] = entry;
        }
    }
    tables
}

/// Doubles in place.
#[inline(always)]
fn double_all<C: CpuCurve>(lanes: Lanes, points: &mut [Affine<C::Base>], denominators: &mut Denominators<C::Base>) {
    denominators.restart();
    for point in points.iter() {
        denominators.push(point.y.sum().shl::<1>().plus_multiple(0));
    }
    denominators.invert();
    let a = if C::A_IS_ZERO { C::Base::ZERO } else { three::<C::Base>().neg() };
    let a = Element::splat(lanes, &a);
    for point in points.iter_mut().rev() {
        let square = point.x.square();
        let numerator = (square.sum().shl::<1>() + square.sum() + a.sum()).plus_multiple(0);
        *point = third_point(*point, point.x, numerator.mul(denominators.pop_inverse()));
    }
}

/// The sum of `left` and a point with x-coordinate `right_x` on a line of the given slope.
#[inline(always)]
fn third_point<F: Coordinate>(left: Affine<F>, right_x: Element<F>, slope: Element<F>) -> Affine<F> {
    let x = (slope.square().sum() - left.x.sum() - right_x.sum()).fold();
    let y = (slope.mul((left.x.sum() - x.sum()).plus_multiple(3)).sum() - left.y.sum()).fold();
    Affine { x, y }
}

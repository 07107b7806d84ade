//! Conversion from Jacobian to affine coordinates, with one inversion per batch.

use super::invert::Denominators;
use crate::cpu::field::Coordinate;
use crate::cpu::field::vector::{Element, LANES, Lanes};
use crate::cpu::point::affine::Affine;
use crate::cpu::point::jacobian::Jacobian;

/// Converts points to affine form.
pub fn normalize<F: Coordinate>(lanes: Lanes, points: &[Jacobian<F>]) -> Vec<Affine<F>> {
    // SAFETY: a `Lanes` proves that the instructions exist.
    unsafe { normalize_batch(lanes, points) }
}

#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn normalize_batch<F: Coordinate>(lanes: Lanes, points: &[Jacobian<F>]) -> Vec<Affine<F>> {
    let mut denominators = Denominators::new(lanes);
    for group in points.chunks(LANES) {
        // Identities, and lanes without an item, must not make the product zero.
        let z = coordinate(lanes, group, |point| {
            if point.is_identity() { F::ONE } else { point.z }
        });
        denominators.push(z);
    }
    denominators.invert();
    let mut affine = vec![Affine::IDENTITY; points.len()];
    for (group, out) in points.chunks(LANES).zip(affine.chunks_mut(LANES)).rev() {
        let inverse = denominators.pop_inverse();
        let square = inverse.square();
        let x = coordinate(lanes, group, |point| point.x)
            .mul(square)
            .store(lanes);
        let y = coordinate(lanes, group, |point| point.y)
            .mul(square.mul(inverse))
            .store(lanes);
        for (lane, (point, out)) in group.iter().zip(out).enumerate() {
            if !point.is_identity() {
                *out = Affine::new(x[lane], y[lane]);
            }
        }
    }
    affine
}

/// Loads one coordinate of up to eight points, and one into the remaining lanes.
#[inline(always)]
fn coordinate<F: Coordinate>(
    lanes: Lanes,
    points: &[Jacobian<F>],
    of: impl Fn(&Jacobian<F>) -> F,
) -> Element<F> {
    let mut values = [F::ONE; LANES];
    for (value, point) in values.iter_mut().zip(points) {
        *value = of(point);
    }
    Element::load(lanes, &values)
}

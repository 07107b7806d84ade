//! Points from their x-coordinates: square roots in vectors.

use super::chains::{CHAINS, Chains};
use crate::cpu::field::vector::{Element, LANES, Lanes};
use crate::cpu::field::{Coordinate, Field};
use crate::cpu::point::affine::Affine;
use crate::cpu::{CpuCurve, coefficient_a};

/// Returns the points with the given x-coordinates and parities of y, or `None` if there is no such
/// point.
pub fn lift_x<C: CpuCurve>(
    lanes: Lanes,
    coordinates: &[(C::Base, bool)],
) -> Vec<Option<Affine<C::Base>>> {
    let mut points = Vec::with_capacity(coordinates.len());
    for group in coordinates.chunks(LANES * CHAINS) {
        // Lanes without an item repeat the last one.
        let x: [_; LANES * CHAINS] =
            core::array::from_fn(|lane| group[lane.min(group.len() - 1)].0);
        // SAFETY: a `Lanes` proves that the instructions exist.
        let roots = unsafe { roots::<C>(lanes, &x) };
        points.extend(group.iter().zip(roots).map(|((x, y_is_odd), y)| {
            let y = y?;
            Some(Affine::new(
                *x,
                if y.is_odd() == *y_is_odd { y } else { y.neg() },
            ))
        }));
    }
    points
}

/// Returns a square root of x^3 + a x + b for each x, if there is one.
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn roots<C: CpuCurve>(
    lanes: Lanes,
    x: &[C::Base; LANES * CHAINS],
) -> [Option<C::Base>; LANES * CHAINS] {
    let b = Element::splat(lanes, &C::constants().b).sum();
    let a = Element::splat(lanes, &coefficient_a::<C>());
    let mut right = Chains([a; CHAINS]);
    for (right, x) in right.0.iter_mut().zip(x.as_chunks().0) {
        let x = Element::load(lanes, x);
        // Below 1.3 p + 2.1 p: a product below 1.5 p.
        let square_plus_a = (x.square().sum() + a.sum()).plus_multiple(0);
        *right = (square_plus_a.mul(x).sum() + b).fold();
    }
    let root = C::Base::root_chain(&right);
    let mut roots = [None; LANES * CHAINS];
    for ((root, right), out) in root
        .0
        .into_iter()
        .zip(right.0)
        .zip(roots.as_chunks_mut::<LANES>().0)
    {
        let square = root.square().store(lanes);
        let right = right.store(lanes);
        for (lane, root) in root.store(lanes).into_iter().enumerate() {
            out[lane] = (square[lane] == right[lane]).then_some(root);
        }
    }
    roots
}

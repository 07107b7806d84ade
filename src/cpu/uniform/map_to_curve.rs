//! The simplified SWU map (RFC 9380, sections 6.6.2 and 6.6.3). See `cpu::simd::map_to_curve` for
//! the order of its steps, which is the same here.

use super::element::{CHAINS, Chains, Element, invert_all, root_power};
use super::point::{Affine, Jacobian, normalize};
use crate::cpu::field::{Coordinate, Field};
use crate::cpu::point::affine;
use crate::cpu::simd::{ELEMENT_BYTES, ElementBytes};
use crate::cpu::sswu::{Isogeny, SswuConstants, SswuCurve};
use crate::host::wiped::Wiped;

/// 2^192, big-endian.
const TWO_TO_192: [u8; 32] = {
    let mut bytes = [0; 32];
    bytes[7] = 1;
    bytes
};

/// The state of the point of an element before its root is computed.
#[derive(Clone, Copy)]
struct Pending<F> {
    /// The element u.
    u: Element<F>,
    /// Z u^2, the quotient of the second x-coordinate and the first.
    ratio: Element<F>,
    /// The first x-coordinate; until all denominators are inverted, its numerator.
    x: Element<F>,
}

/// Returns the point of each item, whose `COUNT` elements are `elements[COUNT i..][..COUNT]`: the
/// sum of their images. It can be the identity if `COUNT` is 2.
pub fn map_to_curve<C: SswuCurve, const COUNT: usize>(
    elements: &[ElementBytes],
) -> Wiped<affine::Affine<C::Base>> {
    let images = images::<C>(elements);
    let mut points = Wiped::with_capacity(elements.len() / COUNT);
    if COUNT == 1 {
        images
            .iter()
            .for_each(|image| points.push(image.to_jacobian()));
    } else {
        for [first, second] in images.as_chunks().0 {
            points.push(first.to_jacobian().add_complete::<C>(*second));
        }
    }
    to_affine(&points)
}

/// Returns the images of all elements on the curve itself.
fn images<C: SswuCurve>(elements: &[ElementBytes]) -> Wiped<Affine<C::Base>> {
    let constants = C::sswu();
    let two_to_192 = Element(C::Base::from_be_bytes_reduced(&TWO_TO_192));
    let mut pending = Wiped::with_capacity(elements.len());
    let mut denominators = Wiped::with_capacity(elements.len());
    for bytes in elements {
        let (one, denominator) = prepare(constants, element(bytes, two_to_192));
        pending.push(one);
        denominators.push(denominator);
    }
    invert_all(&mut denominators);
    for (pending, inverse) in pending.iter_mut().zip(denominators.iter()) {
        pending.x = pending.x.mul(*inverse);
    }
    let images = complete(constants, &pending);
    match &constants.isogeny {
        Some(isogeny) => apply(isogeny, &images),
        None => images,
    }
}

/// Reduces 48 big-endian bytes: two numbers of 192 bits, the first times 2^192.
fn element<F: Coordinate>(bytes: &ElementBytes, two_to_192: Element<F>) -> Element<F> {
    const HALF: usize = ELEMENT_BYTES / 2;
    let half = |digits: &[u8]| {
        let mut padded = [0; 32];
        padded[32 - HALF..].copy_from_slice(digits);
        Element(F::from_be_bytes_reduced(&padded))
    };
    let (high, low) = bytes.split_at(HALF);
    half(high).mul(two_to_192).add(half(low))
}

/// Computes the x-coordinate that is tried first as a fraction: -b / a (1 + 1 / (Z^2 u^4 + Z u^2)),
/// or b / (Z a) if that denominator is zero.
fn prepare<F: Coordinate>(constants: &SswuConstants<F>, u: Element<F>) -> (Pending<F>, Element<F>) {
    let ratio = Element(constants.z).mul(u.square());
    let sum = ratio.square().add(ratio);
    let numerator = Element(constants.b).mul(sum.add(Element::ONE));
    let divisor = Element(constants.z).select(sum.is_zero(), sum.neg());
    let pending = Pending {
        u,
        ratio,
        x: numerator,
    };
    (pending, Element(constants.a).mul(divisor))
}

/// Computes the points of all elements on y^2 = x^3 + a x + b.
fn complete<F: Coordinate>(
    constants: &SswuConstants<F>,
    pending: &[Pending<F>],
) -> Wiped<Affine<F>> {
    let mut points = Wiped::with_capacity(pending.len());
    let mut powers = Wiped::with_capacity(F::SQRT_CHAIN.len());
    for _ in F::SQRT_CHAIN {
        powers.push([Element::ZERO; CHAINS]);
    }
    for group in pending.chunks(CHAINS) {
        // A single element is computed twice.
        let right: Chains<F> = [
            right_side(constants, group[0].x),
            right_side(constants, group[group.len() - 1].x),
        ];
        let roots = root_power(&right, &mut powers);
        for ((pending, right), root) in group.iter().zip(right).zip(roots) {
            points.push(point(constants, pending, right, root));
        }
    }
    points
}

/// Computes x^3 + a x + b.
fn right_side<F: Coordinate>(constants: &SswuConstants<F>, x: Element<F>) -> Element<F> {
    let square_plus_a = x.square().add(Element(constants.a));
    square_plus_a.mul(x).add(Element(constants.b))
}

/// Chooses between the two x-coordinates, and the sign of y. `root` is `right^((p + 1) / 4)`.
///
/// If that is not a root of `right`, it is one of `-right`, and `sqrt(-Z) Z u^3 root` is one of
/// `Z^3 u^6 right`, which is the right side for the second coordinate `Z u^2 x`.
fn point<F: Coordinate>(
    constants: &SswuConstants<F>,
    pending: &Pending<F>,
    right: Element<F>,
    root: Element<F>,
) -> Affine<F> {
    let Pending { u, ratio, x } = *pending;
    let is_root = root.square().sub(right).is_zero();
    let other_x = ratio.mul(x);
    let other_y = Element(constants.root).mul(ratio).mul(u).mul(root);
    let y = root.select(is_root, other_y);
    Affine {
        x: x.select(is_root, other_x),
        y: y.negate(u.is_odd() ^ y.is_odd()),
    }
}

/// Applies an isogeny to points, none of which is in its kernel.
fn apply<F: Coordinate>(isogeny: &Isogeny<F>, points: &[Affine<F>]) -> Wiped<Affine<F>> {
    let mut images = Wiped::with_capacity(points.len());
    for point in points {
        images.push(Jacobian {
            x: evaluate(&isogeny.x, point.x),
            y: point.y.mul(evaluate(&isogeny.y, point.x)),
            z: point.x.sub(Element(isogeny.kernel)),
        });
    }
    normalize(&images)
}

/// Evaluates a polynomial whose constant coefficient is the first.
fn evaluate<F: Coordinate>(coefficients: &[F; 4], x: Element<F>) -> Element<F> {
    let [rest @ .., highest] = coefficients;
    let mut value = Element(*highest);
    for coefficient in rest.iter().rev() {
        value = value.mul(x).add(Element(*coefficient));
    }
    value
}

/// Returns the points in affine form. The branch on the identity is on a result: see
/// `hash_to_curve::points`.
fn to_affine<F: Coordinate>(points: &[Jacobian<F>]) -> Wiped<affine::Affine<F>> {
    let mut nonzero = Wiped::with_capacity(points.len());
    for point in points {
        nonzero.push(Jacobian {
            z: Element::ONE.select(point.z.is_zero(), point.z),
            ..*point
        });
    }
    let mut affine = Wiped::with_capacity(points.len());
    for (point, Affine { x, y }) in points.iter().zip(normalize(&nonzero).iter()) {
        affine.push(affine::Affine {
            x: x.0,
            y: y.0,
            infinity: point.z.is_zero().is_set(),
        });
    }
    affine
}

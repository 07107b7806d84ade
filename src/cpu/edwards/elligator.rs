//! Elligator 2: the map from field elements to points of curve25519 and edwards25519 (RFC 9380,
//! sections 6.7.1, 6.8.2 and G.2). **Constant-time**: elements and points may be secret. Everything
//! derived from them in memory is wiped. The caller has to wipe the stack.
//!
//! Points of both curves are computed on edwards25519. The birational equivalence is that of groups
//! except for points of small order, which multiplying by the cofactor removes.
//!
//! The steps of an item are functions of their own: where they are inlined into a loop, LLVM replaces
//! conditional moves of carries by branches.

use super::curves::{Ed25519, EdwardsCurve};
use super::field::{Element, invert_all};
use super::point::{Completed, Extended, Projective};
use super::ristretto::{Ratios, select};
use super::simd::Lanes;
use crate::cpu::field::limbs;
use crate::curve::constants::ed25519;
use crate::host::wiped::Wiped;

/// The coefficient of curve25519: J in RFC 9380.
const A: Element = Element::from_limbs(ed25519::MONTGOMERY_A);
/// c1 of RFC 9380, section G.2.2.
const SQRT_MINUS_A_MINUS_2: Element = Element::from_limbs(ed25519::SQRT_MINUS_A_MINUS_2);

/// Bytes that are reduced to an element: L of RFC 9380, section 8.5.
pub const ELEMENT_BYTES: usize = 48;
pub type ElementBytes = [u8; ELEMENT_BYTES];

/// The curve of coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// edwards25519, x and y.
    Edwards,
    /// curve25519, u and v.
    Montgomery,
}

/// The coordinates of a point, canonical, and a mask of all ones for the identity, whose coordinates
/// are meaningless.
pub type Image = ([limbs::Limbs; 2], u64);

/// Reduces 48 bytes, big-endian, modulo p.
fn element(bytes: &ElementBytes) -> Element {
    let mut high = [0; 32];
    high[16..].copy_from_slice(&bytes[..16]);
    let low = bytes[16..].first_chunk().expect("32 bytes");
    let [high, low] = [&high, low].map(|half| Element::from_limbs(limbs::from_be_bytes(half)));
    // 2^256 = 38 modulo p.
    high.mul_small(38).add(&low)
}

/// The parts of an input u from which its point is computed. The u-coordinate is -A / d or -A t / d,
/// whichever belongs to a point.
#[derive(Clone, Copy)]
struct Mapping {
    input: Element,
    /// t = 2 u^2.
    t: Element,
    /// d = 1 + t, which is not 0: -1 is a square, and t is 0 or not a square.
    d: Element,
}

impl Mapping {
    /// Returns the mapping, and v^2 for the u-coordinate -A / d as a ratio.
    #[inline(never)]
    fn new(bytes: &ElementBytes) -> (Self, [Element; 2]) {
        let input = element(bytes);
        let t = input.square().double();
        let d = Element::ONE.add(&t);
        // u^3 + A u^2 + u with u = n / d is n (n (n + A d) + d^2) / d^3, and n + A d = A t.
        let n = A.neg();
        let dd = d.square();
        let numerator = n.mul(&A.mul(&t)).add(&dd).mul(&n);
        (Mapping { input, t, d }, [numerator, dd.mul(&d)])
    }

    /// Returns the point, given an even root of the ratio or of i times it, and a mask of whether it
    /// is the former.
    #[inline(never)]
    fn point(&self, root: &Element, is_root: u64) -> Extended {
        // If v^2 is not a square, it is multiplied by t = 2 u^2, and 2 / i = (1 - i)^2.
        let factor = Element::ONE.sub(&Element::ROOT_OF_MINUS_ONE);
        let other = root.mul(&self.input).mul(&factor).even();
        // The first root is the odd one.
        let v = select(&other, &root.neg(), is_root);
        let first = A.neg();
        let u = select(&first.mul(&self.t), &first, is_root);
        // x = c1 u / v and y = (u - 1) / (u + 1) for the u-coordinate u / d; the identity if either
        // denominator is 0.
        let denominator_x = self.d.mul(&v);
        let denominator_y = u.add(&self.d);
        let is_exception = denominator_x.mul(&denominator_y).zero_mask();
        let or = |value: &Element, other: &Element| select(value, other, is_exception);
        Completed {
            x: or(&u.mul(&SQRT_MINUS_A_MINUS_2), &Element::ZERO),
            y: or(&u.sub(&self.d), &Element::ONE),
            z: or(&denominator_x, &Element::ONE),
            t: or(&denominator_y, &Element::ONE),
        }
        .to_extended()
    }
}

/// Maps the elements of each item, `COUNT` of them, to points, adds these, and multiplies the sum by
/// the cofactor.
pub fn map_all<const COUNT: usize>(
    lanes: Option<Lanes>,
    model: Model,
    elements: &[ElementBytes],
) -> Wiped<Image> {
    let mut mappings = Wiped::with_capacity(elements.len());
    let mut ratios = Ratios::with_capacity(elements.len());
    for bytes in elements {
        let (mapping, [u, v]) = Mapping::new(bytes);
        ratios.push(u, v);
        mappings.push(mapping);
    }
    let mut points = Wiped::with_capacity(elements.len());
    ratios.for_each_root(lanes, |index, root, is_root| {
        points.push(mappings[index].point(&root, is_root));
    });
    let mut sums = Wiped::with_capacity(elements.len() / COUNT);
    let mut inverses = Wiped::with_capacity(elements.len() / COUNT);
    for points in points.as_chunks::<COUNT>().0 {
        let sum = cleared_sum(points);
        inverses.push(denominator(model, &sum));
        sums.push(sum);
    }
    invert_all(&mut inverses);
    let mut images = Wiped::with_capacity(sums.len());
    for (sum, inverse) in sums.iter().zip(inverses.iter()) {
        images.push(image(model, sum, inverse));
    }
    images
}

/// Returns the sum of one or two points, times the cofactor.
#[inline(never)]
fn cleared_sum(points: &[Extended]) -> Projective {
    let mut sum = points[0];
    if let [_, second] = points {
        sum = sum.add(&second.to_niels::<Ed25519>()).to_extended();
    }
    (0..Ed25519::COFACTOR_DOUBLINGS)
        .fold(sum.to_projective(), |sum, _| sum.double().to_projective())
}

/// Returns what the coordinates of a point are divided by, or 1 if that is 0.
#[inline(never)]
fn denominator(model: Model, point: &Projective) -> Element {
    match model {
        Model::Edwards => point.z,
        Model::Montgomery => {
            let product = point.z.sub(&point.y).mul(&point.x);
            select(&product, &Element::ONE, product.zero_mask())
        }
    }
}

/// Returns the coordinates of a point, given the inverse of the denominator. The order of the point
/// is odd, so that x is 0 for the identity alone.
#[inline(never)]
fn image(model: Model, Projective { x, y, z }: &Projective, inverse: &Element) -> Image {
    let coordinates = match model {
        Model::Edwards => [x.mul(inverse), y.mul(inverse)],
        Model::Montgomery => {
            // u = (1 + y) / (1 - y), and v = c1 u / x.
            let common = z.add(y).mul(inverse);
            [common.mul(x), common.mul(z).mul(&SQRT_MINUS_A_MINUS_2)]
        }
    };
    (
        coordinates.map(|coordinate| coordinate.canonical()),
        x.zero_mask(),
    )
}

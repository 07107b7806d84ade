//! ristretto255 (RFC 9496, section 4): encodings of the elements of a group of prime order, which
//! are represented by points of ed25519. **Constant-time**: elements may be secret. Everything
//! derived from them in memory is wiped, except results, which belong to the caller. The caller has
//! to wipe the stack.
//!
//! As in the RFC, a *negative* number is one that is odd when it is below p.
//!
//! The steps of an item are functions of their own: where they are inlined into a loop, LLVM replaces
//! conditional moves of carries by branches.

use super::curves::{Ed25519, EdwardsCurve};
use super::field::{Element, Ratio, invert_all, root_powers};
use super::point::{Completed, Extended, Projective};
use super::simd::{self, Lanes};
use crate::cpu::field::limbs;
use crate::curve::constants::ed25519;
use crate::host::wiped::Wiped;
use zeroize::Zeroizing;

/// The constants of section 4.1, which the build script derives.
const SQRT_AD_MINUS_ONE: Element = Element::from_limbs(ed25519::SQRT_AD_MINUS_ONE);
const INVSQRT_A_MINUS_D: Element = Element::from_limbs(ed25519::INVSQRT_A_MINUS_D);
const ONE_MINUS_D_SQ: Element = Element::from_limbs(ed25519::ONE_MINUS_D_SQ);
const D_MINUS_ONE_SQ: Element = Element::from_limbs(ed25519::D_MINUS_ONE_SQ);
const D: Element = Ed25519::D;
const I: Element = Element::ROOT_OF_MINUS_ONE;

/// The number of uniform bytes that are mapped to an element.
pub const UNIFORM_BYTES: usize = 64;

/// Encodings of elements, in memory that is wiped.
pub type Encodings = Zeroizing<Vec<[u8; 32]>>;

/// The reason why bytes do not encode an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoElement {
    /// The number is not below p, or negative.
    NotCanonical,
    /// No element has this encoding.
    NotInGroup,
}

/// Computes value^((p - 5) / 8) for each value.
fn powers(lanes: Option<Lanes>, values: &[Element]) -> Zeroizing<Vec<Element>> {
    match lanes {
        Some(lanes) => simd::secret_root_powers(lanes, values),
        None => Zeroizing::new(root_powers(values)),
    }
}

/// Ratios whose roots are computed together.
pub(super) struct Ratios {
    ratios: Wiped<Ratio>,
    bases: Wiped<Element>,
}

impl Ratios {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Ratios {
            ratios: Wiped::with_capacity(capacity),
            bases: Wiped::with_capacity(capacity),
        }
    }

    #[inline(never)]
    pub(super) fn push(&mut self, u: Element, v: Element) {
        let (ratio, base) = Ratio::new(u, v);
        self.ratios.push(ratio);
        self.bases.push(base);
    }

    /// Calls `take` with the index of each ratio, its root and the mask of `Ratio::even_root`.
    pub(super) fn for_each_root(
        &self,
        lanes: Option<Lanes>,
        mut take: impl FnMut(usize, Element, u64),
    ) {
        let powers = powers(lanes, &self.bases);
        for (index, (ratio, power)) in self.ratios.iter().zip(powers.iter()).enumerate() {
            let (root, is_root) = ratio.even_root(power);
            take(index, root, is_root);
        }
    }
}

/// The parts of an encoding from which its point is computed (section 4.3.1).
#[derive(Clone, Copy)]
struct Decoding {
    s: Element,
    u1: Element,
    u2: Element,
    v: Element,
    /// v u2^2, whose inverse root is computed.
    square: Element,
    /// All ones if s is below p and not negative.
    is_canonical: u64,
}

impl Decoding {
    #[inline(never)]
    fn new(bytes: &[u8; 32]) -> Self {
        let number = limbs::from_le_bytes(bytes);
        let s = Element::from_limbs(number);
        let canonical = s.canonical();
        let differences = (0..4).fold(0, |bits, limb| bits | (number[limb] ^ canonical[limb]));
        let is_below_p = Element::from_limbs([differences, 0, 0, 0]).zero_mask();
        let ss = s.square();
        let u1 = Element::ONE.sub(&ss);
        let u2 = Element::ONE.add(&ss);
        let u2_square = u2.square();
        let v = D.mul(&u1.square()).add(&u2_square).neg();
        Decoding {
            s,
            u1,
            u2,
            v,
            square: v.mul(&u2_square),
            is_canonical: is_below_p & !s.odd_mask(),
        }
    }

    /// Returns the point, given 1 / sqrt(v u2^2) and a mask of whether this exists.
    #[inline(never)]
    fn point(&self, inverse_root: &Element, is_root: u64) -> Result<Extended, NoElement> {
        let den_x = inverse_root.mul(&self.u2);
        let den_y = inverse_root.mul(&den_x).mul(&self.v);
        let x = self.s.double().mul(&den_x).even();
        let y = self.u1.mul(&den_y);
        let point = Extended::from_affine(&[x, y]);
        let is_in_group = is_root & !point.t.odd_mask() & !y.zero_mask();
        // Whether bytes are an encoding is the caller's result.
        if self.is_canonical == 0 {
            Err(NoElement::NotCanonical)
        } else if is_in_group == 0 {
            Err(NoElement::NotInGroup)
        } else {
            Ok(point)
        }
    }
}

/// Decodes elements to points (section 4.3.1).
pub fn decode_all<'a>(
    lanes: Option<Lanes>,
    encodings: impl ExactSizeIterator<Item = &'a [u8; 32]>,
) -> Wiped<Result<Extended, NoElement>> {
    let mut decodings = Wiped::with_capacity(encodings.len());
    let mut ratios = Ratios::with_capacity(encodings.len());
    for encoding in encodings {
        let decoding = Decoding::new(encoding);
        ratios.push(Element::ONE, decoding.square);
        decodings.push(decoding);
    }
    let mut points = Wiped::with_capacity(decodings.len());
    ratios.for_each_root(lanes, |index, root, is_root| {
        points.push(decodings[index].point(&root, is_root));
    });
    points
}

/// Encodes elements (section 4.3.2).
pub fn encode_all(lanes: Option<Lanes>, points: &[Extended]) -> Encodings {
    let mut ratios = Ratios::with_capacity(points.len());
    for point in points {
        ratios.push(Element::ONE, square(point));
    }
    let mut encodings = Zeroizing::new(Vec::with_capacity(points.len()));
    ratios.for_each_root(lanes, |index, root, _| {
        encodings.push(encode(&points[index], &root));
    });
    encodings
}

/// Returns u1 u2^2 of section 4.3.2.
#[inline(never)]
fn square(point: &Extended) -> Element {
    let (u1, u2) = factors(point);
    u1.mul(&u2.square())
}

/// Returns u1 and u2 of section 4.3.2.
#[inline(never)]
fn factors(point: &Extended) -> (Element, Element) {
    let u1 = point.z.add(&point.y).mul(&point.z.sub(&point.y));
    (u1, point.x.mul(&point.y))
}

/// Encodes an element, given 1 / sqrt(u1 u2^2).
#[inline(never)]
fn encode(point: &Extended, inverse_root: &Element) -> [u8; 32] {
    let Extended { x, y, z, t } = point;
    let (u1, u2) = factors(point);
    let den1 = inverse_root.mul(&u1);
    let den2 = inverse_root.mul(&u2);
    let z_inverse = den1.mul(&den2).mul(t);
    let rotates = t.mul(&z_inverse).odd_mask();
    let rotated_x = select(x, &y.mul(&I), rotates);
    let rotated_y = select(y, &x.mul(&I), rotates);
    let denominator = select(&den2, &den1.mul(&INVSQRT_A_MINUS_D), rotates);
    let rotated_y = rotated_y.negate_masked(rotated_x.mul(&z_inverse).odd_mask());
    denominator.mul(&z.sub(&rotated_y)).even().to_le_bytes()
}

/// Returns `other` if the mask is all ones, and `value` if it is 0.
pub(super) fn select(value: &Element, other: &Element, mask: u64) -> Element {
    let mut selected = *value;
    selected.assign_masked(other, mask);
    selected
}

/// Encodes the doubles 2P of points (section 4.3.2), with one division for all of them instead of a
/// root for each.
///
/// With x(2P) = e / f and y(2P) = g / h as the doubling computes them, g^2 = f^2 + e^2, and by the
/// curve's equation h^2 = f^2 - d e^2. The section's u1 = z^2 - y^2, where z = f h and y = f g, is
/// therefore f^2 (h^2 - g^2) = (a - d) e^2 f^2, whose root is known.
pub fn encode_doubles(points: &[Projective]) -> Encodings {
    let mut doubles = Wiped::with_capacity(points.len());
    let mut inverses = Wiped::with_capacity(points.len());
    for point in points {
        let double = Double::new(point);
        inverses.push(double.product);
        doubles.push(double);
    }
    invert_all(&mut inverses);
    let mut encodings = Zeroizing::new(Vec::with_capacity(points.len()));
    for (double, inverse) in doubles.iter().zip(inverses.iter()) {
        encodings.push(double.encode(inverse));
    }
    encodings
}

/// The double of a point.
#[derive(Clone, Copy)]
struct Double {
    point: Completed,
    /// e f g h, or 1 if that is 0.
    product: Element,
    /// All ones if the product was 0: for the points that represent the identity, with x or y equal
    /// to 0. f and h are never 0.
    is_identity: u64,
}

impl Double {
    #[inline(never)]
    fn new(point: &Projective) -> Self {
        let point = point.double();
        let Completed {
            x: e,
            y: g,
            z: f,
            t: h,
        } = &point;
        let product = e.mul(g).mul(&f.mul(h));
        let is_identity = product.zero_mask();
        Double {
            point,
            product: select(&product, &Element::ONE, is_identity),
            is_identity,
        }
    }

    /// Encodes the double, given the inverse of the product.
    ///
    /// By the known root, the section's `den2` is 1 / (e f sqrt(a - d)), and its
    /// `enchanted_denominator` 1 / (g h), both with one sign that the last step removes. The factors
    /// f or h of z - y then cancel.
    #[inline(never)]
    fn encode(&self, inverse: &Element) -> [u8; 32] {
        let Completed {
            x: e,
            y: g,
            z: f,
            t: h,
        } = &self.point;
        let eg = e.mul(g);
        let fh = f.mul(h);
        let z_inverse = inverse.mul(&eg);
        let t_inverse = inverse.mul(&fh);
        let rotates = eg.mul(&z_inverse).odd_mask();
        let x = select(&e.mul(h), &g.mul(f).mul(&I), rotates);
        let left = select(h, f, rotates);
        let right = select(g, &e.mul(&I), rotates);
        let factor = select(&INVSQRT_A_MINUS_D, &Element::ONE, rotates);
        // 1 / e, or 1 / g.
        let quotient = select(g, e, rotates).mul(&t_inverse);
        let right = right.negate_masked(x.mul(&z_inverse).odd_mask());
        let s = left.sub(&right).mul(&factor).mul(&quotient).even();
        select(&s, &Element::ZERO, self.is_identity).to_le_bytes()
    }
}

/// The number r of an input t of the map, and the ratio u / v whose root is computed (section 4.3.4,
/// MAP).
#[derive(Clone, Copy)]
struct Mapping {
    t: Element,
    r: Element,
    v: Element,
}

impl Mapping {
    /// Returns the mapping of 32 bytes, and u.
    #[inline(never)]
    fn new(bytes: &[u8; 32]) -> (Self, Element) {
        let mut number = limbs::from_le_bytes(bytes);
        number[3] &= u64::MAX >> 1;
        let t = Element::from_limbs(number);
        let r = I.mul(&t.square());
        let u = r.add(&Element::ONE).mul(&ONE_MINUS_D_SQ);
        let v = Element::ONE.add(&r.mul(&D)).neg().mul(&r.add(&D));
        (Mapping { t, r, v }, u)
    }

    /// Returns the point, given the root of u / v or of i u / v, and a mask of whether it is the
    /// former.
    #[inline(never)]
    fn point(&self, root: &Element, is_root: u64) -> Extended {
        let other = root.mul(&self.t).even().neg();
        let s = select(&other, root, is_root);
        let c = select(&self.r, &Element::ONE.neg(), is_root);
        let n = c
            .mul(&self.r.sub(&Element::ONE))
            .mul(&D_MINUS_ONE_SQ)
            .sub(&self.v);
        let ss = s.square();
        let w0 = s.double().mul(&self.v);
        let w1 = n.mul(&SQRT_AD_MINUS_ONE);
        let w2 = Element::ONE.sub(&ss);
        let w3 = Element::ONE.add(&ss);
        Extended {
            x: w0.mul(&w3),
            y: w2.mul(&w1),
            z: w1.mul(&w3),
            t: w0.mul(&w2),
        }
    }
}

/// Maps uniform bytes to elements (section 4.3.4).
pub fn map_all(lanes: Option<Lanes>, inputs: &[[u8; UNIFORM_BYTES]]) -> Wiped<Extended> {
    let mut mappings = Wiped::with_capacity(2 * inputs.len());
    let mut ratios = Ratios::with_capacity(2 * inputs.len());
    for half in inputs.as_flattened().as_chunks().0 {
        let (mapping, u) = Mapping::new(half);
        ratios.push(u, mapping.v);
        mappings.push(mapping);
    }
    let mut images = Wiped::with_capacity(2 * inputs.len());
    ratios.for_each_root(lanes, |index, root, is_root| {
        images.push(mappings[index].point(&root, is_root));
    });
    let mut sums = Wiped::with_capacity(inputs.len());
    for [first, second] in images.as_chunks().0 {
        sums.push(sum(first, second));
    }
    sums
}

#[inline(never)]
fn sum(left: &Extended, right: &Extended) -> Extended {
    left.add(&right.to_niels::<Ed25519>()).to_extended()
}

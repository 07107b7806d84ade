//! Points encoded in 32 bytes (RFC 8032, sections 5.1.2 and 5.1.3): y below p, little-endian, and
//! in the highest bit the parity of x.

use super::curves::EdwardsCurve;
use super::field::{Element, Ratio, invert_all, root_powers};
use super::point::{Projective, has_small_order_var};
use super::simd::{self, Lanes};
use crate::cpu::field::limbs;
use zeroize::Zeroizing;

/// The set of encodings that are accepted. Its names are `canonical` and `lenient`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Only the encoding that RFC 8032 specifies for a point.
    Canonical,
    /// Also encodings with a y of p or more, and those of x = 0 with the bit of an odd x.
    Lenient,
}

/// The reason why bytes do not encode a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPoint {
    NotCanonical,
    NotOnCurve,
}

/// The y of an encoding, and its parity of x.
struct SplitEncoding {
    y: Element,
    x_is_odd: bool,
    y_is_canonical: bool,
}

impl SplitEncoding {
    fn of(bytes: &[u8; 32]) -> Self {
        let mut limbs = limbs::from_le_bytes(bytes);
        let x_is_odd = limbs[3] >> 63 == 1;
        limbs[3] &= u64::MAX >> 1;
        let y = Element::from_limbs(limbs);
        SplitEncoding {
            y,
            x_is_odd,
            y_is_canonical: y.canonical() == limbs,
        }
    }
}

/// Decodes points to x and y. Variable-time.
pub fn decode_all<'a, C: EdwardsCurve>(
    lanes: Option<Lanes>,
    encodings: impl Iterator<Item = &'a [u8; 32]>,
    taken: Encoding,
) -> Vec<Result<[Element; 2], NoPoint>> {
    let parts: Vec<SplitEncoding> = encodings.map(SplitEncoding::of).collect();
    let (ratios, bases): (Vec<Ratio>, Vec<Element>) =
        parts.iter().map(SplitEncoding::square_of_x::<C>).unzip();
    let powers = match lanes {
        Some(lanes) => simd::root_powers(lanes, &bases),
        None => root_powers(&bases),
    };
    let points = parts.iter().zip(ratios.iter().zip(&powers));
    points
        .map(|(parts, (ratio, power))| parts.with_x(ratio.root_var(power), taken))
        .collect()
}

impl SplitEncoding {
    /// Returns x^2 as a ratio, with the base of the power for its root: (y^2 - 1) / (d y^2 + 1),
    /// and d y^2 is not -1, since -1 is a square and d is not.
    fn square_of_x<C: EdwardsCurve>(&self) -> (Ratio, Element) {
        let yy = self.y.square();
        Ratio::new(yy.sub(&Element::ONE), yy.mul(&C::D).add(&Element::ONE))
    }

    /// Returns the point with this x or its negative, whichever the encoding denotes.
    fn with_x(&self, x: Option<Element>, taken: Encoding) -> Result<[Element; 2], NoPoint> {
        let is_strict = taken == Encoding::Canonical;
        if is_strict && !self.y_is_canonical {
            return Err(NoPoint::NotCanonical);
        }
        let x = x.ok_or(NoPoint::NotOnCurve)?;
        if is_strict && self.x_is_odd && x.is_zero() {
            return Err(NoPoint::NotCanonical);
        }
        Ok([
            if x.is_odd() == self.x_is_odd {
                x
            } else {
                x.neg()
            },
            self.y,
        ])
    }
}

/// Decodes x and y, 32 bytes each, little-endian.
pub fn from_coordinates<C: EdwardsCurve>([x, y]: [&[u8; 32]; 2]) -> Result<[Element; 2], NoPoint> {
    let numbers = [x, y].map(limbs::from_le_bytes);
    let point = numbers.map(Element::from_limbs);
    if numbers != point.each_ref().map(Element::canonical) {
        return Err(NoPoint::NotCanonical);
    }
    // -x^2 + y^2 = 1 + d x^2 y^2.
    let [xx, yy] = point.map(|coordinate| coordinate.square());
    if yy.sub(&xx) == xx.mul(&yy).mul(&C::D).add(&Element::ONE) {
        Ok(point)
    } else {
        Err(NoPoint::NotOnCurve)
    }
}

/// Returns `true` if the order of the point with this encoding divides 8.
pub fn encodes_small_order_var<C: EdwardsCurve>(bytes: &[u8; 32]) -> bool {
    has_small_order_var::<C>(&SplitEncoding::of(bytes).y, &Element::ONE)
}

/// Encodes points. **Constant-time**: coordinates may be secret, and intermediate values are wiped.
pub fn encode_all(points: &[Projective]) -> Vec<[u8; 32]> {
    let mut inverses = Zeroizing::new(Vec::with_capacity(points.len()));
    inverses.extend(points.iter().map(|point| point.z));
    invert_all(&mut inverses);
    let points = points.iter().zip(&*inverses);
    points
        .map(|(point, inverse)| encode(&[point.x.mul(inverse), point.y.mul(inverse)]))
        .collect()
}

/// Encodes a point. **Constant-time.**
pub fn encode([x, y]: &[Element; 2]) -> [u8; 32] {
    let mut encoding = y.to_le_bytes();
    encoding[31] |= u8::from(x.is_odd()) << 7;
    encoding
}

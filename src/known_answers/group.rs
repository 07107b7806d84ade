//! Points with known discrete logarithms, computed with the RustCrypto crates.

use crate::cpu::secret::SecretCurve;
use crate::types::Point;
use elliptic_curve::ops::Reduce;
use elliptic_curve::sec1::{FromSec1Point, ToSec1Point};
use elliptic_curve::{
    AffinePoint, CurveGroup, Field, FieldBytes, Group as _, PrimeField, ProjectivePoint,
};
use sha2::{Digest, Sha256};

pub type Scalar<C> = elliptic_curve::Scalar<<C as SecretCurve>::Reference>;
pub type Group<C> = ProjectivePoint<<C as SecretCurve>::Reference>;

/// The number of points whose discrete logarithm is known.
pub const COUNT: usize = 12;

/// Indices i and j of points whose numbers, i + 1 and j + 1, add up to that of the point with index
/// i + j + 1.
pub const PAIRS: [(usize, usize); 6] = [(0, 1), (1, 0), (2, 5), (4, 6), (0, 9), (3, 3)];

/// The scalars `(i + 1) a` and points `(i + 1) a G` for each i, with a pseudorandom a. Sums of
/// points are then points of the list.
pub struct Numbered<C: SecretCurve> {
    pub numbers: Vec<Scalar<C>>,
    pub points: Vec<Group<C>>,
    /// The points; `opposite` has their negatives.
    pub encoded: Vec<Point>,
    pub opposite: Vec<Point>,
}

impl<C: SecretCurve> Numbered<C> {
    pub fn new() -> Self {
        let a = pseudo_random::<C>(0);
        let first = Group::<C>::mul_by_generator(&a);
        let points = multiples(first, COUNT, |sum, point| sum + point);
        let opposite: Vec<_> = points.iter().map(|point| -*point).collect();
        Numbered {
            numbers: multiples(a, COUNT, |sum, a| sum + a),
            encoded: encode_all::<C>(&points),
            opposite: encode_all::<C>(&opposite),
            points,
        }
    }
}

/// Returns `x, 2 x, 3 x, ...`.
pub fn multiples<T: Copy>(x: T, count: usize, add: impl Fn(T, T) -> T) -> Vec<T> {
    std::iter::successors(Some(x), |sum| Some(add(*sum, x)))
        .take(count)
        .collect()
}

/// Returns a pseudorandom scalar, which is the same in every process.
pub fn pseudo_random<C: SecretCurve>(seed: u8) -> Scalar<C> {
    reduced::<C>(&Sha256::digest([&b"gecc known answers"[..], &[seed]].concat()).into())
}

pub fn reduced<C: SecretCurve>(bytes: &[u8; 32]) -> Scalar<C> {
    Scalar::<C>::reduce(&FieldBytes::<C::Reference>::from(*bytes))
}

pub fn bytes<C: SecretCurve>(scalar: &Scalar<C>) -> [u8; 32] {
    scalar.to_repr().into()
}

/// Joins the two halves of a signature.
pub fn join(r: &[u8; 32], s: &[u8; 32]) -> [u8; 64] {
    [*r, *s].as_flattened().try_into().expect("64 bytes")
}

pub fn invert<C: SecretCurve>(scalar: &Scalar<C>) -> Scalar<C> {
    Field::invert(scalar).expect("not zero")
}

/// Returns n - 1.
pub fn last<C: SecretCurve>() -> Scalar<C> {
    -Scalar::<C>::ONE
}

/// Returns n, which is not a scalar.
pub fn order<C: SecretCurve>() -> [u8; 32] {
    let mut order = bytes::<C>(&last::<C>());
    // n is odd.
    order[31] += 1;
    order
}

/// Encodes points with a single inversion, since each takes tens of microseconds.
pub fn encode_all<C: SecretCurve>(points: &[Group<C>]) -> Vec<Point> {
    let mut affine = vec![AffinePoint::<C::Reference>::default(); points.len()];
    Group::<C>::batch_normalize(points, &mut affine);
    affine.iter().map(encode::<C>).collect()
}

fn encode<C: SecretCurve>(point: &AffinePoint<C::Reference>) -> Point {
    // The identity is a single byte.
    let bytes = <[u8; 65]>::try_from(point.to_sec1_point(false).as_bytes());
    bytes.map_or(Point::IDENTITY, |bytes| {
        Point::from_uncompressed(bytes).expect("an uncompressed point")
    })
}

/// Returns the point with an even y and this x-coordinate, if it exists.
pub fn lift_x<C: SecretCurve>(x: &[u8; 32]) -> Option<Group<C>> {
    let mut compressed = [2; 33];
    compressed[1..].copy_from_slice(x);
    AffinePoint::<C::Reference>::from_sec1_bytes(&compressed)
        .ok()
        .map(Into::into)
}

/// Returns a point that is not on the curve.
pub fn off_curve<C: SecretCurve>(numbered: &Numbered<C>) -> Point {
    let mut bytes = *numbered.encoded[0].as_bytes();
    bytes[64] ^= 1;
    Point::from_uncompressed(bytes).expect("the tag is that of a point")
}

/// Returns a number below 256 that is not the x-coordinate of a point.
pub fn no_x<C: SecretCurve>() -> [u8; 32] {
    (1..=u8::MAX)
        .map(small)
        .find(|x| lift_x::<C>(x).is_none())
        .expect("every other one")
}

pub fn small(number: u8) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[31] = number;
    bytes
}

/// Returns a point with an even y and an x-coordinate not below n, and this coordinate modulo n.
pub fn large_x<C: SecretCurve>() -> (Group<C>, Scalar<C>) {
    let found = (1..=u8::MAX).find_map(|number| {
        let point = lift_x::<C>(&order_plus::<C>(number))?;
        Some((point, reduced::<C>(&small(number))))
    });
    found.expect("about every second number is the x-coordinate of a point")
}

/// Returns n plus a small number.
fn order_plus<C: SecretCurve>(number: u8) -> [u8; 32] {
    let mut sum = order::<C>();
    let mut carry = u16::from(number);
    for byte in sum.iter_mut().rev() {
        carry += u16::from(*byte);
        *byte = carry as u8;
        carry >>= 8;
    }
    sum
}

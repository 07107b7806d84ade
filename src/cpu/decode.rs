//! Decoding of points and scalars, with every check that the standards require.

use super::field::{BaseField, Field};
use super::point::Affine;
use super::simd::{self, Lanes};
use super::{CoefficientA, CpuCurve, FEWEST_IN_LANES, coefficient_a};
use crate::types::{KeyBytes, Rejection, ResultsMut};

/// Decodes a public key: a point of the curve that is not the identity.
pub fn public_key<C: CpuCurve>(key: KeyBytes) -> Result<Affine<C::Base>, Rejection> {
    match parse::<C>(key)? {
        ParsedKey::Uncompressed(x, y) => point_of::<C>(x, y),
        ParsedKey::Compressed(x, y_is_odd) => {
            lift_x::<C>(&x, y_is_odd).ok_or(Rejection::NotOnCurve)
        }
    }
}

/// Decodes many public keys.
pub fn public_keys<'a, C: CpuCurve>(
    lanes: Option<Lanes>,
    keys: impl Iterator<Item = KeyBytes<'a>>,
) -> Vec<Result<Affine<C::Base>, Rejection>> {
    let mut compressed = Vec::new();
    let mut coordinates = Vec::new();
    let mut points = Vec::with_capacity(keys.size_hint().0);
    for (index, key) in keys.enumerate() {
        points.push(match parse::<C>(key) {
            Ok(ParsedKey::Uncompressed(x, y)) => point_of::<C>(x, y),
            Ok(ParsedKey::Compressed(x, y_is_odd)) => {
                compressed.push(index);
                coordinates.push((x, y_is_odd));
                Err(Rejection::NotOnCurve)
            }
            Err(reason) => Err(reason),
        });
    }
    for (index, point) in compressed
        .into_iter()
        .zip(lift_all::<C>(lanes, &coordinates))
    {
        points[index] = point.ok_or(Rejection::NotOnCurve);
    }
    points
}

/// The coordinates of a point, or its x-coordinate and the parity of y. The curve may have no such
/// point.
enum ParsedKey<F> {
    Uncompressed(F, F),
    Compressed(F, bool),
}

fn parse<C: CpuCurve>(key: KeyBytes) -> Result<ParsedKey<C::Base>, Rejection> {
    match key {
        KeyBytes::XOnly(x) => Ok(ParsedKey::Compressed(coordinate::<C>(x)?, false)),
        KeyBytes::Sec1([0]) => Err(Rejection::IdentityKey),
        KeyBytes::Raw(bytes) if *bytes == [0; 64] => Err(Rejection::IdentityKey),
        KeyBytes::Raw(coordinates) => uncompressed::<C>(coordinates),
        KeyBytes::Sec1([4, coordinates @ ..]) => {
            let coordinates = coordinates.try_into();
            uncompressed::<C>(coordinates.map_err(|_| Rejection::MalformedPoint)?)
        }
        KeyBytes::Sec1([tag @ (2 | 3), x @ ..]) => {
            Ok(ParsedKey::Compressed(coordinate::<C>(x)?, *tag == 3))
        }
        KeyBytes::Sec1(_) => Err(Rejection::MalformedPoint),
    }
}

/// Decodes a point of the curve or the identity.
pub fn point<C: CpuCurve>(point: KeyBytes) -> Result<Affine<C::Base>, Rejection> {
    match public_key::<C>(point) {
        Err(Rejection::IdentityKey) => Ok(Affine::IDENTITY),
        decoded => decoded,
    }
}

fn uncompressed<C: CpuCurve>(coordinates: &[u8; 64]) -> Result<ParsedKey<C::Base>, Rejection> {
    let (x, y) = coordinates.split_at(32);
    let x = coordinate::<C>(x)?;
    let y = coordinate::<C>(y)?;
    Ok(ParsedKey::Uncompressed(x, y))
}

/// Returns the point with these coordinates, if the curve has it.
fn point_of<C: CpuCurve>(x: C::Base, y: C::Base) -> Result<Affine<C::Base>, Rejection> {
    if y.square() == right_hand_side::<C>(&x) {
        Ok(Affine::new(x, y))
    } else {
        Err(Rejection::NotOnCurve)
    }
}

fn coordinate<C: CpuCurve>(bytes: &[u8]) -> Result<C::Base, Rejection> {
    let bytes = bytes.try_into().map_err(|_| Rejection::MalformedPoint)?;
    C::Base::from_be_bytes(bytes).ok_or(Rejection::MalformedPoint)
}

/// Returns the points with the given x-coordinates and parities of y.
pub fn lift_all<C: CpuCurve>(
    lanes: Option<Lanes>,
    coordinates: &[(C::Base, bool)],
) -> Vec<Option<Affine<C::Base>>> {
    match lanes.filter(|_| coordinates.len() >= FEWEST_IN_LANES) {
        Some(lanes) => simd::lift_x::<C>(lanes, coordinates),
        None => coordinates
            .iter()
            .map(|(x, y_is_odd)| lift_x::<C>(x, *y_is_odd))
            .collect(),
    }
}

/// Returns the point with this x-coordinate and parity of y (SEC 1, section 2.3.4). y is never 0:
/// no point has order 2.
fn lift_x<C: CpuCurve>(x: &C::Base, y_is_odd: bool) -> Option<Affine<C::Base>> {
    let y = right_hand_side::<C>(x).sqrt_var()?;
    Some(Affine::new(
        *x,
        if y.is_odd() == y_is_odd { y } else { y.neg() },
    ))
}

/// Computes x^3 + a x + b.
fn right_hand_side<C: CpuCurve>(x: &C::Base) -> C::Base {
    let square = x.square();
    let with_a = match C::A {
        CoefficientA::Zero => square.mul(x),
        CoefficientA::MinusThree => square.mul(x).sub(&x.double().add(x)),
        CoefficientA::General(_) => square.add(&coefficient_a::<C>()).mul(x),
    };
    with_a.add(&C::constants().b)
}

/// Decodes r and s of a signature, each in `1..n`.
pub fn signature<C: CpuCurve>(bytes: &[u8; 64]) -> Result<(C::Scalar, C::Scalar), Rejection> {
    let (r, s) = bytes.split_at(32);
    let r = nonzero_scalar::<C>(r).ok_or(Rejection::ROutOfRange)?;
    let s = nonzero_scalar::<C>(s).ok_or(Rejection::SOutOfRange)?;
    Ok((r, s))
}

fn nonzero_scalar<C: CpuCurve>(bytes: &[u8]) -> Option<C::Scalar> {
    C::Scalar::from_be_bytes(bytes.try_into().expect("32 bytes")).filter(|value| !value.is_zero())
}

/// Writes a point as an item's row: `x || y`, or zeros for the identity.
pub fn put<F: Field>(out: &mut ResultsMut, item: usize, point: &Affine<F>) {
    let row = out.row(0, item);
    if point.infinity {
        row.fill(0);
    } else {
        row[..32].copy_from_slice(&point.x.to_be_bytes());
        row[32..].copy_from_slice(&point.y.to_be_bytes());
    }
    out.accept(item);
}

/// Passes the accepted operands to `compute` as one batch, and writes its results with `put`, and
/// the rejections, to their positions.
pub fn compute_accepted<T, R>(
    operands: impl Iterator<Item = Result<T, Rejection>>,
    out: &mut ResultsMut,
    put: impl Fn(&mut ResultsMut, usize, &R),
    compute: impl FnOnce(Vec<T>) -> Vec<R>,
) {
    let mut accepted = Vec::with_capacity(out.items());
    let mut places = Vec::with_capacity(out.items());
    for (place, operand) in operands.enumerate() {
        match operand {
            Err(reason) => out.reject(place, reason),
            Ok(operand) => {
                accepted.push(operand);
                places.push(place);
            }
        }
    }
    for (place, result) in places.into_iter().zip(compute(accepted)) {
        put(out, place, &result);
    }
}

//! Points of edwards25519.

pub mod arithmetic;
pub mod columns;
pub mod encodings;
pub mod hashing;
pub mod products;

use crate::support::random::Random;
use curve25519_dalek::constants::{ED25519_BASEPOINT_POINT, EIGHT_TORSION};
use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::scalar::Scalar;
use gecc::{Rejection, SecretKey};

/// An encoding, or why there is none.
type Encoded = Result<[u8; 32], Rejection>;

fn secret_keys(rows: &[[u8; 32]]) -> Vec<SecretKey> {
    rows.iter().map(|row| SecretKey::from_bytes(*row)).collect()
}

fn random_scalars(random: &mut Random, count: usize) -> Vec<[u8; 32]> {
    (0..count)
        .map(|_| Scalar::from_bytes_mod_order(random.bytes()).to_bytes())
        .collect()
}

/// Returns the bytes of a small number.
fn number(value: u64) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&value.to_le_bytes());
    bytes
}

/// Returns the bytes of the group order plus a small number.
fn order_plus(distance: i64) -> [u8; 32] {
    // The order is 1 more than the largest scalar.
    let largest = (-Scalar::ONE).to_bytes();
    let lowest = i64::from_le_bytes(*largest.first_chunk().unwrap()) + 1 + distance;
    let mut bytes = largest;
    bytes[..8].copy_from_slice(&lowest.to_le_bytes());
    bytes
}

/// Returns random multiples of the base point, plus a point of small order each.
fn random_points(random: &mut Random, count: usize) -> Vec<EdwardsPoint> {
    (0..count)
        .map(|item| {
            let scalar = Scalar::from_bytes_mod_order(random.bytes());
            ED25519_BASEPOINT_POINT * scalar + EIGHT_TORSION[item % 8]
        })
        .collect()
}

fn encoded(points: &[EdwardsPoint]) -> Vec<[u8; 32]> {
    points.iter().map(encode).collect()
}

fn encode(point: &EdwardsPoint) -> [u8; 32] {
    point.compress().to_bytes()
}

/// Decodes an encoding with curve25519-dalek, which accepts all, and returns the rejection that the
/// interface states.
fn decode(bytes: &[u8; 32], is_strict: bool) -> Result<EdwardsPoint, Rejection> {
    let point = CompressedEdwardsY(*bytes).decompress();
    if is_strict && !is_below_p(bytes) {
        return Err(Rejection::MalformedPoint);
    }
    let point = point.ok_or(Rejection::NotOnCurve)?;
    if is_strict && encode(&point) != *bytes {
        return Err(Rejection::MalformedPoint);
    }
    Ok(point)
}

/// Returns `true` if y is below p = 2^255 - 19.
fn is_below_p(bytes: &[u8; 32]) -> bool {
    let is_top = bytes[31] & 0x7f == 0x7f && bytes[1..31] == [0xff; 30];
    !(is_top && bytes[0] >= 0xed)
}

/// Returns encodings of all points of small order, canonical or not, encodings with y from p on, and
/// random bytes, half of which encode points.
fn encodings(random: &mut Random) -> Vec<[u8; 32]> {
    let mut rows = encoded(&EIGHT_TORSION);
    for lowest in 0xed..=0xff {
        for highest in [0x7f, 0xff] {
            let mut row = [0xff; 32];
            row[0] = lowest;
            row[31] = highest;
            rows.push(row);
        }
    }
    for small in 0..20 {
        for highest in [0, 0x80] {
            let mut row = number(small);
            row[31] = highest;
            rows.push(row);
        }
    }
    // y = -1, with both bits.
    for highest in [0x7f, 0xff] {
        let mut row = [0xff; 32];
        row[0] = 0xec;
        row[31] = highest;
        rows.push(row);
    }
    rows.extend((0..200).map(|_| random.bytes()));
    rows
}

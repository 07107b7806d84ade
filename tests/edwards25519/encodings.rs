//! Decoding and encoding against curve25519-dalek, and against the definition of canonical encodings.

use super::{decode, encode, encodings, random_points};
use crate::declare::{apply, on_every_engine};
use crate::support::random::Random;
use gecc::edwards25519::{self, BASE_POINT, Encoding, IDENTITY, Points};
use gecc::{Engine, Rejection, Rows};
use num_bigint::BigUint;

fn p() -> BigUint {
    (BigUint::from(1u32) << 255) - 19u32
}

/// Encodes coordinates by the definition.
fn encode_coordinates(coordinates: &[u8; 64]) -> [u8; 32] {
    let mut encoding = *coordinates.last_chunk::<32>().unwrap();
    encoding[31] |= (coordinates[0] & 1) << 7;
    encoding
}

/// Checks the equation -x^2 + y^2 = 1 + d x^2 y^2 with d = -121665 / 121666, and that coordinates
/// are below p.
fn is_on_curve(coordinates: &[u8; 64]) -> bool {
    let p = p();
    let (x, y) = coordinates.split_at(32);
    let [x, y] = [x, y].map(BigUint::from_bytes_le);
    let xx = &x * &x % &p;
    let yy = &y * &y % &p;
    let left = (&yy + &p - &xx) * 121666u32 % &p;
    let product = &xx * &yy % &p * 121665u32 % &p;
    let right = (BigUint::from(121666u32) + &p - product) % &p;
    x < p && y < p && left == right
}

#[apply(on_every_engine)]
fn decoded_points_are_those_of_the_reference(engine: &Engine) {
    let rows = encodings(&mut Random::new());
    let mut counts = [0; 3];
    for encoding in [Encoding::Canonical, Encoding::Lenient] {
        let points = Points::encoded(&rows, encoding);
        let found = edwards25519::decompress(engine, points).unwrap();
        let compressed = edwards25519::compress(engine, points).unwrap();
        for (item, row) in rows.iter().enumerate() {
            let expected = decode(row, encoding == Encoding::Canonical).map(|point| encode(&point));
            assert_eq!(compressed[item], expected, "{encoding} {row:02x?}");
            assert_eq!(
                found[item]
                    .as_ref()
                    .map(encode_coordinates)
                    .map_err(|reason| *reason),
                expected
            );
            match &found[item] {
                Ok(coordinates) => {
                    counts[0] += 1;
                    assert!(is_on_curve(coordinates));
                }
                Err(Rejection::MalformedPoint) => counts[1] += 1,
                Err(_) => counts[2] += 1,
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 30), "{counts:?}");
}

#[apply(on_every_engine)]
fn coordinates_are_points_in_any_call(engine: &Engine) {
    let points = random_points(&mut Random::new(), 70);
    let rows: Vec<[u8; 32]> = points.iter().map(encode).collect();
    let decoded = edwards25519::decompress(engine, Points::canonical(&rows)).unwrap();
    let coordinates: Vec<[u8; 64]> = decoded.into_iter().map(|item| item.unwrap()).collect();
    let affine = Points::affine(&coordinates);
    assert!(
        edwards25519::compress(engine, affine)
            .unwrap()
            .into_iter()
            .eq(rows.iter().copied().map(Ok))
    );
    let expected = edwards25519::mul_by_cofactor(engine, Points::canonical(&rows)).unwrap();
    assert_eq!(
        edwards25519::mul_by_cofactor(engine, affine).unwrap(),
        expected
    );
}

#[apply(on_every_engine)]
fn coordinates_off_the_curve_are_rejected(engine: &Engine) {
    let base = Points::canonical(Rows::all(&BASE_POINT));
    let base = edwards25519::decompress(engine, base).unwrap()[0].unwrap();
    let p = p();
    let plus_p = |start: usize| {
        let mut row = base;
        let half = &mut row[start..start + 32];
        let number = BigUint::from_bytes_le(half) + &p;
        half.copy_from_slice(&number.to_bytes_le());
        row
    };
    let mut off = base;
    off[0] ^= 2;
    let mut swapped = base;
    swapped.rotate_left(32);
    let mut identity = [0; 64];
    identity[32] = 1;
    let rows = [
        base,
        plus_p(0),
        plus_p(32),
        off,
        swapped,
        [0; 64],
        identity,
        [0xff; 64],
    ];
    let found = edwards25519::compress(engine, Points::affine(&rows)).unwrap();
    assert_eq!(
        found,
        [
            Ok(BASE_POINT),
            Err(Rejection::MalformedPoint),
            Err(Rejection::MalformedPoint),
            Err(Rejection::NotOnCurve),
            Err(Rejection::NotOnCurve),
            Err(Rejection::NotOnCurve),
            Ok(IDENTITY),
            Err(Rejection::MalformedPoint),
        ]
    );
}

//! Products by secrets against curve25519-dalek.

use super::{
    Encoded, decode, encode, encoded, encodings, number, order_plus, random_points, random_scalars,
    secret_keys,
};
use crate::declare::{apply, on_every_engine};
use crate::support::random::Random;
use curve25519_dalek::constants::{ED25519_BASEPOINT_POINT, EIGHT_TORSION};
use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::scalar::Scalar;
use gecc::edwards25519::{self, BASE_POINT, IDENTITY, Points};
use gecc::{Engine, Rejection, Rows, SecretKey};

const ITEMS: usize = 200;

fn sizes() -> impl Iterator<Item = usize> {
    (0..=20).chain(127..=130).chain([511, 512, 513])
}

/// Numbers around 0, 2^252 and l, and powers of two.
fn edges() -> Vec<[u8; 32]> {
    let mut edges: Vec<[u8; 32]> = (0..40).map(number).collect();
    edges.extend((-20..20).map(order_plus));
    for bit in 0..=255 {
        let mut power = [0; 32];
        power[bit / 8] = 1 << (bit % 8);
        edges.push(power);
    }
    edges.push([0xff; 32]);
    edges
}

/// Returns the product with dalek, whose scalars multiply points of any order exactly if they are
/// canonical.
fn reference(key: &[u8; 32], point: Result<EdwardsPoint, Rejection>) -> Encoded {
    let scalar = Scalar::from_canonical_bytes(*key)
        .into_option()
        .filter(|scalar| *scalar != Scalar::ZERO)
        .ok_or(Rejection::SecretKeyOutOfRange)?;
    Ok(encode(&(point? * scalar)))
}

fn with_cofactor(product: Encoded) -> Encoded {
    product.map(|product| encode(&decode(&product, true).unwrap().mul_by_cofactor()))
}

/// Compares both products.
fn expect(engine: &Engine, keys: &[[u8; 32]], rows: &[[u8; 32]]) {
    let secret = secret_keys(keys);
    let points = Points::canonical(rows);
    let products = edwards25519::mul(engine, &secret, points).unwrap();
    let cofactored = edwards25519::mul_cofactored(engine, &secret, points).unwrap();
    for (item, row) in rows.iter().enumerate() {
        let expected = reference(&keys[item], decode(row, true));
        assert_eq!(products[item], expected, "{:02x?} {row:02x?}", keys[item]);
        assert_eq!(cofactored[item], with_cofactor(expected));
    }
}

#[apply(on_every_engine)]
fn batches_of_every_size_match_reference(engine: &Engine) {
    let mut random = Random::new();
    for size in sizes() {
        let keys = random_scalars(&mut random, size);
        expect(engine, &keys, &encoded(&random_points(&mut random, size)));
    }
}

#[apply(on_every_engine)]
fn edge_keys_match_reference(engine: &Engine) {
    let mut random = Random::new();
    let keys = edges();
    let points = random_points(&mut random, keys.len());
    expect(engine, &keys, &encoded(&points));
    let found = edwards25519::public_keys(engine, &secret_keys(&keys)).unwrap();
    for (key, found) in keys.iter().zip(found) {
        assert_eq!(found, reference(key, Ok(ED25519_BASEPOINT_POINT)));
    }
}

/// Every point of small order, canonical or not, with keys of all residues modulo 8.
#[apply(on_every_engine)]
fn points_of_small_order_match_reference(engine: &Engine) {
    let mut random = Random::new();
    let rows = encodings(&mut random);
    for residue in 0..8 {
        let mut keys = random_scalars(&mut random, rows.len());
        for key in &mut keys {
            key[0] = key[0] & !7 | residue;
            key[31] &= 0x0f;
        }
        expect(engine, &keys, &rows);
    }
    let keys = secret_keys(&random_scalars(&mut random, 8));
    let small = encoded(&EIGHT_TORSION);
    let found = edwards25519::mul_cofactored(engine, &keys, Points::canonical(&small)).unwrap();
    assert_eq!(found, [Ok(IDENTITY); 8]);
}

#[apply(on_every_engine)]
fn lenient_encodings_are_multiplied(engine: &Engine) {
    let mut random = Random::new();
    let rows = encodings(&mut random);
    let key = random_scalars(&mut random, 1)[0];
    let secret = SecretKey::from_bytes(key);
    let found = edwards25519::mul(engine, &secret, Points::lenient(&rows)).unwrap();
    for (row, found) in rows.iter().zip(found) {
        assert_eq!(found, reference(&key, decode(row, false)));
    }
}

#[apply(on_every_engine)]
fn one_for_all_matches_reference(engine: &Engine) {
    let mut random = Random::new();
    let keys = random_scalars(&mut random, ITEMS);
    let secret = secret_keys(&keys);
    let points = random_points(&mut random, ITEMS);
    let rows = encoded(&points);
    let found = edwards25519::mul(engine, &secret[0], Points::canonical(&rows)).unwrap();
    for (point, found) in points.iter().zip(found) {
        assert_eq!(found, reference(&keys[0], Ok(*point)));
    }
    let one = Points::canonical(Rows::all(&rows[0]));
    let found = edwards25519::mul(engine, &secret, one).unwrap();
    for (key, found) in keys.iter().zip(found) {
        assert_eq!(found, reference(key, Ok(points[0])));
    }
}

#[apply(on_every_engine)]
fn public_keys_match_reference(engine: &Engine) {
    let mut random = Random::new();
    for size in sizes() {
        let keys = random_scalars(&mut random, size);
        let found = edwards25519::public_keys(engine, &secret_keys(&keys)).unwrap();
        for (key, found) in keys.iter().zip(found) {
            assert_eq!(found, reference(key, Ok(ED25519_BASEPOINT_POINT)));
        }
    }
    let (secret, public) = edwards25519::generate(engine, 40).unwrap();
    let base = Points::canonical(Rows::all(&BASE_POINT));
    let found = edwards25519::mul(engine, &secret, base).unwrap();
    assert!(found.into_iter().eq(public.into_iter().map(Ok)));
}

/// Numbers are reduced as the documentation of scalars states, for points of any order.
#[apply(on_every_engine)]
fn reduced_and_clamped_numbers_multiply_as_documented(engine: &Engine) {
    let mut random = Random::new();
    let points = random_points(&mut random, 24);
    let rows = encoded(&points);
    for (row, point) in rows.iter().zip(&points) {
        let wide = [random.bytes(), random.bytes()];
        let wide: [u8; 64] = wide.as_flattened().try_into().unwrap();
        let bytes = random.bytes();
        let row = Points::canonical(Rows::all(row));
        let keys = [
            edwards25519::reduce(&bytes),
            edwards25519::reduce_wide(&wide),
        ];
        let scalars = [
            Scalar::from_bytes_mod_order(bytes),
            Scalar::from_bytes_mod_order_wide(&wide),
        ];
        let found = edwards25519::mul_cofactored(engine, &keys, row).unwrap();
        for (item, scalar) in scalars.iter().enumerate() {
            assert_eq!(keys[item].expose_bytes(), &scalar.to_bytes());
            assert_eq!(found[item], Ok(encode(&(point.mul_by_cofactor() * scalar))));
        }
        // dalek multiplies by the exact clamped number.
        let mut eighth = bytes;
        eighth[0] &= 0xf8;
        eighth[31] = eighth[31] & 0x7f | 0x40;
        for byte in 0..32 {
            let above = eighth.get(byte + 1).map_or(0, |above| above << 5);
            eighth[byte] = eighth[byte] >> 3 | above;
        }
        let key = SecretKey::from_bytes(eighth);
        let found = edwards25519::mul_cofactored(engine, &key, row).unwrap();
        assert_eq!(found, [Ok(encode(&point.mul_clamped(bytes)))]);
    }
}

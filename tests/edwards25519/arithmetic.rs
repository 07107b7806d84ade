//! Sums, multiples by the cofactor and multi-scalar multiplication against curve25519-dalek.

use super::{decode, encode, encoded, encodings, number, order_plus, random_points};
use crate::declare::{apply, on_every_engine};
use crate::support::random::Random;
use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::traits::Identity;
use gecc::edwards25519::{self, IDENTITY, Points};
use gecc::{Engine, Rejection, Rows};

/// All pairs of points, with every point of small order and every invalid encoding on either side.
#[apply(on_every_engine)]
fn sums_match_reference(engine: &Engine) {
    let mut random = Random::new();
    let mut rows = encodings(&mut random)[..60].to_vec();
    let points = random_points(&mut random, 8);
    let opposites: Vec<EdwardsPoint> = points.iter().map(|point| -point).collect();
    rows.extend(encoded(&points));
    rows.extend(encoded(&opposites));
    for right in &rows {
        let addend = Points::lenient(Rows::all(right));
        let found = edwards25519::add(engine, Points::canonical(&rows), addend).unwrap();
        for (left, found) in rows.iter().zip(found) {
            let expected =
                decode(left, true).and_then(|left| Ok(encode(&(left + decode(right, false)?))));
            assert_eq!(found, expected, "{left:02x?} {right:02x?}");
        }
    }
}

#[apply(on_every_engine)]
fn sums_of_batches_of_every_size_match_reference(engine: &Engine) {
    let mut random = Random::new();
    for size in (0..=20).chain([64, 127, 513]) {
        let [left, right] = [(); 2].map(|()| random_points(&mut random, size));
        let expected: Vec<_> = left
            .iter()
            .zip(&right)
            .map(|(a, b)| Ok(encode(&(a + b))))
            .collect();
        let [left, right] = [encoded(&left), encoded(&right)];
        let found = edwards25519::add(engine, Points::canonical(&left), Points::lenient(&right));
        assert_eq!(found.unwrap(), expected);
    }
}

#[apply(on_every_engine)]
fn multiples_by_the_cofactor_match_reference(engine: &Engine) {
    let mut random = Random::new();
    let mut rows = encodings(&mut random);
    rows.extend(encoded(&random_points(&mut random, 100)));
    let found = edwards25519::mul_by_cofactor(engine, Points::lenient(&rows)).unwrap();
    for (row, found) in rows.iter().zip(&found) {
        let expected = decode(row, false).map(|point| encode(&point.mul_by_cofactor()));
        assert_eq!(*found, expected);
    }
    let small = encoded(&EIGHT_TORSION);
    let found = edwards25519::mul_by_cofactor(engine, Points::canonical(&small)).unwrap();
    assert_eq!(found, [Ok(IDENTITY); 8]);
}

/// Multiplies by a number of 256 bits, which is not reduced.
fn product(scalar: &[u8; 32], point: &EdwardsPoint) -> EdwardsPoint {
    (0..256)
        .rev()
        .fold(EdwardsPoint::identity(), |product, bit| {
            let double = product + product;
            if scalar[bit / 8] >> (bit % 8) & 1 == 1 {
                double + point
            } else {
                double
            }
        })
}

/// Scalars are any numbers below 2^256, and points have all orders.
#[apply(on_every_engine)]
fn sums_of_products_match_reference(engine: &Engine) {
    let mut random = Random::new();
    let mut points = random_points(&mut random, 90);
    points.extend(EIGHT_TORSION);
    let mut scalars: Vec<[u8; 32]> = points.iter().map(|_| random.bytes()).collect();
    scalars[0] = [0xff; 32];
    scalars[1] = [0; 32];
    scalars[2] = order_plus(0);
    scalars[3] = number(8);
    scalars[91] = order_plus(1);
    let products: Vec<EdwardsPoint> = scalars
        .iter()
        .zip(&points)
        .map(|(scalar, point)| product(scalar, point))
        .collect();
    let rows = encoded(&points);
    for size in [0, 1, 2, 3, 9, 64, rows.len()] {
        let expected = products[..size].iter().sum::<EdwardsPoint>();
        let found = edwards25519::msm(engine, &scalars[..size], Points::canonical(&rows[..size]));
        assert_eq!(found.unwrap(), Ok(encode(&expected)), "{size}");
    }
    let all = edwards25519::msm(engine, Rows::all(&number(3)), Points::canonical(&rows));
    let expected = points
        .iter()
        .map(|point| product(&number(3), point))
        .sum::<EdwardsPoint>();
    assert_eq!(all.unwrap(), Ok(encode(&expected)));
}

#[apply(on_every_engine)]
fn invalid_points_of_a_sum_are_reported_by_index(engine: &Engine) {
    let mut rows = encoded(&random_points(&mut Random::new(), 200));
    let scalars = vec![number(5); rows.len()];
    rows[150] = [2; 32];
    let found = edwards25519::msm(engine, &scalars, Points::canonical(&rows)).unwrap();
    assert_eq!(found, Err((150, Rejection::NotOnCurve)));
    rows[70] = [0xff; 32];
    let found = edwards25519::msm(engine, &scalars, Points::canonical(&rows)).unwrap();
    assert_eq!(found, Err((70, Rejection::MalformedPoint)));
}

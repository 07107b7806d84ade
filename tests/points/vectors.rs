//! Botan's multiples of base points and of other points, on all three curves.

use crate::declare::{apply, on_every_engine};
use crate::support::reference::{TestCurve, decode_key, encode};
use crate::support::vectors::{bytes, field, integer, parse};
use gecc::{Engine, P256, Point, Secp256k1, Sm2, point};
use serde::Deserialize;
use std::collections::HashMap;

#[derive(Deserialize)]
struct Vectors {
    ecc_base_point_mul: Vec<BasePoint>,
    ecc_var_point_mul: Vec<VariablePoint>,
}

#[derive(Deserialize)]
struct BasePoint {
    k: String,
    #[serde(rename = "P")]
    product: String,
}

#[derive(Deserialize)]
struct VariablePoint {
    #[serde(rename = "P")]
    point: String,
    k: String,
    #[serde(rename = "Z")]
    product: String,
}

fn vectors(curve: &str) -> Vectors {
    let mut all: HashMap<String, Vectors> = parse(include_str!("../vectors/point_mul.json"));
    all.remove(curve).expect("the curve has vectors")
}

#[apply(on_every_engine)]
fn multiples_of_the_base_point_match_vectors(engine: &Engine) {
    base::<Secp256k1>(engine, "secp256k1", 50);
    base::<P256>(engine, "secp256r1", 52);
    base::<Sm2>(engine, "sm2p256v1", 64);
}

fn base<C: TestCurve>(engine: &Engine, curve: &str, count: usize) {
    let cases = vectors(curve).ecc_base_point_mul;
    assert_eq!(cases.len(), count);
    let scalars: Vec<[u8; 32]> = cases.iter().map(|case| field(&case.k)).collect();
    for (found, case) in point::mul_base(engine, C::ID, &scalars)
        .unwrap()
        .into_iter()
        .zip(&cases)
    {
        assert_eq!(
            found.unwrap().as_sec1(),
            bytes(&case.product),
            "{curve}: {} G",
            case.k
        );
    }
}

#[apply(on_every_engine)]
fn multiples_of_other_points_match_vectors(engine: &Engine) {
    variable::<Secp256k1>(engine, "secp256k1", 63);
    variable::<P256>(engine, "secp256r1", 65);
    variable::<Sm2>(engine, "sm2p256v1", 63);
}

fn variable<C: TestCurve>(engine: &Engine, curve: &str, count: usize) {
    let cases = vectors(curve).ecc_var_point_mul;
    assert_eq!(cases.len(), count);
    let compressed: Vec<[u8; 33]> = cases
        .iter()
        .map(|case| bytes(&case.point).try_into().unwrap())
        .collect();
    let points: Vec<Point> = point::decompress(engine, C::ID, &compressed)
        .unwrap()
        .into_iter()
        .map(Result::unwrap)
        .collect();
    let scalars: Vec<[u8; 32]> = cases
        .iter()
        .map(|case| integer(&case.k).expect("at most 256 bits"))
        .collect();
    for (found, case) in point::mul(engine, C::ID, &scalars, &points)
        .unwrap()
        .into_iter()
        .zip(&cases)
    {
        let expected = decode_key::<C>(&bytes(&case.product)).map(|point| encode::<C>(&point));
        assert_eq!(found.ok(), expected, "{curve}: {} {}", case.k, case.point);
    }
}

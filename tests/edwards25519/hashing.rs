//! Hashing of messages to points.

use super::decode;
use crate::declare::{apply, on_every_engine};
use crate::support::random::Random;
use crate::support::vectors::parse;
use gecc::edwards25519::{self, Points, Suite};
use gecc::{Engine, Error};
use num_bigint::BigUint;
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    ciphersuite: String,
    dst: String,
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
#[allow(non_snake_case, reason = "the names of the RFC")]
struct Vector {
    P: Coordinates,
    msg: String,
}

#[derive(Deserialize)]
struct Coordinates {
    x: String,
    y: String,
}

/// Returns a number of hexadecimal digits, most significant first, as little-endian bytes.
fn little_endian(digits: &str) -> [u8; 32] {
    let number = BigUint::parse_bytes(&digits.as_bytes()[2..], 16).unwrap();
    let mut bytes = number.to_bytes_le();
    bytes.resize(32, 0);
    bytes.try_into().unwrap()
}

/// RFC 9380, appendices J.4 and J.5.
#[apply(on_every_engine)]
fn vectors_of_rfc_9380_are_computed(engine: &Engine) {
    for text in [
        include_str!("../vectors/rfc9380/edwards25519_XMD-SHA-512_ELL2_RO_.json"),
        include_str!("../vectors/rfc9380/edwards25519_XMD-SHA-512_ELL2_NU_.json"),
        include_str!("../vectors/rfc9380/curve25519_XMD-SHA-512_ELL2_RO_.json"),
        include_str!("../vectors/rfc9380/curve25519_XMD-SHA-512_ELL2_NU_.json"),
    ] {
        let file: File = parse(text);
        assert_eq!(file.vectors.len(), 5);
        let suite: Suite = file.ciphersuite.parse().unwrap();
        assert_eq!(suite.name(), file.ciphersuite);
        let messages: Vec<&str> = file.vectors.iter().map(|vector| &*vector.msg).collect();
        let dst = file.dst.as_bytes();
        let found = edwards25519::hash_to_curve(engine, suite, dst, &messages).unwrap();
        for (found, vector) in found.into_iter().zip(&file.vectors) {
            let expected = [&vector.P.x, &vector.P.y].map(|digits| little_endian(digits));
            assert_eq!(
                found.unwrap(),
                expected.as_flattened(),
                "{suite} {:?}",
                vector.msg
            );
        }
    }
}

fn hash(engine: &Engine, suite: Suite, messages: &[Vec<u8>]) -> Vec<[u8; 64]> {
    let hashed = edwards25519::hash_to_curve(engine, suite, b"tag", messages).unwrap();
    hashed.into_iter().map(|point| point.unwrap()).collect()
}

/// Both curves have the same points, by the equivalence u = (1 + y) / (1 - y), and these are free of
/// torsion.
#[apply(on_every_engine)]
fn points_of_both_curves_are_equivalent(engine: &Engine) {
    let mut random = Random::new();
    for size in (0..=20).chain([127, 300]) {
        let messages: Vec<Vec<u8>> = (0..size).map(|item| random.vector(item)).collect();
        for (edwards, montgomery) in [
            (Suite::Edwards25519Ro, Suite::Curve25519Ro),
            (Suite::Edwards25519Nu, Suite::Curve25519Nu),
        ] {
            let points = hash(engine, edwards, &messages);
            let encodings = edwards25519::compress(engine, Points::affine(&points)).unwrap();
            let others = hash(engine, montgomery, &messages);
            for (encoding, other) in encodings.into_iter().zip(others) {
                let point = decode(&encoding.unwrap(), true).unwrap();
                assert!(point.is_torsion_free());
                assert_eq!(point.to_montgomery().to_bytes()[..], other[..32]);
            }
        }
    }
}

#[apply(on_every_engine)]
fn columns_get_the_results_of_values(engine: &Engine) {
    let mut random = Random::new();
    let messages: Vec<Vec<u8>> = (0..70).map(|item| random.vector(item)).collect();
    for &suite in Suite::ALL {
        let mut rows = [[0xee; 64]; 70];
        let mut codes = [0xee; 70];
        edwards25519::hash_to_curve_into(engine, suite, b"tag", &messages, &mut rows, &mut codes)
            .unwrap();
        assert_eq!(codes, [1; 70]);
        assert_eq!(rows[..], hash(engine, suite, &messages));
    }
}

#[apply(on_every_engine)]
fn missing_tag_is_an_error(engine: &Engine) {
    for &suite in Suite::ALL {
        let error = edwards25519::hash_to_curve(engine, suite, b"", &["a"]).unwrap_err();
        assert!(matches!(error, Error::DomainSeparation { .. }));
    }
}

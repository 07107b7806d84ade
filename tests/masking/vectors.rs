//! Vectors of RFC 9380, and points and masked points of every suite that were computed from the
//! definitions with Python's integers (`tests/vectors/hash_to_curve.py`).

use crate::declare::{apply, on_every_engine};
use crate::support::vectors::{bytes, field, integer, parse};
use gecc::hash_to_curve::{self, Suite};
use gecc::mask::{self, Form};
use gecc::{Engine, Point, SecretKey};
use serde::Deserialize;

#[derive(Deserialize)]
struct RfcFile {
    ciphersuite: String,
    dst: String,
    vectors: Vec<RfcVector>,
}

#[derive(Deserialize)]
#[allow(non_snake_case, reason = "the names of the RFC")]
struct RfcVector {
    P: RfcPoint,
    msg: String,
}

#[derive(Deserialize)]
struct RfcPoint {
    x: String,
    y: String,
}

#[apply(on_every_engine)]
fn vectors_of_rfc_9380_are_computed(engine: &Engine) {
    for text in [
        include_str!("../vectors/rfc9380/P256_XMD-SHA-256_SSWU_RO_.json"),
        include_str!("../vectors/rfc9380/P256_XMD-SHA-256_SSWU_NU_.json"),
        include_str!("../vectors/rfc9380/secp256k1_XMD-SHA-256_SSWU_RO_.json"),
        include_str!("../vectors/rfc9380/secp256k1_XMD-SHA-256_SSWU_NU_.json"),
    ] {
        let file: RfcFile = parse(text);
        assert_eq!(file.vectors.len(), 5);
        let suite: Suite = file.ciphersuite.parse().unwrap();
        let messages: Vec<&str> = file.vectors.iter().map(|vector| &*vector.msg).collect();
        let points = hash_to_curve::points(engine, suite, file.dst.as_bytes(), &messages).unwrap();
        for (point, vector) in points.into_iter().zip(&file.vectors) {
            let [x, y] = [&vector.P.x, &vector.P.y].map(|digits| integer(digits).unwrap());
            assert_eq!(
                point,
                Ok(Point::from_coordinates(&x, &y)),
                "{suite} {:?}",
                vector.msg
            );
        }
    }
}

#[derive(Deserialize)]
struct Group {
    suite: String,
    dst: String,
    key: String,
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    message: String,
    tries: usize,
    point: String,
    masked: String,
}

#[apply(on_every_engine)]
fn vectors_of_every_suite_are_computed(engine: &Engine) {
    let groups: Vec<Group> = parse(include_str!("../vectors/hash_to_curve.json"));
    let mut of_suites = vec![0; Suite::ALL.len()];
    let mut most_tries = 0;
    for group in &groups {
        let suite: Suite = group.suite.parse().unwrap();
        let of_suite = Suite::ALL.iter().position(|known| *known == suite).unwrap();
        of_suites[of_suite] += group.items.len();
        let dst = bytes(&group.dst);
        let key = SecretKey::from_bytes(field(&group.key));
        let messages: Vec<Vec<u8>> = group
            .items
            .iter()
            .map(|item| bytes(&item.message))
            .collect();
        let points = hash_to_curve::points(engine, suite, &dst, &messages).unwrap();
        let masked = mask::items(engine, suite, &dst, &key, &messages, Form::Compressed).unwrap();
        for ((point, masked), item) in points.into_iter().zip(masked.iter()).zip(&group.items) {
            let name = format!("{suite} {} with {} tries", item.message, item.tries);
            assert_eq!(
                point.unwrap().to_compressed().as_ref().map(hex::encode),
                Some(item.point.clone()),
                "{name}"
            );
            assert_eq!(hex::encode(masked.unwrap()), item.masked, "{name}");
            most_tries = most_tries.max(item.tries);
        }
    }
    assert!(of_suites.iter().all(|items| *items >= 90), "{of_suites:?}");
    assert!(most_tries >= 11);
}

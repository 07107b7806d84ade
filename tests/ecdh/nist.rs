//! NIST CAVP for P-256: the ECC CDH primitive.

use crate::declare::{apply, on_every_engine};
use crate::support::vectors::{bytes, field, parse};
use gecc::{Engine, P256, Point, PublicKeys, SecretKey, ecdh};
use serde::Deserialize;

#[derive(Deserialize)]
struct DiffieHellman {
    d: String,
    peer: String,
    z: String,
}

#[apply(on_every_engine)]
fn cdh_primitive_vectors_of_p256_are_computed(engine: &Engine) {
    let cases: Vec<DiffieHellman> = parse(include_str!("../vectors/p256_cdh_primitive.json"));
    assert_eq!(cases.len(), 25);
    let secret: Vec<SecretKey> = cases
        .iter()
        .map(|case| SecretKey::from_bytes(field(&case.d)))
        .collect();
    let peers: Vec<Point> = cases
        .iter()
        .map(|case| {
            Point::from_uncompressed(bytes(&case.peer).try_into().expect("65 bytes")).unwrap()
        })
        .collect();
    let shared = ecdh::shared_secrets(engine, P256, &secret, PublicKeys::points(&peers)).unwrap();
    for (shared, case) in shared.into_iter().zip(&cases) {
        assert_eq!(*shared.unwrap().expose_bytes(), field(&case.z));
    }
}

//! NIST CAVP for P-256: PKV (FIPS 186-3).

use crate::declare::{apply, on_every_engine};
use crate::support::shared::shared_points;
use crate::support::vectors::{field, parse, uncompressed};
use gecc::{Engine, P256, PublicKeys, Rejection, SecretKey};
use serde::Deserialize;

#[derive(Deserialize)]
struct PublicKey {
    qx: String,
    qy: String,
    valid: bool,
    note: String,
}

#[apply(on_every_engine)]
fn pkv_vectors_are_accepted_or_rejected(engine: &Engine) {
    let cases: Vec<PublicKey> = parse(include_str!("../vectors/p256_pkv_fips_186-3.json"));
    let mut counts = [0; 3];
    for case in &cases {
        // An odd number of digits means a coordinate of more than 256 bits, which has no encoding.
        if case.qx.len().max(case.qy.len()) > 64 {
            assert!(!case.valid && case.note.contains("out of range"));
            counts[0] += 1;
            continue;
        }
        let key = uncompressed(&case.qx, &case.qy);
        let one = SecretKey::from_bytes(field(&format!("{:0>64}", 1)));
        let shared = shared_points::<P256>(engine, &one, PublicKeys::sec1(&[&key])).unwrap();
        if case.valid {
            assert_eq!(shared[0].unwrap().as_sec1(), key);
            counts[1] += 1;
        } else {
            let reason = if case.note.contains("not on curve") {
                Rejection::NotOnCurve
            } else {
                Rejection::MalformedPoint
            };
            assert_eq!(shared, [Err(reason)], "{}", case.note);
            counts[2] += 1;
        }
    }
    assert_eq!(counts, [4, 4, 4], "beyond 256 bits, valid, invalid");
}

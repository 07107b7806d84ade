//! NIST CAVP for P-256: SigVer, SigGen, PKV (FIPS 186-3) and the ECC CDH primitive.

use crate::declare::{apply, on_every_engine};
use crate::support::reference::{bytes as scalar_bytes, reduced};
use crate::support::scheme::{Ecdsa, Item, Scheme, concatenate};
use crate::support::shared::shared_points;
use crate::support::vectors::{bits_to_integer, bytes, field, parse, sha2, uncompressed};
use gecc::{Engine, P256, Point, PublicKeys, Rejection, SecretKey, ecdh, keys, point};
use serde::Deserialize;

#[derive(Deserialize)]
struct Signature {
    hash: String,
    msg: String,
    digest: String,
    qx: String,
    qy: String,
    r: String,
    s: String,
    /// SigVer only.
    valid: Option<bool>,
    /// SigGen only.
    d: Option<String>,
    k: Option<String>,
}

impl Signature {
    fn item(&self) -> Item {
        let digest = bytes(&self.digest);
        if let Some(computed) = sha2(&self.hash, &bytes(&self.msg)) {
            assert_eq!(computed, digest, "{}", self.hash);
        } else {
            assert_eq!((self.hash.as_str(), digest.len()), ("SHA-1", 20));
        }
        Item {
            digest: bits_to_integer(&digest),
            signature: concatenate(&field(&self.r), &field(&self.s)),
            key: uncompressed(&self.qx, &self.qy),
        }
    }
}

#[apply(on_every_engine)]
fn signature_verification(engine: &Engine) {
    let cases: Vec<Signature> = parse(include_str!("../vectors/p256_sigver_fips_186-3.json"));
    let items: Vec<Item> = cases.iter().map(Signature::item).collect();
    let verdicts = Ecdsa::<P256>::verify(engine, &items);
    for (index, (case, verdict)) in cases.iter().zip(&verdicts).enumerate() {
        assert_eq!(
            Some(verdict.is_valid()),
            case.valid,
            "SigVer {index} ({}): {verdict}",
            case.hash
        );
    }
    let valid = verdicts.iter().filter(|verdict| verdict.is_valid()).count();
    assert_eq!((cases.len(), valid), (75, 15));
}

/// The nonces of SigGen are random, so the signatures cannot be made again; but each part of them
/// can be checked.
#[apply(on_every_engine)]
fn signature_generation(engine: &Engine) {
    let cases: Vec<Signature> = parse(include_str!("../vectors/p256_siggen_fips_186-3.json"));
    assert_eq!(cases.len(), 75);
    let items: Vec<Item> = cases.iter().map(Signature::item).collect();
    assert!(
        Ecdsa::<P256>::verify(engine, &items)
            .iter()
            .all(|verdict| verdict.is_valid())
    );

    let column = |get: fn(&Signature) -> &Option<String>| -> Vec<[u8; 32]> {
        cases
            .iter()
            .map(|case| field(get(case).as_ref().expect("SigGen has it")))
            .collect()
    };
    let secret: Vec<SecretKey> = column(|case| &case.d)
        .into_iter()
        .map(SecretKey::from_bytes)
        .collect();
    let public = keys::public_keys(engine, P256, &secret).unwrap();
    assert!(
        public
            .iter()
            .zip(&items)
            .all(|(public, item)| public.unwrap().as_sec1() == item.key)
    );
    // r is x(k G) modulo n.
    let points = point::mul_base(engine, P256, &column(|case| &case.k)).unwrap();
    for (point, case) in points.into_iter().zip(&cases) {
        assert_eq!(
            scalar_bytes::<P256>(&reduced::<P256>(point.unwrap().x())),
            field(&case.r)
        );
    }
}

#[derive(Deserialize)]
struct PublicKey {
    qx: String,
    qy: String,
    valid: bool,
    note: String,
}

#[apply(on_every_engine)]
fn public_key_validation(engine: &Engine) {
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

#[derive(Deserialize)]
struct DiffieHellman {
    d: String,
    peer: String,
    z: String,
}

#[apply(on_every_engine)]
fn diffie_hellman(engine: &Engine) {
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

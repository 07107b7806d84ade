//! NIST CAVP for P-256: SigVer and SigGen (FIPS 186-3).

use crate::declare::{apply, on_every_engine};
use crate::support::reference::{bytes as scalar_bytes, reduced};
use crate::support::scheme::{Ecdsa, Item, Scheme, concatenate};
use crate::support::vectors::{bits_to_integer, bytes, field, parse, sha2, uncompressed};
use gecc::{Engine, P256, SecretKey, keys, point};
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
fn sigver_vectors_have_their_verdicts(engine: &Engine) {
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
fn siggen_vectors_are_verified_part_by_part(engine: &Engine) {
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

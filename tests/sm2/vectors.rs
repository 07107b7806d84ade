//! SM2 vectors: GB/T 32918.5 / GM/T 0003.5, Botan, OpenSSL (`evppkey_sm2.txt`), openHiTLS.

use crate::declare::{apply, on_every_engine, once};
use crate::support::reference::{bytes as scalar_bytes, reduced};
use crate::support::report::announce;
use crate::support::scheme::{Item, Scheme, Sm2Dsa, concatenate};
use crate::support::vectors::{bytes, field, parse, uncompressed};
use gecc::sm2::UserIds;
use gecc::{Engine, Point, PublicKeys, SecretKey, Sm2, keys, point, signature_from_der, sm2};
use serde::Deserialize;

#[derive(Deserialize)]
struct Vectors {
    sign_verify: Vec<Signature>,
    za_e: Vec<UserHash>,
    key_exchange: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct Signature {
    src: String,
    curve: String,
    /// The construction of e: SM3 over Z_A and the message, or otherwise; then e itself is
    /// verified.
    hash: String,
    id: Option<String>,
    msg: Option<String>,
    za: Option<String>,
    d: Option<String>,
    k: Option<String>,
    qx: String,
    qy: String,
    e: String,
    r: String,
    s: String,
    sig_der: Option<String>,
    expect: String,
}

#[derive(Deserialize)]
struct UserHash {
    id: String,
    qx: String,
    qy: String,
    za: String,
}

fn vectors() -> Vectors {
    parse(include_str!("../vectors/sm2_vectors.json"))
}

#[apply(on_every_engine)]
fn vectors_are_signed_and_verified(engine: &Engine) {
    let Vectors {
        sign_verify,
        key_exchange,
        ..
    } = vectors();
    assert_eq!(sign_verify.len(), 16);
    let (ours, others): (Vec<_>, Vec<_>) = sign_verify
        .iter()
        .partition(|case| case.curve == "sm2p256v1");
    for case in &others {
        announce(&format!(
            "skipped: {}: SM2 on the curve {}, which gecc does not have",
            case.src, case.curve
        ));
    }
    announce("skipped: SM2 key exchange, which gecc does not offer");
    assert_eq!((ours.len(), others.len(), key_exchange.len()), (11, 5, 1));

    let items: Vec<Item> = ours.iter().map(|case| item(case)).collect();
    let verdicts = Sm2Dsa::verify(engine, &items);
    for (case, verdict) in ours.iter().zip(&verdicts) {
        assert_eq!(
            verdict.is_valid(),
            case.expect == "valid",
            "{}: {verdict}",
            case.src
        );
        by_message(engine, case);
        by_parts(engine, case);
    }
    assert_eq!(
        verdicts.iter().filter(|verdict| verdict.is_valid()).count(),
        5
    );
}

fn item(case: &Signature) -> Item {
    let signature = concatenate(&field(&case.r), &field(&case.s));
    if let Some(der) = &case.sig_der {
        assert_eq!(
            signature_from_der(&bytes(der)),
            Ok(signature),
            "{}",
            case.src
        );
    }
    Item {
        digest: field(&case.e),
        signature,
        key: uncompressed(&case.qx, &case.qy),
    }
}

/// Verifies the message with its user id, if e is made of those.
fn by_message(engine: &Engine, case: &Signature) {
    let (Some(id), Some(message), "SM3") = (&case.id, &case.msg, case.hash.as_str()) else {
        return;
    };
    let item = item(case);
    let id = bytes(id);
    let keys = [item.key.as_slice()];
    let verdicts = sm2::verify_messages(
        engine,
        &[bytes(message)],
        UserIds::all(&id),
        &[item.signature],
        PublicKeys::sec1(&keys),
    );
    assert_eq!(
        verdicts.unwrap()[0].is_valid(),
        case.expect == "valid",
        "{}",
        case.src
    );
    let key = Point::from_coordinates(&field(&case.qx), &field(&case.qy));
    let za = sm2::za(&id, &key).unwrap();
    assert!(
        case.za
            .as_ref()
            .is_none_or(|expected| field(expected) == za),
        "{}",
        case.src
    );
}

/// Checks a signature by its parts: the nonces are given, and gecc draws its own; but d G, k G and
/// r = e + x(k G) can be checked.
fn by_parts(engine: &Engine, case: &Signature) {
    let Some(d) = &case.d else { return };
    let public = keys::public_keys(engine, Sm2, &[SecretKey::from_bytes(field(d))]).unwrap();
    assert_eq!(
        public[0].unwrap().as_sec1(),
        uncompressed(&case.qx, &case.qy),
        "{}",
        case.src
    );
    let Some(k) = &case.k else { return };
    let r = point::mul_base(engine, Sm2, &[field(k)]).unwrap()[0].unwrap();
    let sum = reduced::<Sm2>(&field(&case.e)) + reduced::<Sm2>(r.x());
    assert_eq!(scalar_bytes::<Sm2>(&sum), field(&case.r), "{}", case.src);
}

#[apply(once)]
fn vectors_of_user_hashes_are_computed() {
    let cases = vectors().za_e;
    assert_eq!(cases.len(), 1);
    for case in cases {
        let key = Point::from_coordinates(&field(&case.qx), &field(&case.qy));
        assert_eq!(sm2::za(&bytes(&case.id), &key), Ok(field(&case.za)));
    }
}

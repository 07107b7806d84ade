//! RFC 6979: appendix A.2.5 for P-256, btcd's vectors for secp256k1; and the secp256k1 signatures of `cryptography`.

use super::support::scheme::{Ecdsa, Item, Scheme, concatenate, verify_ecdsa};
use super::vectors::{bits_to_integer, bytes, field, parse, sha2, uncompressed};
use gecc::ecdsa::{Policy, SForm};
use gecc::{Engine, P256, Rejection, Secp256k1, SecretKey, Verdict, ecdsa, keys};
use serde::Deserialize;

#[derive(Deserialize)]
struct Vectors {
    secp256k1: Vec<OnSecp256k1>,
    p256: Vec<OnP256>,
}

#[derive(Deserialize)]
struct OnSecp256k1 {
    d: String,
    msg: String,
    digest: String,
    r: String,
    s_low: String,
    s_raw: String,
    qx: String,
    qy: String,
}

#[derive(Deserialize)]
struct OnP256 {
    d: String,
    hash: String,
    msg_hex: String,
    digest: String,
    r: String,
    s: String,
    qx: String,
    qy: String,
}

fn vectors() -> Vectors {
    parse(include_str!("../vectors/rfc6979.json"))
}

pub fn secp256k1(engine: &Engine) {
    let cases = vectors().secp256k1;
    assert_eq!(cases.len(), 6);
    for case in &cases {
        let digest = field(&case.digest);
        assert_eq!(sha2("SHA-256", case.msg.as_bytes()), Some(digest.to_vec()));
        let key = SecretKey::from_bytes(field(&case.d));
        for (form, s) in
            [(SForm::CurveDefault, &case.s_low), (SForm::Low, &case.s_low), (SForm::AsComputed, &case.s_raw)]
        {
            let expected = Ok(concatenate(&field(&case.r), &field(s)));
            assert_eq!(ecdsa::sign(engine, Secp256k1, &[digest], &key, form).unwrap(), [expected]);
            let by_message = ecdsa::sign_messages(engine, Secp256k1, &[&case.msg], &key, form).unwrap();
            assert_eq!(by_message, [expected]);
        }
        let public = keys::public_keys(engine, Secp256k1, &[key]).unwrap();
        assert_eq!(public[0].unwrap().as_sec1(), uncompressed(&case.qx, &case.qy));
    }
}

/// Signing draws its nonces with HMAC-SHA-256, so only the SHA-256 cases can be signed; all ten verify.
pub fn p256(engine: &Engine) {
    let cases = vectors().p256;
    assert_eq!(cases.len(), 10);
    let mut signed = 0;
    for case in &cases {
        let digest = bytes(&case.digest);
        let item = Item {
            digest: bits_to_integer(&digest),
            signature: concatenate(&field(&case.r), &field(&case.s)),
            key: uncompressed(&case.qx, &case.qy),
        };
        assert_eq!(Ecdsa::<P256>::verify(engine, std::slice::from_ref(&item)), [Verdict::Valid], "{}", case.hash);
        if case.hash == "sha256" {
            let key = SecretKey::from_bytes(field(&case.d));
            let message = bytes(&case.msg_hex);
            assert_eq!(sha2("SHA-256", &message), Some(digest));
            let by_message = ecdsa::sign_messages(engine, P256, &[message], &key, SForm::CurveDefault).unwrap();
            assert_eq!(by_message, [Ok(item.signature)]);
            signed += 1;
        }
    }
    assert_eq!(signed, 2, "of SHA-1, 224, 384 and 512, eight cases, only the verification applies");
}

#[derive(Deserialize)]
struct Signature {
    msg: String,
    digest: String,
    d: String,
    qx: String,
    qy: String,
    r: String,
    s: String,
    high_s: bool,
}

/// Signatures by another library, made with random nonces; about half have high s.
pub fn siggen_secp256k1(engine: &Engine) {
    let cases: Vec<Signature> = parse(include_str!("../vectors/k256_siggen_sha256.json"));
    let item = |case: &Signature| {
        assert_eq!(sha2("SHA-256", &bytes(&case.msg)), Some(bytes(&case.digest)));
        Item {
            digest: field(&case.digest),
            signature: concatenate(&field(&case.r), &field(&case.s)),
            key: uncompressed(&case.qx, &case.qy),
        }
    };
    let items: Vec<Item> = cases.iter().map(item).collect();
    let standard = verify_ecdsa::<Secp256k1>(engine, &items, Policy::default());
    assert!(standard.iter().all(|verdict| verdict.is_valid()));
    for (case, verdict) in cases.iter().zip(verify_ecdsa::<Secp256k1>(engine, &items, Policy::low_s())) {
        let expected = if case.high_s { Verdict::Rejected(Rejection::HighS) } else { Verdict::Valid };
        assert_eq!(verdict, expected);
    }
    let high = cases.iter().filter(|case| case.high_s).count();
    assert_eq!((cases.len(), high), (225, 104));
    let secret: Vec<SecretKey> = cases.iter().map(|case| SecretKey::from_bytes(field(&case.d))).collect();
    let public = keys::public_keys(engine, Secp256k1, &secret).unwrap();
    assert!(public.iter().zip(&items).all(|(public, item)| public.unwrap().as_sec1() == item.key));
}

//! Keys in PEM, DER and JWK.

use super::{cpu, expect_failure, expect_ok, strings};
use crate::capi::keys::{gecc_public_keys_read, gecc_secret_key_read};
use crate::capi::status::GeccStatus;
use gecc::Rejection;
use std::ptr::{null, null_mut};

const P256: i32 = 2;
const SECP256K1: i32 = 1;
// RFC 7517, appendix A.1 and A.2.
const JWK: &str = r#"{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
    "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}"#;
const PRIVATE_JWK: &str = r#"{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
    "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM","d":"870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE"}"#;
/// The same key as openssl writes it.
const PEM: &str = "-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEMKBCTNIcKUSDii11ySs3526iDZ8A
iTo7Tu6KPAqv7D7gS2XpJFbZiItSs3m9+9Ue6GnvHw/GW2ZZaVtszggXIw==
-----END PUBLIC KEY-----
";
/// A certificate of it, as openssl writes them.
const CERTIFICATE: &str = "\
-----BEGIN CERTIFICATE-----
MIIBejCCAR+gAwIBAgIUSGOnmHDI+7y9yALLKedSFsPymoswCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHZXhhbXBsZTAeFw0yNjExMjUxMjM2NDJaFw0zNjExMjIxMjM2
NDJaMBIxEDAOBgNVBAMMB2V4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AAQwoEJM0hwpRIOKLXXJKzfnbqINnwCJOjtO7oo8Cq/sPuBLZekkVtmIi1Kzeb37
1R7oae8fD8ZbZllpW2zOCBcjo1MwUTAdBgNVHQ4EFgQUNzJ9WFdrTXJr9A7sCGuI
bn/O+5kwHwYDVR0jBBgwFoAUNzJ9WFdrTXJr9A7sCGuIbn/O+5kwDwYDVR0TAQH/
BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEA8juAtov6r9bk70SeNCmXj9xTFaQU
lxLoHAe934uIjsoCIQDT5PbatOVudDqMRC4JCFVjaFmd4nwN6LADMjqVyYrvqA==
-----END CERTIFICATE-----
";

fn read(curve: i32, keys: &[&[u8]]) -> (GeccStatus, Vec<[u8; 64]>, Vec<u8>) {
    let (engine, texts) = (cpu(), strings(keys.iter().copied()));
    let (mut points, mut codes) = (vec![[7; 64]; keys.len()], vec![7; keys.len()]);
    let status = unsafe {
        let (to, codes_to) = (points.as_mut_ptr().cast(), codes.as_mut_ptr());
        gecc_public_keys_read(engine.0, curve, texts.len(), texts.as_ptr(), to, codes_to)
    };
    (status, points, codes)
}

pub fn public_keys() {
    let keys = [
        JWK.as_bytes(),
        PEM.as_bytes(),
        CERTIFICATE.as_bytes(),
        b"neither",
    ];
    let (status, points, codes) = read(P256, &keys);
    expect_ok(status);
    assert_eq!(codes, [1, 1, 1, Rejection::MalformedPoint.code()]);
    assert_eq!(points[..3], [points[0]; 3]);
    assert_eq!(hex::encode(&points[0][..4]), "30a0424c");
    let compressed = [&[2 | points[0][63] & 1], &points[0][..32]].concat();
    let (status, again, codes) = read(P256, &[&compressed, &points[0]]);
    expect_ok(status);
    assert_eq!((again, codes), (vec![points[0]; 2], vec![1, 1]));
    let (status, _, codes) = read(P256, &[&compressed, b"{"]);
    expect_ok(status);
    assert_eq!(codes, [1, Rejection::MalformedPoint.code()]);
    // A column of another curve's keys is an error, not a column of invalid keys.
    let (status, ..) = read(SECP256K1, &[PEM.as_bytes(), JWK.as_bytes()]);
    expect_failure(
        status,
        GeccStatus::InvalidArgument,
        "keys: the key is for p256, not for secp256k1",
    );
}

pub fn private_keys() {
    let read = |curve, file: &str| {
        let mut key = [7; 32];
        let status =
            unsafe { gecc_secret_key_read(curve, file.as_ptr(), file.len(), key.as_mut_ptr()) };
        (status, key)
    };
    let (status, key) = read(P256, PRIVATE_JWK);
    expect_ok(status);
    assert_eq!(hex::encode(&key[..4]), "f3bd0c07");
    for (curve, file, problem) in [
        (
            SECP256K1,
            PRIVATE_JWK,
            "file: JSON Web Key 1: the key is for p256, not for secp256k1",
        ),
        (P256, JWK, "a public key: `d` is not given"),
        (
            P256,
            PEM,
            "file: no private key: this is PEM of a PUBLIC KEY",
        ),
        (P256, "", "no private key in PEM, DER or JWK"),
        (9, PRIVATE_JWK, "curve"),
    ] {
        let (status, key) = read(curve, file);
        expect_failure(status, GeccStatus::InvalidArgument, problem);
        assert!([[0; 32], [7; 32]].contains(&key));
    }
    let two = [PRIVATE_JWK, PRIVATE_JWK].concat();
    expect_failure(
        read(P256, &two).0,
        GeccStatus::InvalidArgument,
        "file: 2 private keys, not one",
    );
    let refused = unsafe { gecc_secret_key_read(P256, null(), 1, [0; 32].as_mut_ptr()) };
    expect_failure(refused, GeccStatus::NullPointer, "file");
    let refused = unsafe { gecc_secret_key_read(P256, PRIVATE_JWK.as_ptr(), 9, null_mut()) };
    expect_failure(refused, GeccStatus::NullPointer, "secret_key");
}

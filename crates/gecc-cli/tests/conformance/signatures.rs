//! ECDSA signatures over digests of any hash, through the library and the command.

use crate::ENGINE;
use crate::command::answers;
use crate::hashes::digest;
use crate::report::Row;
use crate::vectors::{signature, uncompressed};
use gecc::ecdsa::{Policy, SForm};
use gecc::{CurveId, PublicKeys, SecretKey, ecdsa, keys};
use serde_json::{Value, json};

/// A signature of a message.
pub struct Signature {
    pub name: String,
    pub hash: String,
    pub message: Vec<u8>,
    pub x: Vec<u8>,
    pub y: Vec<u8>,
    pub r: Vec<u8>,
    pub s: Vec<u8>,
    pub is_valid: bool,
    /// The private key, if it is known.
    pub secret: Option<[u8; 32]>,
    /// True if the nonce is that of RFC 6979 with HMAC-SHA-256.
    pub is_signed_alike: bool,
}

impl Signature {
    fn digest(&self) -> Vec<u8> {
        digest(&self.hash, &self.message)
    }

    fn digest_row(&self) -> [u8; 32] {
        gecc::fields::ecdsa_digest(&self.digest()).expect("a length of digests")
    }

    /// Returns r || s. Numbers above 2^256, which have no encoding of 64 bytes, become numbers that
    /// are out of range too.
    fn rows(&self) -> [u8; 64] {
        signature(&self.r, &self.s).unwrap_or([0xff; 64])
    }

    fn key(&self) -> Vec<u8> {
        uncompressed(&self.x, &self.y).unwrap_or_default()
    }
}

/// Verifies all signatures, compares public keys with private ones, and signs again where nonces are
/// the same.
pub fn count(row: &mut Row, curve: CurveId, cases: &[Signature]) {
    let digests: Vec<[u8; 32]> = cases.iter().map(Signature::digest_row).collect();
    let rows: Vec<[u8; 64]> = cases.iter().map(Signature::rows).collect();
    let keys: Vec<Vec<u8>> = cases.iter().map(Signature::key).collect();
    let key_slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let verdicts = ecdsa::verify(
        &ENGINE,
        curve,
        &digests,
        &rows,
        PublicKeys::sec1(&key_slices),
        Policy::default(),
    );
    let verdicts: Vec<bool> = verdicts
        .expect("the CPU computes")
        .into_iter()
        .map(|verdict| verdict.is_valid())
        .collect();
    for (item, case) in cases.iter().enumerate() {
        let passed = verdicts[item] == case.is_valid
            && case.secret.is_none_or(|secret| {
                has_public_key(curve, secret, &keys[item])
                    && (!case.is_signed_alike || signs(curve, secret, digests[item], rows[item]))
            });
        row.library(passed, || case.name.clone());
    }
    let lines: Vec<Value> = cases
        .iter()
        .zip(&keys)
        .map(|(case, key)| {
            json!({
                "digest": hex::encode(case.digest()),
                "signature": hex::encode(case.rows()),
                "public_key": hex::encode(key),
            })
        })
        .collect();
    let arguments = ["verify", "--curve", curve.name(), "--signature-form", "rs"];
    for (case, answer) in cases.iter().zip(answers(&arguments, &lines)) {
        row.command(answer["valid"] == case.is_valid, || case.name.clone());
    }
}

/// Returns whether a private key has this public key, as `04 || x || y`.
pub fn has_public_key(curve: CurveId, secret: [u8; 32], public: &[u8]) -> bool {
    let secret = [SecretKey::from_bytes(secret)];
    let computed = keys::public_keys(&ENGINE, curve, &secret).expect("the CPU computes");
    computed[0]
        .as_ref()
        .is_ok_and(|point| point.as_bytes()[..] == *public)
}

fn signs(curve: CurveId, secret: [u8; 32], digest: [u8; 32], expected: [u8; 64]) -> bool {
    let secret = SecretKey::from_bytes(secret);
    let signed = ecdsa::sign(&ENGINE, curve, &[digest], &secret, SForm::AsComputed);
    signed.expect("the CPU computes")[0] == Ok(expected)
}

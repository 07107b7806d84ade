//! Tests of OPRFs with nonces of proofs, which callers cannot choose.

use crate::engine::Engine;
use crate::ops::oprf::{
    Mode, P256Sha256, Ristretto255Sha512, Suite, blind, derive_key, evaluate_with_nonce,
    evaluate_with_proof,
};
use crate::types::SecretKey;
use serde_json::Value;

fn bytes<const N: usize>(digits: &str) -> [u8; N] {
    hex::decode(digits).unwrap().try_into().unwrap()
}

fn proofs_match<const N: usize, S: Suite<Element = [u8; N]>>() {
    let engine = Engine::cpu().unwrap();
    let text = include_str!("../../tests/vectors/oprf.json");
    let modes: Vec<Value> = serde_json::from_str(text).unwrap();
    let of_mode = modes
        .iter()
        .find(|of_mode| of_mode["identifier"] == S::NAME && of_mode["mode"] == Mode::Voprf as u8)
        .unwrap();
    let key = SecretKey::from_bytes(bytes(of_mode["skSm"].as_str().unwrap()));
    let vectors = of_mode["vectors"].as_array().unwrap();
    assert_eq!(vectors.len(), 3);
    for vector in vectors {
        let elements = |name: &str| -> Vec<[u8; N]> {
            let digits = vector[name].as_str().unwrap();
            digits.split(',').map(bytes).collect()
        };
        let nonce = SecretKey::from_bytes(bytes(vector["Proof"]["r"].as_str().unwrap()));
        let blinded = elements("BlindedElement");
        let (evaluated, proof) = evaluate_with_nonce::<S>(&engine, &key, &blinded, &nonce).unwrap();
        assert_eq!(evaluated, elements("EvaluationElement"));
        assert_eq!(hex::encode(proof), vector["Proof"]["proof"]);
    }
}

/// The proofs of RFC 9497, appendices A.1.2 and A.3.2, with its nonces.
#[test]
fn proofs_are_those_of_the_rfc() {
    proofs_match::<33, P256Sha256>();
    proofs_match::<32, Ristretto255Sha512>();
}

fn proofs_differ<S: Suite>(suite: S) {
    let engine = Engine::cpu().unwrap();
    let key = derive_key(suite, Mode::Voprf, &[0x17; 32], b"").unwrap();
    let (_, blinded) = blind(&engine, suite, Mode::Voprf, &["input"]).unwrap();
    let prove = || evaluate_with_proof(&engine, suite, &key, blinded.rows()).unwrap();
    let [first, second] = [prove(), prove()];
    assert_eq!(first.0, second.0);
    assert_ne!(first.1, second.1);
}

#[test]
fn proofs_have_fresh_nonces() {
    proofs_differ(P256Sha256);
    proofs_differ(Ristretto255Sha512);
}

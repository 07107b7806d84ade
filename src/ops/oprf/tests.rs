//! Tests with nonces of proofs, which callers cannot choose.

use super::group::Bytes;
use super::*;
use serde_json::Value;

fn element<S: Suite>(digits: &str) -> S::Element {
    let mut element = S::Element::ZERO;
    hex::decode_to_slice(digits, element.as_mut()).unwrap();
    element
}

fn scalar(digits: &str) -> SecretKey {
    SecretKey::from_bytes(hex::decode(digits).unwrap().try_into().unwrap())
}

fn proofs_match<S: Suite>() {
    let engine = Engine::cpu().unwrap();
    let text = include_str!("../../../tests/vectors/oprf.json");
    let modes: Vec<Value> = serde_json::from_str(text).unwrap();
    let of_mode = modes
        .iter()
        .find(|of_mode| of_mode["identifier"] == S::NAME && of_mode["mode"] == Mode::Voprf as u8)
        .unwrap();
    let key = scalar(of_mode["skSm"].as_str().unwrap());
    let vectors = of_mode["vectors"].as_array().unwrap();
    assert_eq!(vectors.len(), 3);
    for vector in vectors {
        let elements = |name: &str| -> Vec<S::Element> {
            vector[name]
                .as_str()
                .unwrap()
                .split(',')
                .map(element::<S>)
                .collect()
        };
        let nonce = scalar(vector["Proof"]["r"].as_str().unwrap());
        let blinded = elements("BlindedElement");
        let (evaluated, proof) = evaluate_with_nonce::<S>(&engine, &key, &blinded, &nonce).unwrap();
        assert_eq!(evaluated, elements("EvaluationElement"));
        assert_eq!(hex::encode(proof), vector["Proof"]["proof"]);
    }
}

/// The proofs of RFC 9497, appendices A.1.2 and A.3.2, with its nonces.
#[test]
fn proofs_are_those_of_the_rfc() {
    proofs_match::<P256Sha256>();
    proofs_match::<Ristretto255Sha512>();
}

/// The index of the last element of the largest batch is the largest number of two bytes.
#[test]
fn largest_batches_have_indices_of_two_bytes() {
    assert!(proof::require_provable(1).is_ok());
    assert!(proof::require_provable(MOST_PROVED).is_ok());
    assert_eq!(length_bytes(MOST_PROVED - 1), [0xff; 2]);
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

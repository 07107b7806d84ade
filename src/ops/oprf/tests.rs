//! Tests with nonces of proofs, which callers cannot choose.

use super::*;
use serde_json::Value;

fn element(digits: &str) -> Element {
    hex::decode(digits).unwrap().try_into().unwrap()
}

fn scalar(digits: &str) -> SecretKey {
    SecretKey::from_bytes(hex::decode(digits).unwrap().try_into().unwrap())
}

/// The proofs of RFC 9497, appendix A.3.2, with its nonces.
#[test]
fn proofs_are_those_of_the_rfc() {
    let engine = Engine::cpu().unwrap();
    let text = include_str!("../../../tests/vectors/oprf.json");
    let modes: Value = serde_json::from_str(text).unwrap();
    let of_mode = &modes[Mode::Voprf as usize];
    let key = scalar(of_mode["skSm"].as_str().unwrap());
    let vectors = of_mode["vectors"].as_array().unwrap();
    assert_eq!(vectors.len(), 3);
    for vector in vectors {
        let elements = |name: &str| -> Vec<Element> {
            vector[name]
                .as_str()
                .unwrap()
                .split(',')
                .map(element)
                .collect()
        };
        let nonce = scalar(vector["Proof"]["r"].as_str().unwrap());
        let blinded = elements("BlindedElement");
        let (evaluated, proof) = evaluate_with_nonce(&engine, &key, &blinded, &nonce).unwrap();
        assert_eq!(evaluated, elements("EvaluationElement"));
        assert_eq!(hex::encode(proof), vector["Proof"]["proof"]);
    }
}

/// The index of the last element of the largest batch is the largest number of two bytes.
#[test]
fn largest_batches_have_indices_of_two_bytes() {
    assert!(proof::require_provable(1).is_ok());
    assert!(proof::require_provable(MOST_PROVED).is_ok());
    assert_eq!(length_bytes(MOST_PROVED - 1), [0xff; 2]);
}

#[test]
fn proofs_have_fresh_nonces() {
    let engine = Engine::cpu().unwrap();
    let key = scalar(&"17".repeat(32));
    let (_, blinded) = blind(&engine, Mode::Voprf, &["input"]).unwrap();
    let blinded = blinded.rows().as_chunks().0;
    let [first, second] = [(); 2].map(|()| evaluate_with_proof(&engine, &key, blinded).unwrap());
    assert_eq!(first.0, second.0);
    assert_ne!(first.1, second.1);
}

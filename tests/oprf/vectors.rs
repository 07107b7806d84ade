//! The vectors of RFC 9497, appendices A.3.1 and A.3.2. Proofs with the nonces of the RFC are in the
//! library's unit tests, because callers cannot choose nonces.

use super::{elements, results};
use crate::declare::{apply, on_every_engine};
use crate::support::vectors::{bytes, field, parse};
use gecc::oprf::{self, Element, Mode};
use gecc::{Engine, SecretKey};
use serde::Deserialize;

#[derive(Deserialize)]
#[allow(non_snake_case, reason = "the names of the RFC")]
struct OfMode {
    mode: u8,
    seed: String,
    keyInfo: String,
    skSm: String,
    pkSm: Option<String>,
    vectors: Vec<Vector>,
}

/// Values of a batch are separated by commas.
#[derive(Deserialize)]
#[allow(non_snake_case, reason = "the names of the RFC")]
struct Vector {
    Batch: usize,
    Blind: String,
    BlindedElement: String,
    EvaluationElement: String,
    Input: String,
    Output: String,
    Proof: Option<Proof>,
}

#[derive(Deserialize)]
struct Proof {
    proof: String,
}

fn list<T>(text: &str, value: impl Fn(&str) -> T) -> Vec<T> {
    text.split(',').map(value).collect()
}

fn element(text: &str) -> Element {
    bytes(text).try_into().unwrap()
}

fn file() -> Vec<(Mode, OfMode)> {
    let modes: Vec<OfMode> = parse(include_str!("../vectors/oprf.json"));
    let mode = |of_mode: &OfMode| match of_mode.mode {
        0 => Mode::Oprf,
        _ => Mode::Voprf,
    };
    assert!(modes.iter().map(|of_mode| of_mode.mode).eq([0, 1]));
    modes
        .into_iter()
        .map(|of_mode| (mode(&of_mode), of_mode))
        .collect()
}

#[apply(on_every_engine)]
fn key_pairs_of_rfc_9497_are_derived(engine: &Engine) {
    for (mode, of_mode) in file() {
        let seed = field(&of_mode.seed);
        let info = bytes(&of_mode.keyInfo);
        let key = oprf::derive_key(mode, &seed, &info).unwrap();
        let public = oprf::public_key(engine, &key).unwrap();
        assert_eq!(hex::encode(key.expose_bytes()), of_mode.skSm);
        if let Some(expected) = of_mode.pkSm {
            assert_eq!(hex::encode(public), expected);
        }
    }
}

#[apply(on_every_engine)]
fn vectors_of_rfc_9497_are_computed(engine: &Engine) {
    let mut vectors = 0;
    for (mode, of_mode) in file() {
        let key = SecretKey::from_bytes(field(&of_mode.skSm));
        for vector in &of_mode.vectors {
            let inputs = list(&vector.Input, bytes);
            let blinds = list(&vector.Blind, |text| SecretKey::from_bytes(field(text)));
            let outputs = list(&vector.Output, |text| Ok(field(text)));
            let evaluated = list(&vector.EvaluationElement, element);
            assert_eq!(inputs.len(), vector.Batch);

            let blinded = oprf::blind_with(engine, mode, &inputs, &blinds).unwrap();
            let blinded = elements(&blinded);
            assert_eq!(blinded, list(&vector.BlindedElement, element));
            let known = oprf::evaluate_inputs(engine, mode, &key, &inputs).unwrap();
            assert_eq!(results(&known), outputs);

            let found = match &vector.Proof {
                None => {
                    let computed = oprf::evaluate(engine, &key, &blinded).unwrap();
                    assert_eq!(elements(&computed), evaluated);
                    oprf::finalize(engine, &inputs, &blinds, &evaluated)
                }
                Some(Proof { proof }) => {
                    let (computed, _) = oprf::evaluate_with_proof(engine, &key, &blinded).unwrap();
                    assert_eq!(computed, evaluated);
                    let public = element(of_mode.pkSm.as_ref().unwrap());
                    let proof = bytes(proof).try_into().unwrap();
                    oprf::finalize_with_proof(
                        engine, &inputs, &blinds, &blinded, &evaluated, &public, &proof,
                    )
                }
            };
            assert_eq!(results(&found.unwrap()), outputs);
            vectors += 1;
        }
    }
    assert_eq!(vectors, 5);
}

//! The vectors of RFC 9497, appendices A.1.1, A.1.2, A.3.1 and A.3.2. Proofs with the nonces of the
//! RFC are in the library's unit tests, because callers cannot choose nonces.

use super::suites::OprfSuite;
use super::{elements, results};
use crate::declare::{apply, on_every_engine};
use crate::support::vectors::{bytes, field, parse};
use gecc::oprf::{self, Mode, Outputs};
use gecc::{Engine, SecretKey};
use serde::Deserialize;

#[derive(Deserialize)]
#[allow(non_snake_case, reason = "the names of the RFC")]
struct OfMode {
    identifier: String,
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

fn element<S: OprfSuite>(text: &str) -> S::Element {
    let mut element = S::ZERO;
    hex::decode_to_slice(text, element.as_mut()).unwrap();
    element
}

/// Returns the output as its digits.
fn digits<S: OprfSuite>(outputs: &Outputs<S>) -> Vec<String> {
    let outputs = results(outputs).into_iter();
    outputs
        .map(|output| hex::encode(output.unwrap().as_ref()))
        .collect()
}

fn file<S: OprfSuite>() -> Vec<(Mode, OfMode)> {
    let mut modes: Vec<OfMode> = parse(include_str!("../vectors/oprf.json"));
    modes.retain(|of_mode| of_mode.identifier == S::NAME);
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
fn key_pairs_of_rfc_9497_are_derived<S: OprfSuite>(engine: &Engine) {
    for (mode, of_mode) in file::<S>() {
        let seed = field(&of_mode.seed);
        let info = bytes(&of_mode.keyInfo);
        let key = oprf::derive_key(S::SUITE, mode, &seed, &info).unwrap();
        let public = oprf::public_key(engine, S::SUITE, &key).unwrap();
        assert_eq!(hex::encode(key.expose_bytes()), of_mode.skSm);
        if let Some(expected) = of_mode.pkSm {
            assert_eq!(hex::encode(public.as_ref()), expected);
        }
    }
}

#[apply(on_every_engine)]
fn vectors_of_rfc_9497_are_computed<S: OprfSuite>(engine: &Engine) {
    let suite = S::SUITE;
    let mut vectors = 0;
    for (mode, of_mode) in file::<S>() {
        let key = SecretKey::from_bytes(field(&of_mode.skSm));
        for vector in &of_mode.vectors {
            let inputs = list(&vector.Input, bytes);
            let blinds = list(&vector.Blind, |text| SecretKey::from_bytes(field(text)));
            let outputs = list(&vector.Output, str::to_owned);
            let evaluated = list(&vector.EvaluationElement, element::<S>);
            assert_eq!(inputs.len(), vector.Batch);

            let blinded = oprf::blind_with(engine, suite, mode, &inputs, &blinds).unwrap();
            let blinded = elements(&blinded);
            assert_eq!(blinded, list(&vector.BlindedElement, element::<S>));
            let known = oprf::evaluate_inputs(engine, suite, mode, &key, &inputs).unwrap();
            assert_eq!(digits(&known), outputs);

            let found = match &vector.Proof {
                None => {
                    let computed = oprf::evaluate(engine, suite, &key, &blinded).unwrap();
                    assert_eq!(elements(&computed), evaluated);
                    oprf::finalize(engine, suite, &inputs, &blinds, &evaluated)
                }
                Some(Proof { proof }) => {
                    let (computed, _) =
                        oprf::evaluate_with_proof(engine, suite, &key, &blinded).unwrap();
                    assert_eq!(computed, evaluated);
                    let public = element::<S>(of_mode.pkSm.as_ref().unwrap());
                    let proof = bytes(proof).try_into().unwrap();
                    oprf::finalize_with_proof(
                        engine, suite, &inputs, &blinds, &blinded, &evaluated, &public, &proof,
                    )
                }
            };
            assert_eq!(digits(&found.unwrap()), outputs);
            vectors += 1;
        }
    }
    assert_eq!(vectors, 5);
}

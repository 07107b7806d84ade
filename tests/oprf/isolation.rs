//! Malformed elements and numbers out of range among valid ones, in the mode without proofs.

use super::suites::OprfSuite;
use super::{elements, results};
use crate::declare::{apply, on_every_engine};
use gecc::oprf::{self, Mode};
use gecc::{Engine, Rejection, SecretKey};

const ITEMS: usize = 70;

fn inputs() -> Vec<String> {
    (0..ITEMS).map(|item| format!("input {item}")).collect()
}

#[apply(on_every_engine)]
fn malformed_elements_reject_only_their_items<S: OprfSuite>(engine: &Engine) {
    let inputs = inputs();
    let (key, _) = S::key_pair(engine);
    let (blinds, blinded) = oprf::blind(engine, S::SUITE, Mode::Oprf, &inputs).unwrap();
    let blinded = elements(&blinded);
    let evaluated = elements(&oprf::evaluate(engine, S::SUITE, &key, &blinded).unwrap());
    let known = oprf::evaluate_inputs(engine, S::SUITE, Mode::Oprf, &key, &inputs).unwrap();
    for (row, reason) in S::malformed() {
        for item in [0, ITEMS / 2, ITEMS - 1] {
            let mut received = blinded.clone();
            received[item] = row;
            let masked = oprf::evaluate(engine, S::SUITE, &key, &received).unwrap();
            for (index, (found, expected)) in masked.iter().zip(&evaluated).enumerate() {
                let expected = if index == item {
                    Err(reason)
                } else {
                    Ok(expected)
                };
                assert_eq!(found, expected);
            }
            let mut received = evaluated.clone();
            received[item] = row;
            let outputs = oprf::finalize(engine, S::SUITE, &inputs, &blinds, &received).unwrap();
            let mut expected = results(&known);
            expected[item] = Err(reason);
            assert_eq!(results(&outputs), expected);
            assert!(outputs.rows()[item].as_ref().iter().all(|byte| *byte == 0));
            assert_eq!(outputs.codes()[item], reason.code());
        }
    }
}

#[apply(on_every_engine)]
fn blinds_out_of_range_reject_only_their_items<S: OprfSuite>(engine: &Engine) {
    const BAD: [u8; 32] = [0xff; 32];
    let inputs = inputs();
    let (key, public_key) = S::key_pair(engine);
    let (mut blinds, blinded) = oprf::blind(engine, S::SUITE, Mode::Voprf, &inputs).unwrap();
    let blinded = elements(&blinded);
    let (evaluated, proof) = oprf::evaluate_with_proof(engine, S::SUITE, &key, &blinded).unwrap();
    let known = oprf::evaluate_inputs(engine, S::SUITE, Mode::Voprf, &key, &inputs).unwrap();
    for (item, bad) in [(0, BAD), (ITEMS - 1, [0; 32])] {
        let good = std::mem::replace(&mut blinds[item], SecretKey::from_bytes(bad));
        let again = oprf::blind_with(engine, S::SUITE, Mode::Voprf, &inputs, &blinds).unwrap();
        for (index, (found, expected)) in again.iter().zip(&blinded).enumerate() {
            let expected = if index == item {
                Err(Rejection::SecretKeyOutOfRange)
            } else {
                Ok(expected)
            };
            assert_eq!(found, expected);
        }
        let mut expected = results(&known);
        expected[item] = Err(Rejection::SecretKeyOutOfRange);
        let outputs = oprf::finalize(engine, S::SUITE, &inputs, &blinds, &evaluated).unwrap();
        assert_eq!(results(&outputs), expected);
        let outputs = oprf::finalize_with_proof(
            engine,
            S::SUITE,
            &inputs,
            &blinds,
            &blinded,
            &evaluated,
            &public_key,
            &proof,
        );
        assert_eq!(results(&outputs.unwrap()), expected);
        blinds[item] = good;
    }
}

#[apply(on_every_engine)]
fn keys_out_of_range_reject_every_item<S: OprfSuite>(engine: &Engine) {
    let inputs = ["a", "b", "c"];
    let (_, blinded) = oprf::blind(engine, S::SUITE, Mode::Oprf, &inputs).unwrap();
    for bytes in [[0; 32], [0xff; 32]] {
        let key = SecretKey::from_bytes(bytes);
        let code = Rejection::SecretKeyOutOfRange.code();
        let evaluated = oprf::evaluate(engine, S::SUITE, &key, &elements(&blinded)).unwrap();
        assert_eq!(evaluated.codes(), [code; 3]);
        let outputs = oprf::evaluate_inputs(engine, S::SUITE, Mode::Oprf, &key, &inputs).unwrap();
        assert_eq!(outputs.codes(), [code; 3]);
        for row in outputs.rows() {
            assert!(row.as_ref().iter().all(|byte| *byte == 0));
        }
    }
}

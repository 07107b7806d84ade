//! The whole protocol with random inputs and keys, against a second implementation.

use super::suites::OprfSuite;
use super::{elements, results};
use crate::declare::{apply, on_every_engine};
use crate::support::random::Random;
use gecc::oprf::{self, Mode, Outputs};
use gecc::{Engine, SecretKey};
use std::collections::HashSet;

const MODES: [(Mode, u8); 2] = [(Mode::Oprf, 0), (Mode::Voprf, 1)];
/// Sizes around those at which engines cut batches.
const SIZES: [usize; 8] = [1, 2, 7, 9, 65, 511, 512, 513];

/// Returns F(key, input), computed by the definition with another implementation.
fn output<S: OprfSuite>(mode: u8, key: &SecretKey, input: &[u8]) -> S::Output {
    let suite = S::NAME.as_bytes();
    let dst = [&b"HashToGroup-OPRFV1-"[..], &[mode], b"-", suite].concat();
    let element = S::product(&dst, key, input);
    let [input_length, element_length] =
        [input, element.as_ref()].map(|part| (part.len() as u16).to_be_bytes());
    S::hash(&[
        &input_length,
        input,
        &element_length,
        element.as_ref(),
        b"Finalize",
    ])
}

/// Runs both parties.
fn run<S: OprfSuite>(
    engine: &Engine,
    mode: Mode,
    key: &SecretKey,
    inputs: &[Vec<u8>],
) -> Outputs<S> {
    let (blinds, blinded) = oprf::blind(engine, S::SUITE, mode, inputs).unwrap();
    let blinded = elements(&blinded);
    if mode == Mode::Oprf {
        let evaluated = oprf::evaluate(engine, S::SUITE, key, &blinded).unwrap();
        return oprf::finalize(engine, S::SUITE, inputs, &blinds, &elements(&evaluated)).unwrap();
    }
    let public = S::public_key(engine, key);
    let (evaluated, proof) = oprf::evaluate_with_proof(engine, S::SUITE, key, &blinded).unwrap();
    oprf::finalize_with_proof(
        engine,
        S::SUITE,
        inputs,
        &blinds,
        &blinded,
        &evaluated,
        &public,
        &proof,
    )
    .unwrap()
}

#[apply(on_every_engine)]
fn outputs_match_reference_for_every_batch_size<S: OprfSuite>(engine: &Engine) {
    let mut random = Random::new();
    let inputs: Vec<Vec<u8>> = (0..SIZES[7]).map(|item| random.vector(item % 90)).collect();
    for (mode, byte) in MODES {
        let (key, _) = S::key_pair(engine);
        let expected: Vec<_> = inputs
            .iter()
            .map(|input| Ok(output::<S>(byte, &key, input)))
            .collect();
        for size in SIZES {
            let inputs = &inputs[..size];
            let known = oprf::evaluate_inputs(engine, S::SUITE, mode, &key, inputs).unwrap();
            assert_eq!(results(&known), expected[..size], "{mode:?} {size}");
            let outputs = run::<S>(engine, mode, &key, inputs);
            assert_eq!(results(&outputs), expected[..size], "{mode:?} {size}");
        }
    }
}

#[apply(on_every_engine)]
fn empty_and_longest_inputs_have_outputs<S: OprfSuite>(engine: &Engine) {
    let mut random = Random::new();
    // Devices leave messages above 16 KiB to the CPU.
    let inputs = [0, 1, 16384, 16385, 65534, 65535].map(|length| random.vector(length));
    for (mode, byte) in MODES {
        let (key, _) = S::key_pair(engine);
        let expected = inputs
            .each_ref()
            .map(|input| Ok(output::<S>(byte, &key, input)));
        assert_eq!(results(&run::<S>(engine, mode, &key, &inputs)), expected);
    }
}

/// Modes, keys and inputs have different outputs, and equal inputs equal ones.
#[apply(on_every_engine)]
fn outputs_depend_on_mode_key_and_input_alone<S: OprfSuite>(engine: &Engine) {
    let inputs = ["a", "b", "a"].map(|input| input.as_bytes().to_vec());
    let mut distinct = HashSet::new();
    for _ in 0..2 {
        let (key, _) = S::key_pair(engine);
        for (mode, _) in MODES {
            let outputs = run::<S>(engine, mode, &key, &inputs);
            assert_eq!(outputs.get(0), outputs.get(2));
            assert_eq!(outputs.rows(), run::<S>(engine, mode, &key, &inputs).rows());
            distinct.extend(outputs.rows().iter().map(|row| row.as_ref().to_vec()));
        }
    }
    assert_eq!(distinct.len(), 8);
}

/// A client's messages do not repeat, even for equal inputs.
#[apply(on_every_engine)]
fn blinds_are_fresh<S: OprfSuite>(engine: &Engine) {
    let inputs = ["a"; 40];
    let mut distinct = HashSet::new();
    for _ in 0..2 {
        let (blinds, blinded) = oprf::blind(engine, S::SUITE, Mode::Oprf, &inputs).unwrap();
        distinct.extend(elements(&blinded).iter().map(|row| row.as_ref().to_vec()));
        let again = oprf::blind_with(engine, S::SUITE, Mode::Oprf, &inputs, &blinds).unwrap();
        assert_eq!(blinded, again);
    }
    assert_eq!(distinct.len(), 80);
}

#[apply(on_every_engine)]
fn derived_keys_depend_on_mode_seed_and_information<S: OprfSuite>(engine: &Engine) {
    let long = vec![1; 65535];
    let mut distinct = HashSet::new();
    for (mode, _) in MODES {
        for seed in [[0; 32], [1; 32]] {
            for info in [&b""[..], b"a", &long] {
                let key = oprf::derive_key(S::SUITE, mode, &seed, info).unwrap();
                let public = oprf::public_key(engine, S::SUITE, &key).unwrap();
                assert_eq!(public, S::public_key(engine, &key));
                distinct.insert(public.as_ref().to_vec());
            }
        }
    }
    assert_eq!(distinct.len(), 12);
}

//! The whole protocol with random inputs and keys, against a second implementation.

use super::{elements, key_pair, results};
use crate::declare::{apply, on_every_engine};
use crate::masking::reference::point_of;
use crate::support::random::Random;
use crate::support::reference::{encode, shared_point};
use gecc::hash_to_curve::Suite;
use gecc::oprf::{self, Mode, Outputs};
use gecc::{Engine, P256, SecretKey};
use sha2::{Digest, Sha256};
use std::collections::HashSet;

const MODES: [(Mode, u8); 2] = [(Mode::Oprf, 0), (Mode::Voprf, 1)];
/// Sizes around those at which engines cut batches.
const SIZES: [usize; 8] = [1, 2, 7, 9, 65, 511, 512, 513];

/// Returns F(key, input), computed by the definition with the RustCrypto crates.
fn output(mode: u8, key: &SecretKey, input: &[u8]) -> [u8; 32] {
    let dst = [&b"HashToGroup-OPRFV1-"[..], &[mode], b"-P256-SHA256"].concat();
    let point = point_of(Suite::P256SswuRo, &dst, input);
    let product = shared_point::<P256>(key.expose_bytes(), point.as_sec1()).unwrap();
    let element = encode::<P256>(&product).to_compressed().unwrap();
    let mut hash = Sha256::new();
    for part in [input, &element] {
        hash.update((part.len() as u16).to_be_bytes());
        hash.update(part);
    }
    hash.chain_update("Finalize").finalize().into()
}

/// Runs both parties.
fn run(engine: &Engine, mode: Mode, key: &SecretKey, inputs: &[Vec<u8>]) -> Outputs {
    let (blinds, blinded) = oprf::blind(engine, mode, inputs).unwrap();
    let blinded = elements(&blinded);
    if mode == Mode::Oprf {
        let evaluated = oprf::evaluate(engine, key, &blinded).unwrap();
        return oprf::finalize(engine, inputs, &blinds, &elements(&evaluated)).unwrap();
    }
    let public = gecc::keys::public_keys(engine, P256, key).unwrap()[0].unwrap();
    let public = public.to_compressed().unwrap();
    let (evaluated, proof) = oprf::evaluate_with_proof(engine, key, &blinded).unwrap();
    oprf::finalize_with_proof(
        engine, inputs, &blinds, &blinded, &evaluated, &public, &proof,
    )
    .unwrap()
}

#[apply(on_every_engine)]
fn outputs_match_reference_for_every_batch_size(engine: &Engine) {
    let mut random = Random::new();
    let inputs: Vec<Vec<u8>> = (0..SIZES[7]).map(|item| random.vector(item % 90)).collect();
    for (mode, byte) in MODES {
        let (key, _) = key_pair(engine);
        let expected: Vec<_> = inputs
            .iter()
            .map(|input| Ok(output(byte, &key, input)))
            .collect();
        for size in SIZES {
            let inputs = &inputs[..size];
            let known = oprf::evaluate_inputs(engine, mode, &key, inputs).unwrap();
            assert_eq!(results(&known), expected[..size], "{mode:?} {size}");
            let outputs = run(engine, mode, &key, inputs);
            assert_eq!(results(&outputs), expected[..size], "{mode:?} {size}");
        }
    }
}

#[apply(on_every_engine)]
fn empty_and_longest_inputs_have_outputs(engine: &Engine) {
    let mut random = Random::new();
    // Devices leave messages above 16 KiB to the CPU.
    let inputs = [0, 1, 16384, 16385, 65534, 65535].map(|length| random.vector(length));
    for (mode, byte) in MODES {
        let (key, _) = key_pair(engine);
        let expected = inputs.each_ref().map(|input| Ok(output(byte, &key, input)));
        assert_eq!(results(&run(engine, mode, &key, &inputs)), expected);
    }
}

/// Modes, keys and inputs have different outputs, and equal inputs equal ones.
#[apply(on_every_engine)]
fn outputs_depend_on_mode_key_and_input_alone(engine: &Engine) {
    let inputs = ["a", "b", "a"].map(|input| input.as_bytes().to_vec());
    let mut distinct = HashSet::new();
    for _ in 0..2 {
        let (key, _) = key_pair(engine);
        for (mode, _) in MODES {
            let outputs = run(engine, mode, &key, &inputs);
            assert_eq!(outputs.get(0), outputs.get(2));
            assert_eq!(outputs.rows(), run(engine, mode, &key, &inputs).rows());
            distinct.extend(outputs.rows().iter().copied());
        }
    }
    assert_eq!(distinct.len(), 8);
}

/// A client's messages do not repeat, even for equal inputs.
#[apply(on_every_engine)]
fn blinds_are_fresh(engine: &Engine) {
    let inputs = ["a"; 40];
    let mut distinct = HashSet::new();
    for _ in 0..2 {
        let (blinds, blinded) = oprf::blind(engine, Mode::Oprf, &inputs).unwrap();
        distinct.extend(elements(&blinded));
        let again = oprf::blind_with(engine, Mode::Oprf, &inputs, &blinds).unwrap();
        assert_eq!(blinded, again);
    }
    assert_eq!(distinct.len(), 80);
}

#[apply(on_every_engine)]
fn derived_keys_depend_on_mode_seed_and_information(engine: &Engine) {
    let long = vec![1; 65535];
    let mut distinct = HashSet::new();
    for (mode, _) in MODES {
        for seed in [[0; 32], [1; 32]] {
            for info in [&b""[..], b"a", &long] {
                let key = oprf::derive_key(mode, &seed, info).unwrap();
                let public = oprf::public_key(engine, &key).unwrap();
                let expected = gecc::keys::public_keys(engine, P256, &key).unwrap()[0].unwrap();
                assert_eq!(Some(public), expected.to_compressed());
                distinct.insert(public);
            }
        }
    }
    assert_eq!(distinct.len(), 12);
}

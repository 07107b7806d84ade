//! Errors of whole calls, and empty batches.

use super::suites::OprfSuite;
use crate::declare::{apply, on_every_engine};
use crate::support::lengths::differs;
use gecc::oprf::{self, Mode, Outputs};
use gecc::{Engine, Error, SecretKey};

const NO_INPUTS: [&str; 0] = [];

#[apply(on_every_engine)]
fn empty_batches_have_no_results<S: OprfSuite>(engine: &Engine) {
    let (key, _) = S::key_pair(engine);
    for mode in [Mode::Oprf, Mode::Voprf] {
        let (blinds, blinded) = oprf::blind(engine, S::SUITE, mode, &NO_INPUTS).unwrap();
        assert!(blinds.is_empty() && blinded.is_empty());
        let blinded = oprf::blind_with(engine, S::SUITE, mode, &NO_INPUTS, &[]).unwrap();
        assert!(blinded.is_empty());
        let outputs = oprf::evaluate_inputs(engine, S::SUITE, mode, &key, &NO_INPUTS).unwrap();
        assert!(outputs.is_empty() && outputs.rows().is_empty() && outputs.codes().is_empty());
    }
    assert!(
        oprf::evaluate(engine, S::SUITE, &key, &[])
            .unwrap()
            .is_empty()
    );
    let outputs = oprf::finalize(engine, S::SUITE, &NO_INPUTS, &[], &[]).unwrap();
    assert!(outputs.is_empty() && outputs.iter().len() == 0);
}

#[apply(on_every_engine)]
fn lists_of_different_lengths_are_errors<S: OprfSuite>(engine: &Engine) {
    let (key, public_key) = S::key_pair(engine);
    let inputs = ["a", "b"];
    let two_blinds = [key.clone(), key.clone()];
    let two = [public_key; 2];
    let proof = [0; 64];
    for found in [0, 1, 3] {
        let blinds = vec![key.clone(); found];
        let elements: Vec<S::Element> = vec![public_key; found];
        differs(
            oprf::blind_with(engine, S::SUITE, Mode::Oprf, &inputs, &blinds),
            ("blinds", 2, found),
        );
        differs(
            oprf::finalize(engine, S::SUITE, &inputs, &blinds, &two),
            ("blinds", 2, found),
        );
        differs(
            oprf::finalize(engine, S::SUITE, &inputs, &two_blinds, &elements),
            ("evaluated elements", 2, found),
        );
        differs(
            oprf::verify_proof(engine, S::SUITE, &public_key, &two, &elements, &proof),
            ("evaluated elements", 2, found),
        );
        let finalize = |blinds: &[SecretKey], blinded: &[S::Element], evaluated: &[S::Element]| {
            oprf::finalize_with_proof(
                engine,
                S::SUITE,
                &inputs,
                blinds,
                blinded,
                evaluated,
                &public_key,
                &proof,
            )
        };
        differs(finalize(&blinds, &two, &two), ("blinds", 2, found));
        differs(
            finalize(&two_blinds, &two, &elements),
            ("evaluated elements", 2, found),
        );
        // The other list is compared with this one.
        differs(
            finalize(&two_blinds, &elements, &two),
            ("evaluated elements", found, 2),
        );
    }
}

#[apply(on_every_engine)]
fn too_long_inputs_are_errors<S: OprfSuite>(engine: &Engine) {
    #[track_caller]
    fn is_too_long<T>(result: Result<T, Error>, list: &str) {
        match result.map(drop) {
            Err(Error::InputTooLong { what, bytes }) => assert_eq!((what, bytes), (list, 65536)),
            other => panic!("{other:?}"),
        }
    }
    let (key, public_key) = S::key_pair(engine);
    let inputs = [vec![0; 65535], vec![0; 65536]];
    let blinds = [key.clone(), key.clone()];
    let two = [public_key; 2];
    for mode in [Mode::Oprf, Mode::Voprf] {
        is_too_long(oprf::blind(engine, S::SUITE, mode, &inputs), "input");
        is_too_long(
            oprf::blind_with(engine, S::SUITE, mode, &inputs, &blinds),
            "input",
        );
        is_too_long(
            oprf::evaluate_inputs(engine, S::SUITE, mode, &key, &inputs),
            "input",
        );
        is_too_long(
            oprf::derive_key(S::SUITE, mode, &[1; 32], &inputs[1]),
            "information",
        );
    }
    is_too_long(
        oprf::finalize(engine, S::SUITE, &inputs, &blinds, &two),
        "input",
    );
    is_too_long(
        oprf::finalize_with_proof(
            engine,
            S::SUITE,
            &inputs,
            &blinds,
            &two,
            &two,
            &public_key,
            &[0; 64],
        ),
        "input",
    );
}

#[apply(on_every_engine)]
fn outputs_are_not_shown<S: OprfSuite>(engine: &Engine) {
    let (key, _) = S::key_pair(engine);
    let outputs: Outputs<S> =
        oprf::evaluate_inputs(engine, S::SUITE, Mode::Oprf, &key, &["a"]).unwrap();
    assert_eq!(format!("{outputs:?}"), "Outputs { items: 1, .. }");
}

//! The list of self-tests that devices run.

use crate::curve::CurveId;
use crate::gpu::SelfTest;
use crate::ops::{
    ecdh, hash, hash_to_curve, keys, mask, modular, point, ristretto255, silent_payments, tweak,
    x25519,
};
use crate::schemes::ecdsa::recover::RecoveredForm;
use crate::schemes::{SCHEMES, bip340, common, ecdsa, ed25519, sm2};
use crate::types::Check;
use std::collections::HashSet;

/// Returns all self-tests, each once.
pub fn all() -> Vec<SelfTest> {
    let mut all = hash::known_answers::all();
    all.extend(hash_to_curve::known_answers::all());
    all.extend(modular::known_answers::all());
    all.extend(sm2::known_answers::of_digests());
    all.extend(bip340::known_answers::all());
    all.extend(ed25519::known_answers::of_verification(true, true));
    all.extend(ed25519::known_answers::of_signing(true, true));
    all.push(ed25519::known_answers::PUBLIC_KEYS);
    all.push(x25519::known_answers::X25519);
    all.extend(ristretto255::known_answers::all());
    all.extend(tweak::known_answers::all());
    all.extend(silent_payments::known_answers::all());
    for &curve in CurveId::ALL {
        all.extend(of_curve(curve));
    }
    let mut seen = HashSet::new();
    all.retain(|test| seen.insert((test.operation, test.on)));
    all
}

fn of_curve(curve: CurveId) -> Vec<SelfTest> {
    let mut tests = point::known_answers::all(curve);
    tests.extend([
        keys::known_answers::public_keys(curve),
        ecdh::known_answers::agreement(curve),
        mask::known_answers::of(curve),
    ]);
    for scheme in SCHEMES.iter().filter(|scheme| scheme.is_on(curve)) {
        tests.extend(common::known_answers::of_verification(
            scheme, curve, true, true,
        ));
        for with_data in [false, true] {
            tests.extend(common::known_answers::of_signing(
                scheme,
                curve,
                Check::Nothing,
                with_data,
                true,
            ));
        }
        if scheme.has_recovery {
            for form in [RecoveredForm::Keys, RecoveredForm::Addresses] {
                tests.push(ecdsa::known_answers::recovery(curve, form));
                tests.push(ecdsa::known_answers::recovery_with_candidates(curve, form));
            }
        }
    }
    tests
}

//! The cases that all interfaces share (`tests/cases`): the library and the reference agree with
//! the file.

use crate::cases::{Case, SIGNATURES, groups};
use crate::declare::{apply, on_every_engine};
use crate::support::each::each_ecdsa_curve;
use crate::support::reference::{EcdsaReference, sm2_dsa};
use gecc::call::Operation;
use gecc::ecdsa::{Policy, SForm};
use gecc::fields::{ReadSignature, SignatureForm, SignatureProblem};
use gecc::{Curve, CurveId, Engine, PublicKeys, Rejection, SecretKey, Sm2, Verdict, ecdsa, sm2};

/// Codes from here on are of signatures that cannot be read.
const UNREADABLE: u8 = 64;

fn array<const W: usize>(bytes: &[u8]) -> [u8; W] {
    bytes.try_into().expect("a field of W bytes")
}

fn curve(name: &str) -> CurveId {
    name.parse().expect("the name of a curve")
}

/// Decodes the signature of a case, if it can be read.
fn read(case: &Case) -> Option<ReadSignature> {
    let form: SignatureForm = case.form.parse().expect("the name of a form");
    let verify = Operation::verify(curve(&case.curve), Policy::default());
    let reader = verify.signature_reader(form).expect("a form of the curve");
    match reader.read(&case.signature) {
        Ok(read) => Some(read),
        Err(SignatureProblem::Rejected(rejection)) => {
            assert_eq!(case.reason, Some(rejection.code()), "{}", case.name);
            None
        }
        Err(problem) => {
            let is_expected = case.reason.is_some_and(|reason| reason >= UNREADABLE);
            assert!(is_expected, "{}: {problem}", case.name);
            None
        }
    }
}

fn code(result: Result<(), Rejection>) -> Option<u8> {
    result.err().map(Rejection::code)
}

#[apply(on_every_engine)]
fn shared_signatures_have_their_verdicts(engine: &Engine) {
    for (curve_name, _, cases) in groups(&SIGNATURES.verify) {
        let (cases, read): (Vec<&Case>, Vec<ReadSignature>) = cases
            .into_iter()
            .filter_map(|case| Some((case, read(case)?)))
            .unzip();
        let digests: Vec<[u8; 32]> = cases.iter().map(|case| array(&case.digest)).collect();
        let signatures: Vec<[u8; 64]> = read.iter().map(|read| read.signature).collect();
        let keys: Vec<&[u8]> = cases.iter().map(|case| &case.public_key[..]).collect();
        let keys = PublicKeys::sec1(&keys);
        let verdicts = match curve(curve_name) {
            CurveId::Sm2 => sm2::verify(engine, &digests, &signatures, keys),
            curve => ecdsa::verify(
                engine,
                curve,
                &digests,
                &signatures,
                keys,
                Policy::default(),
            ),
        };
        for (case, verdict) in cases.iter().zip(verdicts.unwrap()) {
            let found = match verdict {
                Verdict::Valid => None,
                Verdict::Rejected(rejection) => Some(rejection.code()),
            };
            assert_eq!(found, case.reason, "{curve_name}, {}", case.name);
        }
        for (case, read) in cases.iter().zip(&read) {
            let valid = reference_verifies(case, &read.signature);
            assert_eq!(valid, case.reason.is_none(), "{curve_name}, {}", case.name);
        }
    }
}

fn reference_verifies(case: &Case, signature: &[u8; 64]) -> bool {
    let digest = array(&case.digest);
    if case.curve == Sm2::NAME {
        return sm2_dsa::verifies(&digest, signature, &case.public_key);
    }
    let mut verdict = None;
    each_ecdsa_curve!(verify_on(&mut verdict, case, signature));
    verdict.expect("a curve of ECDSA")
}

fn verify_on<C: EcdsaReference>(verdict: &mut Option<bool>, case: &Case, signature: &[u8; 64]) {
    if case.curve == C::NAME {
        *verdict = Some(C::verifies(
            &array(&case.digest),
            signature,
            &case.public_key,
        ));
    }
}

#[apply(on_every_engine)]
fn shared_signatures_recover_their_keys(engine: &Engine) {
    for (curve_name, _, cases) in groups(&SIGNATURES.recover) {
        for case in cases {
            let Some(read) = read(case) else { continue };
            let id = read.recovery_id.or(case.recovery_id).expect("an id");
            let found = ecdsa::recover(
                engine,
                curve(curve_name),
                &[array(&case.digest)],
                &[read.signature],
                &[id],
            );
            let found = found.unwrap()[0];
            assert_eq!(code(found.map(|_| ())), case.reason, "{}", case.name);
            if let Ok(key) = found {
                assert_eq!(key.as_sec1(), case.public_key, "{}", case.name);
            }
        }
    }
}

#[apply(on_every_engine)]
fn shared_keys_sign_as_stated(engine: &Engine) {
    for case in &SIGNATURES.sign {
        let key = SecretKey::from_bytes(array(&case.secret_key));
        let digests = [array(&case.digest)];
        let found = match curve(&case.curve) {
            CurveId::Sm2 => {
                sm2::sign(engine, &digests, &key).unwrap()[0].map(|signed| (signed, None))
            }
            curve => {
                let signed =
                    ecdsa::sign_recoverable(engine, curve, &digests, &key, SForm::default());
                signed.unwrap()[0].map(|signed| (signed.signature, Some(signed.recovery_id)))
            }
        };
        assert_eq!(code(found.map(|_| ())), case.reason, "{}", case.name);
        if let Ok((signature, id)) = found {
            assert_eq!(
                (&signature[..], id),
                (&case.signature[..], case.recovery_id)
            );
        }
    }
}

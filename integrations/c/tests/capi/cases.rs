//! The cases that all interfaces share (`tests/cases` of the library).

use super::{Handle, NO_DATA, cpu, expect_ok, keys, rows, strings};
use crate::capi::choices::GeccCurve;
use crate::capi::der::gecc_signatures_read;
use crate::capi::ecdsa::{gecc_ecdsa_recover, gecc_ecdsa_sign, gecc_ecdsa_verify};
use crate::capi::sm2::{gecc_sm2_sign, gecc_sm2_verify};
use crate::shared_cases::{Case, SIGNATURES};
use gecc::Rejection;
use gecc::fields::SignatureForm;

const VALID: u8 = 1;
/// The id of a signature without one.
const NO_ID: u8 = 255;
/// Codes from here on are of signatures that cannot be read, which C reports as malformed.
const UNREADABLE: u8 = 64;

fn array<const W: usize>(bytes: &[u8]) -> [u8; W] {
    bytes.try_into().expect("a field of W bytes")
}

fn curve(case: &Case) -> i32 {
    let curve = match &case.curve[..] {
        "secp256k1" => GeccCurve::Secp256k1,
        "p256" => GeccCurve::P256,
        "brainpoolp256r1" => GeccCurve::BrainpoolP256r1,
        "sm2" => GeccCurve::Sm2,
        other => panic!("{other} has no number"),
    };
    curve as i32
}

fn is_sm2(case: &Case) -> bool {
    curve(case) == GeccCurve::Sm2 as i32
}

fn expected(case: &Case) -> u8 {
    match case.reason {
        None => VALID,
        Some(UNREADABLE..) => Rejection::MalformedSignature.code(),
        Some(code) => code,
    }
}

/// Decodes the signature of a case: r and s, the id, and the code.
fn read(case: &Case) -> ([u8; 64], u8, u8) {
    let form: SignatureForm = case.form.parse().expect("the name of a form");
    let form = SignatureForm::ALL.iter().position(|known| *known == form);
    let texts = strings([&case.signature[..]]);
    let mut signature = [[7; 64]];
    let mut id = 7;
    let mut code = 7;
    expect_ok(unsafe {
        gecc_signatures_read(
            form.expect("all forms are listed") as i32,
            1,
            texts.as_ptr(),
            signature.as_mut_ptr().cast(),
            &mut id,
            &mut code,
        )
    });
    (signature[0], id, code)
}

fn verify<const W: usize>(engine: &Handle, case: &Case, signature: [u8; 64]) -> u8 {
    let digest = [array::<32>(&case.digest)];
    let signature = [signature];
    let key = [array::<W>(&case.public_key)];
    let mut code = 0;
    let (digest, signature, key) = (rows(&digest), rows(&signature), keys(&key));
    expect_ok(unsafe {
        if is_sm2(case) {
            gecc_sm2_verify(engine.0, 1, digest, signature, key, &mut code)
        } else {
            gecc_ecdsa_verify(
                engine.0,
                curve(case),
                1,
                digest,
                signature,
                key,
                0,
                &mut code,
            )
        }
    });
    code
}

pub fn shared_signatures_have_their_verdicts() {
    let engine = cpu();
    for case in &SIGNATURES.verify {
        // Signatures are read without their scheme, so that SM2 has a v, too.
        if is_sm2(case) && case.signature.len() == 65 {
            continue;
        }
        let (signature, _, code) = read(case);
        let found = match case.public_key.len() {
            _ if code != VALID => code,
            33 => verify::<33>(&engine, case, signature),
            65 => verify::<65>(&engine, case, signature),
            // Keys of other lengths have no place in rows.
            _ => continue,
        };
        assert_eq!(found, expected(case), "{}, {}", case.curve, case.name);
    }
}

pub fn shared_signatures_recover_their_keys() {
    let engine = cpu();
    for case in &SIGNATURES.recover {
        let (signature, id, mut code) = read(case);
        let mut key = [[0; 64]];
        if code == VALID {
            let id = if id == NO_ID {
                case.recovery_id.expect("an id")
            } else {
                id
            };
            let (digest, signature, id) = ([array::<32>(&case.digest)], [signature], [[id]]);
            expect_ok(unsafe {
                gecc_ecdsa_recover(
                    engine.0,
                    curve(case),
                    1,
                    rows(&digest),
                    rows(&signature),
                    rows(&id),
                    key.as_mut_ptr().cast(),
                    &mut code,
                )
            });
        }
        assert_eq!(code, expected(case), "{}, {}", case.curve, case.name);
        if code == VALID {
            assert_eq!(
                key[0],
                case.public_key[1..],
                "{}, {}",
                case.curve,
                case.name
            );
        }
    }
}

pub fn shared_keys_sign_as_stated() {
    let engine = cpu();
    for case in &SIGNATURES.sign {
        let digest = [array::<32>(&case.digest)];
        let key = [array::<32>(&case.secret_key)];
        let (digest, key) = (rows(&digest), rows(&key));
        let mut signature = [0; 64];
        let mut code = 0;
        let to = signature.as_mut_ptr();
        expect_ok(unsafe {
            if is_sm2(case) {
                gecc_sm2_sign(engine.0, 1, digest, key, NO_DATA, to, &mut code)
            } else {
                gecc_ecdsa_sign(
                    engine.0,
                    curve(case),
                    1,
                    digest,
                    key,
                    NO_DATA,
                    0,
                    to,
                    &mut code,
                )
            }
        });
        assert_eq!(code, expected(case), "{}, {}", case.curve, case.name);
        if code == VALID {
            assert_eq!(
                signature[..],
                case.signature,
                "{}, {}",
                case.curve,
                case.name
            );
        }
    }
}

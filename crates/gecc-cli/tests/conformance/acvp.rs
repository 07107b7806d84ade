//! NIST's ACVP, FIPS 186-5: samples of its server's generator for P-256 and Ed25519.

use crate::ENGINE;
use crate::command::answers;
use crate::report::Row;
use crate::signatures::{self, Signature, has_public_key};
use crate::vectors::{bytes, json, list, number, text, uncompressed};
use gecc::ed25519::{Rule, Variant};
use gecc::{CurveId, PublicKeys, Rejection, SecretKey, ecdh, ed25519};
use serde_json::{Value, json};

pub fn rows() -> Vec<Row> {
    vec![
        key_generation(),
        key_verification(),
        signatures("ECDSA-SigGen-FIPS186-5"),
        signatures("ECDSA-SigVer-FIPS186-5"),
        signatures("DetECDSA-SigGen-FIPS186-5"),
        edwards_key_generation(),
        edwards_key_verification(),
        edwards_signing(),
        edwards_verification(),
    ]
}

/// A case with its group.
type Case = (Value, Value);

fn cases(name: &str) -> (Vec<Case>, Row) {
    let file = json(&format!("acvp/{name}.json.gz"));
    let cases: Vec<Case> = list(&file)
        .iter()
        .flat_map(|group| {
            let tests = list(&group["tests"]).iter();
            tests.map(move |test| (group.clone(), test.clone()))
        })
        .collect();
    let row = Row::new(name, cases.len());
    (cases, row)
}

fn described(case: &Value) -> String {
    format!("{} {}", case["tcId"], case["reason"])
}

fn key_generation() -> Row {
    let (cases, mut row) = cases("ECDSA-KeyGen-FIPS186-5");
    row.note("the public keys of private ones");
    for (_, case) in &cases {
        let public = uncompressed(&bytes(&case["qx"]), &bytes(&case["qy"]));
        let secret = number(&bytes(&case["d"])).expect("below 2^256");
        let passed = public.is_some_and(|public| has_public_key(CurveId::P256, secret, &public));
        row.library(passed, || described(case));
    }
    row
}

/// The shared secret of a valid key and the number 1 is its x-coordinate.
fn key_verification() -> Row {
    let (cases, mut row) = cases("ECDSA-KeyVer-FIPS186-5");
    let one = number(&[1]).expect("small");
    for (_, case) in &cases {
        let x = bytes(&case["qx"]);
        let key = uncompressed(&x, &bytes(&case["qy"])).unwrap_or_default();
        let shared = ecdh::shared_secrets(
            &ENGINE,
            CurveId::P256,
            &[SecretKey::from_bytes(one)],
            PublicKeys::sec1(&[&key]),
        );
        let shared = &shared.expect("the CPU computes")[0];
        let is_valid = shared
            .as_ref()
            .is_ok_and(|shared| Some(*shared.expose_bytes()) == number(&x));
        row.library(case["testPassed"] == is_valid, || described(case));
    }
    let lines: Vec<Value> = cases
        .iter()
        .map(|(_, case)| {
            let key = uncompressed(&bytes(&case["qx"]), &bytes(&case["qy"])).unwrap_or_default();
            json!({"public_key": hex::encode(key), "secret_key": hex::encode(one)})
        })
        .collect();
    let found = answers(&["ecdh", "--curve", "p256"], &lines);
    for ((_, case), answer) in cases.iter().zip(found) {
        let is_valid = answer.get("shared_secret").is_some();
        row.command(case["testPassed"] == is_valid, || described(case));
    }
    row
}

fn signatures(name: &str) -> Row {
    let (cases, mut row) = cases(name);
    let is_deterministic = name.starts_with("Det");
    let (plain, randomized): (Vec<Case>, Vec<Case>) = cases
        .into_iter()
        .partition(|(group, _)| group.get("conformance").is_none());
    for _ in &randomized {
        row.leave_out("messages are randomized before they are hashed (SP 800-106)");
    }
    let signatures: Vec<Signature> = plain
        .iter()
        .map(|(group, case)| {
            // Keys are in the cases where they are verified, and in the groups where they sign.
            let field = |name: &str| {
                let value = case.get(name).or(group.get(name));
                bytes(value.unwrap_or_else(|| panic!("{name} is missing")))
            };
            let secret = group
                .get("d")
                .map(|d| number(&bytes(d)).expect("below 2^256"));
            let hash = text(&group["hashAlg"]);
            Signature {
                name: described(case),
                is_signed_alike: is_deterministic && hash == "SHA2-256",
                hash: hash.to_owned(),
                message: field("message"),
                x: field("qx"),
                y: field("qy"),
                r: field("r"),
                s: field("s"),
                is_valid: case.get("testPassed").is_none_or(|passed| *passed == true),
                secret,
            }
        })
        .collect();
    signatures::count(&mut row, CurveId::P256, &signatures);
    let again = signatures
        .iter()
        .filter(|case| case.is_signed_alike)
        .count();
    if is_deterministic {
        row.note(format!(
            "{again} are signed again with the same bits; the others, whose nonces are by HMAC with \
             another hash than SHA-256, are verified"
        ));
    } else if signatures[0].secret.is_some() {
        row.note("verified, and the key derived: a nonce is no input");
    }
    row
}

fn edwards_key_generation() -> Row {
    let (cases, mut row) = cases("EDDSA-KeyGen-1.0");
    for (_, case) in &cases {
        let seed = number(&bytes(&case["d"])).expect("32 bytes");
        let public = ed25519::public_keys(&ENGINE, &[SecretKey::from_bytes(seed)]);
        let is_same = public.expect("the CPU computes")[0][..] == bytes(&case["q"]);
        row.library(is_same, || described(case));
    }
    row
}

/// A key that is a point gets as far as the equation, which does not hold.
fn edwards_key_verification() -> Row {
    let (cases, mut row) = cases("EDDSA-KeyVer-1.0");
    for (_, case) in &cases {
        let key: [u8; 32] = bytes(&case["q"]).try_into().expect("32 bytes");
        let mut signature = [0; 64];
        signature[0] = 1;
        let verdicts = ed25519::verify(
            &ENGINE,
            &[b""],
            &[signature],
            PublicKeys::ed25519(&[key]),
            Variant::PURE,
            Rule::Rfc8032,
        );
        let rejected = verdicts.expect("the CPU computes").rejected().next();
        let is_point = rejected.map(|(_, why)| why) == Some(Rejection::Mismatch);
        row.library(case["testPassed"] == is_point, || {
            format!("{}: {rejected:?}", described(case))
        });
    }
    row
}

/// Returns the variant of a case. Contexts are those of Ed25519ph; without it they are empty.
fn variant(group: &Value, case: &Value) -> Variant {
    let context = case.get("context").map(bytes).unwrap_or_default();
    if group["preHash"] == true {
        Variant::prehashed(&context).expect("at most 255 bytes")
    } else {
        assert!(context.is_empty());
        Variant::PURE
    }
}

fn edwards_signing() -> Row {
    let (cases, mut row) = cases("EDDSA-SigGen-1.0");
    for (group, case) in &cases {
        let seed = SecretKey::from_bytes(number(&bytes(&group["d"])).expect("32 bytes"));
        let message = bytes(&case["message"]);
        let signed = ed25519::sign(&ENGINE, &[message], &seed, variant(group, case));
        let expected: [u8; 64] = bytes(&case["signature"]).try_into().expect("64 bytes");
        let is_same = signed.expect("the CPU computes")[0] == Ok(expected);
        row.library(is_same, || described(case));
    }
    row
}

fn edwards_verification() -> Row {
    let (cases, mut row) = cases("EDDSA-SigVer-1.0");
    for (group, case) in &cases {
        let key: [u8; 32] = bytes(&case["q"]).try_into().expect("32 bytes");
        let signature: [u8; 64] = bytes(&case["signature"]).try_into().expect("64 bytes");
        let message = bytes(&case["message"]);
        let verdicts = ed25519::verify(
            &ENGINE,
            &[&message],
            &[signature],
            PublicKeys::ed25519(&[key]),
            variant(group, case),
            Rule::Rfc8032,
        );
        let is_valid = verdicts.expect("the CPU computes").all_valid();
        row.library(case["testPassed"] == is_valid, || described(case));
    }
    for is_prehashed in [false, true] {
        let selected: Vec<&Value> = cases
            .iter()
            .filter(|(group, _)| group["preHash"] == is_prehashed)
            .map(|(_, case)| case)
            .collect();
        let lines: Vec<Value> = selected
            .iter()
            .map(|case| {
                json!({
                    "message": case["message"],
                    "signature": case["signature"],
                    "public_key": case["q"],
                })
            })
            .collect();
        let mut arguments = vec!["verify", "--scheme", "ed25519", "--rule", "rfc8032"];
        if is_prehashed {
            arguments.push("--prehashed");
        }
        for (case, answer) in selected.iter().zip(answers(&arguments, &lines)) {
            row.command(case["testPassed"] == answer["valid"], || described(case));
        }
    }
    row
}

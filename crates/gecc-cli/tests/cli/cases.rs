//! The cases that all interfaces share (`tests/cases` of the library), as JSON Lines.

use crate::shared_cases::{Case, SIGNATURES, groups};
use crate::support::{answers, run, stderr};
use gecc::Rejection;
use serde_json::{Value, json};

/// Returns the answer to each case.
fn answers_of(arguments: &[&str], cases: &[&Case], item: impl Fn(&Case) -> Value) -> Vec<Value> {
    let lines: Vec<String> = cases.iter().map(|case| item(case).to_string()).collect();
    let output = run(arguments, lines.join("\n"));
    let found = answers(&output);
    assert_eq!(found.len(), cases.len(), "{}", stderr(&output));
    found
}

/// Requires the reason of a rejected item, or that its signature cannot be read.
fn require_reason(case: &Case, answer: &Value, field: &str) {
    let found = answer[field].as_str().unwrap_or_default();
    let expected = case.reason.expect("the case is rejected");
    let is_expected = match Rejection::from_code(expected) {
        Some(rejection) => found == rejection.to_string(),
        None => found.starts_with("`signature` "),
    };
    assert!(is_expected, "{}, {}: {answer}", case.curve, case.name);
}

#[test]
fn shared_signatures_have_their_verdicts() {
    for (curve, form, cases) in groups(&SIGNATURES.verify) {
        let arguments = ["verify", "--curve", curve, "--signature-form", form];
        let found = answers_of(&arguments, &cases, |case| {
            json!({
                "digest": hex::encode(&case.digest),
                "signature": hex::encode(&case.signature),
                "public_key": hex::encode(&case.public_key),
            })
        });
        for (case, answer) in cases.iter().zip(&found) {
            assert_eq!(
                answer["valid"],
                case.reason.is_none(),
                "{curve}, {}: {answer}",
                case.name
            );
            if case.reason.is_some() {
                require_reason(case, answer, "reason");
            }
        }
    }
}

#[test]
fn shared_signatures_recover_their_keys() {
    for (curve, form, cases) in groups(&SIGNATURES.recover) {
        let arguments = ["recover", "--curve", curve, "--signature-form", form];
        let found = answers_of(&arguments, &cases, |case| {
            let mut item = json!({
                "digest": hex::encode(&case.digest),
                "signature": hex::encode(&case.signature),
            });
            if let Some(id) = case.recovery_id {
                item["recovery_id"] = json!(id);
            }
            item
        });
        for (case, answer) in cases.iter().zip(&found) {
            if case.reason.is_some() {
                require_reason(case, answer, "error");
            } else {
                let key = hex::encode(&case.public_key);
                assert_eq!(
                    answer["public_key"], key,
                    "{curve}, {}: {answer}",
                    case.name
                );
            }
        }
    }
}

#[test]
fn shared_keys_sign_as_stated() {
    for (curve, _, cases) in groups(&SIGNATURES.sign) {
        let found = answers_of(&["sign", "--curve", curve], &cases, |case| {
            json!({
                "digest": hex::encode(&case.digest),
                "secret_key": hex::encode(&case.secret_key),
            })
        });
        for (case, answer) in cases.iter().zip(&found) {
            if case.reason.is_some() {
                require_reason(case, answer, "error");
            } else {
                let signature = hex::encode(&case.signature);
                assert_eq!(
                    answer["signature"], signature,
                    "{curve}, {}: {answer}",
                    case.name
                );
            }
        }
    }
}

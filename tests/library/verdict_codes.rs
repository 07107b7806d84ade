//! Verdicts as numbers and as text.

use crate::harness::{Test, test};
use gecc::Verdict;
use std::collections::HashSet;

include!(concat!(env!("OUT_DIR"), "/test_codes.rs"));

/// The names of verdicts, starting at number 2.
const NAMES: &[&str] = &[
    "MalformedSignature",
    "ROutOfRange",
    "SOutOfRange",
    "HighS",
    "ZeroT",
    "MalformedPoint",
    "NotOnCurve",
    "IdentityKey",
    "IdentityResult",
    "Mismatch",
    "RecoveryIdOutOfRange",
    "NoSuchR",
    "ScalarOutOfRange",
    "SecretKeyOutOfRange",
    "UserIdTooLong",
    "ValueOutOfRange",
    "FaultySignature",
    "SmallOrderKey",
    "SmallOrderR",
];

pub fn tests() -> Vec<Test> {
    vec![test("verdicts::codes", None, codes)]
}

/// The numbers are stable: other programs store them. None is 0, the content of unwritten memory,
/// or that of "valid".
fn codes() {
    let codes: Vec<_> = REJECTIONS
        .iter()
        .map(|reason| (reason.code(), format!("{reason:?}")))
        .collect();
    assert!(
        codes
            .iter()
            .map(|(code, name)| (*code, name.as_str()))
            .eq((2..).zip(NAMES.iter().copied())),
        "{codes:?}"
    );
    assert_eq!((Verdict::Valid.code(), Verdict::VALID_CODE), (1, 1));
    let texts: HashSet<String> = REJECTIONS
        .iter()
        .map(|&reason| Verdict::Rejected(reason).to_string())
        .collect();
    assert_eq!(texts.len(), REJECTIONS.len());
    assert!(
        REJECTIONS
            .iter()
            .all(|&reason| !Verdict::Rejected(reason).is_valid())
    );
}

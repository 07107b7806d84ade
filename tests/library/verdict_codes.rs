//! Verdicts as numbers and as text, and the codes that the device code shares with the library.

use crate::harness::{Test, test};
use gecc::{Rejection, Verdict};
use std::collections::HashSet;

#[path = "../../src/gpu/codes.rs"]
mod codes;

use codes::{PENDING, PointKind, TagSet};

const DEVICE_CODES: &str = include_str!("../../cuda/codes.cuh");

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
    vec![
        test("verdicts::codes", None, stable_codes),
        test("verdicts::device_codes", None, device_codes),
    ]
}

/// Returns every rejection, by its number.
fn rejections() -> Vec<Rejection> {
    (0..=u8::MAX).filter_map(Rejection::from_code).collect()
}

/// Returns the names and numbers of an enum of the device code.
fn device_enum(name: &str) -> Vec<(u32, String)> {
    let start = format!("enum {name} : ");
    let (_, values) = DEVICE_CODES.split_once(&start).expect("codes.cuh has it");
    let lines = values.lines().skip(1).take_while(|line| *line != "};");
    lines
        .map(|line| {
            let value = line.trim().strip_prefix('k').expect("names begin with k");
            let (name, number) = value.split_once(" = ").expect("each has a number");
            let (number, _) = number.split_once(',').expect("a comma follows");
            (number.parse().expect("a number"), name.to_owned())
        })
        .collect()
}

/// Returns the names and numbers of codes.
fn named<T: std::fmt::Debug>(codes: impl IntoIterator<Item = (u8, T)>) -> Vec<(u32, String)> {
    let codes = codes.into_iter();
    codes
        .map(|(code, value)| (u32::from(code), format!("{value:?}")))
        .collect()
}

/// Numbers and names are the same in Rust and in device code.
fn device_codes() {
    let mut verdicts = vec![
        (u32::from(PENDING), "Pending".to_owned()),
        (u32::from(Verdict::VALID_CODE), "Valid".to_owned()),
    ];
    verdicts.extend(named(rejections().into_iter().map(|it| (it.code(), it))));
    assert_eq!(device_enum("Verdict"), verdicts);
    let kinds = (0..=u8::MAX).filter_map(PointKind::from_code);
    assert_eq!(
        device_enum("PointKind"),
        named(kinds.map(|kind| (kind as u8, kind)))
    );
    let tags = [
        (TagSet::IDENTITY_TAG, "IdentityTag"),
        (TagSet::COMPRESSED_TAG, "CompressedTag"),
        (TagSet::UNCOMPRESSED_TAG, "UncompressedTag"),
    ];
    assert_eq!(
        device_enum("TagSet"),
        tags.map(|(number, name)| (number, name.to_owned()))
    );
}

/// The numbers are stable: other programs store them. None is 0, the content of unwritten memory,
/// or that of "valid".
fn stable_codes() {
    let rejections = rejections();
    let codes: Vec<_> = rejections
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
    let texts: HashSet<String> = rejections
        .iter()
        .map(|&reason| Verdict::Rejected(reason).to_string())
        .collect();
    assert_eq!(texts.len(), rejections.len());
    assert!(
        rejections
            .iter()
            .all(|&reason| !Verdict::Rejected(reason).is_valid())
    );
}

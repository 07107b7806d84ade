//! `gecc mask` and `gecc unmask`.

use crate::support::{TemporaryFile, answers, code, run, stderr};
use gecc::hash_to_curve::Suite;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct RfcFile {
    ciphersuite: String,
    dst: String,
    vectors: Vec<RfcVector>,
}

#[derive(Deserialize)]
#[allow(non_snake_case, reason = "the names of the RFC")]
struct RfcVector {
    P: RfcPoint,
    msg: String,
}

#[derive(Deserialize)]
struct RfcPoint {
    x: String,
    y: String,
}

/// With the secret number 1, a masked point is the point itself.
#[test]
fn vectors_of_rfc_9380_are_masked_with_1() {
    let key = TemporaryFile::new("one.key", format!("{}1", "0".repeat(63)));
    for text in [
        include_str!("../../../../tests/vectors/rfc9380/P256_XMD-SHA-256_SSWU_RO_.json"),
        include_str!("../../../../tests/vectors/rfc9380/P256_XMD-SHA-256_SSWU_NU_.json"),
        include_str!("../../../../tests/vectors/rfc9380/secp256k1_XMD-SHA-256_SSWU_RO_.json"),
        include_str!("../../../../tests/vectors/rfc9380/secp256k1_XMD-SHA-256_SSWU_NU_.json"),
    ] {
        let file: RfcFile = serde_json::from_str(text).unwrap();
        let items: Vec<String> = file
            .vectors
            .iter()
            .map(|vector| json!({ "message": vector.msg }).to_string())
            .collect();
        let masked = run(
            &[
                "mask",
                "--suite",
                &file.ciphersuite,
                "--dst",
                &file.dst,
                "--key-file",
                key.path(),
                "--text-messages",
                "--form",
                "raw",
            ],
            items.join("\n"),
        );
        let expected: Vec<_> = file
            .vectors
            .iter()
            .map(|vector| {
                let point = format!("{}{}", vector.P.x, vector.P.y).replace("0x", "");
                json!({ "masked": point })
            })
            .collect();
        assert_eq!(answers(&masked), expected, "{}", file.ciphersuite);
    }
}

#[derive(Deserialize)]
struct Group {
    suite: String,
    dst: String,
    key: String,
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    message: String,
    masked: String,
}

fn groups() -> Vec<Group> {
    let text = include_str!("../../../../tests/vectors/hash_to_curve.json");
    serde_json::from_str(text).unwrap()
}

/// Returns the lines of a CSV file with one column.
fn column<'a>(name: &str, rows: impl Iterator<Item = &'a str>) -> String {
    let quoted = rows.map(|row| format!("\"{row}\"\n"));
    format!("{name}\n{}", quoted.collect::<String>())
}

#[test]
fn vectors_of_every_suite_are_masked() {
    for group in groups() {
        let key = TemporaryFile::new("masks.key", &group.key);
        let dst = String::from_utf8(hex::decode(&group.dst).unwrap()).unwrap();
        let tag = if dst.is_empty() {
            Vec::new()
        } else {
            vec!["--dst", &dst]
        };
        let mask = ["mask", "--suite", &group.suite, "--key-file", key.path()];
        let items = column("message", group.items.iter().map(|item| &*item.message));
        let masked = answers(&run(&[&mask[..], &tag].concat(), items));
        let expected: Vec<_> = group
            .items
            .iter()
            .map(|item| json!({ "masked": item.masked }))
            .collect();
        assert_eq!(masked, expected, "{}", group.suite);
    }
}

#[test]
fn masks_commute_and_are_removed() {
    let one = TemporaryFile::new("one.key", "5b".repeat(32));
    let other = TemporaryFile::new("other.key", "6c".repeat(32));
    for suite in Suite::ALL {
        let tag: &[&str] = if suite.takes_dst() {
            &["--dst", "tests of the command"]
        } else {
            &[]
        };
        let masked_items = |key: &TemporaryFile| {
            let mask = ["mask", "--suite", suite.name(), "--key-file", key.path()];
            let of_texts = [&mask[..], tag, &["--text-messages"]].concat();
            String::from_utf8(run(&of_texts, "message\nalice\nbob\n").stdout).unwrap()
        };
        let again = |command: &str, key: &TemporaryFile, masked: &str, more: &[&str]| {
            let curve = suite.curve().name();
            let points = [command, "--curve", curve, "--key-file", key.path()];
            let columns = ["--columns", "public_key=masked"];
            answers(&run(&[&points[..], &columns, more].concat(), masked))
        };
        let [ours, theirs] = [masked_items(&one), masked_items(&other)];
        let short = &["--truncate", "12"];
        let both = again("mask", &other, &ours, short);
        assert_eq!(both, again("mask", &one, &theirs, short), "{suite}");
        assert_eq!(both[0]["masked"].as_str().unwrap().len(), 24);
        assert_ne!(both[0], both[1]);
        // Removing one mask of two leaves the other.
        let twice = again("mask", &other, &ours, &[]);
        let lines: Vec<String> = twice.iter().map(ToString::to_string).collect();
        let theirs: Vec<serde_json::Value> = theirs
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(again("unmask", &one, &lines.join("\n"), &[]), theirs);
    }
}

#[test]
fn points_that_are_not_on_the_curve_are_rejected() {
    let key = TemporaryFile::new("masks.key", "5b".repeat(32));
    let masked = run(
        &["mask", "--curve", "p256", "--key-file", key.path()],
        format!("public_key\n02{}\n00\n", "0".repeat(63) + "2"),
    );
    assert_eq!(code(&masked), 1);
    let answers = answers(&masked);
    assert!(answers.iter().all(|answer| answer["error"].is_string()));
}

#[test]
fn tags_are_required_exactly_where_they_have_an_effect() {
    let key = TemporaryFile::new("masks.key", "5b".repeat(32));
    let problem = |suite: Suite, more: &[&str]| {
        let mask = ["mask", "--suite", suite.name(), "--key-file", key.path()];
        let refused = run(&[&mask[..], more].concat(), "message\n61\n");
        assert_eq!(code(&refused), 2);
        stderr(&refused)
    };
    assert!(problem(Suite::P256SswuRo, &[]).contains("--dst TEXT"));
    assert!(problem(Suite::P256SswuRo, &["--dst", ""]).contains("--dst TEXT"));
    assert!(problem(Suite::Sm2Rehash, &["--dst", "a"]).contains("--dst has no effect"));
    for more in [["--curve", "p256"], ["--truncate", "33"]] {
        problem(Suite::Sm2Rehash, &more);
    }
}

//! The examples and the data that are shipped with them.
#![cfg(feature = "cli")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data").join(name)
}

/// Cargo builds the examples beside the tests, in the folder above the test's own.
fn example(name: &str, arguments: &[&str]) -> Output {
    let test = std::env::current_exe().expect("the test runs from a file");
    let folder = test.ancestors().nth(2).expect("target/PROFILE/deps/TEST").join("examples");
    let path = folder.join(name).with_extension(std::env::consts::EXE_EXTENSION);
    assert!(path.exists(), "{} is missing: run `cargo test` without a filter of targets first", path.display());
    Command::new(path).args(arguments).output().expect("the example runs")
}

fn prints(name: &str, lines: &[&str]) {
    let output = example(name, &[]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    for line in lines {
        assert!(text.lines().any(|printed| printed.trim() == *line), "{line:?} is not in\n{text}");
    }
}

fn verify(curve: &str, path: &Path) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_gecc"))
        .args(["verify", "--curve", curve])
        .arg(path)
        .output()
        .expect("the binary runs");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// What each shipped file must give: curve, items, rejected ones.
const FILES: [(&str, &str, usize, usize); 4] = [
    ("ethereum_blocks.jsonl", "secp256k1", 530, 0),
    ("bitcoin_blocks.jsonl", "secp256k1", 1697, 0),
    ("health_certificates.jsonl", "p256", 205, 3),
    ("sm2_certificates.jsonl", "sm2", SM2_ITEMS, 0),
];
const SM2_ITEMS: usize = 105;

#[test]
fn shipped_signatures_verify() {
    for (file, curve, items, rejected) in FILES {
        let (code, summary) = verify(curve, &data(file));
        let expected = format!("{items} items, {} valid, {rejected} rejected", items - rejected);
        assert!(summary.starts_with(&expected), "{file}: {summary}");
        assert_eq!(code, Some(i32::from(rejected > 0)), "{file}");
    }
}

#[test]
fn a_corrupted_copy_is_found() {
    let text = std::fs::read_to_string(data("ethereum_blocks.jsonl")).expect("shipped");
    let field = "\"signature\":\"";
    let at = text.find(field).expect("a signature") + field.len() + 70;
    let digit = if &text[at..=at] == "0" { "1" } else { "0" };
    let path = std::env::temp_dir().join(format!("gecc-examples-{}.jsonl", std::process::id()));
    std::fs::write(&path, format!("{}{digit}{}", &text[..at], &text[at + 1..])).expect("writable");
    let (code, summary) = verify("secp256k1", &path);
    std::fs::remove_file(&path).expect("written above");
    assert!(summary.starts_with("530 items, 529 valid, 1 rejected"), "{summary}");
    assert_eq!(code, Some(1));
}

#[test]
fn shipped_files_are_what_the_examples_make() {
    for (name, file) in [
        ("ethereum_block", "ethereum_blocks.jsonl"),
        ("bitcoin_block", "bitcoin_blocks.jsonl"),
        ("health_certificates", "health_certificates.jsonl"),
        ("sm2_certificates", "sm2_certificates.jsonl"),
    ] {
        let output = example(name, &["--jsonl"]);
        assert!(output.status.success(), "{name}");
        assert!(output.stdout == std::fs::read(data(file)).expect("shipped"), "{file} differs from `{name} --jsonl`");
    }
}

#[test]
fn examples_give_the_known_answers() {
    prints("ethereum_block", &["530 signers recovered as the block says, 0 mismatches", "335 EIP-1559"]);
    prints("bitcoin_block", &["1427 signatures fit the key they were tried with", "1424 P2PKH"]);
    prints(
        "bitcoin_block",
        &["270 signatures fit the key they were tried with", "61 do not: the signature does not match"],
    );
    prints("sm2_certificates", &["0 differ from the known answer"]);
    prints("health_certificates", &["202 certificates valid, 3 rejected", "0 differ from the known answer"]);
    prints("ecdh_psi", &["25 in common; the plain intersection has 25"]);
}

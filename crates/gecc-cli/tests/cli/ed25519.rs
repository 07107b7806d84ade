//! `--scheme ed25519`: points of small order by each rule, and random signatures in every format.

use crate::support::{answers, code, run, stderr};
use gecc::ed25519::{self, Rule, Variant};
use gecc::{Engine, SecretKey};
use serde_json::{Value, json};

/// What the file calls the rules of `Rule::ALL`.
const COLUMNS: [&str; Rule::ALL.len()] =
    ["cofactorless", "dalek_strict", "libsodium", "zip215", "rfc8032", "rfc8032_cofactored"];

#[test]
fn the_rule_decides() {
    let text = include_str!("../../../../tests/vectors/ed25519_zip215_small_order.json");
    let file: Value = serde_json::from_str(text).unwrap();
    let cases = file["cases"].as_array().unwrap();
    let line = |case: &Value| {
        json!({"message": file["message"], "signature": case["signature"], "key": case["public"]}).to_string() + "\n"
    };
    let input: String = cases.iter().map(line).collect();
    for (rule, column) in Rule::ALL.iter().zip(COLUMNS) {
        let arguments = ["verify", "--scheme", "ed25519", "--rule", rule.name(), "--columns", "public_key=key"];
        let output = run(&arguments, input.clone());
        let found: Vec<bool> = answers(&output).iter().map(|answer| answer["valid"].as_bool().unwrap()).collect();
        assert_eq!(found, cases.iter().map(|case| case[column] == 1).collect::<Vec<_>>(), "{}", stderr(&output));
        assert_eq!(code(&output), i32::from(found.contains(&false)));
    }
}

struct Signed {
    public: Vec<[u8; 32]>,
    messages: Vec<[u8; 32]>,
    signatures: Vec<[u8; 64]>,
}

/// Every fifth signature is spoiled.
fn signed(items: usize) -> Signed {
    let engine = Engine::cpu().unwrap();
    let seeds: Vec<SecretKey> = (0..items).map(|item| SecretKey::from_bytes([item as u8; 32])).collect();
    let messages: Vec<[u8; 32]> = (0..items).map(|item| [item as u8; 32]).collect();
    let signatures = ed25519::sign(&engine, &messages, &seeds, Variant::PURE).unwrap();
    let mut signatures: Vec<[u8; 64]> = signatures.into_iter().map(Result::unwrap).collect();
    signatures.iter_mut().skip(2).step_by(5).for_each(|signature| signature[40] ^= 1);
    Signed { public: ed25519::public_keys(&engine, &seeds).unwrap(), messages, signatures }
}

const VERIFY: [&str; 5] = ["verify", "--scheme", "ed25519", "--rule", "strict"];

/// Messages among digests, and rows of bytes.
#[test]
fn lines_and_rows() {
    let set = signed(300);
    let line = |item: usize| {
        let content = if item.is_multiple_of(3) { "message" } else { "digest" };
        json!({
            content: hex::encode(set.messages[item]),
            "signature": hex::encode(set.signatures[item]),
            "public_key": hex::encode(set.public[item]),
        })
    };
    let input: String = (0..300).map(|item| line(item).to_string() + "\n").collect();
    check(&run(&VERIFY, input).stdout);
    let rows: Vec<u8> = (0..300)
        .flat_map(|item| [&set.messages[item][..], &set.public[item], &set.signatures[item]].concat())
        .collect();
    let layout = ["--format", "rows", "--layout", "digest:32,public_key:32,signature:64"];
    check(&run(&[&VERIFY[..], &layout].concat(), rows.clone()).stdout);
    let together = ["verify", "--scheme", "ed25519", "--rule", "zip215", "--batch-equations"];
    check(&run(&[&together[..], &layout].concat(), rows).stdout);
}

fn check(lines: &[u8]) {
    let lines: Vec<Value> =
        std::str::from_utf8(lines).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 300);
    assert!(lines.iter().enumerate().all(|(item, line)| line["valid"] == (item % 5 != 2)), "{lines:?}");
}

/// Parquet in.
#[test]
#[cfg(feature = "arrow")]
fn tables_are_answered() {
    use arrow_array::{ArrayRef, FixedSizeBinaryArray, RecordBatch};
    use gecc_arrow::{Compression, Format};
    use std::sync::Arc;
    let set = signed(300);
    fn column<const W: usize>(rows: &[[u8; W]]) -> ArrayRef {
        Arc::new(FixedSizeBinaryArray::try_from_iter(rows.iter()).unwrap())
    }
    let batch = RecordBatch::try_from_iter([
        ("message", column(&set.messages)),
        ("signature", column(&set.signatures)),
        ("public_key", column(&set.public)),
    ])
    .unwrap();
    let file = crate::tables::file("ed25519.parquet", &batch, 100, (Format::Parquet, Compression::Zstd));
    check(&run(&[&VERIFY[..], &[file.path()]].concat(), "").stdout);
}

/// A key of another form is rejected by itself.
#[test]
fn keys_have_32_bytes() {
    let set = signed(1);
    let key = "0379be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
    let [message, signature] = [hex::encode(set.messages[0]), hex::encode(set.signatures[0])];
    let lines = [key, &hex::encode(set.public[0])]
        .map(|key| json!({"message": message, "signature": signature, "public_key": key}).to_string());
    let output = run(&VERIFY, lines.join("\n"));
    let found = answers(&output);
    assert!(found[0]["reason"].as_str().unwrap().contains("encoding is malformed"), "{found:?}");
    assert_eq!(found[1]["valid"], true);
}

#[test]
fn what_does_not_exist_is_refused() {
    for (arguments, problem) in [
        (&["verify", "--scheme", "ed25519"][..], "needs --rule"),
        (&["verify", "--scheme", "ed25519", "--rule", "loose"], "possible values: cofactorless, strict"),
        (&["verify", "--scheme", "ed25519", "--rule", "strict", "--low-s"], "--low-s does not exist for Ed25519"),
        (
            &["verify", "--scheme", "ed25519", "--rule", "strict", "--batch-equations"],
            "with the cofactor: strict has none",
        ),
        (&["verify", "--scheme", "ed25519", "--rule", "strict", "--hash", "sha512"], "Ed25519 has a hash of its own"),
        (&["verify", "--curve", "p256", "--scheme", "ed25519", "--rule", "strict"], "--rule is for --scheme ed25519"),
        (&["verify", "--curve", "p256", "--scheme", "ed25519"], "there is no Ed25519 on p256"),
        (&["verify", "--curve", "p256", "--rule", "strict"], "--rule is for --scheme ed25519"),
        (&["sign", "--scheme", "ed25519"], "verifies alone"),
    ] {
        let output = run(arguments, "");
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(stderr(&output).contains(problem), "{arguments:?}: {}", stderr(&output));
    }
}

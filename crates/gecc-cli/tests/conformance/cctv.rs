//! The Community Cryptography Test Vectors: Ed25519, and a rejected candidate of RFC 6979.

use crate::ENGINE;
use crate::command::answers;
use crate::report::Row;
use crate::signatures::{self, Signature};
use crate::vectors::{bytes, digits, json, list, number, text, unpacked};
use gecc::ed25519::{Rule, Variant};
use gecc::{CurveId, PublicKeys, ed25519};
use serde_json::{Value, json};

pub fn rows() -> Vec<Row> {
    vec![ed25519_row(), rfc6979_row()]
}

/// Returns whether a rule accepts a case with these flags, as the README of the vectors explains.
///
/// A case with `reencoded_k` is for verifiers that hash another encoding than the given one. By the
/// rules here, all of which hash the given one, its equation holds only if A, whose multiple
/// differs, has low order, up to the cofactor.
fn accepts(rule: Rule, flags: &[&str]) -> bool {
    let has = |flag: &str| flags.contains(&flag);
    let residue = has("low_order_residue");
    let low_order = has("low_order_A") || has("low_order_R");
    let other_hash = has("reencoded_k") && !has("low_order_A");
    match rule {
        Rule::Cofactorless => !has("non_canonical_R") && !residue && !other_hash,
        Rule::Strict => !has("non_canonical_R") && !residue && !low_order,
        Rule::Libsodium => !low_order && !residue,
        Rule::Zip215 => !other_hash,
        Rule::Rfc8032 => !has("non_canonical_A") && !has("non_canonical_R") && !residue,
        Rule::Rfc8032Cofactored => !has("non_canonical_A") && !has("non_canonical_R"),
        other => panic!("{other} has no verdicts here"),
    }
}

fn ed25519_row() -> Row {
    let file = json("cctv/ed25519vectors.json.gz");
    let cases = list(&file);
    let mut row = Row::new("ed25519vectors", cases.len()).with_python();
    row.note("by each of the six rules");
    let messages: Vec<&str> = cases.iter().map(|case| text(&case["msg"])).collect();
    let signatures: Vec<[u8; 64]> = cases
        .iter()
        .map(|case| bytes(&case["sig"]).try_into().expect("64 bytes"))
        .collect();
    let keys: Vec<[u8; 32]> = cases
        .iter()
        .map(|case| bytes(&case["key"]).try_into().expect("32 bytes"))
        .collect();
    let lines: Vec<Value> = cases
        .iter()
        .map(|case| {
            let message = hex::encode(text(&case["msg"]));
            json!({"message": message, "signature": case["sig"], "public_key": case["key"]})
        })
        .collect();
    let flags: Vec<Vec<&str>> = cases
        .iter()
        .map(|case| {
            let flags = case["flags"].as_array().map(Vec::as_slice);
            flags.unwrap_or_default().iter().map(text).collect()
        })
        .collect();
    let mut through_library = vec![true; cases.len()];
    let mut through_command = vec![true; cases.len()];
    for rule in Rule::ALL {
        let verdicts = ed25519::verify(
            &ENGINE,
            &messages,
            &signatures,
            PublicKeys::ed25519(&keys),
            Variant::PURE,
            *rule,
        );
        let arguments = ["verify", "--scheme", "ed25519", "--rule", rule.name()];
        let found = answers(&arguments, &lines);
        let verdicts = verdicts.expect("the CPU computes");
        for (item, verdict) in verdicts.into_iter().enumerate() {
            let expected = accepts(*rule, &flags[item]);
            through_library[item] &= verdict.is_valid() == expected;
            through_command[item] &= found[item]["valid"] == expected;
        }
    }
    for (item, case) in cases.iter().enumerate() {
        row.library(through_library[item], || case["number"].to_string());
        row.command(through_command[item], || case["number"].to_string());
    }
    row
}

/// Returns the number after `name = ` in a text.
fn value(text: &str, name: &str) -> Vec<u8> {
    let begin = format!("{name} = ");
    let line = text.lines().find_map(|line| line.strip_prefix(&begin));
    digits(line.unwrap_or_else(|| panic!("{name} is missing")))
}

/// A case in which the first candidate for a nonce is not below the order.
fn rfc6979_row() -> Row {
    let page = String::from_utf8(unpacked("cctv/rfc6979.md.gz")).expect("UTF-8");
    assert!(page.contains("message = \"wv[vnX\""));
    let mut row = Row::new("RFC6979", 1);
    let signature = Signature {
        name: "the candidate that is rejected".to_owned(),
        hash: "SHA-256".to_owned(),
        message: b"wv[vnX".to_vec(),
        x: value(&page, "Ux"),
        y: value(&page, "Uy"),
        r: value(&page, "r"),
        s: value(&page, "s"),
        is_valid: true,
        secret: number(&value(&page, "x")),
        is_signed_alike: true,
    };
    signatures::count(&mut row, CurveId::P256, &[signature]);
    row
}

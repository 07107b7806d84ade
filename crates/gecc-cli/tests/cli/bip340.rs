//! `--scheme bip340`: the table of the standard and random signatures, in every format.

use crate::support::{TemporaryFile, answers, code, run, stderr};
use gecc::bip340::Auxiliary;
use gecc::{Engine, Secp256k1, SecretKey, bip340, keys};
use serde_json::{Value, json};

/// The columns of the table.
fn table() -> Vec<Vec<&'static str>> {
    let text = include_str!("../../../../tests/vectors/bip340_test_vectors.csv");
    text.lines()
        .skip(1)
        .map(|line| line.splitn(8, ',').collect())
        .collect()
}

#[test]
fn the_table_is_verified_and_signed() {
    let table = table();
    let line = |row: &Vec<&str>| {
        json!({"message": row[4], "signature": row[5], "public_key": row[2]}).to_string()
    };
    let input: String = table.iter().map(|row| line(row) + "\n").collect();
    for arguments in [
        &["verify", "--scheme", "bip340"][..],
        &["verify", "--curve", "secp256k1", "--scheme", "bip340"],
    ] {
        let output = run(arguments, input.clone());
        let found: Vec<bool> = answers(&output)
            .iter()
            .map(|answer| answer["valid"].as_bool().unwrap())
            .collect();
        assert_eq!(
            found,
            table.iter().map(|row| row[6] == "TRUE").collect::<Vec<_>>(),
            "{}",
            stderr(&output)
        );
        assert_eq!(code(&output), 1);
    }
    for row in table.iter().filter(|row| !row[1].is_empty()) {
        let input = json!({"message": row[4], "secret_key": row[1]}).to_string();
        let output = run(
            &["sign", "--scheme", "bip340", "--auxiliary", row[3]],
            input,
        );
        assert_eq!(
            answers(&output),
            [json!({"signature": row[5].to_lowercase()})],
            "{}",
            stderr(&output)
        );
    }
}

struct Signed {
    secret: Vec<SecretKey>,
    keys: Vec<[u8; 33]>,
    messages: Vec<[u8; 32]>,
    signatures: Vec<[u8; 64]>,
}

/// Every fifth signature is corrupted.
fn signed(items: usize) -> Signed {
    let engine = Engine::cpu().unwrap();
    let (secret, public) = keys::generate(&engine, Secp256k1, items).unwrap();
    let messages: Vec<[u8; 32]> = (0..items).map(|item| [item as u8; 32]).collect();
    let signatures = bip340::sign(&engine, &messages, &secret, Auxiliary::zeros()).unwrap();
    let mut signatures: Vec<[u8; 64]> = signatures.into_iter().map(Result::unwrap).collect();
    signatures
        .iter_mut()
        .skip(2)
        .step_by(5)
        .for_each(|signature| signature[40] ^= 1);
    let keys = public
        .iter()
        .map(|point| point.to_compressed().unwrap())
        .collect();
    Signed {
        secret,
        keys,
        messages,
        signatures,
    }
}

/// Keys of 32 bytes and in other forms, with the form of the first one fixed; messages among
/// digests.
#[test]
fn lines_with_keys_in_several_forms() {
    let set = signed(300);
    for first in [0, 1] {
        let line = |item: usize| {
            let key = if (item + first).is_multiple_of(2) {
                &set.keys[item][1..]
            } else {
                &set.keys[item][..]
            };
            let content = if item.is_multiple_of(3) {
                "message"
            } else {
                "digest"
            };
            json!({
                content: hex::encode(set.messages[item]),
                "signature": hex::encode(set.signatures[item]),
                "public_key": hex::encode(key),
                "id": "not one of SM2",
            })
        };
        let input: String = (0..300).map(|item| line(item).to_string() + "\n").collect();
        check(&run(&["verify", "--scheme", "bip340"], input).stdout);
    }
}

fn check(lines: &[u8]) {
    let lines: Vec<Value> = std::str::from_utf8(lines)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 300);
    assert!(
        lines
            .iter()
            .enumerate()
            .all(|(item, line)| line["valid"] == (item % 5 != 2)),
        "{lines:?}"
    );
}

/// A signature of BIP 340 is not followed by v or the type of a hash, and is neither DER nor r and
/// s.
#[test]
fn signatures_of_other_lengths_than_64_bytes_are_rejected() {
    let set = signed(1);
    let signature = set.signatures[0];
    let der = gecc::signature_to_der(&signature);
    let line = |signature: &[u8]| {
        let message = hex::encode(set.messages[0]);
        let key = hex::encode(set.keys[0]);
        json!({"message": message, "signature": hex::encode(signature), "public_key": key})
            .to_string()
            + "\n"
    };
    let verify = ["verify", "--scheme", "bip340"];
    let forms = [
        &signature[..],
        &[&signature[..], &[0]].concat(),
        &[&signature[..], &[27]].concat(),
        &der,
    ];
    let found = answers(&run(&verify, forms.map(line).concat()));
    assert_eq!(found[0]["valid"], true);
    for answer in &found[1..] {
        assert!(
            answer["reason"]
                .as_str()
                .unwrap()
                .contains("`signature` has "),
            "{answer}"
        );
    }
    for (columns, value) in [
        ("der", hex::encode(&der)),
        ("r,s", format!("{0},{0}", "11".repeat(32))),
    ] {
        let output = run(
            &verify,
            format!(
                "message,{columns},public_key\n,{value},{}\n",
                hex::encode(set.keys[0])
            ),
        );
        assert_eq!(code(&output), 2);
        assert!(
            stderr(&output).contains("no column has the name of `signature`"),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn key_files_sign() {
    let set = signed(5);
    let keys: String = set
        .secret
        .iter()
        .map(|key| hex::encode(key.expose_bytes()) + "\n")
        .collect();
    let keys = TemporaryFile::new("bip340.keys", keys);
    let input: String = set
        .messages
        .iter()
        .map(|message| format!("{{\"digest\":\"{}\"}}\n", hex::encode(message)))
        .collect();
    let sign = ["sign", "--scheme", "bip340", "--key-file", keys.path()];
    let zeros = "0".repeat(64);
    let given = answers(&run(
        &[&sign[..], &["--auxiliary", &zeros]].concat(),
        input.clone(),
    ));
    let fresh = answers(&run(&sign, input));
    for item in 0..5 {
        if item != 2 {
            assert_eq!(
                given[item],
                json!({"signature": hex::encode(set.signatures[item])})
            );
        }
        assert!(fresh[item]["signature"].is_string() && fresh[item] != given[item]);
    }
}

/// Reads and writes Parquet.
#[test]
#[cfg(feature = "arrow")]
fn tables_are_answered() {
    use arrow_array::{ArrayRef, FixedSizeBinaryArray, RecordBatch};
    use gecc_arrow::{Compression, Format};
    use std::sync::Arc;
    let set = signed(300);
    fn column<const W: usize>(rows: impl Iterator<Item = [u8; W]>) -> ArrayRef {
        Arc::new(FixedSizeBinaryArray::try_from_iter(rows).unwrap())
    }
    let keys = set
        .keys
        .iter()
        .map(|key| <[u8; 32]>::try_from(&key[1..]).unwrap());
    let batch = RecordBatch::try_from_iter([
        ("message", column(set.messages.iter().copied())),
        ("signature", column(set.signatures.iter().copied())),
        ("public_key", column(keys)),
        (
            "secret_key",
            column(set.secret.iter().map(|key| *key.expose_bytes())),
        ),
    ])
    .unwrap();
    let file = crate::tables::file(
        "bip340.parquet",
        &batch,
        100,
        (Format::Parquet, Compression::Zstd),
    );
    check(&run(&["verify", "--scheme", "bip340", file.path()], "").stdout);
    let zeros = "0".repeat(64);
    let signed = answers(&run(
        &[
            "sign",
            "--scheme",
            "bip340",
            "--auxiliary",
            &zeros,
            file.path(),
        ],
        "",
    ));
    for (item, answer) in signed.iter().enumerate().filter(|(item, _)| item % 5 != 2) {
        assert_eq!(answer["signature"], hex::encode(set.signatures[item]));
    }
}

#[test]
fn options_of_other_schemes_are_refused() {
    for (arguments, problem) in [
        (
            &["verify", "--curve", "p256", "--scheme", "bip340"][..],
            "there is no BIP 340 on p256",
        ),
        (&["verify", "--scheme", "ecdsa"], "choose one with --curve"),
        (
            &["verify", "--scheme", "bip340", "--low-s"],
            "--low-s does not exist for BIP 340",
        ),
        (
            &["sign", "--scheme", "bip340", "--recoverable"],
            "BIP 340 has no recovery id",
        ),
        (
            &["sign", "--scheme", "bip340", "--der"],
            "signatures of BIP 340 have no DER",
        ),
        (
            &["sign", "--curve", "p256", "--auxiliary", &"0".repeat(64)],
            "--auxiliary is for BIP 340",
        ),
        (
            &["sign", "--scheme", "bip340", "--auxiliary", "00"],
            "1 byte instead of 32",
        ),
        (&["verify"], "--curve"),
    ] {
        let output = run(arguments, "");
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(
            stderr(&output).contains(problem),
            "{arguments:?}: {}",
            stderr(&output)
        );
    }
    let sm2 = run(&["verify", "--scheme", "sm2"], "{}");
    assert_eq!(code(&sm2), 2, "{}", stderr(&sm2));
}

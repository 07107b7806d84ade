//! `gecc verify`: verdicts, reasons, and the example data.

use crate::support::{answers, code, gecc, run, signed, stderr};
use gecc::{Engine, P256, Secp256k1, SecretKey, Sm2, ecdsa, keys, sm2};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn verify_answers_every_line_in_order() {
    let set = signed::<Secp256k1>(4);
    let mut lines = set.lines();
    let mut wrong = set.json(1);
    wrong["digest"] = json!("00".repeat(32));
    lines[1] = wrong.to_string();
    // A blank line is skipped but counted; the last line has no newline.
    let input = format!(
        "{}\r\n{}\n\n{{\"digest\":\"zz\"}}\n{}\n{}",
        lines[0], lines[1], lines[2], lines[3]
    );
    let output = run(&["verify", "--curve", "secp256k1"], input);
    let stdout = String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!(
        stdout.lines().collect::<Vec<_>>(),
        [
            r#"{"valid":true,"tag":{"item":0}}"#,
            r#"{"valid":false,"reason":"the signature does not match","line":2,"tag":{"item":1}}"#,
            r#"{"valid":false,"reason":"`digest` is not hexadecimal: it contains 'z' at position 0","line":4}"#,
            r#"{"valid":true,"tag":{"item":2}}"#,
            r#"{"valid":true,"tag":{"item":3}}"#,
        ]
    );
    assert_eq!(code(&output), 1);
    let summary = stderr(&output);
    assert!(
        summary.starts_with("5 items, 3 valid, 2 rejected, "),
        "{summary}"
    );
    assert!(summary.contains("items/s, CPU"), "{summary}");
}

#[test]
fn exit_code_0_when_all_are_valid_and_for_no_input_where_that_is_allowed() {
    let set = signed::<P256>(3);
    assert_eq!(
        code(&run(&["verify", "--curve", "p256"], set.lines().join("\n"))),
        0
    );
    let empty = run(&["verify", "--curve", "p256", "--allow-empty"], "");
    assert_eq!((code(&empty), empty.stdout.len()), (0, 0));
    assert!(stderr(&empty).starts_with("0 items"), "{}", stderr(&empty));
}

#[test]
fn messages_are_hashed() {
    let engine = Engine::cpu().unwrap();
    let key = SecretKey::generate(Secp256k1).unwrap();
    let public =
        keys::public_keys(&engine, Secp256k1, std::slice::from_ref(&key)).unwrap()[0].unwrap();
    let signature =
        ecdsa::sign_messages(&engine, Secp256k1, &["hello"], &key, Default::default()).unwrap()[0];
    let line = json!({
        "message": hex::encode("hello"),
        "signature": hex::encode(signature.unwrap()),
        "public_key": hex::encode(public.as_sec1()),
    });
    assert_eq!(
        answers(&run(&["verify", "--curve", "secp256k1"], line.to_string())),
        [json!({"valid": true})]
    );
}

#[test]
fn sm2_digests_messages_and_ids_mixed() {
    let engine = Engine::cpu().unwrap();
    let (secret, public) = keys::generate(&engine, Sm2, 1).unwrap();
    let of_digest = sm2::sign(&engine, &[[7; 32]], &secret).unwrap()[0].unwrap();
    let of_message = sm2::sign_messages(&engine, &["m"], sm2::UserIds::all(b"alice"), &secret)
        .unwrap()[0]
        .unwrap();
    let key = hex::encode(public[0].as_sec1());
    let lines = [
        json!({"message": "6d", "id": "alice", "signature": hex::encode(of_message), "public_key": key, "tag": 0}),
        json!({"digest": "07".repeat(32), "signature": hex::encode(of_digest), "public_key": key, "tag": 1}),
        json!({"message": "6d", "signature": hex::encode(of_message), "public_key": key, "tag": 2}),
        json!({"digest": "07".repeat(32), "id": "alice", "signature": hex::encode(of_digest), "public_key": key}),
    ];
    let output = run(
        &["verify", "--curve", "sm2", "--columns", "id=id"],
        lines.map(|line| line.to_string()).join("\n"),
    );
    let reason = "`id` goes with `message`: a digest already contains it";
    assert_eq!(
        answers(&output),
        [
            json!({"valid": true, "tag": 0}),
            json!({"valid": true, "tag": 1}),
            json!({"valid": false, "reason": "the signature does not match", "line": 3, "tag": 2}),
            json!({"valid": false, "reason": reason, "line": 4}),
        ]
    );
}

#[test]
fn low_s_is_a_policy_of_ecdsa() {
    let set = signed::<Secp256k1>(1);
    // n - s of a low s is high.
    let n = num_bigint::BigUint::parse_bytes(
        b"fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
        16,
    )
    .unwrap();
    let signature = set.signed[0].signature;
    let high = n - num_bigint::BigUint::from_bytes_be(&signature[32..]);
    let mut line = set.json(0);
    line["signature"] = json!(format!(
        "{}{:0>64}",
        hex::encode(&signature[..32]),
        high.to_str_radix(16)
    ));
    assert_eq!(
        code(&run(&["verify", "--curve", "secp256k1"], line.to_string())),
        0
    );
    let strict = run(
        &["verify", "--curve", "secp256k1", "--low-s"],
        line.to_string(),
    );
    assert_eq!(
        answers(&strict)[0]["reason"],
        "s is above n/2, which the low-s policy forbids"
    );
    assert_eq!(code(&run(&["verify", "--curve", "sm2", "--low-s"], "")), 2);
}

/// Lines with right, wrong, unreadable and absent recovery ids, valid and corrupted signatures and
/// keys in another form: answers are those of verification one by one.
#[test]
fn batch_verification_does_not_change_answers() {
    let set = signed::<Secp256k1>(2500);
    let line = |item: usize| {
        let mut line = set.json(item);
        match item % 500 {
            7 => line["recovery_id"] = json!(set.signed[item].recovery_id ^ 1),
            8 => line["recovery_id"] = json!("none"),
            9 => drop(line.as_object_mut().unwrap().remove("recovery_id")),
            10 => {
                line["v"] = json!(
                    27 + line
                        .as_object_mut()
                        .unwrap()
                        .remove("recovery_id")
                        .unwrap()
                        .as_u64()
                        .unwrap()
                )
            }
            11 => line["digest"] = json!("00".repeat(32)),
            12 => line["public_key"] = json!(hex::encode(&set.public[item].as_sec1()[1..])),
            13 => {
                line["public_key"] = json!(hex::encode(set.public[item].to_compressed().unwrap()))
            }
            _ => {}
        }
        line.to_string()
    };
    let with_ids: Vec<String> = (0..2500).map(line).collect();
    let without_ids: Vec<String> = (0..2500)
        .map(|item| {
            let mut line = set.json(item);
            line.as_object_mut().unwrap().remove("recovery_id");
            line.to_string()
        })
        .collect();
    for (lines, invalid) in [(with_ids, 5), (without_ids, 0)] {
        let input = lines.join("\n");
        let verify = ["verify", "--curve", "secp256k1", "--threads", "1"];
        let one_by_one = run(&verify, input.clone());
        let together = run(&[&verify[..], &["--batch-verification"]].concat(), input);
        assert!(
            one_by_one.stdout == together.stdout,
            "{}",
            stderr(&together)
        );
        let summary = format!("2500 items, {} valid, {invalid} rejected", 2500 - invalid);
        assert!(
            stderr(&together).starts_with(&summary),
            "{}",
            stderr(&together)
        );
    }
}

/// A file of the example data.
fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/data")
        .join(name)
}

fn verify(curve: &str, path: &Path) -> (Option<i32>, String) {
    let output = gecc()
        .args(["verify", "--curve", curve])
        .arg(path)
        .output()
        .expect("the binary runs");
    (output.status.code(), stderr(&output))
}

/// The expected result of each example file: curve, items, rejected ones.
const FILES: [(&str, &str, usize, usize); 4] = [
    ("ethereum_blocks.jsonl", "secp256k1", 530, 0),
    ("bitcoin_blocks.jsonl", "secp256k1", 1697, 0),
    ("health_certificates.jsonl", "p256", 205, 3),
    ("sm2_certificates.jsonl", "sm2", SM2_ITEMS, 0),
];

const SM2_ITEMS: usize = 105;

#[test]
fn signatures_of_the_examples_are_valid() {
    for (file, curve, items, rejected) in FILES {
        let (code, summary) = verify(curve, &data(file));
        let expected = format!(
            "{items} items, {} valid, {rejected} rejected",
            items - rejected
        );
        assert!(summary.starts_with(&expected), "{file}: {summary}");
        assert_eq!(code, Some(i32::from(rejected > 0)), "{file}");
    }
}

#[test]
fn corrupted_signature_is_rejected() {
    let text = fs::read_to_string(data("ethereum_blocks.jsonl")).expect("example data");
    let field = "\"signature\":\"";
    let at = text.find(field).expect("a signature") + field.len() + 70;
    let digit = if &text[at..=at] == "0" { "1" } else { "0" };
    let path = std::env::temp_dir().join(format!("gecc-examples-{}.jsonl", std::process::id()));
    fs::write(&path, format!("{}{digit}{}", &text[..at], &text[at + 1..])).expect("writable");
    let (code, summary) = verify("secp256k1", &path);
    fs::remove_file(&path).expect("written above");
    assert!(
        summary.starts_with("530 items, 529 valid, 1 rejected"),
        "{summary}"
    );
    assert_eq!(code, Some(1));
}

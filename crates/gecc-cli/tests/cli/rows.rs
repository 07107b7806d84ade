//! Rows of fixed width, from files and pipes.

use crate::support::{TemporaryFile, answers, code, run, signed, start, stderr};
use gecc::{P256, Secp256k1};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};

const ITEMS: usize = 700;

/// Rows of digest, signature, v, a compressed key and an unused byte. Every fifth signature is
/// corrupted.
fn rows(set: &crate::support::Signed) -> Vec<u8> {
    let mut rows = Vec::new();
    for item in 0..set.digests.len() {
        let mut signature = set.signed[item].signature;
        signature[40] ^= u8::from(item % 5 == 2);
        rows.extend(set.digests[item]);
        rows.extend(signature);
        rows.push(27 + set.signed[item].recovery_id);
        rows.extend(set.public[item].to_compressed().unwrap());
        rows.push(b'\n');
    }
    rows
}

const LAYOUT: &[&str] = &[
    "--format",
    "rows",
    "--layout",
    "digest:32,signature:65,public_key:33,skip:1",
];

#[test]
fn rows_are_answered_as_lines_are() {
    let set = signed::<Secp256k1>(ITEMS);
    let content = rows(&set);
    let file = TemporaryFile::new("rows", &content);
    let verify = [&["verify", "--curve", "secp256k1"], LAYOUT].concat();
    let mismatch = "the signature does not match the message and the public key";
    let expected: Vec<Value> = (0..ITEMS)
        .map(|item| match item % 5 {
            2 => json!({"valid": false, "reason": mismatch, "row": item + 1}),
            _ => json!({"valid": true}),
        })
        .collect();
    let compressed = zstd::encode_all(&content[..], 1).unwrap();
    for output in [
        run(&[&verify[..], &[file.path()]].concat(), ""),
        run(
            &[&verify[..], &["--batch-verification", file.path()]].concat(),
            "",
        ),
        run(&verify, content.clone()),
        run(&verify, compressed),
    ] {
        let found = answers(&output);
        assert_eq!(found.len(), ITEMS, "{}", stderr(&output));
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found["valid"], expected["valid"]);
            assert_eq!(found.get("row"), expected.get("row"));
        }
        assert_eq!(code(&output), 1);
    }
    let recover = [
        &[
            "recover",
            "--curve",
            "secp256k1",
            "--line",
            "--only-rejected",
        ],
        LAYOUT,
        &[file.path()],
    ]
    .concat();
    for answer in answers(&run(&recover, "")) {
        assert_eq!(answer["row"].as_u64().unwrap() % 5, 3, "{answer}");
    }
    let recover = [
        &["recover", "--curve", "secp256k1", "--line"],
        LAYOUT,
        &[file.path()],
    ]
    .concat();
    let found = answers(&run(&recover, ""));
    for item in (0..ITEMS).filter(|item| item % 5 != 2) {
        assert_eq!(
            found[item],
            json!({"public_key": hex::encode(set.public[item].as_sec1()), "row": item + 1})
        );
    }
    // The first rejection ends the check.
    let check = run(&[&verify[..], &["--check", file.path()]].concat(), "");
    assert_eq!((answers(&check).len(), code(&check)), (3, 1));
}

#[test]
fn keys_and_signatures_of_rows() {
    let set = signed::<P256>(5);
    let secrets: Vec<u8> = set
        .secret
        .iter()
        .flat_map(|key| *key.expose_bytes())
        .collect();
    let keys = run(
        &[
            "pubkey",
            "--curve",
            "p256",
            "--format",
            "rows",
            "--layout",
            "secret_key:32",
        ],
        secrets,
    );
    let expected: Vec<Value> = set
        .public
        .iter()
        .map(|key| json!({"public_key": hex::encode(key.as_sec1())}))
        .collect();
    assert_eq!(answers(&keys), expected);
    let lines: Vec<String> = set
        .secret
        .iter()
        .map(|key| hex::encode(key.expose_bytes()))
        .collect();
    let key_file = TemporaryFile::new("rows.keys", lines[..4].join("\n"));
    let digests = set.digests.concat();
    let arguments = [
        "--key-file",
        key_file.path(),
        "--format",
        "rows",
        "--layout",
    ];
    let sign = run(
        &[&["sign", "--curve", "p256"], &arguments[..], &["digest:32"]].concat(),
        digests,
    );
    let mut expected: Vec<Value> = set.signed[..4]
        .iter()
        .map(|signed| json!({"signature": hex::encode(signed.signature)}))
        .collect();
    expected.push(json!({"error": "the key file has 4 keys, none for this item", "row": 5}));
    assert_eq!(answers(&sign), expected);
    let peers: Vec<u8> = set
        .public
        .iter()
        .flat_map(|key| key.as_sec1()[1..].to_vec())
        .collect();
    let ecdh = run(
        &[
            &["ecdh", "--curve", "p256"],
            &arguments[..],
            &["public_key:64"],
        ]
        .concat(),
        peers,
    );
    let csv = set
        .public
        .iter()
        .map(|key| "\n".to_owned() + &hex::encode(key.as_sec1()));
    let of_text = run(
        &["ecdh", "--curve", "p256", "--key-file", key_file.path()],
        "public_key".to_owned() + &csv.collect::<String>(),
    );
    assert_eq!(answers(&ecdh)[..4], answers(&of_text)[..4]);
    assert!(answers(&ecdh)[0]["shared_secret"].is_string());
}

#[test]
fn unusable_rows_are_reported_before_computing() {
    let file = TemporaryFile::new("odd.rows", [0; 100]);
    let verify = ["verify", "--curve", "p256", file.path()];
    let cases: [(&[&str], &str); 6] = [
        (&["--format", "rows"], "--layout <FIELD:BYTES,…>"),
        (
            &["--layout", "digest:32"],
            "--layout requires --format rows",
        ),
        (
            &["--format", "rows", "--layout", "digest:31"],
            "`digest` has 32 bytes, not 31",
        ),
        (
            &["--format", "rows", "--layout", "digest:32,skip:1"],
            "the layout has no `signature` and no `public_key`",
        ),
        (
            &[
                "--format",
                "rows",
                "--layout",
                "digest:32,signature:64,public_key:33",
            ],
            "100 bytes are not whole rows of 129: 100 are left over at the end",
        ),
        (
            &["--format", "rows", "--layout", "digest:32,digest:32"],
            "`digest` is given twice",
        ),
    ];
    for (arguments, expected) in cases {
        let output = run(&[&verify[..], arguments].concat(), "");
        assert_eq!(
            (code(&output), output.stdout.len()),
            (2, 0),
            "{arguments:?}"
        );
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
}

#[test]
fn rows_of_a_pipe_are_answered_as_they_arrive() {
    let set = signed::<Secp256k1>(2);
    let content = rows(&set);
    let (one, rest) = content.split_at(content.len() / 2 + 20);
    let mut child = start(&[&["verify", "--curve", "secp256k1"], LAYOUT].concat());
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    input.write_all(one).unwrap();
    output.read_line(&mut line).unwrap();
    assert_eq!(line, "{\"valid\":true}\n");
    // The second row is cut off.
    input.write_all(&rest[..10]).unwrap();
    drop(input);
    let ended = child.wait_with_output().unwrap();
    assert_eq!(code(&ended), 2);
    assert!(
        stderr(&ended).contains("the input ends with 30 bytes, which are not a row of 131"),
        "{}",
        stderr(&ended)
    );
}

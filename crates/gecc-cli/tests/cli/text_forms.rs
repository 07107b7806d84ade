//! Spellings of values and tables in text: encodings of each field, digests of other lengths,
//! wrapping by other programs, and formats that are recognised however little of an input comes at
//! a time.

use crate::support::{TemporaryFile, answers, code, gzip, run, signed, start, stderr};
use base64ct::{Base64, Encoding};
use gecc::{Engine, P256, Secp256k1, SecretKey, ecdsa, keys, sm2};
use p256::pkcs8::{EncodePrivateKey, EncodePublicKey, LineEnding};
use serde_json::{Value, json};
use std::io::Write;
use std::process::Output;
use std::time::Duration;

const ON_P256: [&str; 3] = ["verify", "--curve", "p256"];

fn assert_all_valid(arguments: &[&str], input: &str) {
    let output = run(arguments, input);
    assert_eq!(
        code(&output),
        0,
        "{arguments:?}: {}\n{input}",
        stderr(&output)
    );
    assert!(
        answers(&output)
            .iter()
            .all(|answer| answer["valid"] == true)
    );
    assert!(!answers(&output).is_empty());
}

fn refused(arguments: &[&str], input: &str) -> String {
    let output = run(arguments, input);
    assert_eq!(
        code(&output),
        2,
        "{arguments:?}: {}\n{input}",
        stderr(&output)
    );
    stderr(&output)
}

/// Breaks a text into lines of `columns` characters.
fn wrapped(text: &str, columns: usize, end: &str) -> String {
    let lines: Vec<&str> = text
        .as_bytes()
        .chunks(columns)
        .map(|line| std::str::from_utf8(line).unwrap())
        .collect();
    lines.join(end)
}

fn colons(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect::<Vec<_>>()
        .join(":")
}

/// Common text forms of bytes, by name.
fn forms(bytes: &[u8]) -> Vec<(&'static str, String)> {
    let digits = hex::encode(bytes);
    let base64 = Base64::encode_string(bytes);
    vec![
        ("hex", digits.clone()),
        ("hex with 0x", format!("0x{digits}")),
        ("hex in lines", wrapped(&digits, 60, "\n")),
        ("colons", colons(bytes)),
        ("upper colons", colons(bytes).to_uppercase()),
        ("colons in lines", wrapped(&colons(bytes), 45, "\n    ")),
        ("base64", base64.clone()),
        ("base64 of 64 columns", wrapped(&base64, 64, "\n")),
        (
            "base64 of 76 columns",
            wrapped(&base64, 76, "\r\n") + "\r\n",
        ),
    ]
}

/// A digest in hexadecimal with a signature in base64 and a key in PEM, and every other mixture.
#[test]
fn each_field_has_an_encoding_of_its_own() {
    let set = signed::<P256>(1);
    let public = p256::PublicKey::from_sec1_bytes(set.public[0].as_sec1()).unwrap();
    let pem = public.to_public_key_pem(LineEnding::LF).unwrap();
    let der = public.to_public_key_der().unwrap();
    let mut keys = forms(set.public[0].as_sec1());
    keys.extend(forms(der.as_bytes()));
    keys.push(("PEM", pem.clone()));
    keys.push(("PEM in base64", Base64::encode_string(pem.as_bytes())));
    keys.push((
        "PEM in base64 of 76 columns",
        wrapped(&Base64::encode_string(pem.as_bytes()), 76, "\n"),
    ));
    let signatures = ["signature", "der"].into_iter().flat_map(|field| {
        let signature = set.signed[0].signature;
        let bytes = if field == "der" {
            gecc::signature_to_der(&signature)
        } else {
            signature.to_vec()
        };
        forms(&bytes)
            .into_iter()
            .map(move |(form, text)| (field, form, text))
    });
    let signatures: Vec<_> = signatures.collect();
    let digests = forms(&set.digests[0]);
    let quoted = |text: &str| format!("\"{text}\"");
    for turn in 0..keys.len().max(signatures.len()) {
        let (_, digest) = &digests[turn % digests.len()];
        let (field, _, signature) = &signatures[turn % signatures.len()];
        let (_, key) = &keys[turn % keys.len()];
        let object = json!({"digest": digest, *field: signature, "public_key": key}).to_string();
        assert_all_valid(&ON_P256, &object);
        let row = [digest, signature, key].map(|cell| quoted(cell)).join(",");
        assert_all_valid(&ON_P256, &format!("digest,{field},public_key\n{row}\n"));
    }
    // Every form of the key, with the other fields in their usual form.
    for (form, key) in &keys {
        let object = json!({"digest": hex::encode(set.digests[0]), "signature": signatures[0].2, "public_key": key});
        let output = run(&ON_P256, object.to_string());
        assert_eq!(
            code(&output),
            0,
            "{form}: {}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
}

#[test]
fn encodings_may_be_configured_by_field() {
    let engine = Engine::cpu().unwrap();
    let set = signed::<P256>(1);
    let message = [0xde, 0xad, 0xbe, 0xef];
    let signature =
        ecdsa::sign_messages(&engine, P256, &[message], &set.secret, Default::default()).unwrap();
    let signature = Base64::encode_string(&signature[0].unwrap());
    let item = |message: String| {
        json!({"message": message, "signature": signature, "public_key": hex::encode(set.public[0].as_sec1())})
            .to_string()
    };
    let as_hex = item(hex::encode(message));
    let as_base64 = item(Base64::encode_string(&message));
    let with = |encoding: &'static str| [&ON_P256[..], &["--encoding", encoding]].concat();
    assert!(
        refused(&ON_P256, &as_hex)
            .contains("it is not clear what messages are: say --encoding message=hex")
    );
    assert_all_valid(&with("message=hex"), &as_hex);
    assert_all_valid(&with("message=base64"), &as_base64);
    assert_all_valid(
        &with("message=hex,signature=base64,public_key=hex"),
        &as_hex,
    );
    for (encoding, problem) in [
        ("base32", "no encoding is called `base32`"),
        ("digest=hex,digest=hex", "given two encodings"),
        ("recovery_id=hex", "`recovery_id` has no encoding"),
    ] {
        assert!(
            refused(&with(encoding), &as_hex).contains(problem),
            "{encoding}"
        );
    }
}

/// FIPS 186-5, section 6.4: longer digests are cut to their leftmost 256 bits, and shorter ones are
/// padded with leading zeros.
#[test]
fn digests_of_other_hashes_are_cut_and_padded() {
    let engine = Engine::cpu().unwrap();
    let key = SecretKey::from_bytes([7; 32]);
    let public =
        keys::public_keys(&engine, Secp256k1, std::slice::from_ref(&key)).unwrap()[0].unwrap();
    let key_file = TemporaryFile::new("digests.key", hex::encode([7; 32]));
    let long: Vec<u8> = (1..=64).collect();
    for length in [20, 28, 32, 48, 64] {
        let digest = &long[..length];
        let mut signed = [0; 32];
        let padding = 32_usize.saturating_sub(length);
        let taken = length.min(32);
        signed[padding..].copy_from_slice(&digest[..taken]);
        let signature =
            ecdsa::sign_recoverable(&engine, Secp256k1, &[signed], &key, Default::default())
                .unwrap()[0]
                .unwrap();
        for (form, digest) in forms(digest) {
            let item = json!({
                "digest": digest, "signature": hex::encode(signature.signature), "recovery_id": signature.recovery_id,
                "public_key": hex::encode(public.as_sec1()),
            });
            let row = format!(
                "digest,sig,v,pk\n\"{digest}\",{},{},{}\n",
                hex::encode(signature.signature),
                signature.recovery_id,
                hex::encode(public.as_sec1())
            );
            for input in [item.to_string(), row] {
                assert_all_valid(&["verify", "--curve", "secp256k1"], &input);
                let recovered = run(&["recover", "--curve", "secp256k1"], input.clone());
                assert_eq!(
                    answers(&recovered)[0]["public_key"],
                    hex::encode(public.as_sec1()),
                    "{form} {length}"
                );
                let again = run(
                    &[
                        "sign",
                        "--curve",
                        "secp256k1",
                        "--key-file",
                        key_file.path(),
                    ],
                    input,
                );
                assert_eq!(
                    answers(&again)[0]["signature"],
                    hex::encode(signature.signature),
                    "{form} {length}"
                );
            }
        }
    }
    let item = |length: usize| json!({"digest": hex::encode(&long[..length])}).to_string();
    for length in [0, 1, 19, 21, 27, 29, 31, 33, 47, 49, 63] {
        let problem = refused(
            &["sign", "--curve", "p256", "--key-file", key_file.path()],
            &item(length),
        );
        let count = if length == 1 {
            "1 byte instead of 32".to_owned()
        } else {
            format!("{length} bytes instead of 32")
        };
        assert!(problem.contains(&count), "{problem}");
    }
    // Other schemes accept only digests of 32 bytes.
    for scheme in ["sm2", "bip340", "ed25519"] {
        for length in [20, 48, 64] {
            let problem = refused(
                &["sign", "--scheme", scheme, "--key-file", key_file.path()],
                &item(length),
            );
            assert!(
                problem.contains(&format!("{length} bytes instead of 32")),
                "{scheme}: {problem}"
            );
        }
    }
}

#[test]
fn signatures_with_their_public_key_are_named() {
    let digest = hex::encode([0xab; 32]);
    for (bytes, problem) in [
        (
            128,
            "`signature` has 128 bytes, which may be r, s and the public key's x and y",
        ),
        (127, "`signature` has 127 bytes instead of 64"),
        (66, "`signature` has 66 bytes instead of 64"),
    ] {
        let item = json!({"digest": digest, "signature": "11".repeat(bytes), "public_key": "00"})
            .to_string();
        for arguments in [&ON_P256[..], &["verify", "--scheme", "sm2"]] {
            assert!(
                refused(arguments, &item).contains(problem),
                "{bytes}: {}",
                refused(arguments, &item)
            );
        }
    }
}

/// Keys in the hybrid form of X9.62, whose first byte has to be the parity of y, on request: in
/// lines, tables and base64, and for shared secrets.
#[test]
fn hybrid_keys_are_read_on_request() {
    let set = signed::<P256>(8);
    let hybrid = |item: usize, wrong: u8| {
        let mut key = set.public[item].as_sec1().to_vec();
        key[0] = 6 + ((key[64] & 1) ^ wrong);
        key
    };
    let item = |item: usize, key: &[u8]| {
        json!({
            "digest": hex::encode(set.digests[item]),
            "signature": hex::encode(set.signed[item].signature),
            "public_key": hex::encode(key),
        })
        .to_string()
    };
    let asked = [&ON_P256[..], &["--hybrid-keys"]].concat();
    let mut input = String::new();
    for place in 0..8 {
        for key in [
            hybrid(place, 0),
            hybrid(place, 1),
            set.public[place].as_sec1().to_vec(),
        ] {
            input += &(item(place, &key) + "\n");
        }
    }
    let verdicts = |arguments: &[&str], input: &str| -> Vec<bool> {
        let found = answers(&run(arguments, input));
        found.iter().map(|answer| answer["valid"] == true).collect()
    };
    assert_eq!(verdicts(&asked, &input), [true, false, true].repeat(8));
    assert_eq!(verdicts(&ON_P256, &input), [false, false, true].repeat(8));
    let table = format!(
        "digest,signature,public_key\n{},{},0x{}\n",
        hex::encode(set.digests[0]),
        hex::encode(set.signed[0].signature),
        hex::encode_upper(hybrid(0, 0)),
    );
    assert_all_valid(&asked, &table);
    let in_base64 = json!({
        "digest": hex::encode(set.digests[0]),
        "signature": hex::encode(set.signed[0].signature),
        "public_key": Base64::encode_string(&hybrid(0, 0)),
    });
    let encoded = [&asked[..], &["--encoding", "public_key=base64"]].concat();
    assert_all_valid(&encoded, &in_base64.to_string());

    let key = TemporaryFile::new("hybrid", hex::encode(set.secret[1].expose_bytes()));
    let secrets = |arguments: &[&str], public: &[u8]| {
        let with_key = [
            &["ecdh", "--curve", "p256", "--key-file", key.path()],
            arguments,
        ]
        .concat();
        answers(&run(
            &with_key,
            json!({"public_key": hex::encode(public)}).to_string(),
        ))[0]
            .clone()
    };
    let plain = set.public[0].as_sec1().to_vec();
    assert_eq!(
        secrets(&["--hybrid-keys"], &hybrid(0, 0)),
        secrets(&[], &plain)
    );
    assert!(secrets(&["--hybrid-keys"], &hybrid(0, 1))["error"].is_string());
    assert!(secrets(&[], &hybrid(0, 0))["error"].is_string());

    let ed25519 = [
        "verify",
        "--scheme",
        "ed25519",
        "--rule",
        "strict",
        "--hybrid-keys",
    ];
    assert!(refused(&ed25519, "").contains("--hybrid-keys is for ECDSA and SM2"));
}

#[test]
fn invalid_digits_are_reported_with_a_hint() {
    let digest = hex::encode([0xab; 32]);
    for (text, problem) in [
        (
            format!("sha256:{digest}"),
            "the character at position 0 is not a digit; leave out the prefix `sha256:`",
        ),
        (
            format!("SHA-512:{digest}"),
            "the character at position 0 is not a digit; leave out the prefix `sha-512:`",
        ),
        (
            format!("=\"{digest}\""),
            "it contains '=' at position 0; this is a formula of Excel",
        ),
        (
            format!("ab:{}", &digest[3..]),
            "it contains ':' at position 2; colons are accepted if",
        ),
        (
            format!("{}:", &digest[..63]),
            "it contains ':' at position 63",
        ),
        (digest[..63].to_owned(), "it has an odd number of digits"),
        (
            "ab".repeat(16) + " " + &"ab".repeat(16),
            "it contains ' ' at position 32",
        ),
    ] {
        let item =
            json!({"digest": text, "signature": "00".repeat(64), "public_key": "00"}).to_string();
        let found = refused(&ON_P256, &item);
        let expected = format!("`digest` is not hexadecimal: {problem}");
        assert!(
            found.contains("`digest` is not hexadecimal"),
            "{text}: {found}"
        );
        let output = run(&ON_P256, item);
        let reason = answers(&output)[0]["reason"].as_str().unwrap().to_owned();
        assert!(reason.starts_with(&expected), "{text}: {reason}");
    }
    let item =
        json!({"digest": "a:b=", "signature": "00".repeat(64), "public_key": "00"}).to_string();
    let output = run(
        &[&ON_P256[..], &["--encoding", "digest=base64"]].concat(),
        item,
    );
    assert!(
        answers(&output)[0]["reason"]
            .as_str()
            .unwrap()
            .contains("not base64: it contains ':' at position 1")
    );
}

#[test]
fn tables_of_excel_and_texts_in_utf_16() {
    let set = signed::<P256>(2);
    let row = |item: usize| {
        [
            hex::encode(set.digests[item]),
            hex::encode(set.signed[item].signature),
            hex::encode(set.public[item].as_sec1()),
        ]
    };
    for (separator, first) in [
        (";", "sep=;\n"),
        (",", "sep=,\r\n"),
        ("\t", "sep=\t\n"),
        ("|", "sep=|\n"),
        (";", "SEP=;\n"),
        (";", "\"sep=;\"\r\n"),
        (";", "\u{feff}sep=;\r\n"),
    ] {
        let rows = [
            ["digest", "signature", "public_key"].map(str::to_owned),
            row(0),
            row(1),
        ];
        let rows: Vec<String> = rows.iter().map(|row| row.join(separator)).collect();
        let table = format!("{first}{}\n", rows.join("\n"));
        let output = run(&[&ON_P256[..], &["--line"]].concat(), table);
        assert_eq!(code(&output), 0, "{first:?}: {}", stderr(&output));
        let lines: Vec<Value> = answers(&output)
            .iter()
            .map(|answer| answer["line"].clone())
            .collect();
        assert_eq!(lines, [3, 4], "{first:?}");
    }
    let table = format!("digest,signature,public_key\n{}\n", row(0).join(","));
    let object =
        json!({"digest": row(0)[0], "signature": row(0)[1], "public_key": row(0)[2]}).to_string();
    for text in [
        table,
        object.clone(),
        format!("[{object}]"),
        format!("\n{object}"),
    ] {
        let little = |text: &str| {
            text.encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect::<Vec<u8>>()
        };
        let big = |text: &str| {
            text.encode_utf16()
                .flat_map(u16::to_be_bytes)
                .collect::<Vec<u8>>()
        };
        let marked = format!("\u{feff}{text}");
        for bytes in [little(&marked), big(&marked)] {
            for arguments in [
                &ON_P256[..],
                &["verify", "--curve", "p256", "--threads", "1"],
            ] {
                let output = run(arguments, bytes.clone());
                assert_eq!(code(&output), 0, "{}", stderr(&output));
                assert_eq!(answers(&output), [json!({"valid": true})]);
                // A file, which several threads would otherwise read at different offsets.
                let file = TemporaryFile::new("utf-16", bytes.clone());
                assert_eq!(code(&run(&[arguments, &[file.path()]].concat(), "")), 0);
            }
        }
        for (bytes, convert) in [
            (little(&text), "iconv -f UTF-16LE"),
            (big(&text), "iconv -f UTF-16BE"),
        ] {
            let output = run(&ON_P256, bytes);
            assert_eq!(code(&output), 2, "{}", stderr(&output));
            for part in ["UTF-16 without a byte order mark", convert] {
                assert!(stderr(&output).contains(part), "{}", stderr(&output));
            }
        }
        // The text ends in the middle of a character.
        let mut cut = little(&marked);
        cut.pop();
        let output = run(&ON_P256, cut);
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert!(
            stderr(&output).contains("half of a character at its end"),
            "{}",
            stderr(&output)
        );
    }
}

/// Rows and answers stay aligned: a row of tabs alone is rejected like one of commas, and so is the
/// element that a trailing comma announces.
#[test]
fn empty_rows_and_trailing_commas_have_answers() {
    let set = signed::<P256>(2);
    let row = |item: usize, tab: &str| {
        [
            hex::encode(set.digests[item]),
            hex::encode(set.signed[item].signature),
            hex::encode(set.public[item].as_sec1()),
        ]
        .join(tab)
    };
    let of = |tab: &str| {
        let header = ["digest", "signature", "public_key"].join(tab);
        let table = format!("{header}\n{}\n{tab}{tab}\n\n{}\n", row(0, tab), row(1, tab));
        answers(&run(&[&ON_P256[..], &["--line"]].concat(), table))
    };
    let by_commas = of(",");
    assert_eq!(
        by_commas
            .iter()
            .map(|answer| answer["line"].as_u64().unwrap())
            .collect::<Vec<_>>(),
        [2, 3, 5]
    );
    assert_eq!(
        by_commas
            .iter()
            .map(|answer| answer["valid"] == true)
            .collect::<Vec<_>>(),
        [true, false, true]
    );
    assert_eq!((of("\t"), of(";")), (by_commas.clone(), by_commas));
    let objects = set.lines().join(",\n");
    assert_eq!(code(&run(&ON_P256, format!("[{objects}]"))), 0);
    let output = run(&ON_P256, format!("[{objects},\n]\n"));
    assert_eq!(
        (code(&output), answers(&output).len()),
        (1, 3),
        "{}",
        stderr(&output)
    );
    assert!(
        answers(&output)[2]["reason"]
            .as_str()
            .unwrap()
            .contains("a comma precedes the end of the array")
    );
}

/// The verdict on a line does not depend on the lines around it.
#[test]
fn null_and_duplicate_members_affect_their_own_item_only() {
    let set = signed::<P256>(1);
    let digest = hex::encode(set.digests[0]);
    let signature = hex::encode(set.signed[0].signature);
    let key = hex::encode(set.public[0].as_sec1());
    let other = hex::encode([9; 32]);
    let rest = format!("\"sig\":\"{signature}\",\"pk\":\"{key}\"");
    let lines = [
        (
            format!("{{\"digest\":\"{digest}\",\"hash\":\"{other}\",{rest}}}"),
            Some(true),
        ),
        (
            format!("{{\"digest\":null,\"hash\":\"{digest}\",{rest}}}"),
            Some(true),
        ),
        (
            format!("{{\"digest\":\"{other}\",\"hash\":\"{digest}\",{rest}}}"),
            Some(false),
        ),
        (
            format!("{{\"digest\":null,\"hash\":\"{other}\",{rest}}}"),
            Some(false),
        ),
        (
            format!("{{\"digest\":\"{digest}\",\"digest\":null,\"hash\":\"{other}\",{rest}}}"),
            None,
        ),
        (
            format!("{{\"digest\":\"{digest}\",\"digest\":\"{digest}\",{rest}}}"),
            None,
        ),
        (
            format!("{{\"digest\":\"{digest}\",\"message\":null,\"tag\":null,{rest}}}"),
            Some(true),
        ),
    ];
    for shift in 0..lines.len() {
        for step in [1, 2, 3] {
            let order: Vec<usize> = (0..3 * lines.len())
                .map(|at| (shift + step * at) % lines.len())
                .collect();
            let text: Vec<&str> = order.iter().map(|line| lines[*line].0.as_str()).collect();
            for columns in [&[][..], &["--columns", "digest=digest"]] {
                let output = run(&[&ON_P256[..], columns].concat(), text.join("\n"));
                for (line, answer) in order.iter().zip(answers(&output)) {
                    let is_twice = answer["reason"]
                        .as_str()
                        .is_some_and(|reason| reason.contains("occurs twice"));
                    // A digest that is null is absent where its member was named, too.
                    let expected = lines[*line].1;
                    if columns.is_empty() || !lines[*line].0.contains("\"digest\":null,\"hash\"") {
                        assert_eq!(
                            (answer["valid"] == true, is_twice),
                            (expected == Some(true), expected.is_none()),
                            "{answer}"
                        );
                    }
                }
            }
        }
    }
    for columns in [&[][..], &["--columns", "digest=digest"]] {
        let table = format!("digest,sig,pk,digest\n{digest},{signature},{key},{digest}\n");
        assert!(
            refused(&[&ON_P256[..], columns].concat(), &table).contains("`digest` occurs twice")
        );
    }
}

#[test]
fn sm2_id_applies_to_all_items_and_may_be_empty() {
    let engine = Engine::cpu().unwrap();
    let key = SecretKey::from_bytes([5; 32]);
    let public =
        keys::public_keys(&engine, gecc::Sm2, std::slice::from_ref(&key)).unwrap()[0].unwrap();
    let key_file = TemporaryFile::new("sm2.key", hex::encode([5; 32]));
    let sign = |id: &[u8]| {
        let ids: [&[u8]; 1] = [id];
        hex::encode(
            sm2::sign_messages(&engine, &[b"abc"], sm2::UserIds::each(&ids), &key).unwrap()[0]
                .unwrap(),
        )
    };
    let public = hex::encode(public.as_sec1());
    let on_sm2 = ["verify", "--curve", "sm2"];
    for id in ["", "alice", "用户"] {
        let item =
            json!({"message": "616263", "signature": sign(id.as_bytes()), "public_key": public})
                .to_string();
        assert_all_valid(&[&on_sm2[..], &["--sm2-id", id]].concat(), &item);
        assert_eq!(code(&run(&on_sm2, item.clone())), 1);
        let signed = run(
            &[
                "sign",
                "--curve",
                "sm2",
                "--sm2-id",
                id,
                "--key-file",
                key_file.path(),
            ],
            item,
        );
        assert_eq!(answers(&signed)[0]["signature"], sign(id.as_bytes()));
        // The id of an item has to equal the option.
        let with_id = |own: &str| {
            json!({"message": "616263", "sm2_id": own, "signature": sign(own.as_bytes()), "public_key": public})
                .to_string()
        };
        assert_all_valid(&[&on_sm2[..], &["--sm2-id", id]].concat(), &with_id(id));
        let problem = refused(&[&on_sm2[..], &["--sm2-id", id]].concat(), &with_id("bob"));
        assert!(
            problem.contains("`id` is not that of --sm2-id"),
            "{problem}"
        );
        // A column `id` is that of a row if the id is an option.
        let table = format!(
            "id,message,signature,public_key\n1,616263,{},{public}\n",
            sign(id.as_bytes())
        );
        assert_all_valid(&[&on_sm2[..], &["--sm2-id", id]].concat(), &table);
    }
    // In CSV an id between quotes may be empty; a cell without them is absent, and means the
    // default id.
    let default = sign(sm2::DEFAULT_USER_ID);
    let table = format!(
        "sm2_id,message,signature,public_key\n\"\",616263,{},{public}\n,616263,{default},{public}\nalice,616263,{},{public}\n",
        sign(b""),
        sign(b"alice")
    );
    assert_all_valid(&on_sm2, &table);
    let problem = refused(&[&on_sm2[..], &["--sm2-id", "alice"]].concat(), &table);
    assert!(
        problem.contains("is for all items, and each has an `id`"),
        "{problem}"
    );
}

/// RFC 6979, appendix A.2.5: the hash of the message is used for HMAC.
#[test]
fn nonces_are_derived_with_the_configured_hash() {
    let key = TemporaryFile::new(
        "a25.key",
        "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721",
    );
    let sample = json!({"message": hex::encode("sample")}).to_string();
    for (hash, expected) in [
        (
            "sha256",
            "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
        ),
        (
            "sha384",
            "0eafea039b20e9b42309fb1d89e213057cbf973dc0cfc8f129edddc800ef77194861f0491e6998b9455193e34e7b0d284ddd7149a74b95b9261f13abde940954",
        ),
        (
            "sha512",
            "8496a60b5e9b47c825488827e0495b0e3fa109ec4568fd3f8d1097678eb97f002362ab1adbe2b8adf9cb9edab740ea6049c028114f2460f96554f61fae3302fe",
        ),
    ] {
        let sign = [
            "sign",
            "--curve",
            "p256",
            "--key-file",
            key.path(),
            "--hash",
            hash,
        ];
        for more in [&[][..], &["--check-signatures"]] {
            assert_eq!(
                answers(&run(&[&sign[..], more].concat(), sample.clone()))[0]["signature"],
                expected,
                "{hash}"
            );
        }
        let recoverable = run(&[&sign[..], &["--recoverable"]].concat(), sample.clone());
        assert_eq!(answers(&recoverable)[0]["signature"], expected, "{hash}");
    }
    // This also applies to digests, which were computed with the same hash.
    use sha2::{Digest, Sha384};
    let digest = json!({"digest": hex::encode(Sha384::digest(b"sample"))}).to_string();
    let sign = ["sign", "--curve", "p256", "--key-file", key.path()];
    let of_message = answers(&run(&[&sign[..], &["--hash", "sha384"]].concat(), sample));
    assert_eq!(
        answers(&run(
            &[&sign[..], &["--hash", "sha384"]].concat(),
            digest.clone()
        )),
        of_message
    );
    assert_ne!(answers(&run(&sign, digest)), of_message);
}

/// An option without effect is refused, even with its default value; see also `flags/effects.rs`.
#[test]
fn options_without_an_effect_are_errors() {
    let key = TemporaryFile::new("effects.key", hex::encode([3; 32]));
    let set = signed::<P256>(2);
    let digest = hex::encode(set.digests[0]);
    let signature = hex::encode(set.signed[0].signature);
    let public = hex::encode(set.public[0].as_sec1());
    let message = json!({"message": "616263"}).to_string();
    let item = json!({"digest": digest, "signature": signature, "public_key": public}).to_string();
    let table = format!("digest,signature,public_key\n{digest},{signature},{public}\n");
    for scheme in ["sm2", "bip340", "ed25519"] {
        for hash in ["sha256", "sha512", "none"] {
            let sign = [
                "sign",
                "--scheme",
                scheme,
                "--key-file",
                key.path(),
                "--hash",
                hash,
            ];
            assert!(
                refused(&sign, &message).contains("--hash is for ECDSA"),
                "{scheme} {hash}"
            );
            let mut verify = vec!["verify", "--scheme", scheme, "--hash", hash];
            if scheme == "ed25519" {
                verify.extend(["--rule", "strict"]);
            }
            assert!(
                refused(&verify, &item).contains("--hash is for ECDSA"),
                "{scheme} {hash}"
            );
        }
    }
    let no_message = "there is no `message`";
    for (more, problem) in [
        (&["--hash", "sha256"][..], no_message),
        (&["--hash", "keccak256"], no_message),
        (&["--text-messages"], no_message),
        (&["--columns", "id=user,tag=x"], "there is no field `tag"),
        (&["--columns", "secret_key=sk"], "--columns has no effect"),
        (&["--sm2-id", "alice"], "--sm2-id is for SM2"),
    ] {
        for input in [&item, &table] {
            let arguments = [&ON_P256[..], more].concat();
            assert!(
                refused(&arguments, input).contains(problem),
                "{arguments:?}: {}",
                refused(&arguments, input)
            );
        }
    }
    // Computed answers are not lost if only the last item reveals it.
    let output = run(
        &[&ON_P256[..], &["--hash", "sha256"]].concat(),
        item.clone(),
    );
    assert_eq!(
        (code(&output), answers(&output)),
        (2, vec![json!({"valid": true})])
    );
    // An option that affects only one of many items is accepted.
    let sign = [
        "sign",
        "--curve",
        "p256",
        "--key-file",
        key.path(),
        "--hash",
        "keccak256",
    ];
    let mixed = format!("{{\"digest\":\"{digest}\"}}\n").repeat(20) + &message;
    assert_eq!(code(&run(&sign, mixed)), 0);
    // An empty input does not show whether the option has an effect.
    assert_eq!(code(&run(&[&sign[..], &["--allow-empty"]].concat(), "")), 0);
    // Columns that do not occur in any item.
    let with_id = |column: &str| {
        let item = json!({"message": "616263", "user": "alice"}).to_string();
        run(
            &[
                "sign",
                "--curve",
                "sm2",
                "--key-file",
                key.path(),
                "--columns",
                column,
            ],
            item,
        )
    };
    assert_eq!(code(&with_id("id=user")), 0);
    let absent = with_id("id=usr");
    assert_eq!(code(&absent), 2);
    assert!(
        stderr(&absent).contains("--columns id=usr has no effect"),
        "{}",
        stderr(&absent)
    );
    for output in ["-", "/dev/null"] {
        let problem = refused(&[&ON_P256[..], &["--sync", "-o", output]].concat(), &item);
        assert!(problem.contains("--sync is for output files"), "{problem}");
    }
    let problem = refused(
        &["pubkey", "--curve", "p256", "--encoding", "hex"],
        &hex::encode([3; 32]),
    );
    assert!(
        problem.contains("--encoding is for public values"),
        "{problem}"
    );
    let problem = refused(
        &[
            "bench",
            "--curve",
            "p256",
            "--operations",
            "bip340_verify",
            "--items",
            "16",
        ],
        "",
    );
    assert!(problem.contains("does not exist on the curve"), "{problem}");
}

#[cfg(feature = "chains")]
#[test]
fn options_of_chains_without_an_effect_are_errors() {
    let state = TemporaryFile::new("effects.state", "");
    let problem = refused(&["ethereum", "senders", "--state", state.path(), "-"], "[]");
    assert!(
        problem.contains("--state records files that are done"),
        "{problem}"
    );
    let chain = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/data/certificates"
    );
    if std::path::Path::new(chain).exists() {
        let problem = refused(&["certificates", "--sm2-id", "alice", chain], "");
        assert!(problem.contains("--sm2-id has no effect"), "{problem}");
    }
}

#[test]
fn input_of_which_nothing_can_be_read_ends_with_2() {
    let item = |digest: &str, signature: &str| {
        json!({"digest": digest, "signature": signature, "public_key": "00"}).to_string()
    };
    let different = [
        item("00", "00"),
        item(&"00".repeat(32), "zz"),
        "[]".to_owned(),
    ]
    .join("\n");
    let output = run(&ON_P256, different.clone());
    assert_eq!(
        (code(&output), answers(&output).len()),
        (2, 3),
        "{}",
        stderr(&output)
    );
    assert!(
        stderr(&output).contains("no item has the right form: "),
        "{}",
        stderr(&output)
    );
    // If one item can be read, the others are rejected items.
    let set = signed::<P256>(1);
    let output = run(&ON_P256, different + "\n" + &set.lines()[0]);
    assert_eq!(
        (code(&output), answers(&output).len()),
        (1, 4),
        "{}",
        stderr(&output)
    );
}

/// Runs the program with an input whose first bytes come one at a time.
fn run_slowly(arguments: &[&str], input: &[u8]) -> Output {
    const SLOW: usize = 48;
    let mut child = start(arguments);
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        let (slow, rest) = input.split_at(input.len().min(SLOW));
        for byte in slow.chunks(1) {
            // A program that has seen enough closes its input.
            if stdin.write_all(byte).is_err() {
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let _ = stdin.write_all(rest);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// The recognised form of an input does not depend on how much of it comes at a time.
#[test]
fn formats_are_detected_from_single_byte_reads() {
    let set = signed::<P256>(3);
    let row = |item: usize, tab: &str| {
        [
            hex::encode(set.digests[item]),
            hex::encode(set.signed[item].signature),
            hex::encode(set.public[item].as_sec1()),
        ]
        .join(tab)
    };
    let table = |tab: &str| {
        let rows: Vec<String> = (0..3).map(|item| row(item, tab)).collect();
        format!(
            "{}\n{}\n",
            ["digest", "signature", "public_key"].join(tab),
            rows.join("\n")
        )
    };
    let lines = set.lines().join("\n");
    let pretty: Vec<String> = (0..3)
        .map(|item| serde_json::to_string_pretty(&set.json(item)).unwrap())
        .collect();
    let texts = [
        lines.clone(),
        format!("\n \r\n{lines}"),
        format!("[\n{}\n]", set.lines().join(",\n")),
        format!("  [{}]", set.lines().join(",")),
        pretty.join("\n"),
        format!("{{\n\n{}", &pretty[0][1..]),
        table(","),
        table("\t"),
        table(";"),
        format!("\u{feff}{}", table(",")),
        format!("\u{feff}{lines}"),
        format!("sep=;\r\n{}", table(";")),
    ];
    let mut inputs: Vec<Vec<u8>> = Vec::new();
    for text in &texts {
        inputs.push(text.clone().into_bytes());
        inputs.push(gzip(text.as_bytes()));
        inputs.push(zstd::encode_all(text.as_bytes(), 1).unwrap());
    }
    for input in &inputs {
        let output = run_slowly(&ON_P256, input);
        let shown = input[..input.len().min(60)].escape_ascii();
        assert_eq!(code(&output), 0, "{shown}: {}", stderr(&output));
        assert!(
            answers(&output)
                .iter()
                .all(|answer| answer["valid"] == true)
                && !answers(&output).is_empty(),
            "{shown}"
        );
    }
    // Formats that are not read from a pipe are named, and so is compression that is left to other
    // programs.
    let of_tables = match cfg!(feature = "arrow") {
        true => ["Parquet is read from a file", "Arrow IPC likewise"],
        false => ["built without Parquet and Arrow, which archives, wheels and"; 2],
    };
    let refusals: [(&[u8], &str); 7] = [
        (b"PAR1\x15\x04\x15\x10\n\n", of_tables[0]),
        (b"ARROW1\0\0\xff\xff\xff\xff\n", of_tables[1]),
        (b"\xff\xff\xff\xff\x10\0\0\0\n\n", of_tables[1]),
        (b"\xfd7zXZ\0\0\x04", "compressed with xz"),
        (b"BZh91AY&SY12345", "compressed with bzip2"),
        (b"\x04\x22\x4d\x18abcdef", "compressed with lz4"),
        (b"PK\x03\x04abcdefgh", "compressed with zip"),
    ];
    for (input, problem) in refusals {
        let output = run_slowly(&ON_P256, input);
        assert_eq!(
            code(&output),
            2,
            "{}: {}",
            input.escape_ascii(),
            stderr(&output)
        );
        assert!(
            stderr(&output).contains(problem),
            "{}: {}",
            input.escape_ascii(),
            stderr(&output)
        );
    }
}

#[test]
fn forms_of_keys_are_detected_from_single_byte_reads() {
    let set = signed::<P256>(1);
    let secret = p256::SecretKey::from_slice(set.secret[0].expose_bytes()).unwrap();
    let digits = hex::encode(set.secret[0].expose_bytes());
    let base64url = |bytes: &[u8]| base64ct::Base64UrlUnpadded::encode_string(bytes);
    let [x, y] = [1, 33].map(|at| base64url(&set.public[0].as_sec1()[at..at + 32]));
    let d = base64url(set.secret[0].expose_bytes());
    let jwk = json!({"kty": "EC", "crv": "P-256", "x": x, "y": y, "d": d}).to_string();
    let pem = secret.to_pkcs8_pem(LineEnding::LF).unwrap().to_string();
    let forms: [(&str, Vec<u8>); 9] = [
        ("digits", digits.clone().into_bytes()),
        ("digits with 0x", format!("0x{digits}\n").into_bytes()),
        ("a comment", format!("# key\n{digits}\n").into_bytes()),
        ("PEM", pem.clone().into_bytes()),
        (
            "PEM after text",
            format!("Bag Attributes\n    localKeyID: 01\n{pem}").into_bytes(),
        ),
        ("DER", secret.to_pkcs8_der().unwrap().as_bytes().to_vec()),
        ("JWK", jwk.into_bytes()),
        ("CSV", format!("secret_key\n{digits}\n").into_bytes()),
        (
            "JSON",
            json!({"secret_key": digits}).to_string().into_bytes(),
        ),
    ];
    let digest = TemporaryFile::new(
        "slow.csv",
        format!("digest\n{}\n", hex::encode(set.digests[0])),
    );
    for (form, key) in forms {
        for key in [key.clone(), gzip(&key)] {
            let public = run_slowly(&["pubkey", "--curve", "p256"], &key);
            assert_eq!(
                answers(&public)[0]["public_key"],
                hex::encode(set.public[0].as_sec1()),
                "{form}: {}",
                stderr(&public)
            );
            let signed = run_slowly(
                &["sign", "--curve", "p256", "--key-file", "-", digest.path()],
                &key,
            );
            assert_eq!(
                answers(&signed)[0]["signature"],
                hex::encode(set.signed[0].signature),
                "{form}: {}",
                stderr(&signed)
            );
        }
    }
}

/// Streams of Arrow, whose format has to be named.
#[cfg(feature = "arrow")]
#[test]
fn arrow_streams_are_read_from_single_byte_reads() {
    use arrow_array::{ArrayRef, BinaryArray, RecordBatch};
    use gecc_arrow::{Compression, Format};
    use std::sync::Arc;
    let set = signed::<P256>(3);
    let column = |bytes: &dyn Fn(usize) -> Vec<u8>| {
        Arc::new(BinaryArray::from_iter_values((0..3).map(bytes))) as ArrayRef
    };
    let table = RecordBatch::try_from_iter([
        ("digest", column(&|item| set.digests[item].into())),
        (
            "signature",
            column(&|item| set.signed[item].signature.into()),
        ),
        (
            "public_key",
            column(&|item| set.public[item].as_sec1().to_vec()),
        ),
    ])
    .unwrap();
    for compression in [Compression::None, Compression::Zstd] {
        let file =
            crate::tables::file("slow.arrows", &table, 2, (Format::ArrowStream, compression));
        let stream = std::fs::read(file.path()).unwrap();
        for input in [stream.clone(), gzip(&stream)] {
            let output = run_slowly(&[&ON_P256[..], &["--format", "arrow"]].concat(), &input);
            assert_eq!(code(&output), 0, "{}", stderr(&output));
            assert!(
                answers(&output).len() == 3
                    && answers(&output)
                        .iter()
                        .all(|answer| answer["valid"] == true)
            );
        }
    }
}

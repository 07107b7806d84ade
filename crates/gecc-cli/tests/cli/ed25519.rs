//! `--scheme ed25519`: points of small order by each rule, and random signatures in every format.

use crate::support::{TemporaryFile, answers, code, run, stderr};
use base64ct::{Base64, Base64UrlUnpadded, Encoding};
use gecc::ed25519::{self, Rule, Variant};
use gecc::{Engine, SecretKey};
use serde_json::{Value, json};

/// Names in the file of the rules of `Rule::ALL`.
const COLUMNS: [&str; Rule::ALL.len()] = [
    "cofactorless",
    "dalek_strict",
    "libsodium",
    "zip215",
    "rfc8032",
    "rfc8032_cofactored",
];

#[test]
fn verification_rule_determines_verdicts() {
    let text = include_str!("../../../../tests/vectors/ed25519_zip215_small_order.json");
    let file: Value = serde_json::from_str(text).unwrap();
    let cases = file["cases"].as_array().unwrap();
    let input: String = cases
        .iter()
        .map(|case| {
            json!({"message": file["message"], "signature": case["signature"], "key": case["public"]}).to_string()
                + "\n"
        })
        .collect();
    for (rule, column) in Rule::ALL.iter().zip(COLUMNS) {
        let arguments = [
            "verify",
            "--scheme",
            "ed25519",
            "--rule",
            rule.name(),
            "--columns",
            "public_key=key",
        ];
        let output = run(&arguments, input.clone());
        let found: Vec<bool> = answers(&output)
            .iter()
            .map(|answer| answer["valid"].as_bool().unwrap())
            .collect();
        assert_eq!(
            found,
            cases
                .iter()
                .map(|case| case[column] == 1)
                .collect::<Vec<_>>(),
            "{}",
            stderr(&output)
        );
        assert_eq!(code(&output), i32::from(found.contains(&false)));
    }
}

struct Signed {
    public: Vec<[u8; 32]>,
    messages: Vec<[u8; 32]>,
    signatures: Vec<[u8; 64]>,
}

/// Every fifth signature is corrupted.
fn signed(items: usize) -> Signed {
    let engine = Engine::cpu().unwrap();
    let seeds: Vec<SecretKey> = (0..items)
        .map(|item| SecretKey::from_bytes([item as u8; 32]))
        .collect();
    let messages: Vec<[u8; 32]> = (0..items).map(|item| [item as u8; 32]).collect();
    let signatures = ed25519::sign(&engine, &messages, &seeds, Variant::PURE).unwrap();
    let mut signatures: Vec<[u8; 64]> = signatures.into_iter().map(Result::unwrap).collect();
    signatures
        .iter_mut()
        .skip(2)
        .step_by(5)
        .for_each(|signature| signature[40] ^= 1);
    Signed {
        public: ed25519::public_keys(&engine, &seeds).unwrap(),
        messages,
        signatures,
    }
}

const VERIFY: [&str; 5] = ["verify", "--scheme", "ed25519", "--rule", "strict"];

/// Verifies lines with messages and digests.
#[test]
fn lines() {
    let set = signed(300);
    let line = |item: usize| {
        let content = if item.is_multiple_of(3) {
            "message"
        } else {
            "digest"
        };
        json!({
            content: hex::encode(set.messages[item]),
            "signature": hex::encode(set.signatures[item]),
            "public_key": hex::encode(set.public[item]),
        })
    };
    let input: String = (0..300).map(|item| line(item).to_string() + "\n").collect();
    check(&run(&VERIFY, input.clone()).stdout);
    let together = [
        "verify",
        "--scheme",
        "ed25519",
        "--rule",
        "zip215",
        "--batch-verification",
    ];
    check(&run(&together, input).stdout);
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

#[cfg(feature = "arrow")]
fn column<const W: usize>(rows: &[[u8; W]]) -> arrow_array::ArrayRef {
    std::sync::Arc::new(arrow_array::FixedSizeBinaryArray::try_from_iter(rows.iter()).unwrap())
}

/// Reads Parquet with public and with private keys.
#[test]
#[cfg(feature = "arrow")]
fn tables_are_answered() {
    use arrow_array::RecordBatch;
    use gecc_arrow::{Compression, Format};
    let set = signed(300);
    let batch = RecordBatch::try_from_iter([
        ("message", column(&set.messages)),
        ("signature", column(&set.signatures)),
        ("public_key", column(&set.public)),
    ])
    .unwrap();
    let written = (Format::Parquet, Compression::Zstd);
    let file = crate::tables::file("ed25519.parquet", &batch, 100, written);
    check(&run(&[&VERIFY[..], &[file.path()]].concat(), "").stdout);
    let seeds: Vec<[u8; 32]> = (0..300).map(|item| [item as u8; 32]).collect();
    let seeds = RecordBatch::try_from_iter([("secret_key", column(&seeds))]).unwrap();
    let file = crate::tables::file("ed25519-seeds.parquet", &seeds, 100, written);
    let output = run(&["pubkey", "--scheme", "ed25519", file.path()], "");
    let public: Vec<Value> = set
        .public
        .iter()
        .map(|key| json!({"public_key": hex::encode(key)}))
        .collect();
    assert_eq!(answers(&output), public, "{}", stderr(&output));
}

/// Signs the vectors of RFC 8032; each signature is valid only as its own variant.
#[test]
fn variants_of_the_standard() {
    let cases: Vec<Value> = serde_json::from_str(include_str!(
        "../../../../tests/vectors/ed25519_rfc8032.json"
    ))
    .unwrap();
    let of_variants: Vec<&Value> = cases
        .iter()
        .filter(|case| case["instance"] != "Ed25519")
        .collect();
    assert_eq!(of_variants.len(), 5);
    for case in of_variants {
        let context = case["context"].as_str().unwrap();
        let seed = json!({"message": case["message"], "secret_key": case["secret"]}).to_string();
        let item = json!({"message": case["message"], "signature": case["signature"], "public_key": case["public"]})
            .to_string();
        for (instance, options) in [
            ("Ed25519", &[][..]),
            ("Ed25519ctx", &["--context", context]),
            ("Ed25519ph", &["--prehashed", "--context", context]),
        ] {
            let is_its_own = case["instance"] == instance;
            let signed = run(
                &[&["sign", "--scheme", "ed25519"], options].concat(),
                seed.clone(),
            );
            let found = &answers(&signed)[0]["signature"];
            assert_eq!(
                *found == case["signature"],
                is_its_own,
                "{case}: {found} {}",
                stderr(&signed)
            );
            let verified = run(&[&VERIFY[..], options].concat(), item.clone());
            assert_eq!(
                answers(&verified)[0]["valid"],
                is_its_own,
                "{case} {}",
                stderr(&verified)
            );
        }
        if context.is_empty() {
            assert_eq!(
                answers(&run(&[&VERIFY[..], &["--prehashed"]].concat(), item)),
                [json!({"valid": true})]
            );
        }
    }
}

/// Signs the variants in lines and in tables.
#[test]
fn variants_in_every_format() {
    let set = signed(300);
    let context = [0xbe, 0xef];
    let seeds: Vec<[u8; 32]> = (0..300).map(|item| [item as u8; 32]).collect();
    let keys: Vec<SecretKey> = seeds
        .iter()
        .map(|seed| SecretKey::from_bytes(*seed))
        .collect();
    let sign = ["sign", "--scheme", "ed25519", "--context", "beef"];
    for (variant, option) in [
        (Variant::context(&context).unwrap(), &[][..]),
        (
            Variant::prehashed(&context).unwrap(),
            &["--prehashed", "--check-signatures"],
        ),
    ] {
        let arguments = [&sign[..], option].concat();
        let signed = ed25519::sign(&Engine::cpu().unwrap(), &set.messages, &keys, variant).unwrap();
        let expected: Vec<Value> = signed
            .iter()
            .map(|row| json!({"signature": hex::encode(row.unwrap())}))
            .collect();
        let lines = set.messages.iter().zip(&seeds).map(|(message, seed)| {
            let item = json!({"digest": hex::encode(message), "secret_key": hex::encode(seed)});
            item.to_string() + "\n"
        });
        assert_eq!(
            answers(&run(&arguments, lines.collect::<String>())),
            expected
        );
        #[cfg(feature = "arrow")]
        {
            let columns = [
                ("message", column(&set.messages)),
                ("secret_key", column(&seeds)),
            ];
            let batch = arrow_array::RecordBatch::try_from_iter(columns).unwrap();
            let written = (gecc_arrow::Format::Parquet, gecc_arrow::Compression::Zstd);
            let file = crate::tables::file("ed25519-variants.parquet", &batch, 100, written);
            assert_eq!(
                answers(&run(&[&arguments[..], &[file.path()]].concat(), "")),
                expected
            );
        }
    }
}

/// RFC 8032, section 7.1, the first vector, whose key RFC 8037, section A.1, has as a JSON Web Key.
const SEED: &str = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
const PUBLIC: &str = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
const SIGNATURE: &str = "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b";

/// The fields of RFC 4251, section 5.
fn strings(parts: &[&[u8]]) -> Vec<u8> {
    parts
        .iter()
        .flat_map(|part| [&(part.len() as u32).to_be_bytes()[..], part].concat())
        .collect()
}

/// DER of a public key (RFC 8410, section 4), and of a private one (section 7).
fn der(begin: &str, key: &str) -> Vec<u8> {
    hex::decode(format!("{begin}{key}")).unwrap()
}

fn pem(label: &str, bytes: &[u8]) -> String {
    format!(
        "-----BEGIN {label}-----\n{}\n-----END {label}-----\n",
        Base64::encode_string(bytes)
    )
}

#[test]
fn public_keys_in_every_form() {
    let spki = der("302a300506032b6570032100", PUBLIC);
    let bytes = hex::decode(PUBLIC).unwrap();
    let line = format!(
        "ssh-ed25519 {}",
        Base64::encode_string(&strings(&[b"ssh-ed25519", &bytes]))
    );
    let jwk =
        json!({"kty": "OKP", "crv": "Ed25519", "x": Base64UrlUnpadded::encode_string(&bytes)});
    let texts = [
        json!(pem("PUBLIC KEY", &spki)),
        jwk.clone(),
        json!(jwk.to_string()),
        json!(line),
        json!(line + " me"),
    ];
    let hexadecimal = [
        json!(hex::encode(&spki)),
        json!(PUBLIC),
        json!(format!("0x{PUBLIC}")),
    ];
    let item = |encode: &dyn Fn(&[u8]) -> String, key: &Value| {
        let signature = encode(&hex::decode(SIGNATURE).unwrap());
        json!({"message": "", "signature": signature, "public_key": key}).to_string() + "\n"
    };
    let all: Vec<String> = texts
        .iter()
        .chain(&hexadecimal)
        .map(|key| item(&|bytes| hex::encode(bytes), key))
        .collect();
    // Each by itself, and all together, whichever is first.
    for input in all
        .iter()
        .cloned()
        .chain([all.concat(), all.iter().rev().map(String::as_str).collect()])
    {
        let output = run(&VERIFY, input.clone());
        assert!(
            answers(&output)
                .iter()
                .all(|answer| answer["valid"] == true),
            "{input}: {}",
            stderr(&output)
        );
        assert_eq!(code(&output), 0);
        assert_eq!(
            code(&run(
                &VERIFY,
                input.replace(SIGNATURE, &SIGNATURE.replace("e5", "e6"))
            )),
            1
        );
    }
    let base64 = [
        json!(Base64::encode_string(&spki)),
        json!(Base64UrlUnpadded::encode_string(&bytes)),
    ];
    let input: String = texts
        .iter()
        .chain(&base64)
        .map(|key| item(&Base64::encode_string, key))
        .collect();
    let output = run(&[&VERIFY[..], &["--encoding", "base64"]].concat(), input);
    assert!(
        answers(&output)
            .iter()
            .all(|answer| answer["valid"] == true),
        "{}",
        stderr(&output)
    );
    // Of other kinds.
    for key in texts.iter().chain(&hexadecimal[..1]) {
        let input = item(&|bytes| hex::encode(bytes), key)
            .replace("\"message\":\"\"", &format!("\"digest\":\"{PUBLIC}\""));
        let output = run(&["verify", "--curve", "secp256k1"], input);
        let problem = stderr(&output);
        assert!(
            code(&output) == 2
                && (problem.contains("for Ed25519, not for")
                    || problem.contains("`kty` is not EC")),
            "{key}: {problem}"
        );
    }
    let line = format!("ssh-rsa {}", Base64::encode_string(&strings(&[b"ssh-rsa"])));
    let output = run(&VERIFY, item(&|bytes| hex::encode(bytes), &json!(line)));
    assert!(
        stderr(&output).contains("neither for ssh-ed25519 nor for"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn private_keys_in_every_form() {
    let [seed, public] = [SEED, PUBLIC].map(|digits| hex::decode(digits).unwrap());
    let pkcs8 = der("302e020100300506032b657004220420", SEED);
    let d = Base64UrlUnpadded::encode_string(&seed);
    let of_openssh = {
        let name = b"ssh-ed25519";
        let check = 7u32.to_be_bytes();
        let fields = strings(&[name, &public, &[&seed[..], &public].concat(), b""]);
        let mut private = [&check[..], &check, &fields].concat();
        private.extend((1..).take(private.len().next_multiple_of(8) - private.len()));
        let outside = strings(&[b"none", b"none", b""]);
        let keys = strings(&[&strings(&[name, &public]), &private]);
        pem(
            "OPENSSH PRIVATE KEY",
            &[
                b"openssh-key-v1\0",
                &outside[..],
                &1u32.to_be_bytes(),
                &keys,
            ]
            .concat(),
        )
    };
    let files = [
        SEED.as_bytes().to_vec(),
        pem("PRIVATE KEY", &pkcs8).into_bytes(),
        pkcs8,
        json!({"kty": "OKP", "crv": "Ed25519", "d": d})
            .to_string()
            .into_bytes(),
        of_openssh.into_bytes(),
    ];
    let sign = [
        "sign",
        "--scheme",
        "ed25519",
        "--check-signatures",
        "--key-file",
    ];
    for (number, content) in files.iter().enumerate() {
        let file = TemporaryFile::new(&format!("ed25519-{number}"), content);
        let output = run(&[&sign[..], &[file.path()]].concat(), "{\"message\":\"\"}");
        assert_eq!(
            answers(&output),
            [json!({"signature": SIGNATURE})],
            "{number}: {}",
            stderr(&output)
        );
        let output = run(&["pubkey", "--scheme", "ed25519", file.path()], "");
        assert_eq!(
            answers(&output),
            [json!({"public_key": PUBLIC})],
            "{number}: {}",
            stderr(&output)
        );
        if number > 0 {
            let other = run(&["pubkey", "--curve", "p256", file.path()], "");
            assert!(
                code(&other) == 2 && !stderr(&other).contains(&d),
                "{number}: {}",
                stderr(&other)
            );
        }
    }
    // Each key with its message.
    let lines = format!("{SEED}\n{}\n", "07".repeat(32));
    let file = TemporaryFile::new("ed25519-lines", lines.as_bytes());
    let output = run(
        &[&sign[..], &[file.path()]].concat(),
        "{\"message\":\"\"}\n{\"digest\":\"".to_owned() + PUBLIC + "\"}\n",
    );
    let engine = Engine::cpu().unwrap();
    let other = ed25519::sign(
        &engine,
        &[&public],
        &SecretKey::from_bytes([7; 32]),
        Variant::PURE,
    )
    .unwrap()[0]
        .unwrap();
    assert_eq!(
        answers(&output),
        [
            json!({"signature": SIGNATURE}),
            json!({"signature": hex::encode(other)})
        ]
    );
}

/// RFC 8032, section 7.1, test 1 with its empty message, and a message of one space.
#[test]
fn empty_messages_in_tables() {
    let engine = Engine::cpu().unwrap();
    let seed = SecretKey::from_bytes([1; 32]);
    let public =
        hex::encode(ed25519::public_keys(&engine, std::slice::from_ref(&seed)).unwrap()[0]);
    let row = |message: &str| {
        let signature = ed25519::sign(&engine, &[message.as_bytes()], &seed, Variant::PURE)
            .unwrap()[0]
            .unwrap();
        format!("{message},{},{public}\n", hex::encode(signature))
    };
    let input = format!("message,signature,public_key\n{}{}", row(""), row(" "));
    let verify = [
        "verify",
        "--scheme",
        "ed25519",
        "--rule",
        "strict",
        "--text-messages",
    ];
    assert_eq!(
        code(&run(&verify, input.clone())),
        0,
        "{}",
        String::from_utf8_lossy(&run(&verify, input).stdout)
    );
}

/// Signs with the keys of items, and derives their public keys.
#[test]
fn signatures_and_keys_are_those_of_the_library() {
    let mut set = signed(300);
    set.signatures
        .iter_mut()
        .skip(2)
        .step_by(5)
        .for_each(|signature| signature[40] ^= 1);
    let lines = (0..300)
        .map(|item: usize| {
            let content = if item.is_multiple_of(3) { "message" } else { "digest" };
            json!({content: hex::encode(set.messages[item]), "secret_key": hex::encode([item as u8; 32])}).to_string()
        })
        .collect::<Vec<_>>()
        .join("\n");
    let sign = ["sign", "--scheme", "ed25519"];
    let expected: Vec<Value> = set
        .signatures
        .iter()
        .map(|row| json!({"signature": hex::encode(row)}))
        .collect();
    assert_eq!(answers(&run(&sign, lines.clone())), expected);
    let public: Vec<Value> = set
        .public
        .iter()
        .map(|key| json!({"public_key": hex::encode(key)}))
        .collect();
    let pubkey = ["pubkey", "--scheme", "ed25519"];
    assert_eq!(answers(&run(&pubkey, lines)), public);
}

/// Base64 may begin with a hyphen.
#[test]
fn messages_in_base64url() {
    let engine = Engine::cpu().unwrap();
    let seed = SecretKey::from_bytes([1; 32]);
    let message = [0xfb, 0xef, 0xbe];
    let public = ed25519::public_keys(&engine, std::slice::from_ref(&seed)).unwrap()[0];
    let signature = ed25519::sign(&engine, &[message], &seed, Variant::PURE).unwrap()[0].unwrap();
    let text = |bytes: &[u8]| Base64UrlUnpadded::encode_string(bytes);
    assert!(text(&message).starts_with('-'));
    let line = json!({"message": text(&message), "signature": text(&signature), "public_key": text(&public)});
    let output = run(
        &[&VERIFY[..], &["--encoding", "base64"]].concat(),
        line.to_string(),
    );
    assert_eq!(
        answers(&output),
        [json!({"valid": true})],
        "{}",
        stderr(&output)
    );
}

/// A key of another length is rejected alone.
#[test]
fn keys_have_32_bytes() {
    let set = signed(1);
    let key = "0379be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
    let [message, signature] = [hex::encode(set.messages[0]), hex::encode(set.signatures[0])];
    let public = hex::encode(set.public[0]);
    let with_sign = format!("02{public}");
    for keys in [
        [key, &with_sign, &public],
        [&with_sign, &public, key],
        [&public, key, &with_sign],
    ] {
        let line = |key| {
            json!({"message": message, "signature": signature, "public_key": key}).to_string()
        };
        let output = run(&VERIFY, keys.map(line).join("\n"));
        for (key, answer) in keys.iter().zip(answers(&output)) {
            let reason = answer["reason"].as_str().unwrap_or_default();
            assert!(answer["valid"] == (*key == public), "{answer}");
            assert_eq!(
                reason.contains("encoding is malformed"),
                *key != public,
                "{answer}"
            );
        }
    }
}

/// A byte after a signature is not v, and its bytes are not the numbers of DER.
#[test]
fn signatures_have_64_bytes() {
    let set = signed(1);
    let signature = set.signatures[0];
    let forms = [
        &signature[..],
        &[&signature[..], &[0]].concat(),
        &gecc::signature_to_der(&signature),
    ];
    let line = |signature: &[u8]| {
        let [message, key] = [set.messages[0], set.public[0]].map(hex::encode);
        json!({"message": message, "signature": hex::encode(signature), "public_key": key})
            .to_string()
            + "\n"
    };
    let output = run(&VERIFY, forms.map(line).concat());
    let found = answers(&output);
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
    let [r, s] = [&signature[..32], &signature[32..]].map(hex::encode);
    let output = run(
        &VERIFY,
        json!({"message": "", "r": r, "s": s, "public_key": hex::encode(set.public[0])})
            .to_string(),
    );
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("`signature` is not given"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn options_of_other_schemes_are_refused() {
    for (arguments, problem) in [
        (&["verify", "--scheme", "ed25519"][..], "needs --rule"),
        (
            &["verify", "--scheme", "ed25519", "--rule", "loose"],
            "possible values: cofactorless, strict",
        ),
        (
            &[
                "verify", "--scheme", "ed25519", "--rule", "strict", "--low-s",
            ],
            "--low-s does not exist for Ed25519",
        ),
        (
            &[
                "verify",
                "--scheme",
                "ed25519",
                "--rule",
                "strict",
                "--batch-verification",
            ],
            "with the cofactor: strict has none",
        ),
        (
            &[
                "verify", "--scheme", "ed25519", "--rule", "strict", "--hash", "sha512",
            ],
            "Ed25519 has a hash of its own",
        ),
        (
            &[
                "verify", "--curve", "p256", "--scheme", "ed25519", "--rule", "strict",
            ],
            "there is no Ed25519 on p256",
        ),
        (
            &["verify", "--curve", "p256", "--rule", "strict"],
            "--rule is for --scheme ed25519",
        ),
        (
            &["sign", "--curve", "p256", "--scheme", "ed25519"],
            "there is no Ed25519 on p256",
        ),
        (
            &["sign", "--scheme", "ed25519", "--der"],
            "signatures of Ed25519 have no DER",
        ),
        (
            &["sign", "--scheme", "ed25519", "--recoverable"],
            "Ed25519 has no recovery id",
        ),
        (
            &[
                "sign",
                "--scheme",
                "ed25519",
                "--auxiliary",
                &"00".repeat(32),
            ],
            "--auxiliary is for BIP 340",
        ),
        (
            &[
                "sign",
                "--scheme",
                "ed25519",
                "--additional-data",
                &"00".repeat(32),
            ],
            "follow from seed and message",
        ),
        (
            &["sign", "--scheme", "ed25519", "--hash", "sha512"],
            "Ed25519 has a hash of its own",
        ),
        (
            &["verify", "--curve", "p256", "--context", "00"],
            "--context and --prehashed are for --scheme ed25519",
        ),
        (
            &["sign", "--scheme", "bip340", "--prehashed"],
            "--context and --prehashed are for --scheme ed25519",
        ),
        (
            &["sign", "--scheme", "ed25519", "--context", "0"],
            "`--context` is not hexadecimal",
        ),
        (
            &[
                "sign",
                "--scheme",
                "ed25519",
                "--context",
                &"00".repeat(256),
            ],
            "a context of 256 bytes, and 255 are the most",
        ),
        (
            &["pubkey", "--scheme", "ed25519", "--compressed"],
            "public keys of Ed25519 have 32 bytes",
        ),
        (
            &["pubkey", "--scheme", "ecdsa"],
            "ECDSA exists on several curves",
        ),
    ] {
        let output = run(arguments, "");
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(
            stderr(&output).contains(problem),
            "{arguments:?}: {}",
            stderr(&output)
        );
    }
}

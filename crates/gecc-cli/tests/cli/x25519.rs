//! `gecc ecdh` and `gecc pubkey` with X25519.

use crate::shared_cases::{Agreement, X25519};
use crate::support::{TemporaryFile, answers, code, run, stderr};
use base64ct::{Base64, Encoding};
use gecc::Rejection;
use serde_json::{Value, json};

const ECDH: [&str; 3] = ["ecdh", "--curve", "x25519"];
const PUBKEY: [&str; 3] = ["pubkey", "--curve", "x25519"];

/// RFC 7748, section 6.1: Alice's keys, as OpenSSL 3.0 writes them.
const PKCS8: &str = "-----BEGIN PRIVATE KEY-----\n\
                     MC4CAQAwBQYDK2VuBCIEIHcHbQpzGKV9PBbBclGyZkXfTC+H68CZKrF3+6UduSwq\n\
                     -----END PRIVATE KEY-----\n";
const SPKI: &str = "-----BEGIN PUBLIC KEY-----\n\
                    MCowBQYDK2VuAyEAhSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=\n\
                    -----END PUBLIC KEY-----\n";
/// RFC 8410, sections 10.3 and 10.1: keys of Ed25519.
const ED25519_PKCS8: &str = "-----BEGIN PRIVATE KEY-----\n\
                             MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n\
                             -----END PRIVATE KEY-----\n";
const ED25519_SPKI: &str = "-----BEGIN PUBLIC KEY-----\n\
                            MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n\
                            -----END PUBLIC KEY-----\n";
/// The seed of the first.
const ED25519_SEED: &str = "d4ee72dbf913584ad5b6d8f1f769f8ad3afe7c28cbf1d4fbe097a88f44755842";

const NOT_X25519: &str = "the key is for Ed25519, not for X25519";
const NOT_ED25519: &str = "the key is for X25519, not for Ed25519";

/// Returns Alice and Bob of RFC 7748, section 6.1.
fn alice_and_bob() -> [&'static Agreement; 2] {
    let [alice, bob] = &X25519.public_keys[..] else {
        panic!("the keys of Alice and Bob");
    };
    [alice, bob]
}

/// Returns the secret of Alice and Bob.
fn shared_secret() -> Value {
    let [alice, bob] = alice_and_bob();
    let case = X25519
        .shared_secrets
        .iter()
        .find(|case| case.secret_key == alice.secret_key && case.public_key == bob.public_key);
    json!({"shared_secret": hex::encode(&case.expect("their secret").shared_secret)})
}

fn item(case: &Agreement) -> String {
    json!({
        "secret_key": hex::encode(&case.secret_key),
        "public_key": hex::encode(&case.public_key),
    })
    .to_string()
}

fn expected(case: &Agreement, reason: Option<u8>, line: usize) -> Value {
    match reason.and_then(Rejection::from_code) {
        Some(rejection) => json!({"error": rejection.to_string(), "line": line + 1}),
        None => json!({"shared_secret": hex::encode(&case.shared_secret)}),
    }
}

#[test]
fn shared_cases_have_their_secrets() {
    let cases = &X25519.shared_secrets;
    let lines: Vec<String> = cases.iter().map(item).collect();
    let rejecting = run(&ECDH, lines.join("\n"));
    let all: Vec<Value> = (0..)
        .zip(cases)
        .map(|(line, case)| expected(case, case.reason, line))
        .collect();
    assert_eq!(answers(&rejecting), all, "{}", stderr(&rejecting));
    assert_eq!(code(&rejecting), 1);
    let accepting = run(
        &[&ECDH[..], &["--accept-all-zero"]].concat(),
        lines.join("\n"),
    );
    let all: Vec<Value> = (0..)
        .zip(cases)
        .map(|(line, case)| expected(case, case.reason_if_zero_is_accepted(), line))
        .collect();
    assert_eq!(answers(&accepting), all, "{}", stderr(&accepting));
}

#[test]
fn shared_cases_have_their_public_keys() {
    let lines: Vec<String> = X25519
        .public_keys
        .iter()
        .map(|case| hex::encode(&case.secret_key))
        .collect();
    let all: Vec<Value> = X25519
        .public_keys
        .iter()
        .map(|case| json!({"public_key": hex::encode(&case.public_key)}))
        .collect();
    for curve in ["x25519", "X25519", "curve25519", "1.3.101.110"] {
        let output = run(&["pubkey", "--curve", curve], lines.join("\n"));
        assert_eq!(answers(&output), all, "{curve}: {}", stderr(&output));
    }
}

#[test]
fn keys_are_read_in_every_form() {
    let [alice, bob] = alice_and_bob();
    let public = [json!({"public_key": hex::encode(&alice.public_key)})];
    let jwk = json!({
        "kty": "OKP", "crv": "X25519",
        "d": "dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqsXf7pR25LCo",
        "x": "hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo"
    });
    let der = Base64::decode_vec(PKCS8.lines().nth(1).unwrap()).unwrap();
    let files = [
        PKCS8.as_bytes().to_vec(),
        der,
        jwk.to_string().into_bytes(),
        hex::encode(&alice.secret_key).into_bytes(),
    ];
    let peer = json!({"public_key": hex::encode(&bob.public_key)}).to_string();
    for (number, file) in files.into_iter().enumerate() {
        let file = TemporaryFile::new(&format!("x25519-{number}"), file);
        let output = run(&[&PUBKEY[..], &[file.path()]].concat(), "");
        assert_eq!(answers(&output), public, "{number}: {}", stderr(&output));
        let output = run(
            &[&ECDH[..], &["--key-file", file.path()]].concat(),
            peer.clone(),
        );
        assert_eq!(
            answers(&output),
            [shared_secret()],
            "{number}: {}",
            stderr(&output)
        );
    }
    let bob_secret = hex::encode(&bob.secret_key);
    let of_jwk = json!({"kty": "OKP", "crv": "X25519", "x": jwk["x"]}).to_string();
    let peers = [
        SPKI.to_owned(),
        of_jwk,
        format!("302a300506032b656e032100{}", hex::encode(&alice.public_key)),
        hex::encode(&alice.public_key),
    ];
    for peer in peers {
        let item = json!({"secret_key": bob_secret, "public_key": peer}).to_string();
        let output = run(&ECDH, item);
        assert_eq!(
            answers(&output),
            [shared_secret()],
            "{peer}: {}",
            stderr(&output)
        );
    }
    // Plain public keys may also be in base64.
    let in_base64 = Base64::encode_string(&alice.public_key);
    let table = format!("secret_key,public_key\n{bob_secret},{in_base64}\n");
    assert_eq!(answers(&run(&ECDH, table)), [shared_secret()]);
}

#[test]
fn keys_for_another_purpose_are_refused_by_name() {
    let file = TemporaryFile::new("x25519-seed.pem", ED25519_PKCS8);
    let peer = json!({"public_key": hex::encode([9; 32])}).to_string();
    for (arguments, input) in [
        (&[&PUBKEY[..], &[file.path()]].concat(), ""),
        (
            &[&ECDH[..], &["--key-file", file.path()]].concat(),
            &peer[..],
        ),
    ] {
        let output = run(arguments, input);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(
            stderr(&output).contains(NOT_X25519) && !stderr(&output).contains(ED25519_SEED),
            "{}",
            stderr(&output)
        );
    }
    let file = TemporaryFile::new("x25519-for-signing.pem", PKCS8);
    let sign = ["sign", "--scheme", "ed25519", "--key-file", file.path()];
    let pubkey = ["pubkey", "--scheme", "ed25519", file.path()];
    for (arguments, input) in [(&sign[..], "{\"message\":\"\"}"), (&pubkey, "")] {
        let output = run(arguments, input);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(stderr(&output).contains(NOT_ED25519), "{}", stderr(&output));
    }
    // Keys of items are rejected individually.
    let line = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKbtU2+KJfm0XwC7MLb7/A8AlpvSVaujF+z8bWdWj+Xk";
    let items = [
        json!({"secret_key": "01".repeat(32), "public_key": ED25519_SPKI}),
        json!({"secret_key": "01".repeat(32), "public_key": line}),
        json!({"secret_key": ED25519_PKCS8, "public_key": "09".repeat(32)}),
        json!({"secret_key": "01".repeat(32), "public_key": SPKI}),
    ];
    let lines: Vec<String> = items.iter().map(Value::to_string).collect();
    let found = answers(&run(&ECDH, lines.join("\n")));
    assert_eq!(found.len(), items.len());
    for rejected in &found[..3] {
        let problem = rejected["error"].as_str().unwrap_or_default();
        assert!(problem.contains(NOT_X25519), "{rejected}");
    }
    assert!(found[3]["shared_secret"].is_string());
}

/// Points are not keys of X25519, also if they come first and determine the form of the column.
#[test]
fn keys_of_other_lengths_are_rejected() {
    let [_, bob] = alice_and_bob();
    let key = TemporaryFile::new("x25519.key", PKCS8);
    let bob = hex::encode(&bob.public_key);
    let malformed = Rejection::MalformedPoint.to_string();
    for first in [
        format!("02{bob}"),
        format!("04{bob}{bob}"),
        format!("{bob}{bob}"),
        format!("ed{bob}"),
        bob[2..].to_owned(),
    ] {
        let table = format!("public_key\n{first}\n{bob}\n");
        let output = run(&[&ECDH[..], &["--key-file", key.path()]].concat(), table);
        let found = answers(&output);
        assert_eq!(found.len(), 2, "{first}: {}", stderr(&output));
        assert_eq!(found[0]["error"], malformed, "{first}");
        assert_eq!(found[1], shared_secret(), "{first}");
    }
}

#[test]
fn options_without_an_effect_are_refused() {
    for (arguments, problem) in [
        (
            &["ecdh", "--curve", "p256", "--accept-all-zero"][..],
            "--accept-all-zero is for --curve x25519",
        ),
        (
            &["pubkey", "--curve", "x25519", "--compressed"],
            "public keys of X25519 have 32 bytes",
        ),
        (
            &["pubkey", "--curve", "x25519", "--encoding", "hex"],
            "--encoding is for public values",
        ),
        (
            &["pubkey", "--curve", "x25519", "--scheme", "ed25519"],
            "there is no Ed25519 on x25519",
        ),
        (
            &["ecdh", "--curve", "x448"],
            "x25519 (also curve25519, 1.3.101.110)",
        ),
        // There are no signatures.
        (
            &["sign", "--curve", "x25519"],
            "no curve is called `x25519`",
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

#[cfg(unix)]
#[test]
fn files_of_shared_secrets_are_of_their_owner() {
    use std::os::unix::fs::PermissionsExt;
    let [_, bob] = alice_and_bob();
    let key = TemporaryFile::new("x25519-owner.key", PKCS8);
    let out = TemporaryFile::new("x25519-owner.out", "");
    std::fs::set_permissions(out.path(), std::fs::Permissions::from_mode(0o644)).unwrap();
    let output = run(
        &[&ECDH[..], &["--key-file", key.path(), "-o", out.path()]].concat(),
        json!({"public_key": hex::encode(&bob.public_key)}).to_string(),
    );
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let mode = std::fs::metadata(out.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[cfg(feature = "arrow")]
#[test]
fn tables_are_answered() {
    use arrow_array::{ArrayRef, FixedSizeBinaryArray, RecordBatch};
    use gecc_arrow::{Compression, Format};
    use std::sync::Arc;
    let cases: Vec<&Agreement> = X25519
        .shared_secrets
        .iter()
        .filter(|case| case.public_key.len() == 32)
        .collect();
    let column = |field: fn(&Agreement) -> &Vec<u8>| -> ArrayRef {
        let rows = cases.iter().map(|case| field(case));
        Arc::new(FixedSizeBinaryArray::try_from_iter(rows).unwrap())
    };
    let batch = RecordBatch::try_from_iter([
        ("secret_key", column(|case| &case.secret_key)),
        ("public_key", column(|case| &case.public_key)),
    ])
    .unwrap();
    let written = (Format::Parquet, Compression::Zstd);
    let file = crate::tables::file("x25519.parquet", &batch, 10, written);
    let output = run(&[&ECDH[..], &[file.path()]].concat(), "");
    let found = answers(&output);
    assert_eq!(found.len(), cases.len(), "{}", stderr(&output));
    for (case, found) in cases.iter().zip(&found) {
        match case.reason.and_then(Rejection::from_code) {
            Some(rejection) => assert_eq!(found["error"], rejection.to_string(), "{}", case.name),
            None => assert_eq!(
                found["shared_secret"],
                hex::encode(&case.shared_secret),
                "{}",
                case.name
            ),
        }
    }
    let output = run(&[&PUBKEY[..], &[file.path()]].concat(), "");
    assert!(
        answers(&output)
            .iter()
            .all(|answer| answer["public_key"].as_str().map(str::len) == Some(64))
    );
}

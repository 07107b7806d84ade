//! `--key-file` with keys written by other tools.

use crate::support::{TemporaryFile, answers, code, gecc, run, signed, stderr};
use base64ct::{Base64UrlUnpadded, Encoding};
use gecc::P256;
use p256::SecretKey;
use p256::pkcs8::EncodePrivateKey;
use serde_json::json;

#[test]
fn answers_do_not_depend_on_the_form_of_keys() {
    let set = signed::<P256>(2);
    let theirs: Vec<_> = set
        .secret
        .iter()
        .map(|key| SecretKey::from_slice(key.expose_bytes()).unwrap())
        .collect();
    let pkcs8 = |key: &SecretKey| key.to_pkcs8_pem(Default::default()).unwrap().to_string();
    let sec1 = |key: &SecretKey| key.to_sec1_pem(Default::default()).unwrap().to_string();
    let jwk = |item: usize| {
        let d = Base64UrlUnpadded::encode_string(set.secret[item].expose_bytes());
        json!({"kty": "EC", "crv": "P-256", "d": d})
    };
    let both = [
        format!("{}{}", pkcs8(&theirs[0]), sec1(&theirs[1])),
        json!({"keys": [jwk(0), jwk(1)]}).to_string(),
        format!("{}\n{}\n", jwk(0), jwk(1)),
    ];
    let input = format!(
        "digest\n{}\n{}\n",
        hex::encode(set.digests[0]),
        hex::encode(set.digests[1])
    );
    let expected = set
        .signed
        .iter()
        .map(|signed| json!({"signature": hex::encode(signed.signature)}));
    let expected: Vec<_> = expected.collect();
    for (index, keys) in both.iter().enumerate() {
        let file = TemporaryFile::new(&format!("both{index}"), keys);
        let output = run(
            &["sign", "--curve", "p256", "--key-file", file.path()],
            input.clone(),
        );
        assert_eq!(answers(&output), expected, "{}", stderr(&output));
        // Keys of another curve.
        let other = run(&["ecdh", "--curve", "sm2", "--key-file", file.path()], "");
        assert_eq!(code(&other), 2);
        assert!(
            stderr(&other).contains("the key is for p256, not for sm2"),
            "{}",
            stderr(&other)
        );
    }
    let der = TemporaryFile::new("one.der", theirs[0].to_pkcs8_der().unwrap().as_bytes());
    let peers = format!("public_key\n{}\n", hex::encode(set.public[1].as_sec1()));
    let hexadecimal = TemporaryFile::new("one.hex", hex::encode(set.secret[0].expose_bytes()));
    let [one, other] = [der.path(), hexadecimal.path()].map(|path| {
        answers(&run(
            &["ecdh", "--curve", "p256", "--key-file", path],
            peers.clone(),
        ))
    });
    assert!(
        one[0]["shared_secret"].is_string() && one == other,
        "{one:?}"
    );
}

/// Keys in JSON with escapes, in CSV over several lines, and next to digits.
#[test]
fn lines_hold_keys_in_pem_and_jwk() {
    let set = signed::<P256>(1);
    let key = SecretKey::from_slice(set.secret[0].expose_bytes()).unwrap();
    let pkcs8 = key.to_pkcs8_pem(Default::default()).unwrap().to_string();
    let sec1 = key.to_sec1_pem(Default::default()).unwrap().to_string();
    let jwk = json!({"kty": "EC", "crv": "P-256", "d": Base64UrlUnpadded::encode_string(set.secret[0].expose_bytes())});
    let digits = hex::encode(set.secret[0].expose_bytes());
    let digest = hex::encode(set.digests[0]);
    let line = |key: String| format!("{{\"digest\":\"{digest}\",\"secret_key\":{key}}}\n");
    let text = |key: &str| line(json!(key).to_string());
    let keys = [
        text(&pkcs8),
        text(&sec1.replace('\n', "\r\n")),
        line(json!(pkcs8).to_string().replace('/', "\\/")),
        text(&digits),
        line(jwk.to_string()),
        text(&jwk.to_string()),
    ];
    let signature = json!({"signature": hex::encode(set.signed[0].signature)});
    let output = run(&["sign", "--curve", "p256"], keys.concat());
    assert_eq!(
        answers(&output),
        vec![signature.clone(); keys.len()],
        "{}",
        stderr(&output)
    );
    let quoted = [&pkcs8, &sec1, &jwk.to_string().replace('"', "\"\"")]
        .map(|key| format!("{digest},\"{key}\"\n"));
    let output = run(
        &["sign", "--curve", "p256"],
        format!("digest,secret_key\n{}", quoted.concat()),
    );
    assert_eq!(answers(&output), vec![signature; 3], "{}", stderr(&output));
    let public = json!({"public_key": hex::encode(set.public[0].as_sec1())});
    let of_key = json!({"secret_key": pkcs8}).to_string();
    assert_eq!(
        answers(&run(&["pubkey", "--curve", "p256"], of_key.clone())),
        [public]
    );
    let of_both = json!({"secret_key": pkcs8, "public_key": hex::encode(set.public[0].as_sec1())})
        .to_string();
    assert!(answers(&run(&["ecdh", "--curve", "p256"], of_both))[0]["shared_secret"].is_string());
    for (curve, key, problem) in [
        ("sm2", text(&pkcs8), "the key is for p256, not for sm2"),
        (
            "p256",
            text(&format!("{pkcs8}{sec1}")),
            "2 private keys, not one",
        ),
        ("p256", text(&pkcs8[..100]), "`secret_key`: "),
        ("p256", text("{}"), "`secret_key`: "),
        (
            "p256",
            line(json!(pkcs8).to_string().replace("\\n", "\\u000a")),
            "escapes that no key needs",
        ),
        (
            "p256",
            line(format!("\"\\u0031{}\"", &digits[1..])),
            "`secret_key` is written with escapes",
        ),
    ] {
        let output = run(&["sign", "--curve", curve], key);
        let message = String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(&output);
        assert!(
            code(&output) != 0 && message.contains(problem),
            "{problem}: {message}"
        );
        let secret = pkcs8.lines().nth(1).unwrap();
        assert!(
            !message.contains(&secret[..20]) && !message.contains(&digits[1..20]),
            "{message}"
        );
    }
}

/// One thread per core would exceed the limit of the system.
#[cfg(target_os = "linux")]
#[test]
fn lines_with_keys_start_no_threads() {
    let key = SecretKey::from_slice(signed::<P256>(1).secret[0].expose_bytes()).unwrap();
    let line =
        json!({"secret_key": key.to_pkcs8_pem(Default::default()).unwrap().as_str()}).to_string();
    let file = TemporaryFile::new("threads.jsonl", line);
    let mut command = std::process::Command::new("sh");
    command.args([
        "-c",
        "ulimit -v 4000000; exec \"$0\" pubkey --curve p256 --engine cpu --threads 2 \"$1\"",
    ]);
    let output = command
        .arg(gecc().get_program())
        .arg(file.path())
        .env("RAYON_NUM_THREADS", "4000")
        .output()
        .unwrap();
    assert_eq!(
        code(&output),
        0,
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
}

/// Keys that `openssl ec -check` refuses.
#[test]
fn key_with_mismatched_public_key_is_refused() {
    let set = signed::<P256>(2);
    let public = |key: usize| set.public[key].as_sec1();
    let coordinate = |part: &[u8]| Base64UrlUnpadded::encode_string(part);
    let jwk = |public: &[u8]| {
        let d = coordinate(set.secret[0].expose_bytes());
        json!({"kty": "EC", "crv": "P-256", "d": d, "x": coordinate(&public[1..33]), "y": coordinate(&public[33..])})
    };
    let input = format!("digest\n{}\n", hex::encode(set.digests[0]));
    let sign = |public: &[u8]| {
        let file = TemporaryFile::new("pair.jwk", jwk(public).to_string());
        run(
            &["sign", "--curve", "p256", "--key-file", file.path()],
            input.clone(),
        )
    };
    assert_eq!(
        answers(&sign(public(0))),
        [json!({"signature": hex::encode(set.signed[0].signature)})]
    );
    let refused = sign(public(1));
    assert_eq!((code(&refused), refused.stdout.as_slice()), (2, &b""[..]));
    let problem = stderr(&refused);
    assert!(
        problem.contains("JSON Web Key 1: the public key does not belong to the private key"),
        "{problem}"
    );
    assert!(
        !problem.contains(&coordinate(set.secret[0].expose_bytes())),
        "{problem}"
    );
}

#[test]
fn pubkey_finds_a_key_after_long_certificates() {
    let set = signed::<P256>(1);
    let d = Base64UrlUnpadded::encode_string(set.secret[0].expose_bytes());
    let jwk = format!(
        "{{\n\"x5c\":[\"{}\"],\"kty\":\"EC\",\"crv\":\"P-256\",\"d\":\"{d}\"}}",
        "A".repeat(9000)
    );
    let output = run(
        &[
            "pubkey",
            "--curve",
            "p256",
            TemporaryFile::new("certified.jwk", jwk).path(),
        ],
        "",
    );
    assert_eq!(
        answers(&output),
        [json!({"public_key": hex::encode(set.public[0].as_sec1())})],
        "{}",
        stderr(&output)
    );
}

#[test]
fn keys_from_standard_input_require_items_from_a_file() {
    let set = signed::<P256>(1);
    let key = hex::encode(set.secret[0].expose_bytes());
    let both = run(&["sign", "--curve", "p256", "--key-file", "-"], key.clone());
    assert_eq!(code(&both), 2);
    assert!(
        stderr(&both).contains("the key file and the input are both standard input"),
        "{}",
        stderr(&both)
    );
    let items = TemporaryFile::new(
        "items.csv",
        format!("digest\n{}\n", hex::encode(set.digests[0])),
    );
    let output = run(
        &["sign", "--curve", "p256", "--key-file", "-", items.path()],
        key,
    );
    assert_eq!(
        answers(&output),
        [json!({"signature": hex::encode(set.signed[0].signature)})]
    );
}

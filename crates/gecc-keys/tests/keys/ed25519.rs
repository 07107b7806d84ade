//! Keys of Ed25519 in files: as RFC 8410 and RFC 8037 print them, and as OpenSSL and OpenSSH write
//! them.

use base64ct::{Base64, Base64UrlUnpadded, Encoding};
use gecc::{CurveId, Engine, PublicKeys, SecretKey, ed25519};
use gecc_keys::{KeyKind, Reader, are_secret_keys, public_key, secret_keys};
use serde_json::{Value, json};

/// RFC 8410, section 10.3: without and with the public key; and section 10.1.
const SEED: &str = "1O5y2/kTWErVttjx92n4rTr+fCjL8dT74Jeoj0R1WEI=";
const PKCS8: &str = "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC";
const PKCS8_WITH_PUBLIC_KEY: &str = "MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n\
                                     oB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrB\n\
                                     Z9w7lshQhqowtrbLDFw4rXAxZuE=";
const SPKI: &str = "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";

/// Made by `ssh-keygen -t ed25519` for this test, without a passphrase.
const OPENSSH: &str = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n\
                       QyNTUxOQAAACCm7VNviiX5tF8AuzC2+/wPAJab0lWroxfs/G1nVo/l5AAAAJCyGcz9shnM\n\
                       /QAAAAtzc2gtZWQyNTUxOQAAACCm7VNviiX5tF8AuzC2+/wPAJab0lWroxfs/G1nVo/l5A\n\
                       AAAECagYyxFrnHO21imEhJb5vzK344eUDFBISoFvtWA3ZxMKbtU2+KJfm0XwC7MLb7/A8A\n\
                       lpvSVaujF+z8bWdWj+XkAAAACWEgY29tbWVudAECAwQ=";
const OPENSSH_PUBLIC: &str =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKbtU2+KJfm0XwC7MLb7/A8AlpvSVaujF+z8bWdWj+Xk a comment";
/// Another key of OpenSSH, encrypted with a passphrase.
const OPENSSH_ENCRYPTED: &str = "b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABDXvTpz8A\n\
                                 5e6GOXZLM02w4RAAAAEAAAAAEAAAAzAAAAC3NzaC1lZDI1NTE5AAAAIErMKFnRw4kg6G7d\n\
                                 TO7AjpXHhETTosmXMegwZmoWborkAAAAkJXPPFHMUoTuCHmKKIwZZ81YqG6fsONKU/x2Le\n\
                                 AcbO/4oyqIW9EBl+rfyfTo+IHppUcWrCilr7CSoTe4kLcuof/q0o0BBGyaZlxZZTjoHc2d\n\
                                 D7ikyFRVwmCmZVFbDR01bfMqQAsogfVMc1fxdz61ld0wHSIYQq1wGW6XhhT5c27VUcdELJ\n\
                                 e9Fz4+4hSbU/DBkA==";

fn block(label: &str, text: &str) -> String {
    format!("-----BEGIN {label}-----\n{text}\n-----END {label}-----\n")
}

fn decoded(text: &str) -> Vec<u8> {
    Base64::decode_vec(&text.replace('\n', "")).unwrap()
}

/// RFC 8037, section A.1.
fn jwk() -> Value {
    json!({
        "kty": "OKP", "crv": "Ed25519",
        "d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
        "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
    })
}

fn seeds(file: impl AsRef<[u8]>) -> Result<Vec<Vec<u8>>, String> {
    assert!(are_secret_keys(file.as_ref()));
    let keys = secret_keys(file.as_ref(), KeyKind::Ed25519)?;
    Ok(keys.iter().map(|key| key.expose_bytes().to_vec()).collect())
}

#[track_caller]
fn refused(file: impl AsRef<[u8]>, reason: &str) {
    let problem = seeds(file).expect_err(reason);
    assert!(problem.contains(reason), "{problem}");
}

fn public_of(seed: &[u8]) -> [u8; 32] {
    let seed = SecretKey::from_bytes(seed.try_into().unwrap());
    ed25519::public_keys(&Engine::cpu().unwrap(), &[seed]).unwrap()[0]
}

#[test]
fn seeds_of_every_form_are_read() {
    let seed = decoded(SEED);
    for text in [PKCS8, PKCS8_WITH_PUBLIC_KEY] {
        assert_eq!(seeds(decoded(text)).unwrap(), std::slice::from_ref(&seed));
        let two = format!(
            "# two\n{}{}",
            block("PRIVATE KEY", text),
            block("OPENSSH PRIVATE KEY", OPENSSH)
        );
        let found = seeds(two).unwrap();
        assert_eq!((found.len(), &found[0]), (2, &seed));
        let line = public_key(OPENSSH_PUBLIC.as_bytes(), KeyKind::Ed25519)
            .unwrap()
            .unwrap();
        assert_eq!(public_of(&found[1]).as_slice(), line);
    }
    let expected = Base64UrlUnpadded::decode_vec(jwk()["d"].as_str().unwrap()).unwrap();
    assert_eq!(
        seeds(jwk().to_string()).unwrap(),
        std::slice::from_ref(&expected)
    );
    assert_eq!(
        seeds(json!({"keys": [jwk(), jwk()]}).to_string()).unwrap(),
        [expected.clone(), expected]
    );
}

#[test]
fn public_keys_belong_to_their_seeds() {
    let reason = "the public key does not belong to the private key";
    let mut corrupted = decoded(PKCS8_WITH_PUBLIC_KEY);
    *corrupted.last_mut().unwrap() ^= 1;
    refused(corrupted, reason);
    let mut other = jwk();
    other["d"] = Base64UrlUnpadded::encode_string(&decoded(SEED)).into();
    refused(other.to_string(), reason);
    // OpenSSH stores the public key three times.
    let file = decoded(OPENSSH);
    let key = public_key(OPENSSH_PUBLIC.as_bytes(), KeyKind::Ed25519)
        .unwrap()
        .unwrap();
    let places: Vec<usize> = file
        .windows(32)
        .enumerate()
        .filter(|(_, part)| *part == key)
        .map(|(at, _)| at)
        .collect();
    assert_eq!(places.len(), 3);
    for place in places {
        let mut corrupted = file.clone();
        corrupted[place + 5] ^= 1;
        refused(
            block("OPENSSH PRIVATE KEY", &Base64::encode_string(&corrupted)),
            reason,
        );
    }
}

#[test]
fn unusable_keys_are_explained() {
    let openssh = |text: &str| block("OPENSSH PRIVATE KEY", text);
    refused(
        openssh(OPENSSH_ENCRYPTED),
        "block in line 1: the key is encrypted: decrypt it first",
    );
    // The check numbers, which have to be equal, and the padding.
    let file = decoded(OPENSSH);
    for place in [98, file.len() - 1] {
        let mut corrupted = file.clone();
        corrupted[place] ^= 1;
        refused(
            openssh(&Base64::encode_string(&corrupted)),
            "not a private key as OpenSSH writes them",
        );
    }
    for length in 0..file.len() {
        let problem =
            seeds(openssh(&Base64::encode_string(&file[..length]))).expect_err("a part of a key");
        assert!(
            problem.contains("not a private key as OpenSSH") || problem.contains("not valid PEM"),
            "{problem}"
        );
    }
    refused(
        block("EC PRIVATE KEY", "MAUCAQEEAA=="),
        "in SEC 1, and not one of Ed25519",
    );
    refused(
        block("DSA PRIVATE KEY", "MAA="),
        "PRIVATE KEY and OPENSSH PRIVATE KEY are",
    );
    // X25519, whose identifier is one less.
    let mut x25519 = decoded(PKCS8);
    x25519[11] = 0x6e;
    refused(x25519, "the key is for X25519, not for Ed25519");
    let mut x448 = decoded(PKCS8);
    x448[11] = 0x6f;
    refused(
        x448,
        "not a key of Ed25519: its algorithm is 1.3.101.111 (X448)",
    );
    let with = |name: &str, value: &str| {
        let mut jwk = jwk();
        jwk[name] = value.into();
        jwk.to_string()
    };
    refused(with("kty", "EC"), "`kty` is not OKP");
    refused(
        with("crv", "X25519"),
        "the key is for X25519, not for Ed25519",
    );
    refused(
        with("crv", "Ed448"),
        "the key is for Ed448, not for Ed25519",
    );
    refused(with("x", "AA"), "`x` has 1 bytes instead of 32");
    let of_curve = secret_keys(
        block("OPENSSH PRIVATE KEY", OPENSSH).as_bytes(),
        CurveId::P256,
    )
    .map(|keys| keys.len());
    assert!(
        of_curve
            .unwrap_err()
            .contains("the key is for Ed25519, not for p256")
    );
}

#[test]
fn public_keys_of_every_form_are_read() {
    let der = decoded(SPKI);
    let expected = public_of(&decoded(SEED));
    let pem = block("PUBLIC KEY", SPKI);
    let of_jwk =
        json!({"kty": "OKP", "crv": "Ed25519", "x": Base64UrlUnpadded::encode_string(&expected)})
            .to_string();
    let blob = [&b"\0\0\0\x0bssh-ed25519\0\0\0\x20"[..], &expected].concat();
    let line = format!("ssh-ed25519 {}\n", Base64::encode_string(&blob));
    let forms = [&der, pem.as_bytes(), of_jwk.as_bytes(), line.as_bytes()];
    for key in forms {
        assert_eq!(
            public_key(key, KeyKind::Ed25519),
            Some(Ok(expected.to_vec()))
        );
        for length in 0..key.trim_ascii_end().len() {
            assert!(public_key(&key[..length], KeyKind::Ed25519).is_none_or(|key| key.is_err()));
        }
    }
    for key in [pem.as_bytes(), line.as_bytes()] {
        let problem = "the key is for Ed25519, not for secp256k1".to_owned();
        assert_eq!(public_key(key, CurveId::Secp256k1), Some(Err(problem)));
    }
    let rsa = line.replace("ssh-ed25519", "ssh-rsa");
    assert!(
        public_key(rsa.as_bytes(), KeyKind::Ed25519)
            .unwrap()
            .unwrap_err()
            .contains("neither for ssh-ed25519 nor")
    );
    assert_eq!(public_key(&expected, KeyKind::Ed25519), None);
    // A column of all keys, and a text that is not a key.
    let mut reader = Reader::new(KeyKind::Ed25519);
    let more = [&expected[..], &[2; 33], b"", b"ssh-ed25519 AAAA"];
    let rows: Vec<[u8; 65]> = forms
        .into_iter()
        .chain(more)
        .map(|key| reader.row(key))
        .collect();
    reader.finish().unwrap();
    assert!(
        rows[..5]
            .iter()
            .all(|row| *row == PublicKeys::mixed_row_of_x(&expected))
    );
    assert!(
        rows[5..]
            .iter()
            .all(|row| *row == PublicKeys::mixed_row(&[]))
    );
}

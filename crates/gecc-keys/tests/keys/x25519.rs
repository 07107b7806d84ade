//! Keys of X25519 in files: as RFC 8410 and RFC 8037 print them, and as OpenSSL writes those of RFC
//! 7748. Keys of Ed25519 and X25519 are not taken for one another where they state their purpose.

use base64ct::{Base64, Base64UrlUnpadded, Encoding};
use gecc::{CurveId, PublicKeys, SecretKey};
use gecc_keys::{KeyKind, Reader, are_secret_keys, public_key, secret_keys};
use serde_json::json;

/// RFC 7748, section 6.1: Alice's keys.
const SECRET: &str = "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a";
const PUBLIC: &str = "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a";
/// The same, as OpenSSL 3.0 writes them.
const PKCS8: &str = "MC4CAQAwBQYDK2VuBCIEIHcHbQpzGKV9PBbBclGyZkXfTC+H68CZKrF3+6UduSwq";
const SPKI: &str = "MCowBQYDK2VuAyEAhSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=";
/// RFC 8410, section 10.2: a certificate for Alice's public key, signed with Ed25519.
const CERTIFICATE: &str = "MIIBLDCB36ADAgECAghWAUdKKo3DMDAFBgMrZXAwGTEXMBUGA1UEAwwOSUVURiBUZX\n\
                           N0IERlbW8wHhcNMTYwODAxMTIxOTI0WhcNNDAxMjMxMjM1OTU5WjAZMRcwFQYDVQQD\n\
                           DA5JRVRGIFRlc3QgRGVtbzAqMAUGAytlbgMhAIUg8AmJMKdUdIt93LQ+91oNvzoNJj\n\
                           ga9OukqY6qm05qo0UwQzAPBgNVHRMBAf8EBTADAQEAMA4GA1UdDwEBAAQEAwIDCDAg\n\
                           BgNVHQ4BAQAEFgQUmx9e7e0EM4Xk97xiPFl1uQvIuzswBQYDK2VwA0EAryMB/t3J5v\n\
                           /BzKc9dNZIpDmAgs3babFOTQbs+BolzlDUwsPrdGxO3YNGhW7Ibz3OGhhlxXrCe1Cg\n\
                           w1AH9efZBw==";
/// Keys of Ed25519: RFC 8410, sections 10.3 and 10.1, and made by `ssh-keygen`.
const ED25519_PKCS8: &str = "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC";
const ED25519_SPKI: &str = "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";
const ED25519_LINE: &str =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKbtU2+KJfm0XwC7MLb7/A8AlpvSVaujF+z8bWdWj+Xk a comment";

const NOT_ED25519: &str = "the key is for X25519, not for Ed25519";
const NOT_X25519: &str = "the key is for Ed25519, not for X25519";

fn block(label: &str, text: &str) -> String {
    format!("-----BEGIN {label}-----\n{text}\n-----END {label}-----\n")
}

fn decoded(text: &str) -> Vec<u8> {
    Base64::decode_vec(&text.replace('\n', "")).unwrap()
}

fn digits(text: &str) -> Vec<u8> {
    hex::decode(text).unwrap()
}

/// Returns a JSON Web Key of RFC 8037, with the private key if there is one.
fn jwk(crv: &str, secret: Option<&[u8]>, public: &[u8]) -> String {
    let mut key = json!({"kty": "OKP", "crv": crv, "x": Base64UrlUnpadded::encode_string(public)});
    if let Some(secret) = secret {
        key["d"] = Base64UrlUnpadded::encode_string(secret).into();
    }
    key.to_string()
}

/// Returns a COSE_Key of type OKP with a curve by its number (RFC 9053, section 7.1).
fn cose(curve: u8, secret: Option<&[u8]>, public: &[u8]) -> Vec<u8> {
    let members = 3 + u8::from(secret.is_some());
    let mut key = vec![0xa0 | members, 1, 1, 0x20, curve, 0x21, 0x58, 32];
    key.extend(public);
    if let Some(secret) = secret {
        key.extend([0x23, 0x58, 32]);
        key.extend(secret);
    }
    key
}

/// Returns the keys of a file for X25519, in hexadecimal.
fn secrets(file: impl AsRef<[u8]>) -> Result<Vec<String>, String> {
    let keys = secret_keys(file.as_ref(), KeyKind::X25519)?;
    Ok(keys
        .iter()
        .map(SecretKey::expose_bytes)
        .map(hex::encode)
        .collect())
}

#[track_caller]
fn refused(file: impl AsRef<[u8]>, kind: KeyKind, reason: &str) {
    let problem = secret_keys(file.as_ref(), kind)
        .map(|keys| keys.len())
        .expect_err(reason);
    assert!(problem.contains(reason), "{problem}");
}

#[test]
fn private_keys_of_every_form_are_read() {
    let [secret, public] = [SECRET, PUBLIC].map(digits);
    let files = [
        decoded(PKCS8),
        block("PRIVATE KEY", PKCS8).into_bytes(),
        jwk("X25519", Some(&secret), &public).into_bytes(),
        cose(4, Some(&secret), &public),
    ];
    for file in files {
        assert!(are_secret_keys(&file));
        assert_eq!(secrets(&file).unwrap(), [SECRET]);
    }
    // The name of the curve is compared like those of others: without regard to case.
    assert_eq!(
        secrets(jwk("x25519", Some(&secret), &public)).unwrap(),
        [SECRET]
    );
    let two = format!(
        "{}{}",
        block("PRIVATE KEY", PKCS8),
        block("PRIVATE KEY", PKCS8)
    );
    assert_eq!(secrets(two).unwrap(), [SECRET, SECRET]);
    // Of a set, the only key that is for X25519.
    let other = jwk("Ed25519", Some(&[7; 32]), &[8; 32]);
    let set = format!(
        r#"{{"keys":[{other},{}]}}"#,
        jwk("X25519", Some(&secret), &public)
    );
    assert_eq!(secrets(set).unwrap(), [SECRET]);
    let named = format!("base58:{}", "1".repeat(32));
    assert_eq!(secrets(named).unwrap(), ["00".repeat(32)]);
}

#[test]
fn public_keys_belong_to_their_private_keys() {
    let reason = "the public key does not belong to the private key";
    let [secret, mut public] = [SECRET, PUBLIC].map(digits);
    public[31] ^= 1;
    refused(
        jwk("X25519", Some(&secret), &public),
        KeyKind::X25519,
        reason,
    );
    refused(cose(4, Some(&secret), &public), KeyKind::X25519, reason);
    // RFC 5958: version 1, with the public key.
    let mut der = decoded(PKCS8);
    der[1] += 35;
    der[4] = 1;
    der.extend([0x81, 33, 0]);
    let right = [&der[..], &digits(PUBLIC)].concat();
    assert_eq!(secrets(right).unwrap(), [SECRET]);
    refused([&der[..], &public].concat(), KeyKind::X25519, reason);
}

#[test]
fn private_keys_for_another_purpose_are_refused_by_name() {
    let [secret, public] = [SECRET, PUBLIC].map(digits);
    let of_x25519 = [
        decoded(PKCS8),
        block("PRIVATE KEY", PKCS8).into_bytes(),
        jwk("X25519", Some(&secret), &public).into_bytes(),
        cose(4, Some(&secret), &public),
    ];
    for file in of_x25519 {
        refused(&file, KeyKind::Ed25519, NOT_ED25519);
    }
    let of_ed25519 = [
        decoded(ED25519_PKCS8),
        block("PRIVATE KEY", ED25519_PKCS8).into_bytes(),
        jwk("Ed25519", Some(&secret), &public).into_bytes(),
        cose(6, Some(&secret), &public),
        format!("ed25519:{}", "1".repeat(32)).into_bytes(),
        // A seed with its public key, as an array.
        format!("{:?}", [7; 64]).into_bytes(),
    ];
    for file in of_ed25519 {
        refused(&file, KeyKind::X25519, NOT_X25519);
    }
    let p256 = KeyKind::Curve(CurveId::P256);
    refused(decoded(PKCS8), p256, "the key is for X25519, not for p256");
    let of_p256 = json!({
        "kty": "EC", "crv": "P-256", "d": Base64UrlUnpadded::encode_string(&[7; 32])
    });
    refused(of_p256.to_string(), KeyKind::X25519, "no key of X25519");
    refused(
        block("EC PRIVATE KEY", "MAUCAQEEAA=="),
        KeyKind::X25519,
        "in SEC 1, and not one of X25519",
    );
    let mut x448 = decoded(PKCS8);
    x448[11] = 0x6f;
    refused(
        x448,
        KeyKind::X25519,
        "not a key of X25519: its algorithm is 1.3.101.111",
    );
}

#[test]
fn malformed_private_keys_are_refused() {
    let der = decoded(PKCS8);
    for length in 0..der.len() {
        assert!(secret_keys(&der[..length], KeyKind::X25519).is_err());
    }
    let mut without_inner_string = der.clone();
    // The tag inside the octet string.
    without_inner_string[14] = 0x05;
    refused(
        without_inner_string,
        KeyKind::X25519,
        "not a private key of X25519 as in RFC 8410",
    );
    let [secret, public] = [SECRET, PUBLIC].map(digits);
    refused(
        jwk("X25519", Some(&secret[1..]), &public),
        KeyKind::X25519,
        "`d` has 31 bytes instead of 32",
    );
    refused(
        jwk("X25519", Some(&secret), &public[1..]),
        KeyKind::X25519,
        "`x` has 31 bytes instead of 32",
    );
    refused(
        jwk("X25519", None, &public),
        KeyKind::X25519,
        "a public key",
    );
}

#[test]
fn public_keys_of_every_form_are_read() {
    let public = digits(PUBLIC);
    let pem = block("PUBLIC KEY", SPKI);
    let certificate = block("CERTIFICATE", CERTIFICATE);
    let of_jwk = jwk("X25519", None, &public);
    let of_cose = cose(4, None, &public);
    let [der, certificate_der] = [SPKI, CERTIFICATE].map(decoded);
    let forms = [
        &der,
        pem.as_bytes(),
        &certificate_der,
        certificate.as_bytes(),
        of_jwk.as_bytes(),
        &of_cose,
    ];
    let mut reader = Reader::new(KeyKind::X25519);
    for key in forms {
        assert_eq!(public_key(key, KeyKind::X25519), Some(Ok(public.clone())));
        assert_eq!(
            public_key(key, KeyKind::Ed25519),
            Some(Err(match key == of_cose {
                true => format!("`public_key`: {NOT_ED25519}"),
                false if key == of_jwk.as_bytes() => {
                    format!("`public_key` is not a usable JSON Web Key, because {NOT_ED25519}")
                }
                false => NOT_ED25519.to_owned(),
            }))
        );
        assert_eq!(
            reader.row(key),
            PublicKeys::mixed_row_of_x(public.as_slice().try_into().unwrap())
        );
    }
    let p256 = public_key(&der, CurveId::P256);
    let problem = "the key is for X25519, not for p256".to_owned();
    assert_eq!(p256, Some(Err(problem)));
}

#[test]
fn public_keys_for_another_purpose_are_refused_by_name() {
    let der = decoded(ED25519_SPKI);
    let pem = block("PUBLIC KEY", ED25519_SPKI);
    let of_jwk = jwk("Ed25519", None, &[8; 32]);
    let of_cose = cose(6, None, &[8; 32]);
    for key in [
        &der,
        pem.as_bytes(),
        of_jwk.as_bytes(),
        &of_cose,
        ED25519_LINE.as_bytes(),
    ] {
        let problem = public_key(key, KeyKind::X25519).unwrap().unwrap_err();
        assert!(problem.contains(NOT_X25519), "{problem}");
        let mut reader = Reader::new(KeyKind::X25519);
        assert_eq!(reader.row(key), PublicKeys::mixed_row(&[]));
        assert_eq!(reader.finish(), Err(problem));
    }
}

/// Keys of other lengths are not keys, even if they would be points, or x-coordinates after a byte.
#[test]
fn plain_public_keys_have_32_bytes() {
    let public: [u8; 32] = digits(PUBLIC).try_into().unwrap();
    let mut reader = Reader::new(KeyKind::X25519).with_hybrid();
    assert_eq!(reader.row(&public), PublicKeys::mixed_row_of_x(&public));
    let after_a_byte = |first: u8| [&[first][..], &public].concat();
    for key in [
        after_a_byte(2),
        after_a_byte(3),
        after_a_byte(0xed),
        public[1..].to_vec(),
        vec![4; 65],
        vec![6; 65],
        vec![9; 64],
        Vec::new(),
    ] {
        assert_eq!(reader.row(&key), PublicKeys::mixed_row(&[]), "{key:?}");
        assert_eq!(
            KeyKind::X25519.row(&key, true),
            PublicKeys::mixed_row(&[]),
            "{key:?}"
        );
    }
    reader.finish().unwrap();
}

/// A u-coordinate may have the bytes of a text, such as 123, which is a brace and zeros.
#[test]
fn plain_public_keys_may_look_like_text() {
    for start in [
        "{",
        " {",
        "-----BEGIN",
        "ssh-ed25519 ",
        "---- BEGIN SSH2",
        "LS0tLS1CRUdJTi",
    ] {
        let mut key = [0; 32];
        key[..start.len()].copy_from_slice(start.as_bytes());
        for kind in [KeyKind::X25519, KeyKind::Ed25519] {
            assert_eq!(public_key(&key, kind), None, "{start}");
            let mut reader = Reader::new(kind);
            assert_eq!(
                reader.row(&key),
                PublicKeys::mixed_row_of_x(&key),
                "{start}"
            );
            reader.finish().unwrap();
        }
    }
}

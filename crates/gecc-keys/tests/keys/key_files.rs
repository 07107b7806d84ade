//! Keys in every form that the RustCrypto crates and well-known tools write, and files that are not
//! keys.

use base64ct::{Base64UrlUnpadded, Encoding};
use der::asn1::{BitStringRef, ObjectIdentifier, OctetStringRef};
use der::{Decode, Encode};
use gecc::{BrainpoolP256r1, Curve, CurveId, P256, Secp256k1, SecretKey, Sm2};
use gecc_keys::{KeyKind, Reader, SecretKeyPerFile, public_key as read_public_key, secret_keys};
use pkcs8::{EncodePrivateKey, PrivateKeyInfoRef};
use sec1::EcParameters;
use serde_json::{Value, json};

/// A key of a curve in all forms.
struct Forms {
    curve: CurveId,
    key: [u8; 32],
    pkcs8_pem: String,
    pkcs8_der: Vec<u8>,
    sec1_pem: String,
    sec1_der: Vec<u8>,
}

/// Encodes a random key with the crate of its curve.
macro_rules! forms {
    ($curve:path, $krate:ident, $secret:ty) => {{
        let key = SecretKey::generate($curve).unwrap();
        let theirs = <$secret>::from_slice(key.expose_bytes()).unwrap();
        Forms {
            curve: <$curve as Curve>::ID,
            key: *key.expose_bytes(),
            pkcs8_pem: theirs.to_pkcs8_pem(Default::default()).unwrap().to_string(),
            pkcs8_der: theirs.to_pkcs8_der().unwrap().as_bytes().to_vec(),
            sec1_pem: theirs.to_sec1_pem(Default::default()).unwrap().to_string(),
            sec1_der: theirs.to_sec1_der().unwrap().to_vec(),
        }
    }};
}

fn all_forms() -> [Forms; 4] {
    [
        forms!(Secp256k1, k256, k256::SecretKey),
        forms!(P256, p256, p256::SecretKey),
        forms!(BrainpoolP256r1, bp256, bp256::r1::SecretKey),
        forms!(Sm2, sm2, sm2::SecretKey),
    ]
}

fn keys(content: impl AsRef<[u8]>, curve: CurveId) -> Result<Vec<[u8; 32]>, String> {
    let keys = secret_keys(content.as_ref(), curve)?;
    Ok(keys.iter().map(|key| *key.expose_bytes()).collect())
}

#[track_caller]
fn refused(content: impl AsRef<[u8]>, curve: CurveId, reason: &str) {
    match keys(content, curve) {
        Err(problem) => assert!(problem.contains(reason), "{problem}"),
        Ok(keys) => panic!("{} keys were read", keys.len()),
    }
}

fn jwk(crv: &str, key: &[u8; 32]) -> Value {
    json!({"kty": "EC", "kid": "1", "crv": crv, "d": Base64UrlUnpadded::encode_string(key)})
}

/// Adds the coordinates of a public key, `04 || x || y`.
fn with_public(mut jwk: Value, public: &[u8]) -> Value {
    jwk["x"] = Base64UrlUnpadded::encode_string(&public[1..33]).into();
    jwk["y"] = Base64UrlUnpadded::encode_string(&public[33..]).into();
    jwk
}

fn name(curve: CurveId) -> &'static str {
    if curve == CurveId::P256 {
        "P-256"
    } else {
        "secp256k1"
    }
}

#[test]
fn every_form_of_every_curve_is_read() {
    for _ in 0..20 {
        for Forms {
            curve,
            key,
            pkcs8_pem,
            pkcs8_der,
            sec1_pem,
            sec1_der,
        } in all_forms()
        {
            for content in [
                pkcs8_pem.as_bytes(),
                &pkcs8_der,
                sec1_pem.as_bytes(),
                &sec1_der,
            ] {
                assert_eq!(keys(content, curve).unwrap(), [key], "{curve}");
            }
            let named = name_the_curve(&sec1_der, curve);
            assert_eq!(keys(named, curve).unwrap(), [key], "{curve}");
        }
    }
    // Hexadecimal is left to readers of lines, even if its digits look like a sequence of DER.
    for line in [
        "30".repeat(32),
        format!("0x{}\n", "11".repeat(32)),
        String::new(),
    ] {
        refused(line, CurveId::P256, "no private key in PEM, DER or JWK");
    }
}

/// Adds the curve to a key in SEC 1, as openssl does.
fn name_the_curve(sec1_der: &[u8], curve: CurveId) -> Vec<u8> {
    let mut key = sec1::EcPrivateKey::from_der(sec1_der).unwrap();
    key.parameters = Some(EcParameters::NamedCurve(ObjectIdentifier::new_unwrap(
        curve.oid(),
    )));
    key.to_der().unwrap()
}

#[test]
fn files_may_hold_several_keys_and_other_blocks() {
    let [one, _, _, _] = all_forms();
    let [two, _, _, _] = all_forms();
    let certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let parameters = "-----BEGIN EC PARAMETERS-----\nBgUrgQQACg==\n-----END EC PARAMETERS-----\n";
    let text = format!(
        "Bag Attributes\n  name: a\n{parameters}{}{certificate}\n{}",
        one.sec1_pem, two.pkcs8_pem
    );
    let marked = format!("\u{feff}{}{}", one.sec1_pem, two.pkcs8_pem);
    for text in [
        text.clone(),
        text.replace('\n', "\r\n"),
        text.trim_end().to_owned() + " \t",
        text + "  \n\n",
        marked,
    ] {
        assert_eq!(keys(text, one.curve).unwrap(), [one.key, two.key]);
    }
    refused(
        certificate,
        one.curve,
        "no private key: this is PEM of a CERTIFICATE",
    );
    let [.., of_sm2] = all_forms();
    let label = of_sm2.sec1_pem.replace("EC PRIVATE KEY", "SM2 PRIVATE KEY");
    assert_eq!(keys(label, CurveId::Sm2).unwrap(), [of_sm2.key]);
}

/// Cells of a column contain one key each.
#[test]
fn each_file_holds_exactly_one_key() {
    let [one, ..] = all_forms();
    let [two, ..] = all_forms();
    let both = format!("{}{}", one.sec1_pem, two.pkcs8_pem);
    let with_other = with_public(
        jwk(name(one.curve), &one.key),
        &[&[4][..], &[9; 64]].concat(),
    )
    .to_string();
    let files = [
        one.sec1_pem.as_bytes(),
        &two.pkcs8_der,
        b"none",
        both.as_bytes(),
        with_other.as_bytes(),
        &one.sec1_der,
    ];
    let keys = SecretKeyPerFile::read(files, one.curve, None).unwrap();
    let key = |file| keys.get(file).map(|key| *key.expose_bytes());
    assert_eq!([0, 1, 5].map(key), [Ok(one.key), Ok(two.key), Ok(one.key)]);
    let problems = [
        "no private key in PEM, DER or JWK",
        "2 private keys, not one",
        "does not belong to the private key",
    ];
    for (file, problem) in (2..).zip(problems) {
        assert!(key(file).unwrap_err().contains(problem), "{:?}", key(file));
    }
    let keys = SecretKeyPerFile::read([one.sec1_pem.as_bytes()], CurveId::Sm2, None).unwrap();
    assert!(
        keys.get(0)
            .is_err_and(|problem| problem.contains("not for sm2"))
    );
}

#[test]
fn json_web_keys_are_read_alone_in_sets_and_in_sequence() {
    for Forms {
        curve,
        key,
        sec1_der,
        ..
    } in all_forms().into_iter().take(2)
    {
        let other = jwk(name(curve), &[7; 32]);
        let jwk = jwk(name(curve), &key);
        let set = json!({"keys": [jwk, other], "more": 1});
        let pretty = serde_json::to_string_pretty(&set).unwrap();
        assert_eq!(keys(jwk.to_string(), curve).unwrap(), [key]);
        assert_eq!(
            keys(format!("\u{feff}\n {pretty}\n"), curve).unwrap(),
            [key, [7; 32]]
        );
        assert_eq!(
            keys(format!("{jwk}\n{other}\n"), curve).unwrap(),
            [key, [7; 32]]
        );
        // More bytes than format detection inspects, and more keys than are checked per batch.
        let mut many = vec![with_public(jwk, &public_key(&sec1_der)); 10_000];
        assert_eq!(
            keys(json!({ "keys": many }).to_string(), curve).unwrap(),
            vec![key; 10_000]
        );
        many[9001]["d"] = other["d"].clone();
        refused(
            json!({ "keys": many }).to_string(),
            curve,
            "JSON Web Key 9002: the public key does not belong",
        );
    }
    let line = json!({"kty": "EC", "secret_key": "11".repeat(32)}).to_string();
    refused(line, CurveId::P256, "no private key in PEM, DER or JWK");
}

/// Extracts the public key `04 || x || y` from SEC 1.
fn public_key(sec1_der: &[u8]) -> Vec<u8> {
    sec1::EcPrivateKey::from_der(sec1_der)
        .unwrap()
        .public_key
        .unwrap()
        .to_vec()
}

/// Encodes a public key in every form that determines the point.
fn encodings(public: &[u8]) -> [Vec<u8>; 3] {
    let is_odd = public[64] & 1;
    let tagged = |tag, coordinates: &[u8]| [&[tag], coordinates].concat();
    [
        public.to_vec(),
        tagged(2 | is_odd, &public[1..33]),
        tagged(6 | is_odd, &public[1..]),
    ]
}

/// SEC 1 with a public key, and PKCS#8 with one in the inner SEC 1, or there and in its own field.
fn with_public_key(sec1_der: &[u8], pkcs8_der: &[u8], public: &[u8]) -> [Vec<u8>; 3] {
    let mut key = sec1::EcPrivateKey::from_der(sec1_der).unwrap();
    let right = key.to_der().unwrap();
    key.public_key = Some(public);
    let corrupted = key.to_der().unwrap();
    let info = PrivateKeyInfoRef::try_from(pkcs8_der).unwrap();
    let pkcs8 = |key: &[u8], public| {
        let private_key = OctetStringRef::new(key).unwrap();
        PrivateKeyInfoRef {
            algorithm: info.algorithm,
            private_key,
            public_key: public,
        }
        .to_der()
        .unwrap()
    };
    [
        corrupted.clone(),
        pkcs8(&corrupted, None),
        pkcs8(&right, Some(BitStringRef::from_bytes(public).unwrap())),
    ]
}

#[test]
fn public_keys_belong_to_their_private_keys() {
    let all = all_forms();
    let others = all_forms();
    for (
        Forms {
            curve,
            key,
            sec1_der,
            pkcs8_der,
            ..
        },
        other,
    ) in all.iter().zip(&others)
    {
        let right = public_key(sec1_der);
        let wrong = public_key(&other.sec1_der);
        for public in encodings(&right) {
            for file in with_public_key(sec1_der, pkcs8_der, &public) {
                assert_eq!(keys(&file, *curve).unwrap(), [*key], "{curve}");
            }
        }
        let mut of_the_opposite = encodings(&right);
        of_the_opposite[0] = [&right[..33], &wrong[33..]].concat();
        of_the_opposite[1][0] ^= 1;
        of_the_opposite[2][0] ^= 1;
        for public in encodings(&wrong).iter().chain(&of_the_opposite) {
            for file in with_public_key(sec1_der, pkcs8_der, public) {
                refused(
                    &file,
                    *curve,
                    "the public key does not belong to the private key",
                );
            }
        }
        for public in [
            &[0][..],
            &right[..33],
            &right[..64],
            &[2; 32],
            &[5; 65],
            &[4; 66],
        ] {
            for file in with_public_key(sec1_der, pkcs8_der, public) {
                refused(&file, *curve, "its public key is not an encoding");
            }
        }
        // The second of two keys in PEM.
        let corrupted = &with_public_key(sec1_der, pkcs8_der, &wrong)[0];
        let block =
            pem_rfc7468::encode_string("EC PRIVATE KEY", Default::default(), corrupted).unwrap();
        let lines = other.sec1_pem.lines().count();
        let reason = format!(
            "block in line {}: the public key does not belong",
            lines + 1
        );
        refused(
            format!("{}\n{block}", other.sec1_pem.trim_end()),
            *curve,
            &reason,
        );
        // A key out of range has no public key.
        let mut zero = sec1::EcPrivateKey::from_der(sec1_der).unwrap();
        zero.private_key = &[0; 32];
        refused(zero.to_der().unwrap(), *curve, "does not belong");
        zero.public_key = None;
        assert_eq!(keys(zero.to_der().unwrap(), *curve).unwrap(), [[0; 32]]);
    }
}

#[test]
fn coordinates_of_a_json_web_key_belong_to_it() {
    let [secp256k1, p256, _, _] = all_forms();
    for Forms {
        curve,
        key,
        sec1_der,
        ..
    } in [secp256k1, p256]
    {
        let jwk = with_public(jwk(name(curve), &key), &public_key(&sec1_der));
        let with = |member: &str, value: Value| {
            let mut jwk = jwk.clone();
            jwk[member] = value;
            jwk.to_string()
        };
        assert_eq!(keys(jwk.to_string(), curve).unwrap(), [key]);
        // One of them may be missing.
        for member in ["x", "y"] {
            assert_eq!(keys(with(member, Value::Null), curve).unwrap(), [key]);
            let reason = "JSON Web Key 1: the public key does not belong to the private key";
            refused(
                with(member, Base64UrlUnpadded::encode_string(&[9; 32]).into()),
                curve,
                reason,
            );
            // A short number is valid, but a different number.
            refused(with(member, json!("AA")), curve, reason);
            let long = Base64UrlUnpadded::encode_string(&[9; 33]);
            refused(
                with(member, json!(long)),
                curve,
                &format!("`{member}` has 33 bytes instead of 32"),
            );
            let digits = json!("11".repeat(32));
            refused(
                with(member, digits),
                curve,
                &format!("`{member}` is hexadecimal, and has to be base64url"),
            );
            refused(
                with(member, json!(1)),
                curve,
                &format!("`{member}` is not a text"),
            );
        }
        refused(with("x", jwk["y"].clone()), curve, "does not belong");
        refused(
            with("d", Base64UrlUnpadded::encode_string(&[7; 32]).into()),
            curve,
            "does not belong",
        );
    }
}

#[test]
fn keys_of_other_curves_are_refused() {
    let all = all_forms();
    for Forms {
        curve,
        key,
        pkcs8_pem,
        pkcs8_der,
        sec1_der,
        ..
    } in &all
    {
        for command in CurveId::ALL.iter().filter(|command| *command != curve) {
            let reason = format!("the key is for {curve}, not for {command}");
            refused(pkcs8_pem, *command, &reason);
            refused(pkcs8_der, *command, &reason);
            refused(name_the_curve(sec1_der, *curve), *command, &reason);
        }
        let json = jwk(name(*curve), key).to_string();
        match curve {
            CurveId::P256 | CurveId::Secp256k1 => {
                refused(
                    json,
                    CurveId::Sm2,
                    &format!("the key is for {curve}, not for sm2"),
                );
            }
            _ => refused(json, *curve, "the key is for secp256k1"),
        }
    }
    refused(
        jwk("P-384", &[7; 32]).to_string(),
        CurveId::P256,
        "the key is for P-384, not for p256",
    );
    refused(
        jwk("nothing", &[7; 32]).to_string(),
        CurveId::P256,
        "`crv` is not the name of a known curve",
    );
}

#[test]
fn unusable_keys_are_explained() {
    let block = |label: &str, text: &str| {
        format!("-----BEGIN {label}-----\n{text}\n-----END {label}-----\n")
    };
    let p256 = |content: String, reason: &str| refused(content, CurveId::P256, reason);
    p256(
        block("ENCRYPTED PRIVATE KEY", "MAA="),
        "the key is encrypted: decrypt it first",
    );
    p256(
        block(
            "EC PRIVATE KEY",
            "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nMAA=",
        ),
        "the key is encrypted",
    );
    p256(
        block("RSA PRIVATE KEY", "MAA="),
        "`RSA PRIVATE KEY` is not supported",
    );
    p256(
        block("OPENSSH PRIVATE KEY", "MAA="),
        "not a private key as OpenSSH writes them",
    );
    p256(
        block("PRIVATE KEY", "M*A="),
        "block in line 1: not valid PEM",
    );
    p256(
        "\n-----BEGIN PRIVATE KEY-----\nMAA=\n".to_owned(),
        "the block in line 2 has no end",
    );
    // SEQUENCE { SEQUENCE {}, OCTET STRING {} }: the outer structure of an encrypted key.
    refused(
        [0x30, 4, 0x30, 0, 4, 0],
        CurveId::P256,
        "the key is encrypted",
    );
    refused([0x30, 2, 5, 0], CurveId::P256, "neither SEC 1 nor PKCS#8");
    // A key of Ed25519, RFC 8410, section 10.3.
    let ed25519 = "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC";
    p256(
        block("PRIVATE KEY", ed25519),
        "the key is for Ed25519, not for p256",
    );
    let with = |member: &str, value: Value| {
        let mut key = jwk("P-256", &[7; 32]);
        key[member] = value;
        key.to_string()
    };
    p256(with("kty", json!("RSA")), "`kty` is not EC");
    p256(with("d", Value::Null), "a public key: `d` is not given");
    p256(with("d", json!("BwcH")), "3 bytes instead of 32");
    p256(with("d", json!("é")), "`d` is not the base64url form");
    p256(with("d", json!("\"")), "`d` is not a text without escapes");
    p256(
        json!({"keys": [1]}).to_string(),
        "the set of JSON Web Keys holds something else",
    );
    p256(json!({"keys": {}}).to_string(), "not as expected at line 1");
    p256(
        format!("{} x", jwk("P-256", &[7; 32])),
        "not as expected at line 1",
    );
}

/// Files that are cut, corrupted or random are keys or errors, which show no part of a key.
#[test]
fn malformed_files_cause_no_panic_and_show_no_key() {
    let mut random = [0; 512];
    for Forms {
        curve,
        key,
        pkcs8_pem,
        pkcs8_der,
        sec1_pem,
        sec1_der,
    } in all_forms()
    {
        let json = with_public(jwk(name(curve), &key), &public_key(&sec1_der)).to_string();
        let digits = Base64UrlUnpadded::encode_string(&key);
        for whole in [
            pkcs8_pem.as_bytes(),
            &pkcs8_der,
            sec1_pem.as_bytes(),
            &sec1_der,
            json.as_bytes(),
        ] {
            for length in 0..whole.len() {
                let _ = keys(&whole[..length], curve);
            }
            for place in 0..whole.len() {
                getrandom::fill(&mut random).unwrap();
                let mut corrupted = whole.to_vec();
                corrupted[place] = random[0];
                if let Err(problem) = keys(&corrupted, curve) {
                    // Parts of the base64 text and of the hexadecimal form.
                    assert!(
                        digits
                            .as_bytes()
                            .windows(8)
                            .all(|part| !problem.contains(str::from_utf8(part).unwrap()))
                    );
                }
                corrupted.splice(place..place, random.iter().copied());
                let _ = keys(&corrupted, curve);
            }
        }
        let _ = keys(random, curve);
    }
}

/// A certificate of a key, with its version, or without as in version 1. Its signature is all
/// zeros.
fn certificate(spki: &[u8], has_version: bool) -> Vec<u8> {
    let der = |tag: u8, content: &[&[u8]]| {
        let content = content.concat();
        let length = match content.len() {
            short @ 0..=127 => vec![short as u8],
            long @ 128..=255 => vec![0x81, long as u8],
            long => vec![0x82, (long >> 8) as u8, long as u8],
        };
        [vec![tag], length, content].concat()
    };
    let algorithm = der(0x30, &[&hex::decode("06082a8648ce3d040302").unwrap()]);
    let name = der(
        0x30,
        &[&hex::decode("310c300a06035504030c03616263").unwrap()],
    );
    let date = der(0x17, &[b"260101000000Z"]);
    let version = der(0xa0, &[&[2, 1, 2]]);
    let serial = der(2, &[&[0x7f; 20]]);
    let dates = der(0x30, &[&date, &date]);
    let version = if has_version { &version[..] } else { &[] };
    let signed = der(
        0x30,
        &[version, &serial, &algorithm, &name, &dates, &name, spki],
    );
    der(0x30, &[&signed, &algorithm, &der(3, &[&[0; 65]])])
}

/// `SubjectPublicKeyInfo` as the RustCrypto crates write it, in DER and PEM.
fn public_forms() -> [(CurveId, Vec<u8>, String, [u8; 65]); 4] {
    macro_rules! of {
        ($curve:path, $secret:ty) => {{
            use pkcs8::EncodePublicKey;
            let key = SecretKey::generate($curve).unwrap();
            let public = <$secret>::from_slice(key.expose_bytes())
                .unwrap()
                .public_key();
            let der = public.to_public_key_der().unwrap().as_bytes().to_vec();
            let pem = public.to_public_key_pem(Default::default()).unwrap();
            (
                <$curve as Curve>::ID,
                der,
                pem,
                *gecc::Point::from(&public).as_bytes(),
            )
        }};
    }
    [
        of!(Secp256k1, k256::SecretKey),
        of!(P256, p256::SecretKey),
        of!(BrainpoolP256r1, bp256::r1::SecretKey),
        of!(Sm2, sm2::SecretKey),
    ]
}

#[test]
fn public_keys_of_every_form_are_read() {
    for (curve, der, pem, expected) in public_forms() {
        let marked = format!("\u{feff}\n{pem}");
        for key in [
            &der,
            pem.as_bytes(),
            pem.replace('\n', "\r\n").as_bytes(),
            pem.replace('\n', "\\n").as_bytes(),
            marked.as_bytes(),
        ] {
            assert_eq!(
                read_public_key(key, curve),
                Some(Ok(expected.to_vec())),
                "{curve}"
            );
        }
        for other in CurveId::ALL.iter().filter(|other| **other != curve) {
            let problem = format!("the key is for {curve}, not for {other}");
            assert_eq!(read_public_key(&der, *other), Some(Err(problem)));
        }
        let mut jwk = with_public(json!({"kty": "EC", "crv": name(curve)}), &expected);
        let found = read_public_key(jwk.to_string().as_bytes(), curve);
        match curve {
            CurveId::P256 | CurveId::Secp256k1 => assert_eq!(found, Some(Ok(expected.to_vec()))),
            _ => assert!(found.unwrap().is_err()),
        }
        jwk["kty"] = json!("RSA");
        assert!(
            read_public_key(jwk.to_string().as_bytes(), curve)
                .unwrap()
                .unwrap_err()
                .contains("not a usable JSON Web Key")
        );
        // Of another algorithm than id-ecPublicKey, which is the first identifier.
        let mut other = der.clone();
        other[der
            .windows(3)
            .position(|bytes| bytes == [0x3d, 2, 1])
            .unwrap()
            + 2] = 2;
        assert!(
            read_public_key(&other, curve)
                .unwrap()
                .unwrap_err()
                .contains("RFC 5480")
        );
        // Anything else is returned unchanged.
        for plain in [
            &expected[..],
            &expected[1..],
            &expected[..33],
            &[0x30; 64],
            &[0x30; 65],
            b"",
            b"04ab",
        ] {
            assert_eq!(read_public_key(plain, curve), None);
        }
        // Coordinates whose first bytes look like text.
        for first in [b'{', b'-', b' ', b'\n'] {
            let coordinates = [&[first, b'{', 0xff], &expected[4..]].concat();
            assert_eq!(read_public_key(&coordinates, curve), None);
        }
        for length in 0..der.len() {
            assert!(read_public_key(&der[..length], curve).is_none_or(|key| key.is_err()));
        }
    }
    let [.., (_, _, pem, _)] = public_forms();
    let secret = pem.replace("PUBLIC", "EC PRIVATE");
    assert!(
        read_public_key(secret.as_bytes(), CurveId::Sm2)
            .unwrap()
            .unwrap_err()
            .contains("PEM of a EC PRIVATE KEY")
    );
}

#[test]
fn keys_of_certificates_are_public_keys() {
    for (curve, spki, _, expected) in public_forms() {
        for has_version in [true, false] {
            let der = certificate(&spki, has_version);
            let pem = |label| pem_rfc7468::encode_string(label, Default::default(), &der).unwrap();
            // As `base64 -w 0` writes it.
            let digits: String = pem("CERTIFICATE")
                .lines()
                .filter(|line| !line.starts_with('-'))
                .collect();
            let in_one_line =
                format!("-----BEGIN CERTIFICATE-----\n{digits}\n-----END CERTIFICATE-----\n");
            for key in [
                &der,
                in_one_line.as_bytes(),
                pem("CERTIFICATE").as_bytes(),
                pem("X509 CERTIFICATE").replace('\n', "\\n").as_bytes(),
            ] {
                assert_eq!(
                    read_public_key(key, curve),
                    Some(Ok(expected.to_vec())),
                    "{curve}"
                );
            }
            let other = if curve == CurveId::P256 {
                CurveId::Sm2
            } else {
                CurveId::P256
            };
            let problem = format!("the key is for {curve}, not for {other}");
            assert_eq!(read_public_key(&der, other), Some(Err(problem)));
            for length in 0..der.len() {
                assert!(read_public_key(&der[..length], curve).is_none_or(|key| key.is_err()));
            }
            for place in 0..der.len() {
                for byte in 0..=u8::MAX {
                    let mut corrupted = der.clone();
                    corrupted[place] = byte;
                    let _ = read_public_key(&corrupted, curve);
                }
            }
        }
    }
    // A key of Ed25519 (RFC 8410, section 4).
    let spki = [
        &hex::decode("302a300506032b6570032100").unwrap()[..],
        &[7; 32],
    ]
    .concat();
    let der = certificate(&spki, true);
    let problem = "the key is for Ed25519, not for p256".to_owned();
    assert_eq!(read_public_key(&der, CurveId::P256), Some(Err(problem)));
    assert_eq!(
        read_public_key(&der, KeyKind::Ed25519),
        Some(Ok(vec![7; 32]))
    );
}

/// Certificates of authorities, signed with SM2.
#[test]
fn certificates_of_authorities_are_read() {
    let file = include_str!("../../../../examples/data/sm2/sm2_certs.pem");
    let mut reader = Reader::new(CurveId::Sm2);
    let blocks = file
        .split("-----END CERTIFICATE-----")
        .filter_map(|part| part.find("-----BEGIN CERT").map(|at| &part[at..]));
    let rows: Vec<_> = blocks
        .map(|block| reader.row(format!("{block}-----END CERTIFICATE-----\n").as_bytes()))
        .collect();
    reader.finish().unwrap();
    let engine = gecc::Engine::cpu().unwrap();
    let keys = gecc::PublicKeys::mixed(&rows);
    let points = gecc::point::decode_keys(&engine, CurveId::Sm2, rows.len(), keys).unwrap();
    // One has its curve written out.
    assert_eq!(
        (
            points.len(),
            points.iter().filter(|point| point.is_ok()).count()
        ),
        (105, 104)
    );
}

/// Concatenated coordinates are not DER, whatever their first bytes are.
#[test]
fn rows_of_coordinates_are_not_der() {
    for rows in 1..10 {
        assert_eq!(read_public_key(&vec![0x30; 64 * rows], CurveId::P256), None);
    }
}

#[test]
fn public_key_columns_hold_any_form_and_wrong_columns_are_reported() {
    let engine = gecc::Engine::cpu().unwrap();
    for (curve, der, pem, expected) in public_forms() {
        let raw = &expected[1..];
        let mut reader = Reader::new(curve);
        let rows = [
            &der,
            pem.as_bytes(),
            &expected,
            raw,
            b"-----BEGIN",
            b"",
            &[7; 40],
        ]
        .map(|key| reader.row(key));
        reader.finish().unwrap();
        let keys = gecc::PublicKeys::mixed(&rows);
        let points = gecc::point::decode_keys(&engine, curve, rows.len(), keys).unwrap();
        assert!(
            points[..4]
                .iter()
                .all(|point| point.as_ref().unwrap().as_bytes() == &expected),
            "{curve}"
        );
        assert!(
            points[4..]
                .iter()
                .all(|point| *point == Err(gecc::Rejection::MalformedPoint))
        );
        // All valid keys are of another curve.
        let other = if curve == CurveId::P256 {
            CurveId::Sm2
        } else {
            CurveId::P256
        };
        let mut reader = Reader::new(other);
        for key in [&der, &b""[..], pem.as_bytes()] {
            reader.row(key);
        }
        assert_eq!(
            reader.finish(),
            Err(format!("the key is for {curve}, not for {other}"))
        );
        // An unreadable key does not cause keys without a curve to be refused.
        let mut reader = Reader::new(curve);
        for key in [raw, b"{"] {
            reader.row(key);
        }
        reader.finish().unwrap();
    }
}

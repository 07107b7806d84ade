//! Forms of keys that programs write and people report: `data/` has one for each, reduced from
//! public reports, with the public key that OpenSSL or the report names, or with the problem.

use base64ct::{Base64, Base64UrlUnpadded, Encoding};
use gecc::fields::Hash;
use gecc::{CurveId, Engine, SecretKey, ed25519, keys, x25519};
use gecc_keys::{
    KeyKind, Reader, SecretKeyPerFile, are_secret_keys, hybrid_row, is_public_key, is_secret_key,
    pem,
};
use gecc_keys::{public_key, secret_keys, unsupported_form};
use serde_json::{Value, json};

fn kind(name: &str) -> KeyKind {
    match name {
        "ed25519" => KeyKind::Ed25519,
        "x25519" => KeyKind::X25519,
        curve => KeyKind::Curve(curve.parse().unwrap()),
    }
}

fn public_of(secret: &SecretKey, kind: KeyKind) -> Vec<u8> {
    let engine = Engine::cpu().unwrap();
    let secret = std::slice::from_ref(secret);
    match kind {
        KeyKind::Curve(curve) => keys::public_keys(&engine, curve, secret).unwrap()[0]
            .as_ref()
            .unwrap()
            .as_sec1()
            .to_vec(),
        KeyKind::Ed25519 => ed25519::public_keys(&engine, secret).unwrap()[0].to_vec(),
        KeyKind::X25519 => x25519::public_keys(&engine, secret).unwrap()[0].to_vec(),
    }
}

fn one(file: &[u8], kind: KeyKind) -> Result<SecretKey, String> {
    let mut keys = secret_keys(file, kind)?;
    assert_eq!(keys.len(), 1);
    Ok(keys.remove(0))
}

#[track_caller]
fn refused(file: impl AsRef<[u8]>, kind: KeyKind, reason: &str) {
    let problem = one(file.as_ref(), kind).map(|_| ()).expect_err(reason);
    assert!(problem.contains(reason), "{problem}");
}

const P256: KeyKind = KeyKind::Curve(CurveId::P256);
const SECP256K1: KeyKind = KeyKind::Curve(CurveId::Secp256k1);

#[test]
fn reported_private_keys_are_read_or_their_form_is_named() {
    for line in include_str!("../data/private_keys.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let name = &case["name"];
        let kind = kind(case["kind"].as_str().unwrap());
        let content = Base64::decode_vec(case["content"].as_str().unwrap()).unwrap();
        match (one(&content, kind), case["public"].as_str()) {
            (Ok(key), Some(public)) => {
                assert_eq!(hex::encode(public_of(&key, kind)), public, "{name}")
            }
            (Err(problem), None) => assert!(
                problem.contains(case["problem"].as_str().unwrap()),
                "{name}: {problem}"
            ),
            (Ok(_), None) => panic!("{name} was read"),
            (Err(problem), Some(_)) => panic!("{name}: {problem}"),
        }
        // As cells, each of which is a file of its own.
        let cells = SecretKeyPerFile::read([&content[..]], kind, None).unwrap();
        assert_eq!(cells.get(0).is_ok(), case["public"].is_string(), "{name}");
        assert!(
            case["public"].is_null() || is_secret_key(&content),
            "{name}"
        );
    }
}

#[test]
fn reported_public_keys_are_read_or_their_form_is_named() {
    for line in include_str!("../data/public_keys.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let name = &case["name"];
        let kind = kind(case["kind"].as_str().unwrap());
        let key = case["key"].as_str().unwrap();
        let key = if case["hex"] == true {
            hex::decode(key).unwrap()
        } else {
            key.as_bytes().to_vec()
        };
        assert_eq!(is_public_key(&key), case["hex"].is_null(), "{name}");
        match (
            public_key(&key, kind).unwrap_or_else(|| panic!("{name} has no form")),
            case["public"].as_str(),
        ) {
            (Ok(found), Some(public)) => assert_eq!(hex::encode(found), public, "{name}"),
            (Err(problem), None) => assert!(
                problem.contains(case["problem"].as_str().unwrap()),
                "{name}: {problem}"
            ),
            (found, _) => panic!("{name}: {found:?}"),
        }
        for length in 0..key.len() {
            let _ = public_key(&key[..length], kind);
        }
    }
}

fn base58(bytes: &[u8]) -> String {
    const ALPHABET: &[u8] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    let mut digits: Vec<u8> = Vec::new();
    for byte in bytes {
        let mut carry = u32::from(*byte);
        for digit in &mut digits {
            carry += u32::from(*digit) << 8;
            *digit = (carry % 58) as u8;
            carry /= 58;
        }
        while carry > 0 {
            digits.push((carry % 58) as u8);
            carry /= 58;
        }
    }
    let zeros = bytes.iter().take_while(|byte| **byte == 0).map(|_| 0);
    digits.extend(zeros);
    digits
        .iter()
        .rev()
        .map(|digit| char::from(ALPHABET[usize::from(*digit)]))
        .collect()
}

fn random() -> [u8; 32] {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).unwrap();
    bytes[0] &= 0x7f;
    bytes
}

#[test]
fn wif_of_bitcoin_is_read_for_secp256k1() {
    let wif = |network: u8, key: &[u8], suffix: &[u8]| {
        let payload = [&[network], key, suffix].concat();
        base58(&[&payload, &Hash::Sha256d.digest(&payload).unwrap()[..4]].concat())
    };
    for round in 0..50 {
        let mut key = random();
        key[..round % 4].fill(0);
        for (network, suffix) in [(0x80, &[][..]), (0x80, &[1]), (0xef, &[]), (0xef, &[1])] {
            let text = wif(network, &key, suffix);
            assert!(is_secret_key(text.as_bytes()) && !are_secret_keys(text.as_bytes()));
            assert_eq!(
                one(format!(" {text}\r\n").as_bytes(), SECP256K1)
                    .unwrap()
                    .expose_bytes(),
                &key,
                "{text}"
            );
            refused(&text, P256, "WIF: the key is for secp256k1, not for p256");
            // Any changed digit invalidates the checksum.
            for at in 1..text.len() {
                let mut corrupted = text.clone().into_bytes();
                corrupted[at] = if corrupted[at] == b'2' { b'3' } else { b'2' };
                refused(&corrupted, SECP256K1, "checksum does not fit");
            }
        }
        refused(wif(0x80, &key, &[2]), SECP256K1, "another byte than 1");
    }
    // In hexadecimal with the byte after it: only if it cannot be a number with a leading zero.
    let marked = format!("{}01", "7a".repeat(32));
    assert_eq!(
        one(marked.as_bytes(), SECP256K1).unwrap().expose_bytes(),
        &[0x7a; 32]
    );
    refused(&marked, P256, "end in 01");
    refused(format!("00{}01", "7a".repeat(31)), SECP256K1, "end in 01");
    assert_eq!(
        one(format!("00{}", "7a".repeat(32)).as_bytes(), P256)
            .unwrap()
            .expose_bytes(),
        &[0x7a; 32]
    );
    // The first key of the wiki of Bitcoin.
    let known = "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ";
    let expected = "0c28fca386c7a227600b2fe50b7cae11ec86d3bf1fbe471be89827e19d72aa1d";
    assert_eq!(
        hex::encode(one(known.as_bytes(), SECP256K1).unwrap().expose_bytes()),
        expected
    );
}

#[test]
fn seeds_with_their_public_keys_are_read_in_every_encoding() {
    for round in 0..50 {
        let mut seed = random();
        seed[..round % 3].fill(0);
        let public = public_of(&SecretKey::from_bytes(seed), KeyKind::Ed25519);
        let pair = [&seed[..], &public].concat();
        let texts = [
            hex::encode(&pair),
            format!("0x{}", hex::encode(&pair)),
            Base64::encode_string(&pair),
            Base64UrlUnpadded::encode_string(&pair),
            base58(&pair),
            format!("base58:{}", base58(&pair)),
            format!("ed25519:{}", base58(&pair)),
            format!("base58:{}", base58(&seed)),
            format!("ed25519:{}", base58(&seed)),
            format!("{pair:?}"),
            format!("\n{pair:?}\n").replace(' ', ""),
            format!("{seed:?}"),
        ];
        for text in &texts {
            assert!(is_secret_key(text.as_bytes()), "{text}");
            assert_eq!(
                one(text.as_bytes(), KeyKind::Ed25519)
                    .unwrap()
                    .expose_bytes(),
                &seed,
                "{text}"
            );
        }
        for text in &texts[..5] {
            refused(text, P256, "the key is for Ed25519, not for p256");
        }
        let mut other = pair.clone();
        other[40] ^= 1;
        for text in [
            hex::encode(&other),
            Base64::encode_string(&other),
            base58(&other),
            format!("{other:?}"),
        ] {
            refused(
                text,
                KeyKind::Ed25519,
                "the public key does not belong to the private key",
            );
        }
    }
    refused(
        "[1, 2, 3, 4, 5, 6, 7]",
        KeyKind::Ed25519,
        "an array of 7 numbers",
    );
    refused(
        format!("[{}256]", "1,".repeat(63)),
        KeyKind::Ed25519,
        "not of numbers from 0 to 255",
    );
    refused(
        format!("[{}\"a\"]", "1,".repeat(63)),
        KeyKind::Ed25519,
        "not of numbers from 0 to 255",
    );
}

/// Numbers may be short or have zeros in front in SEC 1, PKCS#8 and JSON Web Keys, as OpenSSL reads
/// them.
#[test]
fn short_and_long_numbers_are_the_same_number() {
    let element = |tag: u8, contents: &[u8]| {
        [&[tag, u8::try_from(contents.len()).unwrap()], contents].concat()
    };
    let curve = hex::decode("06082a8648ce3d030107").unwrap();
    let algorithm = [&hex::decode("06072a8648ce3d0201").unwrap()[..], &curve].concat();
    for length in [1, 2, 16, 31, 32, 33, 40] {
        let mut number = vec![0; length];
        let significant = number.len().saturating_sub(32);
        number[significant..].fill(7);
        let sec1 = element(
            0x30,
            &[
                &element(2, &[1])[..],
                &element(4, &number),
                &element(0xa0, &curve),
            ]
            .concat(),
        );
        let pkcs8 = [
            &element(2, &[0])[..],
            &element(0x30, &algorithm),
            &element(4, &sec1),
        ]
        .concat();
        let pkcs8 = element(0x30, &pkcs8);
        let mut expected = [0; 32];
        expected[32 - length.min(32)..].fill(7);
        for der in [&sec1, &pkcs8] {
            assert_eq!(
                one(der, P256).unwrap().expose_bytes(),
                &expected,
                "{length}"
            );
            for label in ["PRIVATE KEY", "EC PRIVATE KEY"] {
                let block = pem_rfc7468::encode_string(label, Default::default(), der).unwrap();
                assert_eq!(
                    one(block.as_bytes(), P256).unwrap().expose_bytes(),
                    &expected,
                    "{length}"
                );
            }
        }
        let point = public_of(&SecretKey::from_bytes(expected), P256);
        let text = |bytes: &[u8]| Base64UrlUnpadded::encode_string(bytes);
        let without = |coordinate: &[u8]| {
            text(&coordinate[coordinate.iter().take_while(|byte| **byte == 0).count()..])
        };
        let jwk = json!({"kty": "EC", "crv": "P-256", "d": text(&number), "x": without(&point[1..33]),
            "y": format!("{}=", text(&[&[0][..], &point[33..]].concat()))});
        assert_eq!(
            one(jwk.to_string().as_bytes(), P256)
                .unwrap()
                .expose_bytes(),
            &expected,
            "{length}"
        );
        let alone = json!({"kty": "EC", "crv": "P-256", "d": text(&number)}).to_string();
        if length < 32 {
            refused(
                alone,
                P256,
                &format!("`d` has {length} bytes instead of 32, and there are no `x` and `y`"),
            );
        } else {
            assert!(one(alone.as_bytes(), P256).is_ok());
        }
    }
    let large = element(
        0x30,
        &[&element(2, &[1])[..], &element(4, &[1; 33])].concat(),
    );
    refused(large, P256, "a private key of 33 bytes instead of 32");
    refused(
        element(0x30, &[&element(2, &[1])[..], &element(4, &[])].concat()),
        P256,
        "0 bytes instead of 32",
    );
}

#[test]
fn key_sets_with_one_matching_key_are_read() {
    let key = random();
    let d = Base64UrlUnpadded::encode_string(&key);
    let jwk = |crv: &str| json!({"kty": "EC", "crv": crv, "d": d});
    let other = json!({"kty": "RSA", "n": "AQAB", "d": "AQAB"});
    let public = json!({"kty": "EC", "crv": "P-256", "x": "AQ", "y": "AQ"});
    let set = |keys: &[&Value]| json!({ "keys": keys }).to_string();
    let one_fits = set(&[&other, &public, &jwk("P-256K"), &jwk("P-256")]);
    assert_eq!(one(one_fits.as_bytes(), P256).unwrap().expose_bytes(), &key);
    refused(
        set(&[&jwk("P-256"), &jwk("P-256"), &other]),
        P256,
        "of the 3 keys of the set 2 are private keys for p256",
    );
    assert_eq!(
        secret_keys(set(&[&jwk("P-256"), &jwk("P-256")]).as_bytes(), P256)
            .unwrap()
            .len(),
        2
    );
    refused(set(&[&other]), P256, "`kty` is not EC");
    let points = |keys: &[&Value]| public_key(set(keys).as_bytes(), P256).unwrap();
    let expected = [&[4][..], &[0; 31], &[1], &[0; 31], &[1]].concat();
    assert_eq!(points(&[&other, &jwk("secp256k1"), &public]), Ok(expected));
    assert!(
        points(&[&public, &public])
            .unwrap_err()
            .contains("2 keys of the set are for p256")
    );
    assert!(
        points(&[&other, &other])
            .unwrap_err()
            .contains("none of the 2 keys of the set is for p256")
    );
    assert!(points(&[]).unwrap_err().contains("none of the 0 keys"));
}

#[test]
fn cose_keys_are_read_and_other_cbor_is_refused() {
    // RFC 9052, section C.7.2, its first key.
    let known = [
        &hex::decode("a60102025824").unwrap()[..],
        b"meriadoc.brandybuck@buckland.example",
        &hex::decode("2001215820").unwrap(),
        &hex::decode("65eda5a12577c2bae829437fe338701a10aaa375e1bb5b5de108de439c08551d").unwrap(),
        &hex::decode("225820").unwrap(),
        &hex::decode("1e52ed75701163f7f9e40ddf9f341b3dc9ba860af7e0ca7ca7e9eecd0084d19c").unwrap(),
        &hex::decode("235820").unwrap(),
        &hex::decode("aff907c99f9ad3aae6c4cdf21122bce2bd68b5283e6907154ad911840fa208cf").unwrap(),
    ]
    .concat();
    let key = one(&known, P256).unwrap();
    let point = public_key(&known, P256).unwrap().unwrap();
    assert_eq!(public_of(&key, P256), point);
    for text in [
        hex::encode(&known),
        Base64::encode_string(&known),
        Base64UrlUnpadded::encode_string(&known),
    ] {
        assert!(is_secret_key(text.as_bytes()));
        assert_eq!(
            one(text.as_bytes(), P256).unwrap().expose_bytes(),
            key.expose_bytes()
        );
    }
    refused(&known, SECP256K1, "the key is for p256, not for secp256k1");
    let mut corrupted = known.clone();
    *corrupted.last_mut().unwrap() ^= 1;
    refused(
        &corrupted,
        P256,
        "the public key does not belong to the private key",
    );
    for length in 0..known.len() {
        assert!(one(&known[..length], P256).is_err());
        assert!(public_key(&known[..length], P256).is_none_or(|key| key.is_err()));
    }
    for at in 0..known.len() {
        for byte in 0..=u8::MAX {
            let mut corrupted = known.clone();
            corrupted[at] = byte;
            let _ = public_key(&corrupted, P256);
        }
    }
    // With a sign in place of y, of secp256k1, and of Ed25519 in a map of no fixed length.
    let compressed = [
        &hex::decode("a401022008215820").unwrap()[..],
        &[7; 32],
        &[0x22, 0xf5],
    ]
    .concat();
    assert_eq!(
        public_key(&compressed, SECP256K1),
        Some(Ok([&[3][..], &[7; 32]].concat()))
    );
    let okp = [
        &hex::decode("bf01012006215820").unwrap()[..],
        &[9; 32],
        &[0xff],
    ]
    .concat();
    assert_eq!(public_key(&okp, KeyKind::Ed25519), Some(Ok(vec![9; 32])));
    // P-384, a repeated member, and no key at all.
    let p384 = [
        &hex::decode("a401022002215820").unwrap()[..],
        &[7; 32],
        &[0x22, 0xf5],
    ]
    .concat();
    assert!(
        public_key(&p384, P256)
            .unwrap()
            .unwrap_err()
            .contains("the curve with the number 2")
    );
    let twice = hex::decode("a3010120062006").unwrap();
    assert_eq!(public_key(&twice, KeyKind::Ed25519), None);
    assert_eq!(public_key(&hex::decode("a10300").unwrap(), P256), None);
}

#[test]
fn hybrid_points_with_matching_parity_are_read_on_request() {
    let point = public_of(&SecretKey::from_bytes(random()), P256);
    let tagged = |tag: u8| [&[tag], &point[1..]].concat();
    let (right, wrong) = if point[64] & 1 == 0 { (6, 7) } else { (7, 6) };
    assert_eq!(hybrid_row(&tagged(right)).unwrap()[..], point);
    assert_eq!(
        [wrong, 4, 5, 2].map(|tag| hybrid_row(&tagged(tag))),
        [None; 4]
    );
    assert_eq!(hybrid_row(&point[..64]), None);
    let row = |reader: &mut Reader, key: &[u8]| reader.row(key).to_vec();
    let mut strict = Reader::new(P256);
    let mut lenient = Reader::new(P256).with_hybrid();
    assert_ne!(row(&mut strict, &tagged(right)), row(&mut strict, &point));
    assert_eq!(row(&mut lenient, &tagged(right)), row(&mut strict, &point));
    assert_ne!(row(&mut lenient, &tagged(wrong)), row(&mut strict, &point));
}

#[test]
fn openssh_keys_of_p256_are_read() {
    // Made by ssh-keygen for this test; the last with a passphrase.
    let file = include_str!("../data/openssh_p256");
    let line = include_str!("../data/openssh_p256.pub");
    let point = public_key(line.as_bytes(), P256).unwrap().unwrap();
    assert_eq!(public_of(&one(file.as_bytes(), P256).unwrap(), P256), point);
    for options in [
        "no-pty",
        "command=\"a \\\"b\\\" c\",restrict",
        "host.example",
    ] {
        let with = format!("{options} {line}").replace(' ', "\t");
        assert!(is_public_key(with.as_bytes()), "{with}");
    }
    let with_options = format!("command=\"a b\",from=\"*.example\" {line}");
    assert_eq!(
        public_key(with_options.as_bytes(), P256),
        Some(Ok(point.clone()))
    );
    // The base64 alone, which names its algorithm, too.
    let alone = line.split(' ').nth(1).unwrap();
    assert!(is_public_key(alone.as_bytes()));
    assert_eq!(public_key(alone.as_bytes(), P256), Some(Ok(point)));
    let of_other_curve = public_key(alone.as_bytes(), SECP256K1).unwrap();
    assert!(of_other_curve.unwrap_err().contains("for p256"));
    for other in ["AAAA", "AAAAAAAA", &alone[1..], &alone[..40]] {
        let key = public_key(other.as_bytes(), P256);
        assert!(!matches!(key, Some(Ok(_))), "{other}: {key:?}");
    }
    // In the place of a private key.
    for public in [line, alone] {
        assert_eq!(
            unsupported_form(public.as_bytes()),
            Some("a public key of OpenSSH: the private key is in the file without .pub")
        );
    }
    refused(file, SECP256K1, "the key is for p256, not for secp256k1");
    refused(
        include_str!("../data/openssh_p256_encrypted"),
        P256,
        "the key is encrypted: decrypt it first",
    );
    for name in [
        "ecdsa-sha2-nistp384",
        "sk-ecdsa-sha2-nistp256@openssh.com",
        "ssh-dss",
    ] {
        let other = line.replace("ecdsa-sha2-nistp256", name);
        assert!(
            public_key(other.as_bytes(), P256).unwrap().is_err(),
            "{name}"
        );
    }
    let body: Vec<u8> = Base64::decode_vec(
        &file
            .lines()
            .filter(|line| !line.starts_with('-'))
            .collect::<String>(),
    )
    .unwrap();
    for at in 0..body.len() {
        let mut corrupted = body.clone();
        corrupted[at] ^= 0x10;
        let block =
            pem_rfc7468::encode_string("OPENSSH PRIVATE KEY", Default::default(), &corrupted)
                .unwrap();
        // Must not panic. The key stays readable only if the changed byte is in the comment.
        let _ = one(block.as_bytes(), P256);
    }
}

#[test]
fn pem_blocks_of_every_shape_are_found() {
    let block = "-----BEGIN PRIVATE KEY-----\nMEECAQAwEwYHKoZIzj0CAQYIKoZIzj0DAQcEJzAlAgEBBCCe2C7ISTLv3dDlrm1X\n\
                 0IwboTn/bFIqtOls+/lCiuVj6A==\n-----END PRIVATE KEY-----\n";
    let expected = one(block.as_bytes(), P256).unwrap();
    let utf16 =
        |text: &str, to: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(to).collect::<Vec<u8>>();
    let mut shapes: Vec<Vec<u8>> = [
        block.replace('\n', ""),
        block.replace('\n', " "),
        block.replace('\n', "\\n"),
        block.replace('\n', "\\r\\n"),
        format!("\"{}\"", block.replace('\n', "\\n").replace('/', "\\/")),
        block.replace('\n', "\r"),
        block.replace('\n', " \t\r\n"),
        block.replace('\n', "\n    "),
        block.replace('\n', "\n\n"),
        block.replacen("MEEC", "ME\nEC", 1),
        format!("key: |\n  {}", block.replace('\n', "\n  ")),
        block.replacen('\n', "\nComment: a\n b\n\n", 1),
        format!("\u{feff}{block}"),
    ]
    .map(String::into_bytes)
    .into();
    shapes.push(utf16(&format!("\u{feff}{block}"), u16::to_le_bytes));
    shapes.push(utf16(&format!("\u{feff}{block}"), u16::to_be_bytes));
    shapes.push(utf16(block, u16::to_le_bytes));
    for shape in shapes {
        let read = one(&shape, P256)
            .unwrap_or_else(|problem| panic!("{problem}: {:?}", String::from_utf8_lossy(&shape)));
        assert_eq!(read.expose_bytes(), expected.expose_bytes());
    }
    // Of two blocks the damaged one is named with its line, whatever of it is damaged.
    let two = format!("{block}{block}");
    for line in ["-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"] {
        for number in 0..2 {
            let start = two.match_indices(line).nth(number).unwrap().0;
            for at in start..start + line.len() {
                let mut damaged = two.clone().into_bytes();
                damaged.remove(at);
                let found = secret_keys(&damaged, P256).map(|keys| keys.len());
                assert!(
                    found
                        .as_ref()
                        .is_err_and(|problem| problem.contains("line ")),
                    "{found:?}"
                );
            }
        }
    }
    let lines = |text: &str| -> Vec<String> {
        pem::blocks(text.as_bytes())
            .map(|block| {
                block.map_or_else(|damage| damage.to_string(), |block| block.line.to_string())
            })
            .collect()
    };
    assert_eq!(
        lines("a\n-----END X-----\n-----BEGIN X-----\r\rb\r-----END X-----"),
        ["the block in line 2 has an end and no beginning", "3"]
    );
    assert_eq!(
        lines("-----BEGIN X-----\n-----BEGIN Y-----"),
        [
            "the block in line 1 has no end",
            "the block in line 2 has no end"
        ]
    );
    assert_eq!(
        lines("-----BEGIN X-----\n-----END Y-----"),
        ["the block in line 1 has different labels in its first and its last line, or no label"]
    );
    // Only known labels are shown.
    refused(
        "-----BEGIN SECRETS-----\n-----END SECRETS-----\n",
        P256,
        "a label that is not known",
    );
}

#[test]
fn unsupported_forms_are_named_with_conversion_advice() {
    let cases: [(&[u8], &str); 9] = [
        (b"PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n", "puttygen"),
        (b"AGE-SECRET-KEY-1QQQQ", "a key of age"),
        (b"nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5", "Nostr"),
        (b"xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi", "BIP 32"),
        (b"{\"crypto\": {\"ciphertext\": \"00\"}, \"version\": 3}", "encrypted keystore"),
        (b"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n", "ssh-keygen -i"),
        (b"7a 6b 7a 6b 7a 6b 7a 6b 7a 6b 7a 6b 7a 6b 7a 6b 7a 6b 7a 6b 7a 6b 7a 6b 7a 6b 7a 6b 7a 6b 7a 6b", "something between"),
        (b"legal winner thank year wave sausage worth useful legal winner thank yellow", "BIP 39"),
        (b"1234", "fewer"),
    ];
    for (text, expected) in cases {
        let found = unsupported_form(text).unwrap_or_default();
        assert!(found.contains(expected), "{found}");
        refused(text, P256, expected);
    }
    // SEQUENCE { 3, SEQUENCE { pkcs7-data } }: PKCS#12.
    let pkcs12 = hex::decode("3010020103300b06092a864886f70d010701").unwrap();
    refused(pkcs12, P256, "openssl pkcs12");
    assert_eq!(unsupported_form("11".repeat(32).as_bytes()), None);
}

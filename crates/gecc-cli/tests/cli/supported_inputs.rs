//! Tests of the supported inputs of docs/inputs.md: column names, encodings of values, key and
//! signature forms, files.

use crate::support::{
    Signed, TemporaryFile, answers, code, gecc, gzip, run, signed, start, stderr,
};
use base64ct::{Base64, Base64UrlUnpadded, Encoding};
use gecc::{P256, Secp256k1, ecdsa};
use p256::pkcs8::{EncodePrivateKey, EncodePublicKey, LineEnding};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::process::Output;
use std::time::Duration;

const ON_P256: [&str; 3] = ["verify", "--curve", "p256"];

/// Lines of objects with these members.
fn lines(set: &Signed, members: impl Fn(usize) -> Value) -> String {
    (0..set.digests.len())
        .map(|item| members(item).to_string() + "\n")
        .collect()
}

fn assert_all_valid(arguments: &[&str], input: &str, count: usize) {
    let output = run(arguments, input);
    assert_eq!(
        code(&output),
        0,
        "{arguments:?}: {}\n{input}",
        stderr(&output)
    );
    assert!(
        answers(&output).len() == count
            && answers(&output)
                .iter()
                .all(|answer| answer["valid"] == true)
    );
}

fn refused(arguments: &[&str], input: &str) -> String {
    let output = run(arguments, input);
    assert_eq!(code(&output), 2, "{arguments:?}: {}", stderr(&output));
    stderr(&output)
}

#[test]
fn columns_are_found_by_common_names() {
    let set = signed::<P256>(3);
    let names = [
        ["digest", "signature", "public_key"],
        ["hash", "sig", "pubkey"],
        ["Msg-Hash", "SIG", "PubKey"],
        ["sighash", "Signature", "pk"],
    ];
    for [digest, signature, key] in names {
        let digests = set.digests.map_hex();
        let signatures = set
            .signed
            .iter()
            .map(|signed| hex::encode(signed.signature));
        let rows: Vec<String> = digests
            .into_iter()
            .zip(signatures)
            .zip(&set.public)
            .map(|((digest, signature), key)| {
                format!("x,{digest},{signature},{}", hex::encode(key.as_sec1()))
            })
            .collect();
        assert_all_valid(
            &ON_P256,
            &format!("note,{digest},{signature},{key}\n{}\n", rows.join("\n")),
            3,
        );
        let objects = lines(&set, |item| {
            let row: Vec<&str> = rows[item].split(',').collect();
            json!({"note": row[0], digest: row[1], signature: row[2], key: row[3]})
        });
        assert_all_valid(&ON_P256, &objects, 3);
        // A column that is named keeps the others, in every format.
        let renamed = format!("note,theirs,{signature},{key}\n{}\n", rows.join("\n"));
        assert_all_valid(
            &[&ON_P256[..], &["--columns", "digest=theirs"]].concat(),
            &renamed,
            3,
        );
        let problem = refused(&ON_P256, &renamed);
        assert!(
            problem.contains("the columns are note, theirs")
                && problem.contains("--columns digest=NAME"),
            "{problem}"
        );
        let renamed = objects.replace(&format!("\"{digest}\""), "\"theirs\"");
        assert_all_valid(
            &[&ON_P256[..], &["--columns", "digest=theirs"]].concat(),
            &renamed,
            3,
        );
    }
}

trait Hex {
    fn map_hex(&self) -> Vec<String>;
}

impl Hex for Vec<[u8; 32]> {
    fn map_hex(&self) -> Vec<String> {
        self.iter().map(hex::encode).collect()
    }
}

#[test]
fn values_may_be_hexadecimal_or_base64_but_not_mixed() {
    let set = signed::<P256>(4);
    let written = |encode: &dyn Fn(&[u8]) -> String| {
        lines(&set, |item| {
            let signature = encode(&set.signed[item].signature);
            json!({"digest": encode(&set.digests[item]), "sig": signature, "pk": encode(set.public[item].as_sec1())})
        })
    };
    let prefixed = written(&|bytes| format!("0x{}", hex::encode_upper(bytes)));
    let base64 = written(&Base64::encode_string);
    let url = written(&Base64UrlUnpadded::encode_string);
    for text in [&prefixed, &base64, &url] {
        assert_all_valid(&ON_P256, text, 4);
    }
    assert_all_valid(
        &[&ON_P256[..], &["--encoding", "base64"]].concat(),
        &base64,
        4,
    );
    let mixed = refused(&ON_P256, &format!("{prefixed}{base64}"));
    assert!(
        mixed.contains("12 values are hexadecimal and 12 base64: say --encoding"),
        "{mixed}"
    );
}

#[test]
fn base64url_may_begin_with_a_hyphen() {
    let engine = gecc::Engine::cpu().unwrap();
    let set = signed::<P256>(1);
    let signature = ecdsa::sign(
        &engine,
        P256,
        &[[0xfb; 32]],
        &set.secret,
        Default::default(),
    )
    .unwrap()[0]
        .unwrap();
    let [digest, signature, key] = [&[0xfb; 32][..], &signature, set.public[0].as_sec1()]
        .map(Base64UrlUnpadded::encode_string);
    assert!(digest.starts_with('-'));
    assert_all_valid(
        &ON_P256,
        &json!({"digest": digest, "sig": signature, "pk": key}).to_string(),
        1,
    );
}

/// A message that happens to be hexadecimal is decoded unless `--text-messages` is given.
#[test]
fn messages_as_texts_and_their_digests() {
    let engine = gecc::Engine::cpu().unwrap();
    let set = signed::<P256>(1);
    let message = "deadbeef";
    let sign = |digest: [u8; 32]| {
        ecdsa::sign(&engine, P256, &[digest], &set.secret, Default::default()).unwrap()[0].unwrap()
    };
    let item = |signature: [u8; 64]| {
        json!({"msg": message, "sig": hex::encode(signature), "pk": hex::encode(set.public[0].as_sec1())}).to_string()
    };
    use gecc::fields::Hash;
    for (hash, name) in [
        (Hash::Sha256, "sha256"),
        (Hash::Sha384, "sha384"),
        (Hash::Sha512, "sha512"),
        (Hash::Keccak256, "keccak256"),
        (Hash::Eip191, "eip191"),
    ] {
        let as_text = item(sign(hash.digest(message.as_bytes()).unwrap()));
        let as_digits = item(sign(hash.digest(&[0xde, 0xad, 0xbe, 0xef]).unwrap()));
        let with = |more: &[&'static str]| [&ON_P256[..], &["--hash", name], more].concat();
        assert_all_valid(&with(&["--text-messages"]), &as_text, 1);
        assert_all_valid(&with(&[]), &as_digits, 1);
        assert_eq!(code(&run(&with(&[]), as_text)), 1, "{name}");
    }
    // A message that already is a digest.
    let object = json!({"msg": hex::encode([7; 32]), "sig": hex::encode(sign([7; 32])), "pk": hex::encode(set.public[0].as_sec1())});
    assert_all_valid(
        &[&ON_P256[..], &["--hash", "none"]].concat(),
        &object.to_string(),
        1,
    );
}

#[test]
fn signatures_in_every_form() {
    let set = signed::<Secp256k1>(2);
    let number = |bytes: &[u8]| format!("0x{}", hex::encode(bytes).trim_start_matches('0'));
    let forms: [&dyn Fn(usize) -> Value; 5] = [
        &|item| json!({"signature": hex::encode(set.signed[item].signature)}),
        &|item| json!({"signature": hex::encode(set.signed[item].signature) + &hex::encode([27 + set.signed[item].recovery_id])}),
        &|item| json!({"signature": hex::encode(gecc::signature_to_der(&set.signed[item].signature))}),
        &|item| {
            let (r, s) = set.signed[item].signature.split_at(32);
            json!({"r": number(r), "s": number(s), "v": 27 + set.signed[item].recovery_id})
        },
        // EIP-155, for chain 1.
        &|item| {
            let (r, s) = set.signed[item].signature.split_at(32);
            json!({"R": number(r), "S": number(s), "V": format!("{:#x}", 37 + set.signed[item].recovery_id)})
        },
    ];
    for (index, form) in forms.into_iter().enumerate() {
        let with = |other: &str, value: &dyn Fn(usize) -> String| {
            lines(&set, |item| {
                let mut object = form(item);
                object["digest"] = hex::encode(set.digests[item]).into();
                object[other] = value(item).into();
                object
            })
        };
        let keyed = with("pubkey", &|item| hex::encode(set.public[item].as_sec1()));
        assert_all_valid(&["verify", "--curve", "secp256k1"], &keyed, 2);
        if matches!(index, 1 | 3 | 4) {
            let output = run(
                &["recover", "--curve", "secp256k1"],
                with("note", &|_| String::new()),
            );
            let expected: Vec<Value> = set
                .public
                .iter()
                .map(|key| json!({"public_key": hex::encode(key.as_sec1())}))
                .collect();
            assert_eq!(answers(&output), expected, "{}", stderr(&output));
        }
    }
}

/// Bytes as PostgreSQL writes them.
#[test]
fn values_in_postgresql_byte_notation_are_read() {
    let set = signed::<P256>(2);
    let row = |item: usize| {
        let values = [
            &set.digests[item][..],
            &set.signed[item].signature,
            set.public[item].as_sec1(),
        ];
        values
            .map(|value| format!("\\x{}", hex::encode(value)))
            .join(",")
    };
    assert_all_valid(
        &ON_P256,
        &format!("digest,signature,public_key\n{}\n{}\n", row(0), row(1)),
        2,
    );
    let key = |start: &str| {
        format!(
            "{{\"secret_key\":\"{start}{}\"}}\n",
            hex::encode(set.secret[0].expose_bytes())
        )
    };
    let output = run(&["pubkey", "--curve", "p256"], key("\\\\x"));
    assert_eq!(
        answers(&output),
        [json!({"public_key": hex::encode(set.public[0].as_sec1())})],
        "{}",
        stderr(&output)
    );
    assert_ne!(
        code(&run(&["pubkey", "--curve", "p256"], key("\\\\x\\\\"))),
        0
    );
}

/// DER may be followed by a hash type of Bitcoin or Bitcoin Cash if that is configured, and by
/// nothing else.
#[test]
fn der_is_strict() {
    let set = signed::<Secp256k1>(1);
    let verify_with = |rest: &[u8]| {
        let der = [
            gecc::signature_to_der(&set.signed[0].signature).as_slice(),
            rest,
        ]
        .concat();
        let item = json!({"digest": hex::encode(set.digests[0]), "der": hex::encode(der), "pk": hex::encode(set.public[0].as_sec1())});
        let verify = ["verify", "--curve", "secp256k1"];
        let with_types = [&verify[..], &["--signature-form", "der-hash-type"]].concat();
        assert_eq!(code(&run(&verify, item.to_string())) == 0, rest.is_empty());
        code(&run(&with_types, item.to_string()))
    };
    assert!(
        [&[][..], &[1], &[2], &[3], &[0x41], &[0x82], &[0xc3]]
            .iter()
            .all(|rest| verify_with(rest) == 0)
    );
    assert!(
        [&[0][..], &[4], &[0x80], &[0xff], &[1, 1]]
            .iter()
            .all(|rest| verify_with(rest) != 0)
    );
}

/// A problem of one of several files names it, and text that may be a key is not shown.
#[test]
fn problems_name_their_file_and_show_no_key() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &str| {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let set = signed::<P256>(1);
    let good = write("good.jsonl", &set.lines().join("\n"));
    let bad = write("bad.csv", "neither\nthis nor that\n");
    let problem = refused(&[&ON_P256[..], &[&good, &bad]].concat(), "");
    assert!(problem.contains("bad.csv: neither JSON Lines"), "{problem}");
    let digest = hex::encode(set.digests[0]);
    let problem = refused(
        &[
            "sign",
            "--curve",
            "p256",
            &write("digests.csv", &format!("digest,tag\n{digest},1\n")),
        ],
        "",
    );
    assert!(
        problem.contains("`secret_key`") && !problem.contains("neither `digest`"),
        "{problem}"
    );
    let key = hex::encode(set.secret[0].expose_bytes());
    for (name, content) in [
        ("keys.csv", format!("secret_key,{key}\n")),
        ("keys", format!("{key}\n{key}\n")),
    ] {
        let problem = refused(&["sign", "--curve", "p256", &write(name, &content)], "");
        assert!(!problem.contains(&key[..12]), "{problem}");
    }
}

#[test]
fn public_keys_in_every_form() {
    let set = signed::<P256>(1);
    let sec1 = set.public[0].as_sec1();
    let key = p256::PublicKey::from_sec1_bytes(sec1).unwrap();
    let der = key.to_public_key_der().unwrap();
    let pem = key.to_public_key_pem(LineEnding::LF).unwrap();
    let coordinate = |at: usize| Base64UrlUnpadded::encode_string(&sec1[at..at + 32]);
    let forms = [
        json!(hex::encode(sec1)),
        json!(hex::encode(set.public[0].to_compressed().unwrap())),
        json!(hex::encode(&sec1[1..])),
        json!(hex::encode(der.as_bytes())),
        json!(pem),
        json!({"kty": "EC", "crv": "P-256", "x": coordinate(1), "y": coordinate(33)}),
    ];
    for form in forms {
        let item = json!({"digest": hex::encode(set.digests[0]), "sig": hex::encode(set.signed[0].signature), "pk": form});
        assert_all_valid(&ON_P256, &item.to_string(), 1);
        // A key of another curve is reported as such, not as an invalid point.
        if form.as_str().is_none_or(|text| text.len() > 130) {
            let other = run(&["verify", "--curve", "secp256k1"], item.to_string());
            assert!(
                code(&other) == 2 && stderr(&other).contains("curve"),
                "{form}: {}",
                stderr(&other)
            );
        }
    }
}

/// A certificate of the key of RFC 7517, appendix A.2.
const CERTIFICATE: &str = "\
-----BEGIN CERTIFICATE-----
MIIBejCCAR+gAwIBAgIUSGOnmHDI+7y9yALLKedSFsPymoswCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHZXhhbXBsZTAeFw0yNjExMjUxMjM2NDJaFw0zNjExMjIxMjM2
NDJaMBIxEDAOBgNVBAMMB2V4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AAQwoEJM0hwpRIOKLXXJKzfnbqINnwCJOjtO7oo8Cq/sPuBLZekkVtmIi1Kzeb37
1R7oae8fD8ZbZllpW2zOCBcjo1MwUTAdBgNVHQ4EFgQUNzJ9WFdrTXJr9A7sCGuI
bn/O+5kwHwYDVR0jBBgwFoAUNzJ9WFdrTXJr9A7sCGuIbn/O+5kwDwYDVR0TAQH/
BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEA8juAtov6r9bk70SeNCmXj9xTFaQU
lxLoHAe934uIjsoCIQDT5PbatOVudDqMRC4JCFVjaFmd4nwN6LADMjqVyYrvqA==
-----END CERTIFICATE-----
";

#[test]
fn certificates_are_public_keys() {
    let d = Base64UrlUnpadded::decode_vec("870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE").unwrap();
    let secret = gecc::SecretKey::from_bytes(d.try_into().unwrap());
    let engine = gecc::Engine::cpu().unwrap();
    let signature =
        ecdsa::sign(&engine, P256, &[[7; 32]], &[secret], Default::default()).unwrap()[0].unwrap();
    let item = |encode: &dyn Fn(&[u8]) -> String, key: &str| {
        json!({"digest": encode(&[7; 32]), "sig": encode(&signature), "pk": key}).to_string()
    };
    let base64: String = CERTIFICATE
        .lines()
        .filter(|line| !line.starts_with('-'))
        .collect();
    let der = hex::encode(Base64::decode_vec(&base64).unwrap());
    let to_hex = |bytes: &[u8]| hex::encode(bytes);
    let forms = [
        item(&to_hex, CERTIFICATE),
        item(&to_hex, &der),
        item(&Base64::encode_string, &base64),
    ];
    for text in &forms {
        assert_all_valid(&ON_P256, text, 1);
        let other = run(&["verify", "--curve", "secp256k1"], text.as_str());
        let problem = stderr(&other);
        assert!(
            code(&other) == 2 && problem.contains("the key is for p256, not for secp256k1"),
            "{problem}"
        );
    }
    let corrupted = forms[0].replace("0707", "0807");
    assert_eq!(code(&run(&ON_P256, corrupted)), 1);
}

/// Keys in a file, and through pipes, also with text before PEM and with a pause in it.
#[test]
fn private_keys_of_pem_are_one_item() {
    let set = signed::<P256>(1);
    let secret = p256::SecretKey::from_slice(set.secret[0].expose_bytes()).unwrap();
    let pkcs8 = secret.to_pkcs8_pem(LineEnding::LF).unwrap();
    let sec1 = secret.to_sec1_pem(LineEnding::CRLF).unwrap();
    let jwk = json!({"kty": "EC", "crv": "P-256", "d": Base64UrlUnpadded::encode_string(set.secret[0].expose_bytes())});
    let bags = format!("Bag Attributes\n    friendlyName: mine\n{}", *pkcs8);
    let compressed = gzip(pkcs8.as_bytes());
    let der = secret.to_pkcs8_der().unwrap();
    let jwk = format!("{jwk:#}");
    let texts = [
        pkcs8.as_bytes(),
        sec1.as_bytes(),
        bags.as_bytes(),
        jwk.as_bytes(),
        der.as_bytes(),
        &compressed,
    ];
    for (index, key) in texts.into_iter().enumerate() {
        let file = TemporaryFile::new("supported-key.pem", key);
        let pubkey = ["pubkey", "--curve", "P-256"];
        let from_file = run(&[&pubkey[..], &[file.path()]].concat(), "");
        for output in [
            from_file,
            run(&pubkey, key),
            run(&[&pubkey[..], &["-"]].concat(), key),
            dripped(&pubkey, key),
        ] {
            assert_eq!(code(&output), 0, "{index}: {}", stderr(&output));
            assert_eq!(
                answers(&output),
                [json!({"public_key": hex::encode(set.public[0].as_sec1())})],
                "{index}"
            );
        }
    }
}

/// Sends input through a pipe slowly: first one byte, with a pause after a line and after a few
/// bytes.
fn dripped(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = start(arguments);
    let mut stdin = child.stdin.take().expect("piped");
    for part in [&input[..1], &input[1..16], &input[16..]] {
        stdin.write_all(part).unwrap();
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(stdin);
    child.wait_with_output().unwrap()
}

/// A public key in PEM is refused as such, not read as one item per line or as an empty input.
#[test]
fn public_key_is_refused_as_private_key() {
    let set = signed::<P256>(1);
    let public = p256::PublicKey::from_sec1_bytes(set.public[0].as_sec1()).unwrap();
    let pem = public.to_public_key_pem(LineEnding::LF).unwrap();
    let file = TemporaryFile::new("supported-public.pem", &pem);
    for (path, input) in [(file.path(), ""), ("-", pem.as_str())] {
        let message = refused(&["pubkey", "--curve", "P-256", path], input);
        assert!(
            message.contains("no private key: this is PEM of a PUBLIC KEY"),
            "{message}"
        );
        let message = refused(&["ecdh", "--curve", "P-256", "--key-file", file.path()], "");
        assert!(
            message.contains("no private key: this is PEM of a PUBLIC KEY"),
            "{message}"
        );
    }
}

#[test]
fn curves_by_every_standard_name() {
    let set = signed::<P256>(1);
    for name in [
        "p256",
        "P-256",
        "P256",
        "secp256r1",
        "prime256v1",
        "NIST P-256",
        "NIST-P256",
        "1.2.840.10045.3.1.7",
    ] {
        assert_all_valid(&["verify", "--curve", name], &set.lines()[0], 1);
    }
    for (name, has) in [
        ("sm2p256v1", "sm2"),
        ("1.3.132.0.10", "secp256k1"),
        ("brainpoolP256r1", "brainpoolp256r1"),
    ] {
        let keys = run(&["pubkey", "--curve", name], format!("{:064x}\n", 7));
        assert!(
            code(&keys) == 0
                && answers(&keys)
                    == answers(&run(&["pubkey", "--curve", has], format!("{:064x}\n", 7)))
        );
    }
    let unknown = refused(&["verify", "--curve", "p255"], "");
    assert!(
        unknown.contains("no curve is called `p255`; the curves are")
            && unknown.contains("secp256r1"),
        "{unknown}"
    );
}

#[test]
fn several_files_folders_patterns_and_csv_out() {
    let set = signed::<P256>(3);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::create_dir(at("more")).unwrap();
    let mut corrupted = set.lines()[2].clone();
    corrupted = corrupted.replace(&hex::encode(set.digests[2]), &hex::encode([1; 32]));
    for (name, line) in [
        ("a.jsonl", &set.lines()[0]),
        ("more/b.jsonl", &set.lines()[1]),
        ("more/c.jsonl", &corrupted),
    ] {
        fs::write(at(name), line.to_owned() + "\n").unwrap();
    }
    let whole = folder.path().to_str().unwrap();
    for inputs in [
        vec![whole],
        vec![&at("a.jsonl"), &at("more/*.jsonl")],
        vec![&at("a.jsonl"), &at("more")],
    ] {
        let output = gecc().args(ON_P256).args(&inputs).output().unwrap();
        let found = answers(&output);
        assert_eq!(
            (code(&output), found.len(), &found[1]["valid"]),
            (1, 3, &json!(true)),
            "{inputs:?}"
        );
        assert_eq!(
            (&found[2]["file"], &found[2]["line"]),
            (&json!(at("more/c.jsonl")), &json!(1))
        );
    }
    let zipped = refused(&[&ON_P256[..], &["-o", &at("out.jsonl.GZ")]].concat(), "");
    assert!(zipped.contains("answers are not compressed"), "{zipped}");
    let out = at("out.CSV");
    let output = gecc()
        .args(ON_P256)
        .args(["-o", &out, &at("more")])
        .output()
        .unwrap();
    assert_eq!(code(&output), 1);
    let text = fs::read_to_string(&out).unwrap();
    let expected = format!(
        "valid,reason,file,line,tag\ntrue,,,,\"{{\"\"item\"\":1}}\"\nfalse,the signature does not match,{},1,\"{{\"\"item\"\":2}}\"\n",
        at("more/c.jsonl")
    );
    assert_eq!(text, expected);
    // Before anything is computed.
    let later = gecc()
        .args(ON_P256)
        .args([at("a.jsonl"), at("none.csv")])
        .output()
        .unwrap();
    assert!(
        code(&later) == 2 && later.stdout.is_empty(),
        "{}",
        stderr(&later)
    );
    let keys = TemporaryFile::new(
        "several.hex",
        "11\n".repeat(2).replace("11", &"11".repeat(32)),
    );
    let sign = [
        "sign",
        "--curve",
        "p256",
        "--key-file",
        keys.path(),
        &at("more"),
    ];
    assert!(refused(&sign, "").contains("several keys require a single input"));
    for (nothing, problem) in [
        (at("none-*.csv"), "the pattern matches no file"),
        (at("none.csv"), "No such file"),
    ] {
        let output = gecc().args(ON_P256).arg(nothing).output().unwrap();
        assert!(
            code(&output) == 2 && stderr(&output).contains(problem),
            "{}",
            stderr(&output)
        );
    }
}

/// Small files share batches, although each has a form of its own.
#[test]
fn many_small_files_of_different_forms() {
    const FILES: usize = 60;
    let set = signed::<P256>(2 * FILES);
    let folder = tempfile::tempdir().unwrap();
    let path = |file: usize| {
        folder
            .path()
            .join(format!("{file:02}"))
            .to_str()
            .unwrap()
            .to_owned()
    };
    let mut objects: Vec<Value> = set
        .lines()
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let is_corrupted = |item: usize| item.is_multiple_of(7);
    for item in (0..objects.len()).filter(|item| is_corrupted(*item)) {
        objects[item]["digest"] = json!(hex::encode([0xff; 32]));
    }
    for (file, items) in objects.chunks_mut(2).enumerate() {
        let content = match file % 6 {
            // The last line has no line end.
            0 => format!("{}\n{}", items[0], items[1]),
            1 => json!(items).to_string(),
            2 => {
                for item in items.iter_mut() {
                    for name in ["digest", "signature", "public_key"] {
                        let bytes =
                            hex::decode(item[name].as_str().unwrap().trim_start_matches("0x"))
                                .unwrap();
                        item[name] = json!(Base64::encode_string(&bytes));
                    }
                }
                format!("{}\n{}\n", items[0], items[1])
            }
            kind => {
                let names = [
                    ["digest", "signature", "public_key"],
                    ["public_key", "digest", "signature"],
                ][kind % 2];
                let row = |item: &Value| {
                    names
                        .map(|name| item[name].as_str().unwrap().to_owned())
                        .join(",")
                };
                format!(
                    "{}\n{}\n{}\n",
                    names.join(","),
                    row(&items[0]),
                    row(&items[1])
                )
            }
        };
        let content = content.into_bytes();
        fs::write(
            path(file),
            if file % 6 == 5 {
                gzip(&content)
            } else {
                content
            },
        )
        .unwrap();
    }
    fs::write(path(FILES - 1) + "-empty", "").unwrap();
    let verify = || {
        gecc()
            .args(ON_P256)
            .args(["--engine", "cpu", "--line"])
            .arg(folder.path())
            .output()
            .unwrap()
    };
    let output = verify();
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let found = answers(&output);
    assert_eq!(found.len(), 2 * FILES);
    for (item, answer) in found.iter().enumerate() {
        let line = 1 + item % 2 + usize::from(item / 2 % 6 > 2)
            - if item / 2 % 6 == 1 { item % 2 } else { 0 };
        let expected = (
            json!(!is_corrupted(item)),
            json!(path(item / 2)),
            json!(line),
        );
        assert_eq!(
            (&answer["valid"], &answer["file"], &answer["line"]),
            (&expected.0, &expected.1, &expected.2)
        );
    }
    // Items before a file that cannot be read are answered.
    fs::write(path(30), "nothing\n1\n").unwrap();
    let output = verify();
    assert_eq!(
        (code(&output), answers(&output).len()),
        (2, 60),
        "{}",
        stderr(&output)
    );
    assert!(stderr(&output).contains(&path(30)), "{}", stderr(&output));
}

#[test]
fn marker_files_of_spark_are_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    put("part-00000.json", &signed::<P256>(1).lines().remove(0));
    put("_SUCCESS", "");
    put(".part-00000.json.crc", "crc");
    let verify = || gecc().args(ON_P256).arg(folder.path()).output().unwrap();
    let output = verify();
    assert_eq!(
        (code(&output), answers(&output).len()),
        (0, 1),
        "{}",
        stderr(&output)
    );
    assert!(!stderr(&output).contains("warning"), "{}", stderr(&output));
    fs::create_dir(folder.path().join("_delta_log")).unwrap();
    put(
        "_delta_log/00000000000000000000.json",
        "{\"commitInfo\":{}}",
    );
    put("_started_1", "{}");
    let output = verify();
    assert_eq!(
        (code(&output), answers(&output).len()),
        (0, 1),
        "{}",
        stderr(&output)
    );
    assert!(
        stderr(&output).contains("_delta_log is not read, as its name begins with _"),
        "{}",
        stderr(&output)
    );
}

#[cfg(unix)]
#[test]
fn links_in_folders_are_followed() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.jsonl"), signed::<P256>(1).lines().remove(0)).unwrap();
    fs::copy(at("a.jsonl"), other.path().join("b.jsonl")).unwrap();
    symlink(other.path(), at("other")).unwrap();
    symlink(folder.path(), other.path().join("back")).unwrap();
    assert_all_valid(
        &[&ON_P256[..], &[folder.path().to_str().unwrap()]].concat(),
        "",
        2,
    );
    symlink("gone", at("dangling.jsonl")).unwrap();
    assert!(
        refused(
            &[&ON_P256[..], &[folder.path().to_str().unwrap()]].concat(),
            ""
        )
        .contains("dangling.jsonl")
    );
}

/// A column that is entirely wrong must not look like a file of bad signatures.
#[test]
fn failure_common_to_all_items_is_reported_once_with_exit_code_2() {
    let set = signed::<P256>(12);
    let with = |name: &str, value: &dyn Fn(usize) -> String| {
        lines(&set, |item| {
            let mut object = set.json(item);
            object[name] = value(item).into();
            object
        })
    };
    let short = refused(
        &ON_P256,
        &with("digest", &|item| hex::encode(&set.digests[item][..19])),
    );
    assert!(
        short.contains("no item has the right form: `digest` has 19 bytes instead of 32"),
        "{short}"
    );
    let text = refused(
        &ON_P256,
        &with("signature", &|_| "see attachment".to_owned()),
    );
    assert!(
        text.contains("no item has the right form: `signature`"),
        "{text}"
    );
    let other = refused(&["verify", "--curve", "secp256k1"], &set.lines().join("\n"));
    assert!(
        other.contains("no item has the right form: the point is not on the curve"),
        "{other}"
    );
    let swapped = run(&ON_P256, with("digest", &|_| hex::encode([9; 32])));
    assert_eq!(code(&swapped), 1);
    assert!(
        stderr(&swapped).contains("no signature is right: is the signed content in the column"),
        "{}",
        stderr(&swapped)
    );
    // If one signature is right, the others are merely rejected.
    let some = set.lines()[0].clone() + "\n" + &with("signature", &|_| "00".repeat(64));
    assert_eq!(code(&run(&ON_P256, some)), 1);
    for empty in ["", "\n\n", "digest,signature,public_key\n"] {
        let output = run(&ON_P256, empty);
        assert_eq!((code(&output), answers(&output).len()), (2, 0));
        assert!(
            stderr(&output).contains("the input has no items"),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn ambiguous_id_column_of_sm2_needs_a_mapping() {
    let row = format!(
        "1,616263,{},{}\n",
        "01".repeat(64),
        "02".to_owned() + &"01".repeat(32)
    );
    let table = format!("id,message,signature,public_key\n{row}");
    let problem = refused(&["verify", "--curve", "sm2"], &table);
    assert!(
        problem.contains("`id` may be the user id of SM2 or the name of a row"),
        "{problem}"
    );
    for mapping in ["id=", "id=id"] {
        let output = run(
            &["verify", "--curve", "sm2", "--columns", mapping],
            table.clone(),
        );
        assert_eq!(answers(&output).len(), 1, "{}", stderr(&output));
    }
}

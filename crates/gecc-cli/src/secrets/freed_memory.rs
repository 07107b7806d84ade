//! Tests that commands free no heap block that contains private keys or shared secrets, as bytes or
//! as digits.

#[path = "../../../../tools/freed-secrets/search.rs"]
mod search;

use crate::flags::{Arguments, GivenOptions};
use crate::input;
use crate::output::Failure;
use base64ct::{Base64UrlUnpadded, Encoding};
use clap::{CommandFactory, FromArgMatches};
use gecc::{CurveId, Engine, P256, PublicKeys, SecretKey, SecretKeys, Sm2, ecdh, keys, stack};
use p256::pkcs8::EncodePrivateKey;
use search::{Searching, Watch};
use std::fs::File;
use std::path::PathBuf;

#[global_allocator]
static ALLOCATOR: Searching = Searching;

/// Enough items for vectors to grow many times and for the buffer of the reader to be refilled.
const ITEMS: usize = 2500;

/// Options that state the purpose of keys.
const P256_CURVE: [&str; 2] = ["--curve", "p256"];
const ED25519: [&str; 2] = ["--scheme", "ed25519"];

/// A temporary folder of a test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("gecc-freed-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary folder is writable");
        Folder(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("UTF-8").to_owned()
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.file(name);
        std::fs::write(&path, content).expect("the folder is writable");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn watch(watch: &mut Watch, secret: &[u8; 32]) {
    watch.add(secret);
    let digits = hex::encode(secret);
    watch.add_digits(&digits);
    watch.add_digits(&digits.to_uppercase());
}

/// Writes one key per line, in each form that an input can have.
fn files(folder: &Folder, keys: &[String]) -> Vec<String> {
    // Names, headers, and the line of a key, in which `KEY` stands for its digits.
    const FORMS: [(&str, &str, &str); 13] = [
        ("keys", "", "KEY"),
        ("keys, spaced", "", "  0xUPPER  "),
        ("keys.jsonl", "", r#"{"secret_key":"KEY","tag":1}"#),
        (
            "keys, over lines.json",
            "",
            "{\n  \"secret_key\": \"KEY\"\n}",
        ),
        ("keys.csv", "tag,secret_key\n", "a,KEY"),
        ("keys, quoted.csv", "secret_key,tag\n", r#""KEY","a""#),
        // Lines that cannot be used.
        ("bad, escaped.jsonl", "", r#"{"secret_key":"ESCAPED"}"#),
        ("bad.jsonl", "", r#"{"secret_key":["KEY"]}"#),
        ("bad, cut.jsonl", "", r#"{"secret_key":"KEY"#),
        ("bad.csv", "tag,secret_key\n", "KEY"),
        ("bad, long", "", "KEY0000"),
        // Texts that a JSON parser takes for a number.
        ("bad, a number", "", "1234KEY"),
        ("bad, a number.jsonl", "", r#"{"secret_key":1234KEY}"#),
    ];
    FORMS
        .map(|(name, header, form)| {
            folder.write(name, format!("{header}{}", key_lines(keys, form)))
        })
        .to_vec()
}

/// Formats a line for each key: `KEY` stands for its digits, `UPPER` for its digits in upper case,
/// and `ESCAPED` for its digits with a JSON escape.
fn key_lines(keys: &[String], form: &str) -> String {
    let mut lines = Vec::with_capacity(keys.len());
    for key in keys {
        let escaped = format!("\\u{:04x}{}", u32::from(key.as_bytes()[0]), &key[1..]);
        lines.push(
            form.replace("KEY", key)
                .replace("UPPER", &key.to_uppercase())
                .replace("ESCAPED", &escaped),
        );
    }
    lines.join("\n")
}

/// Writes a line of JSON for each item, with its private key and another field.
fn write_items(
    folder: &Folder,
    name: &str,
    keys: &[String],
    field: &str,
    values: &[String],
) -> String {
    let mut text = String::new();
    for (key, value) in keys.iter().zip(values) {
        text += &format!("{{\"secret_key\":\"{key}\",\"{field}\":\"{value}\"}}\n");
    }
    folder.write(name, text)
}

fn command(arguments: &[&str]) -> Result<u8, Failure> {
    let arguments = [&["gecc"], arguments, &["--engine", "cpu"]].concat();
    let matches = Arguments::command().get_matches_from(arguments);
    crate::run(
        Arguments::from_arg_matches(&matches).unwrap(),
        &GivenOptions::of(&matches),
    )
}

#[test]
fn commands_free_no_secrets() {
    let _alone = search::alone();
    let engine = Engine::cpu().unwrap();
    let folder = Folder::new("keys");
    let mut secrets = Watch::new();
    // Valid keys of both curves in use.
    let (keys, _) = keys::generate(&engine, Sm2, ITEMS).unwrap();
    let public = keys::public_keys(&engine, P256, &keys).unwrap();
    let public: Vec<_> = public
        .into_iter()
        .map(|key| key.expect("n of P-256 is the larger one"))
        .collect();
    for keys in [SecretKeys::each(&keys), SecretKeys::all(&keys[0])] {
        let shared =
            ecdh::shared_secrets(&engine, P256, keys, PublicKeys::points(&public)).unwrap();
        shared
            .iter()
            .for_each(|secret| watch(&mut secrets, secret.as_ref().unwrap().expose_bytes()));
    }
    keys.iter()
        .for_each(|key| watch(&mut secrets, key.expose_bytes()));
    let digits: Vec<String> = keys
        .iter()
        .map(|key: &SecretKey| hex::encode(key.expose_bytes()))
        .collect();
    let peers: Vec<String> = public
        .iter()
        .map(|key| hex::encode(key.as_sec1()))
        .collect();
    let peers = folder.write("peers.csv", format!("public_key\n{}", peers.join("\n")));
    let contents: Vec<String> = (0..ITEMS)
        .map(|item| {
            format!(
                "{{\"{}\":\"{:064x}\"}}",
                ["digest", "message"][item % 2],
                7 * item
            )
        })
        .collect();
    let contents = folder.write("contents.jsonl", contents.join("\n"));
    let one = folder.write("one", &digits[0]);
    let out = folder.file("out");

    let mut key_files = files(&folder, &digits);
    for (input, kind) in key_files
        .iter()
        .flat_map(|input| [(input, P256_CURVE), (input, ED25519)])
    {
        secrets.freed_blocks(&format!("pubkey of {input} for {}", kind[1]), || {
            let _ = command(&["pubkey", kind[0], kind[1], "-o", &out, input]);
        });
    }
    let messages: Vec<String> = (0..ITEMS).map(|item| format!("{item:08x}")).collect();
    let signed = write_items(&folder, "signed.jsonl", &digits, "message", &messages);
    // Keys in both encodings, so that some items are irregular.
    let mut mixed_peers = Vec::with_capacity(ITEMS);
    for pair in public.chunks(2) {
        mixed_peers.push(hex::encode(pair[0].to_compressed().unwrap()));
        mixed_peers.extend(pair.get(1).map(|key| hex::encode(key.as_sec1())));
    }
    let agreed = write_items(&folder, "agreed.jsonl", &digits, "public_key", &mixed_peers);
    let operations = [
        ("sign", P256_CURVE),
        ("sign", ["--curve", "sm2"]),
        ("sign", ED25519),
        ("ecdh", P256_CURVE),
    ];
    for (operation, kind) in operations {
        let input = if operation == "sign" {
            &signed
        } else {
            &agreed
        };
        secrets.freed_blocks(
            &format!("{operation} for {} with keys of items", kind[1]),
            || {
                let code = command(&[operation, kind[0], kind[1], "-o", &out, input]);
                assert!(matches!(code, Ok(0)));
            },
        );
    }
    key_files.push(one);
    for keys in &key_files {
        for (operation, kind) in operations {
            let input = if operation == "sign" {
                &contents
            } else {
                &peers
            };
            secrets.freed_blocks(&format!("{operation} for {} with {keys}", kind[1]), || {
                let code = command(&[
                    operation,
                    kind[0],
                    kind[1],
                    "--key-file",
                    keys,
                    "-o",
                    &out,
                    input,
                ]);
                // The last files contain no key.
                assert!(
                    matches!(code, Ok(0))
                        != (keys.contains("bad") || keys.contains("cut") || keys.contains("long"))
                );
            });
        }
    }
}

/// Readers of PEM, DER and JWK free neither the bytes of keys nor their base64 digits.
#[test]
fn readers_of_key_files_free_no_secrets() {
    let _alone = search::alone();
    let engine = Engine::cpu().unwrap();
    let folder = Folder::new("forms");
    let mut secrets = Watch::new();
    let (keys, _) = keys::generate(&engine, P256, 300).unwrap();
    let converted: Vec<_> = keys
        .iter()
        .map(|key| p256::SecretKey::from_slice(key.expose_bytes()).unwrap())
        .collect();
    let mut pkcs8 = String::new();
    let mut sec1 = String::new();
    for key in &converted {
        pkcs8 += &key.to_pkcs8_pem(Default::default()).unwrap();
        sec1 += &key.to_sec1_pem(Default::default()).unwrap();
    }
    let mut set = Vec::with_capacity(keys.len());
    for key in &keys {
        let d = Base64UrlUnpadded::encode_string(key.expose_bytes());
        secrets.add(key.expose_bytes());
        secrets.add_digits(&d[..32]);
        set.push(format!(
            "{{\"kty\":\"EC\",\"crv\":\"P-256\",\"d\":\"{d}\"}}"
        ));
    }
    let set = set.join(",");
    // The positions in the lines of a block where base64 digits are of its key only.
    for (text, line, digits) in [(&pkcs8, 1, 48..64), (&pkcs8, 2, 0..16), (&sec1, 1, 16..48)] {
        for block in text.split("-----BEGIN").skip(1) {
            let line = block.lines().nth(line).expect("a block has more lines");
            secrets.add_digits(&line[digits.clone()]);
        }
    }
    let files = [
        (folder.write("pkcs8.pem", &pkcs8), keys.len()),
        (folder.write("sec1.pem", &sec1), keys.len()),
        (
            folder.write("key.der", converted[0].to_pkcs8_der().unwrap().as_bytes()),
            1,
        ),
        (
            folder.write("set.jwk", format!("{{\"keys\":[{set}]}}")),
            keys.len(),
        ),
    ];
    for (file, count) in files {
        for curve in [CurveId::P256, CurveId::Sm2] {
            secrets.freed_blocks(&format!("{file} for {curve}"), || {
                let keys = stack::wiped(|| {
                    input::keys::read(Box::new(File::open(&file).unwrap()), curve.into())
                });
                // The file names another curve.
                assert_eq!(
                    keys.ok().map(|keys| keys.len()),
                    (curve == CurveId::P256).then_some(count)
                );
            });
        }
    }
}

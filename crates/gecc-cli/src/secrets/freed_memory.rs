//! Tests that commands free no heap block that contains private keys or shared secrets, as bytes or
//! as digits.

#[path = "../../../../tests/search/mod.rs"]
mod search;

use crate::flags::{Arguments, Given};
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
fn files(folder: &Folder, digits: &[String]) -> Vec<String> {
    let lines = |name: &str, first: &str, line: &dyn Fn(&String) -> String| {
        let lines: Vec<String> = digits.iter().map(line).collect();
        folder.write(name, format!("{first}{}", lines.join("\n")))
    };
    // A character as a JSON escape.
    let escaped = |digits: &String| format!("\\u{:04x}{}", u32::from(digits.as_bytes()[0]), &digits[1..]);
    vec![
        lines("keys", "", &|digits| digits.clone()),
        lines("keys, spaced", "", &|digits| format!("  0x{}  ", digits.to_uppercase())),
        lines("keys.jsonl", "", &|digits| format!("{{\"secret_key\":\"{digits}\",\"tag\":1}}")),
        lines("keys, over lines.json", "", &|digits| format!("{{\n  \"secret_key\": \"{digits}\"\n}}")),
        lines("keys.csv", "tag,secret_key\n", &|digits| format!("a,{digits}")),
        lines("keys, quoted.csv", "secret_key,tag\n", &|digits| format!("\"{digits}\",\"a\"")),
        // Lines that cannot be used.
        lines("bad, escaped.jsonl", "", &|digits| format!("{{\"secret_key\":\"{}\"}}", escaped(digits))),
        lines("bad.jsonl", "", &|digits| format!("{{\"secret_key\":[\"{digits}\"]}}")),
        lines("bad, cut.jsonl", "", &|digits| format!("{{\"secret_key\":\"{digits}")),
        lines("bad.csv", "tag,secret_key\n", &|digits| digits.clone()),
        lines("bad, long", "", &|digits| format!("{digits}0000")),
        // Texts that a JSON parser takes for a number.
        lines("bad, a number", "", &|digits| format!("1234{digits}")),
        lines("bad, a number.jsonl", "", &|digits| format!("{{\"secret_key\":1234{digits}}}")),
    ]
}

fn command(arguments: &[&str]) -> Result<u8, Failure> {
    let arguments = [&["gecc"], arguments, &["--engine", "cpu"]].concat();
    let matches = Arguments::command().get_matches_from(arguments);
    crate::run(Arguments::from_arg_matches(&matches).unwrap(), &Given::of(&matches))
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
    let public: Vec<_> = public.into_iter().map(|key| key.expect("n of P-256 is the larger one")).collect();
    for keys in [SecretKeys::each(&keys), SecretKeys::all(&keys[0])] {
        let shared = ecdh::shared_secrets(&engine, P256, keys, PublicKeys::points(&public)).unwrap();
        shared.iter().for_each(|secret| watch(&mut secrets, secret.as_ref().unwrap().expose_bytes()));
    }
    keys.iter().for_each(|key| watch(&mut secrets, key.expose_bytes()));
    let digits: Vec<String> = keys.iter().map(|key: &SecretKey| hex::encode(key.expose_bytes())).collect();
    let peers: Vec<String> = public.iter().map(|key| hex::encode(key.as_sec1())).collect();
    let peers = folder.write("peers.csv", format!("public_key\n{}", peers.join("\n")));
    let contents: Vec<String> =
        (0..ITEMS).map(|item| format!("{{\"{}\":\"{:064x}\"}}", ["digest", "message"][item % 2], 7 * item)).collect();
    let contents = folder.write("contents.jsonl", contents.join("\n"));
    let one = folder.write("one", &digits[0]);
    let out = folder.file("out");

    let mut key_files = files(&folder, &digits);
    for (input, kind) in key_files.iter().flat_map(|input| [(input, P256_CURVE), (input, ED25519)]) {
        secrets.freed_blocks(&format!("pubkey of {input} for {}", kind[1]), || {
            let _ = command(&["pubkey", kind[0], kind[1], "-o", &out, input]);
        });
    }
    let rows: Vec<u8> = keys.iter().flat_map(|key| *key.expose_bytes()).collect();
    let rows = folder.write("keys.rows", rows);
    secrets.freed_blocks("pubkey of rows", || {
        let layout = ["--format", "rows", "--layout", "secret_key:32"];
        let code = command(&[&["pubkey", "--curve", "p256", "-o", &out, &rows], &layout[..]].concat());
        assert!(matches!(code, Ok(0)));
    });
    let with_key = |item: usize, field: &str, value: &str| {
        format!("{{\"secret_key\":\"{}\",\"{field}\":\"{value}\"}}\n", digits[item])
    };
    let of_items = |field: &str, value: &dyn Fn(usize) -> String| -> String {
        (0..ITEMS).map(|item| with_key(item, field, &value(item))).collect()
    };
    let signed = folder.write("signed.jsonl", of_items("message", &|item| format!("{item:08x}")));
    // Keys in both encodings, so that some items are irregular.
    let peer = |item: usize| match item % 2 {
        0 => hex::encode(public[item].to_compressed().unwrap()),
        _ => hex::encode(public[item].as_sec1()),
    };
    let agreed = of_items("public_key", &peer);
    let agreed = folder.write("agreed.jsonl", agreed);
    let operations = [("sign", P256_CURVE), ("sign", ["--curve", "sm2"]), ("sign", ED25519), ("ecdh", P256_CURVE)];
    for (operation, kind) in operations {
        let input = if operation == "sign" { &signed } else { &agreed };
        secrets.freed_blocks(&format!("{operation} for {} with keys of items", kind[1]), || {
            let code = command(&[operation, kind[0], kind[1], "-o", &out, input]);
            assert!(matches!(code, Ok(0)));
        });
    }
    key_files.push(one);
    for keys in &key_files {
        for (operation, kind) in operations {
            let input = if operation == "sign" { &contents } else { &peers };
            secrets.freed_blocks(&format!("{operation} for {} with {keys}", kind[1]), || {
                let code = command(&[operation, kind[0], kind[1], "--key-file", keys, "-o", &out, input]);
                // The last files contain no key.
                assert!(
                    matches!(code, Ok(0)) != (keys.contains("bad") || keys.contains("cut") || keys.contains("long"))
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
    let theirs = || keys.iter().map(|key| p256::SecretKey::from_slice(key.expose_bytes()).unwrap());
    let pkcs8: String = theirs().map(|key| key.to_pkcs8_pem(Default::default()).unwrap().to_string()).collect();
    let sec1: String = theirs().map(|key| key.to_sec1_pem(Default::default()).unwrap().to_string()).collect();
    let d = |key: &SecretKey| Base64UrlUnpadded::encode_string(key.expose_bytes());
    let jwk = |key: &SecretKey| format!("{{\"kty\":\"EC\",\"crv\":\"P-256\",\"d\":\"{}\"}}", d(key));
    let set = keys.iter().map(jwk).collect::<Vec<_>>().join(",");
    for key in &keys {
        secrets.add(key.expose_bytes());
        secrets.add_digits(&d(key)[..32]);
    }
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
        (folder.write("key.der", theirs().next().unwrap().to_pkcs8_der().unwrap().as_bytes()), 1),
        (folder.write("set.jwk", format!("{{\"keys\":[{set}]}}")), keys.len()),
    ];
    for (file, count) in files {
        for curve in [CurveId::P256, CurveId::Sm2] {
            secrets.freed_blocks(&format!("{file} for {curve}"), || {
                let read = || input::keys::read(Box::new(File::open(&file).unwrap()), curve.into());
                let read = stack::wiped(read).map(|keys| keys.len());
                // The file names another curve.
                assert_eq!(read.ok(), (curve == CurveId::P256).then_some(count));
            });
        }
    }
}

//! Private keys in the wrong place are never printed, wherever they are and in whatever form.

use crate::support::{code, gecc};
use base64ct::{Base64, Base64UrlUnpadded, Encoding};
use gecc::fields::Hash;
use p256::pkcs8::EncodePrivateKey;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

/// The least number of consecutive characters or bytes of a key, in any encoding, that count as a
/// leak.
const RUN: usize = 6;

/// A folder in which commands run, removed with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("gecc-leaks-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// Runs a command with a file as standard input.
    fn run(&self, arguments: &[&str], input: &Path) -> Output {
        let mut command = gecc();
        command
            .args(arguments)
            .current_dir(&self.0)
            // `kernels pack` would compile all kernels.
            .env("GECC_NVRTC_DIR", "missing")
            .stdin(Stdio::from(fs::File::open(input).unwrap()));
        command.output().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A private key in its encodings.
struct Key {
    raw: Vec<u8>,
    hex: String,
    base64: String,
    base64url: String,
    wif: String,
    decimal: String,
    /// PKCS#8 in base64, in one line.
    body: String,
    pem: String,
    der: Vec<u8>,
}

impl Key {
    fn random() -> Self {
        let mut raw = [0; 32];
        getrandom::fill(&mut raw).unwrap();
        // A shorter part could be a word.
        raw[0] &= 0x7f;
        raw[8..16].copy_from_slice(b"abcdefgh");
        let theirs = p256::SecretKey::from_slice(&raw).unwrap();
        let der = theirs.to_pkcs8_der().unwrap().as_bytes().to_vec();
        let pem = theirs.to_pkcs8_pem(Default::default()).unwrap().to_string();
        let payload = [&[0x80][..], &raw, &[1]].concat();
        let checksum = Hash::Sha256d.digest(&payload).unwrap();
        Key {
            hex: hex::encode(raw),
            base64: Base64::encode_string(&raw),
            base64url: Base64UrlUnpadded::encode_string(&raw),
            wif: base58(&[&payload, &checksum[..4]].concat()),
            decimal: num_bigint::BigUint::from_bytes_be(&raw).to_string(),
            body: Base64::encode_string(&der),
            raw: raw.to_vec(),
            pem,
            der,
        }
    }

    fn pairs(&self, separator: &str) -> String {
        let pairs: Vec<&str> = (0..32).map(|at| &self.hex[2 * at..][..2]).collect();
        pairs.join(separator)
    }

    /// The digits of the key in the base64 of PKCS#8.
    fn secret_digits(&self) -> &str {
        &self.body[48..92]
    }

    /// Returns every text that must not be printed.
    fn needles(&self) -> HashSet<Vec<u8>> {
        let upper = self.hex.to_uppercase();
        let escaped = self.raw.escape_ascii().to_string();
        let lossy = String::from_utf8_lossy(&self.raw)
            .escape_debug()
            .to_string();
        let texts = [
            &self.hex,
            &upper,
            &self.base64,
            &self.base64url,
            &self.wif,
            &self.decimal,
            &escaped,
            &lossy,
        ];
        let pairs = [
            self.pairs(" "),
            self.pairs(":"),
            self.pairs(", "),
            self.pairs(","),
        ];
        let digits = self.secret_digits().as_bytes();
        let all = texts
            .into_iter()
            .chain(&pairs)
            .map(|text| text.as_bytes())
            .chain([&self.raw[..], digits]);
        let runs = all
            .flat_map(|text| text.windows(RUN).map(<[u8]>::to_vec))
            .collect::<HashSet<_>>();
        // Replacement characters alone reveal nothing.
        runs.into_iter().filter(|run| run.is_ascii()).collect()
    }

    /// Files that hold the key, whole and broken.
    fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        let Key {
            raw,
            hex,
            base64,
            base64url,
            wif,
            decimal,
            body,
            pem,
            der,
        } = self;
        let text = |text: String| text.into_bytes();
        let jwk =
            |kty: &str, crv: &str, d: &str| format!(r#"{{"kty":"{kty}","crv":"{crv}","d":"{d}"}}"#);
        let utf16: Vec<u8> = [0xfeff]
            .into_iter()
            .chain(pem.encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect();
        vec![
            ("raw", raw.clone()),
            ("raw in a line", [&raw[..], b"\n"].concat()),
            (
                "raw in columns",
                [b"digest,", &raw[..], b"\n1,2\n"].concat(),
            ),
            ("raw after text", [b"zzz\n", &raw[..]].concat()),
            ("hex", text(hex.clone())),
            ("a digit missing", text(hex[1..].to_owned())),
            ("a wrong digit", text(hex.replacen(&hex[..1], "x", 1))),
            ("prefixed", text(format!("0x{hex}0"))),
            ("spaced", text(self.pairs(" "))),
            ("colons", text(self.pairs(":"))),
            ("commas", text(self.pairs(","))),
            (
                "commas with a column",
                text(self.pairs(",") + ",digest\n1,2\n"),
            ),
            ("tabs", text(self.pairs("\t") + "\n")),
            ("base64", text(base64.clone())),
            ("base64url", text(base64url.clone())),
            ("wif", text(wif.clone())),
            ("decimal", text(decimal.clone())),
            ("der", der.clone()),
            ("der after a quote", [b"\"", &der[..]].concat()),
            ("body", text(body.clone())),
            ("pem", text(pem.clone())),
            (
                "pem, no begin",
                text(pem.replacen("-----BEGIN", "----BEGIN", 1)),
            ),
            ("pem, no end", text(pem.replacen("-----END", "----END", 1))),
            ("pem, no dashes", text(pem.replace('-', ""))),
            (
                "pem, two begins",
                text(format!("-----BEGIN PRIVATE KEY-----\n{pem}")),
            ),
            ("pem, damaged", text(pem.replacen("MIG", "M*G", 1))),
            (
                "pem, another label",
                text(pem.replace("PRIVATE KEY", "EC PRIVATE KEY")),
            ),
            (
                "pem, an unknown label",
                text(pem.replace("PRIVATE KEY", "DSA PRIVATE KEY")),
            ),
            (
                "pem, a public label",
                text(pem.replace("PRIVATE", "PUBLIC")),
            ),
            (
                "pem, a certificate's label",
                text(pem.replace("PRIVATE KEY", "CERTIFICATE")),
            ),
            (
                "pem, encrypted",
                text(pem.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY")),
            ),
            (
                "pem, the key in the label",
                text(format!("-----BEGIN PRIVATE KEY {body}-----\n")),
            ),
            (
                "pem, the key in a private label",
                text(format!(
                    "-----BEGIN {body} PRIVATE KEY-----\n-----END X-----\n"
                )),
            ),
            (
                "pem, the key in both labels",
                text(format!("-----BEGIN {body}-----\n-----END {body}-----\n")),
            ),
            ("pem, one line", text(pem.replace('\n', " "))),
            ("pem, literal", text(pem.replace('\n', "\\n"))),
            ("pem, indented", text(pem.replace('\n', "\n  "))),
            ("utf-16", utf16),
            ("jwk", text(jwk("EC", "P-256", base64url))),
            (
                "jwk, longer",
                text(jwk("EC", "P-256", &format!("{base64url}AAAA"))),
            ),
            ("jwk, in kty", text(jwk(base64url, "P-256", base64url))),
            ("jwk, in crv", text(jwk("EC", base64url, base64url))),
            (
                "jwk, a member for a name",
                text(format!(r#"{{"kty":"EC","{base64url}":1,"d":1}}"#)),
            ),
            (
                "jwk, cut",
                text(jwk("EC", "P-256", base64url)[..60].to_owned()),
            ),
            (
                "jwk, not in quotes",
                text(format!(r#"{{"kty":"EC","crv":"P-256","d":{base64url}}}"#)),
            ),
            (
                "jwk, a number",
                text(format!(r#"{{"kty":"EC","crv":"P-256","d":{decimal}}}"#)),
            ),
            ("jwk, a set", text(format!(r#"{{"keys":["{base64url}"]}}"#))),
            ("array of numbers", text(format!("{raw:?}"))),
            ("array", text(format!("[\"{hex}\"]"))),
            ("member's name", text(format!(r#"{{"{hex}":1}}"#))),
            ("header", text(format!("{hex}\n1\n"))),
            (
                "header in halves",
                text(format!("{},{}\n1,2\n", &hex[..32], &hex[32..])),
            ),
            (
                "header in halves with a field",
                text(format!(
                    "digest,{}\t{},{}\n1,2\n",
                    &hex[..8],
                    &hex[..32],
                    &hex[32..]
                )),
            ),
            (
                "header with a field",
                text(format!("signature;{base64};tag\n1;2;3\n")),
            ),
            ("tab-separated", text(format!("digest\t{wif}\n1\t2\n"))),
            (
                "rows",
                text(format!(
                    "digest,signature,public_key\n{hex}x,{base64},{wif}\n"
                )),
            ),
            (
                "row of columns",
                text(format!("digest\n{},{hex}\n", &hex[..62])),
            ),
            (
                "json lines",
                text(format!(
                    r#"{{"digest":"{wif}","signature":"{base64}","public_key":"{decimal}"}}"#
                )),
            ),
            (
                "ethereum",
                text(format!(
                    r#"{{"hash":"{hex}","r":"{hex}","s":"0x{base64}","input":"{wif}"}}"#
                )),
            ),
            (
                "ethereum, a number",
                text(format!(
                    r#"{{"hash":{decimal},"input":{decimal},"transactions":"{wif}"}}"#
                )),
            ),
            (
                "ethereum, a block",
                text(format!(
                    r#"{{"number":"{hex}","transactions":[{{"hash":"{hex}","nonce":"{wif}"}}]}}"#
                )),
            ),
            (
                "a node's error",
                text(format!(r#"{{"jsonrpc":"2.0","error":"{hex}"}}"#)),
            ),
        ]
    }
}

fn base58(bytes: &[u8]) -> String {
    const ALPHABET: &[u8] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    let digits = num_bigint::BigUint::from_bytes_be(bytes).to_radix_be(58);
    digits
        .iter()
        .map(|digit| char::from(ALPHABET[usize::from(*digit)]))
        .collect()
}

/// Fails if a command prints a part of a key.
fn require_no_leak(needles: &HashSet<Vec<u8>>, output: &Output, case: &str) {
    for (name, text) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        if let Some(run) = text.windows(RUN).find(|run| needles.contains(*run)) {
            let run = run.escape_ascii();
            panic!(
                "{case}: \"{run}\" in {name}: {}",
                String::from_utf8_lossy(text)
            );
        }
        assert!(
            !String::from_utf8_lossy(text).contains("panicked"),
            "{case}"
        );
    }
}

/// Calls that read an input, and the index from which they read private keys from it.
const CALLS: [&[&str]; 11] = [
    &["verify", "--curve", "p256"],
    &["verify", "--curve", "sm2", "--format", "csv"],
    &[
        "verify",
        "--scheme",
        "ed25519",
        "--encoding",
        "base64",
        "--format",
        "jsonl",
        "-vv",
    ],
    &["verify", "--curve", "p256", "--format", "arrow"],
    &["recover", "--curve", "secp256k1"],
    &["sign", "--curve", "p256"],
    &["ecdh", "--curve", "secp256k1", "--format", "csv"],
    &["pubkey", "--curve", "sm2"],
    &["pubkey", "--scheme", "ed25519", "--format", "jsonl"],
    &["ecdh", "--curve", "x25519"],
    &["pubkey", "--curve", "x25519"],
];

#[cfg(feature = "chains")]
const CHAINS: [&[&str]; 4] = [
    &["ethereum", "senders"],
    &["bitcoin", "verify"],
    &["bitcoin", "index"],
    &["certificates"],
];
#[cfg(not(feature = "chains"))]
const CHAINS: [&[&str]; 0] = [];

#[test]
fn inputs_with_keys_are_never_quoted() {
    let (key, folder) = (Key::random(), Folder::new("inputs"));
    let needles = key.needles();
    for (name, content) in key.files() {
        let path = folder.write("input", &content);
        for (number, call) in CALLS.iter().enumerate() {
            // Through standard input, or by name.
            let arguments = if number % 2 == 0 {
                &[][..]
            } else {
                &["input"][..]
            };
            let output = folder.run(&[call, arguments, &["--engine", "cpu"]].concat(), &path);
            require_no_leak(
                &needles,
                &output,
                &format!("{name}: {call:?} {arguments:?}"),
            );
            let reads_keys = matches!(call[0], "pubkey" | "sign" | "ecdh");
            assert!(reads_keys || code(&output) != 0, "{name}: {call:?}");
        }
        for call in CHAINS {
            let output = folder.run(&[call, &["input", "--engine", "cpu"]].concat(), &path);
            require_no_leak(&needles, &output, &format!("{name}: {call:?}"));
        }
        // Keys where they belong, for another curve.
        let items = folder.write("items.csv", b"digest,public_key\n,\n");
        for call in [
            ["sign", "--curve", "sm2"],
            ["sign", "--scheme", "ed25519"],
            ["ecdh", "--curve", "secp256k1"],
            ["ecdh", "--curve", "x25519"],
        ] {
            let output = folder.run(
                &[&call[..], &["--key-file", "input", "items.csv"]].concat(),
                &items,
            );
            require_no_leak(
                &needles,
                &output,
                &format!("{name}: the key file of {call:?}"),
            );
            assert!(code(&output) != 0, "{name}: {call:?}");
        }
        #[cfg(all(feature = "arrow", feature = "chains"))]
        for (keys, tables) in [("input", "items.csv"), ("items.csv", "input")] {
            let output = folder.run(&["bitcoin", "scan", "--key-file", keys, tables], &items);
            require_no_leak(&needles, &output, &format!("{name}: scan {keys} {tables}"));
        }
        #[cfg(feature = "chains")]
        {
            let output = folder.run(
                &["ethereum", "senders", "--state", "input", "items.csv"],
                &items,
            );
            require_no_leak(&needles, &output, &format!("{name}: --state"));
        }
    }
}

/// Passes a key as the value of every option in turn, of an option that does not exist, and as a
/// stray argument.
#[test]
fn arguments_that_are_keys_are_never_quoted() {
    let (key, folder) = (Key::random(), Folder::new("arguments"));
    let (needles, items) = (
        key.needles(),
        folder.write("items.csv", b"digest,public_key\n,\n"),
    );
    let forms = [
        key.hex.clone(),
        format!("0x{}", key.hex),
        key.hex.to_uppercase(),
        key.pairs(" "),
        key.pairs(":"),
        key.base64.clone(),
        key.base64url.clone(),
        key.wif.clone(),
        key.decimal.clone(),
        key.pem.clone(),
        key.pem.replace('\n', " "),
        key.body.clone(),
        format!("missing/{}", key.hex),
        format!("{}/missing", key.hex),
        format!("{}.csv", key.base64url),
        format!(r#"{{"kty":"EC","crv":"P-256","d":"{}"}}"#, key.base64url),
        format!("digest={}", key.hex),
        format!("{}:32", key.hex),
        format!("http://{}", key.hex),
        // Bytes that are not text, whose characters messages escape in several ways.
        format!("\\{}\"\u{1}'", key.base64url),
        format!("\u{1b}[{}\u{7f}\\", key.base64url),
    ];
    let all = [
        "--output",
        "--format",
        "--columns",
        "--encoding",
        "--output-format",
        "--summary",
        "--engine",
        "--threads",
        "--max-memory",
        "--curve",
        "--scheme",
        "--hash",
        "--key-file",
        "--rule",
        "--context",
        "--additional-data",
        "--state",
        "--from",
        "--to",
        "--chain-id",
        "--rpc-url",
        "--rest-url",
        "--sm2-id",
        "--labels",
        "--arch",
        "--out",
        "--operations",
        "--items",
        "--nothing",
    ];
    let commands: &[&[&str]] = &[
        &["verify", "--curve", "p256", "items.csv"],
        &["recover", "--curve", "p256", "items.csv"],
        &["sign", "--curve", "p256", "items.csv"],
        &["sign", "--scheme", "ed25519", "items.csv"],
        &["ecdh", "--curve", "p256", "items.csv"],
        &["pubkey", "--curve", "p256", "items.csv"],
        &["ethereum", "senders", "items.csv"],
        &["bitcoin", "verify", "items.csv"],
        &["bitcoin", "index", "items.csv"],
        &["bitcoin", "scan", "items.csv"],
        &["certificates", "items.csv"],
        &["kernels", "pack"],
    ];
    for (number, form) in forms.iter().enumerate() {
        let form = form.as_str();
        for command in commands {
            // Each option with some forms, in turn.
            let options = all
                .iter()
                .enumerate()
                .filter(|(place, _)| (place + number) % 9 == 0);
            for (place, option) in options {
                let joined = format!("{option}={form}");
                let arguments = if place % 2 == 0 {
                    &[option, form][..]
                } else {
                    &[joined.as_str()][..]
                };
                let output = folder.run(&[*command, arguments].concat(), &items);
                require_no_leak(&needles, &output, &format!("{command:?} {option} {number}"));
            }
            let output = folder.run(&[&command[..command.len() - 1], &[form]].concat(), &items);
            require_no_leak(&needles, &output, &format!("{command:?} {number}"));
            assert!(
                code(&output) != 0 || command[0] == "kernels",
                "{command:?} {number}"
            );
        }
        for arguments in [
            &[form][..],
            &["help", form],
            &["man", form],
            &["completions", form],
        ] {
            require_no_leak(
                &needles,
                &folder.run(arguments, &items),
                &format!("{number}"),
            );
        }
        let short = format!("-o{form}");
        require_no_leak(
            &needles,
            &folder.run(&["verify", "--curve", "p256", &short], &items),
            &short[..2],
        );
    }
}

/// A column of private keys is never passed through, whatever the case of its name.
#[test]
fn column_of_private_keys_is_not_passed_through_as_tag() {
    let (key, folder) = (Key::random(), Folder::new("tags"));
    let (needles, digest) = (key.needles(), "5a".repeat(32));
    for name in ["tag", "Tag", "TAG"] {
        let json = format!("{{\"{name}\":\"{}\",\"digest\":\"{digest}\"}}\n", key.hex).repeat(3);
        let csv = format!("digest,{name}\n{digest},{}\n", key.hex);
        for content in [json, csv.replace(',', "\t"), csv] {
            let input = folder.write("input", content.as_bytes());
            for call in [
                &["sign"][..],
                &["pubkey"],
                &["sign", "-o", "out.csv"],
                &["verify"],
                &["sign", "-o", "out.parquet"],
            ] {
                let columns = format!("secret_key={name}");
                let output = folder.run(
                    &[call, &["--curve", "p256", "--columns", &columns]].concat(),
                    &input,
                );
                require_no_leak(&needles, &output, &format!("{name}: {call:?}"));
                assert_eq!(code(&output), 2, "{name}: {call:?}");
                let message = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(message.contains("cannot hold private keys"), "{message}");
                assert!(!folder.0.join(call.last().unwrap()).exists());
            }
        }
    }
}

/// A member has one role, whether a line is read by the parser or by the shape of the lines before
/// it.
#[test]
fn tag_column_mapped_to_digest_is_never_passed_through() {
    let folder = Folder::new("digest");
    let line = |more: &str| {
        format!(
            "{{\"tag\":\"{}\",\"secret_key\":\"{}\"{more}}}\n",
            "5a".repeat(32),
            "11".repeat(32)
        )
    };
    let lines = [
        line(""),
        line(""),
        line(",\"more\":null"),
        line(",\"more\":[1]"),
        line(""),
    ]
    .concat();
    let input = folder.write("input", lines.as_bytes());
    let output = folder.run(
        &["sign", "--curve", "p256", "--columns", "digest=tag"],
        &input,
    );
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let answers: HashSet<&str> = text.lines().collect();
    assert_eq!(
        (code(&output), text.lines().count(), answers.len()),
        (0, 5, 1),
        "{text}"
    );
    assert!(!text.contains("tag"), "{text}");
}

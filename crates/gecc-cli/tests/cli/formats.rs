//! Formats of text other than JSON Lines and CSV, and the description of an input that has none of
//! them.

use crate::support::{TemporaryFile, answers, code, run, signed, stderr};
use gecc::P256;
use serde_json::{Value, json};
use std::fmt::Write;

fn verify(input: impl Into<Vec<u8>>) -> std::process::Output {
    run(&["verify", "--curve", "p256"], input)
}

#[test]
fn columns_may_be_separated_by_commas_tabs_or_semicolons() {
    let set = signed::<P256>(3);
    let table = |delimiter: char| {
        let mut text = ["digest", "note, or none", "signature", "public_key", "tag"]
            .join(&delimiter.to_string());
        if delimiter == ',' {
            text = text.replace("note, or none", "note");
        }
        for item in 0..3 {
            let key = hex::encode(set.public[item].as_sec1());
            let digest = hex::encode(set.digests[item]);
            let signature = hex::encode(set.signed[item].signature);
            let cells = [
                digest,
                String::new(),
                signature,
                key,
                format!("\"a{delimiter}{item}\""),
            ];
            write!(text, "\n{}", cells.join(&delimiter.to_string())).unwrap();
        }
        text
    };
    for delimiter in [',', '\t', ';'] {
        let expected: Vec<Value> = (0..3)
            .map(|item| json!({"valid": true, "tag": format!("a{delimiter}{item}")}))
            .collect();
        assert_eq!(
            answers(&verify(table(delimiter))),
            expected,
            "{delimiter:?}"
        );
    }
}

#[test]
fn arrays_of_objects_are_read() {
    let set = signed::<P256>(3);
    let objects: Vec<Value> = (0..3).map(|item| set.json(item)).collect();
    let pretty = serde_json::to_string_pretty(&objects).unwrap();
    let expected: Vec<Value> = (0..3)
        .map(|item| json!({"valid": true, "tag": {"item": item}}))
        .collect();
    for text in [
        &pretty,
        &serde_json::to_string(&objects).unwrap(),
        &format!("\u{feff}\n {pretty}\n\n"),
    ] {
        assert_eq!(answers(&verify(text.as_str())), expected);
    }
    assert_eq!(answers(&verify(" [ ] \n")), Vec::<Value>::new());
    let lines: Vec<u64> = pretty
        .lines()
        .zip(1..)
        .filter(|(line, _)| *line == "  {")
        .map(|(_, number)| number)
        .collect();
    let numbered = run(&["verify", "--curve", "p256", "--line"], pretty.as_str());
    assert_eq!(
        answers(&numbered)
            .iter()
            .map(|answer| answer["line"].as_u64().unwrap())
            .collect::<Vec<_>>(),
        lines
    );
    // A value that is not an object affects only itself, and a truncated one is not skipped.
    let reasons = |text: &str| -> Vec<String> {
        answers(&verify(text))
            .iter()
            .map(|answer| answer["reason"].as_str().unwrap_or("valid").to_owned())
            .collect()
    };
    let object = &set.lines()[0];
    assert_eq!(
        reasons(&format!("[1,[{object}],{object}]")),
        ["not a JSON object", "not a JSON object", "valid"]
    );
    let trailing = reasons(&format!("[{object},]"));
    assert_eq!(
        trailing,
        [
            "valid",
            "a comma precedes the end of the array, without an element after it"
        ]
    );
    for end in ["", ","] {
        let cut = reasons(&format!("[{object}{end}"));
        assert_eq!(
            cut,
            [
                "valid",
                "the array is not closed before the end of the input"
            ]
        );
    }
    let cut = reasons(&format!("[{object},{}", &object[..object.len() - 5]));
    assert!(
        cut.len() == 2 && cut[1].starts_with("not a JSON object: it ends too early"),
        "{cut:?}"
    );
    for more in [object, "]", "x, y"] {
        assert_eq!(
            reasons(&format!("[{object}]\n {more}")),
            ["valid", "text after the end of the array"]
        );
    }
}

/// Objects as `jq` writes them.
#[test]
fn objects_over_several_lines_are_read() {
    let set = signed::<P256>(3);
    let objects: Vec<String> = (0..3)
        .map(|item| serde_json::to_string_pretty(&set.json(item)).unwrap())
        .collect();
    let text = objects.join("\n");
    let expected: Vec<Value> = (0..3)
        .map(|item| json!({"valid": true, "tag": {"item": item}}))
        .collect();
    for text in [
        &text,
        &format!("\u{feff}\r\n{}\r\n", text.replace('\n', "\r\n")),
        &objects.join(""),
    ] {
        assert_eq!(answers(&verify(text.as_str())), expected, "{text}");
    }
    let lines = |text: &str, more: &[&str]| -> Vec<Value> {
        answers(&run(
            &[&["verify", "--curve", "p256", "--line"], more].concat(),
            text,
        ))
    };
    let first: Vec<usize> = (0..3)
        .map(|item| 1 + item * objects[0].lines().count())
        .collect();
    assert!(
        lines(&text, &[])
            .iter()
            .map(|answer| answer["line"].as_u64().unwrap() as usize)
            .eq(first)
    );
    // A value that is not an object affects only itself, and a truncated one is not skipped.
    let broken = format!(
        "{}\n{{\n\"a\" 1\n}}\n{}",
        objects[0],
        &objects[1][..objects[1].len() - 2]
    );
    let given = lines(&broken, &[]);
    assert_eq!(
        given
            .iter()
            .map(|answer| answer["valid"] == true)
            .collect::<Vec<_>>(),
        [true, false, false]
    );
    assert!(
        given[2]["reason"]
            .as_str()
            .unwrap()
            .starts_with("not a JSON object: it ends too early"),
        "{given:?}"
    );
    // With an explicit format every line is one item.
    assert_eq!(
        lines(&text, &["--format", "jsonl"]).len(),
        text.lines().count()
    );
    // A key file of one object.
    let key = "{\n  \"secret_key\": \"".to_owned() + &"11".repeat(32) + "\"\n}\n";
    let plain = run(&["pubkey", "--curve", "p256"], "11".repeat(32));
    assert_eq!(
        answers(&run(&["pubkey", "--curve", "p256"], key)),
        answers(&plain)
    );
}

#[test]
fn input_of_unknown_format_is_described_but_not_quoted() {
    let output = verify(&b"\x7fELF archive\n"[..]);
    assert_eq!((code(&output), output.stdout.len()), (2, 0));
    let message = stderr(&output);
    assert!(message.contains("the input is binary data"), "{message}");
    assert!(
        message.contains("JSON Lines")
            && message.contains("header")
            && message.contains("public_key"),
        "{message}"
    );
    let long = stderr(&verify("x ".repeat(1000)));
    assert!(
        long.contains("the first line is a text of 1999 characters") && !long.contains("x x"),
        "{long}"
    );
    // A file of keys may be passed as the input by mistake.
    let digits = "1f2e3d4c5b6a7988".repeat(4);
    let der: Vec<u8> = b"\x30\x77\x02\x01\x01\x04\x20"
        .iter()
        .chain(b"a key of 32 bytes")
        .copied()
        .collect();
    let pem = b"-----BEGIN EC PRIVATE KEY-----\nMHcC\n".to_vec();
    for keys in [
        digits.clone().into_bytes(),
        format!("  0x{digits}\n").into_bytes(),
        der,
        pem,
        b"key,MHcCAQEEIB5a\n".to_vec(),
    ] {
        let message = stderr(&verify(keys.clone()));
        assert!(
            message.contains("JSON Lines") && !message.contains("begins"),
            "{message}"
        );
    }
    let number = "1234567890123456";
    let file = TemporaryFile::new("shown.csv", format!("{number},{number}\n"));
    for arguments in [
        &["pubkey"][..],
        &["pubkey", "--format", "csv"],
        &["sign", "--key-file", file.path()],
    ] {
        let output = run(
            &[
                arguments,
                &[
                    "--curve",
                    "p256",
                    if arguments[0] == "sign" {
                        "-"
                    } else {
                        file.path()
                    },
                ],
            ]
            .concat(),
            "",
        );
        let printed = String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(&output);
        assert!(code(&output) > 0 && !printed.contains(number), "{printed}");
    }
}

#[test]
fn no_message_has_two_places() {
    let input = format!("{{}}\n{{\"digest\":5}}\n{{\"digest\":\"{}", "00".repeat(40));
    for answer in answers(&verify(input)) {
        let reason = answer["reason"].as_str().unwrap();
        assert!(
            !reason.contains("line ") && answer["line"].is_u64(),
            "{answer}"
        );
    }
}

/// A generator of random numbers; its seed reproduces a failure.
struct Random(u64);

impl Random {
    fn new() -> Self {
        let seed = getrandom::u64().unwrap() | 1;
        eprintln!("seed {seed}");
        Random(seed)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }

    /// Changes, drops, doubles and inserts a few bytes.
    fn mutate(&mut self, text: &mut Vec<u8>) {
        const BYTES: &[u8] = b"\"\\{}[],:\n\r\t ;0x\0\xff\xc3\x28#";
        for _ in 0..self.below(30) {
            let at = self.below(text.len());
            match self.below(4) {
                0 => text[at] = BYTES[self.below(BYTES.len())],
                1 => drop(text.remove(at)),
                2 => text.insert(at, BYTES[self.below(BYTES.len())]),
                _ => {
                    let end = (at + self.below(50)).min(text.len());
                    let part = text[at..end].to_vec();
                    text.splice(at..at, part);
                }
            }
        }
    }
}

/// One answer per line, or per row, for arbitrary bytes.
#[test]
fn malformed_inputs_get_an_answer_per_line() {
    let mut random = Random::new();
    let set = signed::<P256>(8);
    let jsonl = set.lines().join("\n");
    let mut csv = "tag,digest,signature,public_key".to_owned();
    for item in 0..8 {
        let digest = hex::encode(set.digests[item]);
        let signature = hex::encode(set.signed[item].signature);
        write!(
            csv,
            "\n\"{item}\",{digest},{signature},{}",
            hex::encode(set.public[item].as_sec1())
        )
        .unwrap();
    }
    let array =
        serde_json::to_string(&(0..8).map(|item| set.json(item)).collect::<Vec<_>>()).unwrap();
    let keys = vec!["11".repeat(32); 8].join("\n");
    for round in 0..60 {
        let (valid, command): (&String, &[&str]) = match round % 4 {
            // With the encoding named, as a file whose values look like several encodings is refused
            // as a whole.
            0 => (
                &jsonl,
                &["verify", "--format", "jsonl", "--encoding", "hex"],
            ),
            1 => (&csv, &["verify", "--format", "csv", "--encoding", "hex"]),
            2 => (&array, &["verify"]),
            _ => (&keys, &["pubkey"]),
        };
        let mut text = valid.clone().into_bytes();
        if round < 8 {
            // Random bytes after a beginning that reveals the format.
            let kept = if round % 4 == 1 {
                csv.find('\n').unwrap() + 1
            } else {
                1
            };
            text[kept..]
                .iter_mut()
                .for_each(|byte| *byte = random.below(256) as u8);
        } else {
            random.mutate(&mut text);
        }
        let output = run(&[command, &["--curve", "p256"]].concat(), text.clone());
        let shown = text.escape_ascii().to_string();
        assert!((0..=2).contains(&code(&output)), "{shown}");
        let given = answers(&output).len();
        let lines = text.split(|byte| *byte == b'\n');
        let items = lines
            .filter(|line| {
                !line.trim_ascii().is_empty() && (round % 4 != 3 || !line.starts_with(b"#"))
            })
            .count();
        match round % 4 {
            0 => assert_eq!(given, items, "{shown}"),
            3 if code(&output) < 2 && !matches!(text.trim_ascii().first(), Some(b'{' | b'[')) => {
                assert_eq!(given, items, "{shown}");
            }
            // Quotes may join lines.
            1 if code(&output) < 2 => assert!(given < items, "{shown}"),
            _ => {}
        }
    }
}

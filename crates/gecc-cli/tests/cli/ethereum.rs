//! `gecc ethereum senders`, and its common parts with the other commands on chains: pipes, blocks
//! as a whole, files that are done, and inputs without items.

use crate::support::{answers, code, gecc, gzip, run, stderr};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

fn at(folder: &str, name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join(folder)
        .join(name);
    path.to_str().expect("UTF-8").to_owned()
}

fn data(name: &str) -> String {
    at("../gecc-chains/tests/data", name)
}

fn of_examples(name: &str) -> String {
    at("../../examples/data", name)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Runs a command whose standard input provides one byte at a time.
#[cfg(unix)]
fn run_slowly(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = gecc();
    command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut to = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // The command may end before it has read all input.
        scope.spawn(move || input.iter().try_for_each(|byte| to.write_all(&[*byte])));
        child.wait_with_output().unwrap()
    })
}

/// Runs a command that reads a named pipe, which provides a few bytes at a time.
#[cfg(unix)]
fn run_from_named_pipe(arguments: &[&str], name: &Path, input: &[u8]) -> Output {
    let made = std::process::Command::new("mkfifo")
        .arg(name)
        .status()
        .unwrap();
    assert!(made.success());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut to = fs::File::options().write(true).open(name).unwrap();
            // The parts are smaller than the head that format detection inspects.
            let _ = input.chunks(3).try_for_each(|part| to.write_all(part));
        });
        gecc()
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap()
    })
}

/// Converts the blocks of an era1 file to a file of RLP.
fn rlp_of(name: &str) -> Vec<u8> {
    let (bytes, mut rest, mut header, mut blocks) =
        (fs::read(data(name)).unwrap(), 0, Vec::new(), Vec::new());
    while rest < bytes.len() {
        let length = u32::from_le_bytes(bytes[rest + 2..rest + 6].try_into().unwrap()) as usize;
        let content = &bytes[rest + 8..rest + 8 + length];
        let mut plain = Vec::new();
        match bytes[rest] {
            3 => {
                snap::read::FrameDecoder::new(content)
                    .read_to_end(&mut header)
                    .unwrap();
            }
            4 => {
                snap::read::FrameDecoder::new(content)
                    .read_to_end(&mut plain)
                    .unwrap();
                // The body's list without its own length: all of these have more than 255 bytes.
                let payload = [&header[..], &plain[1 + usize::from(plain[0] - 0xf7)..]].concat();
                let length = (payload.len() as u32).to_be_bytes();
                blocks.extend([0xfb]);
                blocks.extend(length);
                blocks.extend(payload);
                header.clear();
            }
            _ => {}
        }
        rest += 8 + length;
    }
    // Rewrite the lengths in their shortest form.
    let mut shortest = Vec::new();
    let mut all = blocks.as_slice();
    while let [0xfb, a, b, c, d, tail @ ..] = all {
        let (payload, tail) = tail.split_at(u32::from_be_bytes([*a, *b, *c, *d]) as usize);
        let digits = (payload.len() as u32).to_be_bytes();
        let digits = &digits[digits.iter().take_while(|digit| **digit == 0).count()..];
        shortest.push(0xf7 + digits.len() as u8);
        shortest.extend(digits);
        shortest.extend(payload);
        all = tail;
    }
    shortest
}

/// The recognised form of a file does not depend on the number of bytes per read.
#[cfg(unix)]
#[test]
fn forms_are_detected_from_single_byte_reads() {
    let folder = tempfile::tempdir().unwrap();
    let read = |path: String| fs::read(path).unwrap();
    let json = read(of_examples("ethereum/block_1150000.json"));
    let rlp = rlp_of("made-premerge.era1");
    let hex: Vec<u8> = rlp_first(&rlp)
        .iter()
        .flat_map(|byte| format!("{byte:02x}").into_bytes())
        .collect();
    let zstd = |content: &[u8]| zstd_of(content);
    let utf_16: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(json.iter().flat_map(|byte| [*byte, 0]))
        .collect();
    let senders: Vec<(&str, Vec<u8>)> = vec![
        ("era1", read(data("sepolia-00021-txblocks.era1"))),
        ("JSON", json.clone()),
        ("JSON after blanks", [&b" \n\t \r\n "[..], &json].concat()),
        (
            "JSON after many blanks",
            [&b"\n".repeat(20_000)[..], &json].concat(),
        ),
        (
            "JSON after a byte order mark",
            [b"\xef\xbb\xbf", &json[..]].concat(),
        ),
        ("lines of JSON", [&json[..], b"\n", &json].concat()),
        ("RLP", rlp_first(&rlp).to_vec()),
        ("hexadecimal", hex.clone()),
        ("hexadecimal after 0x", [b"0x", &hex[..]].concat()),
        (
            "hexadecimal after blanks",
            [&b" ".repeat(100)[..], &hex].concat(),
        ),
        ("gzip", gzip(&json)),
        (
            "gzip of era1",
            gzip(&read(data("mainnet-00000-first16.era1"))),
        ),
        ("zstd", zstd(&json)),
        ("zstd of hexadecimal", zstd(&hex)),
        ("xz", b"\xfd7zXZ\0 and more".to_vec()),
        ("bzip2", b"BZh91AY&SY and more".to_vec()),
        ("zip", b"PK\x03\x04 and more".to_vec()),
        ("UTF-16", utf_16),
        (
            "Parquet",
            read(data("ethereum__transactions__polars.parquet")),
        ),
        ("nothing", Vec::new()),
        ("blanks", b" \n".repeat(100)),
        ("something else", b"text".to_vec()),
    ];
    let certificates: Vec<(&str, Vec<u8>)> = vec![
        ("PEM", read(of_examples("sm2/sm2_certs.pem"))),
        (
            "PEM after text",
            [
                b"some text\n\n",
                &read(of_examples("sm2/sm2_certs.pem"))[..],
            ]
            .concat(),
        ),
        ("gzip of PEM", gzip(&read(of_examples("sm2/sm2_certs.pem")))),
        ("nothing", Vec::new()),
    ];
    let commands = [
        (&["ethereum", "senders", "--quiet"][..], senders),
        (&["certificates", "--quiet"][..], certificates),
    ];
    for (command, inputs) in commands {
        for (number, (name, content)) in inputs.iter().enumerate() {
            let file = folder.path().join("file");
            fs::write(&file, content).unwrap();
            let expected = run(&with_input(command, text(&file)), "");
            let pipe = folder.path().join(format!("{}-{number}", command[0]));
            let found = [
                run_slowly(&with_input(command, "-"), content),
                run_from_named_pipe(&with_input(command, text(&pipe)), &pipe, content),
            ];
            for found in found {
                // Parquet has its metadata at its end, and certificates are recognised by the name
                // of their file.
                if *name == "Parquet" {
                    assert!(
                        code(&found) == 2 && stderr(&found).contains("read from files alone"),
                        "{}",
                        stderr(&found)
                    );
                    continue;
                }
                let same = |output: &Output| -> Vec<Value> {
                    answers(output)
                        .into_iter()
                        .map(|mut answer| {
                            answer["file"].take();
                            answer
                        })
                        .collect()
                };
                assert_eq!(code(&found), code(&expected), "{name}: {}", stderr(&found));
                assert_eq!(same(&found), same(&expected), "{name}");
                let last_part =
                    |message: &str| message.rsplit(": ").next().unwrap_or_default().to_owned();
                assert_eq!(
                    last_part(&stderr(&found)),
                    last_part(&stderr(&expected)),
                    "{name}"
                );
            }
        }
    }
}

/// A block of Bitcoin in a pipe, with the outputs that it spends in a file.
#[cfg(unix)]
#[test]
fn a_block_of_bitcoin_is_read_from_a_named_pipe() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(
        of_examples("bitcoin/block1087400-undo.raw"),
        folder.path().join("block-undo.raw"),
    )
    .unwrap();
    let block = fs::read(of_examples("bitcoin/block1087400.raw")).unwrap();
    let expected = run(
        &[
            "bitcoin",
            "verify",
            "--quiet",
            &of_examples("bitcoin/block1087400.raw"),
        ],
        "",
    );
    for content in [block.clone(), gzip(&block)] {
        let pipe = folder.path().join("block.raw");
        let _ = fs::remove_file(&pipe);
        let found = run_from_named_pipe(
            &["bitcoin", "verify", "--quiet", text(&pipe)],
            &pipe,
            &content,
        );
        assert_eq!(
            (code(&found), answers(&found)),
            (code(&expected), answers(&expected)),
            "{}",
            stderr(&found)
        );
    }
}

/// Extracts the first block of a file of RLP.
fn rlp_first(blocks: &[u8]) -> &[u8] {
    let digits = usize::from(blocks[0] - 0xf7);
    let length = blocks[1..=digits]
        .iter()
        .fold(0, |length, digit| length << 8 | usize::from(*digit));
    &blocks[..1 + digits + length]
}

fn zstd_of(content: &[u8]) -> Vec<u8> {
    // A frame of raw blocks (RFC 8878, section 3.1.1) without its content size.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x58];
    let parts: Vec<&[u8]> = content.chunks(1 << 16).collect();
    for (index, part) in parts.iter().enumerate() {
        let header = (part.len() as u32) << 3 | u32::from(index + 1 == parts.len());
        frame.extend(&header.to_le_bytes()[..3]);
        frame.extend(*part);
    }
    frame
}

/// A block whose transactions do not match its header is reported with both roots, and none of its
/// transactions is valid.
#[test]
fn blocks_are_compared_with_their_transactions_root() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str, content: &[u8]| {
        fs::write(folder.path().join(name), content).unwrap();
        text(&folder.path().join(name)).to_owned()
    };
    let whole: Value =
        serde_json::from_slice(&fs::read(of_examples("ethereum/block_1150000.json")).unwrap())
            .unwrap();
    let mut fewer = whole.clone();
    fewer["transactions"].as_array_mut().unwrap().remove(3);
    let mut none = whole.clone();
    none["transactions"] = json!([]);
    let rlp = rlp_of("made-premerge.era1");
    let first = rlp_first(&rlp);
    // A flipped bit in the last signature yields another sender.
    let mut flipped = first.to_vec();
    let place = flipped.len() - 12;
    flipped[place] ^= 1;
    let hex: String = flipped.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut era1 = fs::read(data("made-premerge.era1")).unwrap();
    era1.truncate(3239);
    let inputs = [
        (at("fewer.json", fewer.to_string().as_bytes()), 8),
        (at("none.json", none.to_string().as_bytes()), 0),
        (at("flipped.rlp", &flipped), 9),
        (at("flipped.hex", hex.as_bytes()), 9),
    ];
    for (path, count) in inputs {
        let output = run(&["ethereum", "senders", &path], "");
        let (found, message) = (answers(&output), stderr(&output));
        assert_eq!((code(&output), found.len()), (2, count), "{message}");
        assert!(
            message.contains("block 1150000: its transactions have root 0x"),
            "{message}"
        );
        assert!(
            message.contains("0xa2293ed2163c4c5fe71cb9c768bdd854376f1cc2806211a8ca783d64af2e5eb4"),
            "{message}"
        );
        assert!(
            found
                .iter()
                .all(|answer| answer["valid"].is_null() && answer["from"].is_string()),
            "{found:?}"
        );
        let skipped = run(&["ethereum", "senders", "--skip-roots", &path], "");
        assert_eq!(
            (code(&skipped), answers(&skipped).len()),
            (0, count),
            "{}",
            stderr(&skipped)
        );
        assert!(
            stderr(&skipped).contains("1  blocks were not compared with their transactions root")
        );
    }
    let summary = run(
        &[
            "ethereum",
            "senders",
            "--summary",
            "json",
            &of_examples("ethereum"),
        ],
        "",
    );
    let summary: Value = serde_json::from_str(stderr(&summary).trim()).unwrap();
    assert_eq!(
        (&summary["blocks_compared"], &summary["blocks_not_compared"]),
        (&json!(8), &json!(0))
    );
    assert_eq!(
        code(&run(&["ethereum", "senders", &at("one.era1", &era1)], "")),
        0
    );
}

/// A file whose second group is missing or truncated. If the cut is inside a body, none of its
/// transactions has an answer, because they could not be compared with their root.
#[test]
fn file_truncated_between_records_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let whole = fs::read(data("made-premerge.era1")).unwrap();
    for (end, count) in [(3247, 9), (3207, 9), (3000, 0)] {
        let path = folder.path().join("cut.era1");
        fs::write(&path, &whole[..end]).unwrap();
        let output = run(&["ethereum", "senders", text(&path)], "");
        assert_eq!(
            (code(&output), answers(&output).len()),
            (2, count),
            "{}",
            stderr(&output)
        );
        assert!(
            stderr(&output).contains("cut.era1: at byte"),
            "{}",
            stderr(&output)
        );
    }
}

/// Files that were done with other options, or with rejections, are not skipped silently.
#[test]
fn state_records_options_and_outcomes_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let (state, file) = (folder.path().join("done"), folder.path().join("file.era1"));
    fs::copy(data("made-premerge.era1"), &file).unwrap();
    let call = |options: &[&str]| {
        let output = run(
            &[
                &["ethereum", "senders", "--state", text(&state)],
                options,
                &[text(&file)],
            ]
            .concat(),
            "",
        );
        (code(&output), answers(&output).len(), stderr(&output))
    };
    let require = |options: &[&str], expected: (i32, usize)| {
        let (code, count, message) = call(options);
        assert_eq!((code, count), expected, "{options:?}: {message}");
        message
    };
    require(&["--to", "1200000"], (0, 9));
    assert!(
        require(&[], (0, 420)).contains("1 files were done with other options, and are done again")
    );
    assert!(require(&[], (0, 0)).contains("1 file is done already"));
    require(&["--to", "1200000"], (0, 0));
    require(&["--from", "1200000"], (0, 411));
    require(&["--only-rejected"], (0, 0));
    require(&["--chain-id", "5"], (1, 420));
    // Rejections are remembered in every later call.
    for options in [&["--chain-id", "5"][..], &["--chain-id", "5", "--quiet"]] {
        assert!(require(options, (1, 0)).contains("this counts for the exit code again"));
    }
    require(&["--chain-id", "1"], (0, 420));
    require(&["--skip-roots"], (0, 420));
    require(&["--skip-roots"], (0, 0));
    // Unreadable parts and items that were not checked are remembered too.
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() - 9]).unwrap();
    require(&[], (2, 420));
    require(&["--quiet"], (2, 0));
    if cfg!(not(feature = "arrow")) {
        return;
    }
    fs::copy(data("ethereum__transactions__mixed.parquet"), &file).unwrap();
    require(&[], (3, 1120));
    require(&[], (3, 0));
    // Each file has its own outcome.
    let good = folder.path().join("good.era1");
    fs::copy(data("made-premerge.era1"), &good).unwrap();
    let both = |state: &str, files: &[&Path]| {
        let files: Vec<&str> = files.iter().map(|file| text(file)).collect();
        code(&run(
            &[
                &[
                    "ethereum",
                    "senders",
                    "--state",
                    text(&folder.path().join(state)),
                ],
                &files[..],
            ]
            .concat(),
            "",
        ))
    };
    for order in [[&*good, &*file], [&*file, &*good]] {
        let state = format!("both-{}", order[0] == good);
        assert_eq!(both(&state, &order), 3);
        assert_eq!([both(&state, &[&good]), both(&state, &[&file])], [0, 3]);
    }
}

/// A folder without files and an input without items are errors.
#[test]
fn inputs_without_items_are_not_a_success() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty");
    fs::create_dir_all(empty.join("within")).unwrap();
    let output = folder.path().join("index.parquet");
    let mut commands = vec![
        vec!["ethereum", "senders"],
        vec!["bitcoin", "verify"],
        vec!["certificates"],
    ];
    if cfg!(feature = "arrow") {
        commands.push(vec!["bitcoin", "index", "-o", text(&output)]);
    }
    for command in &commands {
        for quiet in [&[][..], &["--quiet"]] {
            let found = run(&[command, quiet, &[text(&empty)]].concat(), "");
            assert_eq!(code(&found), 2, "{command:?}");
            assert!(
                stderr(&found).contains("there is no file in the folder"),
                "{}",
                stderr(&found)
            );
        }
    }
    // With other files, which are checked.
    let both = run(
        &[
            "ethereum",
            "senders",
            text(&empty),
            &of_examples("ethereum/block_1920000.json"),
        ],
        "",
    );
    assert_eq!((code(&both), answers(&both).len()), (2, 4));
    for nothing in ["", "\n \n", "[]", "[]\n[]\n"] {
        let found = run(&["ethereum", "senders", "--quiet", "-"], nothing);
        assert!(
            code(&found) == 2 && !stderr(&found).is_empty(),
            "{nothing:?}: {}",
            stderr(&found)
        );
        let found = run(&["certificates", "--quiet", "-"], nothing);
        assert!(
            code(&found) == 2 && !stderr(&found).is_empty(),
            "{nothing:?}: {}",
            stderr(&found)
        );
    }
    // Blocks without transactions are blocks.
    let empty_blocks = run(
        &["ethereum", "senders", &data("mainnet-00000-first16.era1")],
        "",
    );
    assert_eq!(
        (code(&empty_blocks), answers(&empty_blocks).len()),
        (0, 0),
        "{}",
        stderr(&empty_blocks)
    );
    // No block of the requested range.
    let none = run(
        &[
            "ethereum",
            "senders",
            "--from",
            "5",
            "--to",
            "6",
            &data("made-premerge.era1"),
        ],
        "",
    );
    assert_eq!(
        (code(&none), answers(&none).len()),
        (0, 0),
        "{}",
        stderr(&none)
    );
}

/// Messages do not contain keys in the URL of a node, whatever is wrong with it or with the node.
#[cfg(unix)]
#[test]
fn keys_in_urls_of_nodes_are_not_shown() {
    use std::io::{BufRead, BufReader};
    const KEY: &str = "0123456789abcdef0123456789abcdef";
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            let mut line = String::new();
            while stream.read_line(&mut line).unwrap_or(0) > 2 {
                line.clear();
            }
            let body = format!("no project {KEY} here");
            let answer = format!(
                "HTTP/1.1 401 Unauthorized\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
            let _ = stream.into_inner().write_all(answer.as_bytes());
        }
    });
    let urls = [
        format!("http://{host}/v3/{KEY}"),
        format!("http://{host}/?apikey={KEY}"),
        format!("http://me:{KEY}@{host}/"),
        format!("https://{host}/v3/{KEY}"),
        format!("ftp://{host}/v3/{KEY}"),
        format!("{KEY} {KEY}"),
    ];
    for (command, option) in [
        (&["ethereum", "senders"][..], "--rpc-url"),
        (&["bitcoin", "verify"], "--rest-url"),
    ] {
        for url in &urls {
            let output = run(
                &[command, &[option, url, "--from", "1", "--to", "2", "-vv"]].concat(),
                "",
            );
            let message = stderr(&output);
            assert_eq!(code(&output), 2, "{url}: {message}");
            assert!(
                !message.contains(KEY) && !message.contains(&KEY[..12]),
                "{url}: {message}"
            );
        }
    }
}

/// Returns the arguments of a command with an input.
fn with_input<'a>(command: &[&'a str], input: &'a str) -> Vec<&'a str> {
    let mut arguments = command.to_vec();
    arguments.push(input);
    arguments
}

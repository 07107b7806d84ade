//! Adversarial files that aim at excessive memory or time: the command ends with an error or
//! answers in bounded time, and never takes more memory than the limit and the excess that
//! docs/using.md states.
//!
//! These tests run in a process of their own that stays small; see `child::run`.

#![cfg(unix)]

mod child;

use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const MIB: usize = 1 << 20;
/// The memory that a command may take beyond its limit.
const BEYOND: usize = 64 * MIB;
/// The limit of the address space, in KiB.
const ADDRESSES: usize = 4_000_000;
/// Far longer than any of these files needs, and far shorter than quadratic time would take.
const LONG: Duration = Duration::from_secs(30);
/// Limits in MiB of commands over chains, and of those over text, whose lines may be long.
const LIMITS: [usize; 2] = [1, 256];
const OF_TEXT: usize = 128;

/// Runs a command on a file with a limit in MiB. Returns its exit code.
fn run(arguments: &[&str], limit: usize, path: &Path) -> i32 {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("sh");
    command.args([
        "-c",
        &format!("ulimit -v {ADDRESSES}; exec \"$0\" \"$@\""),
        env!("CARGO_BIN_EXE_gecc"),
    ]);
    command.args(arguments).args([
        "--engine",
        "cpu",
        "--threads",
        "2",
        "--max-memory",
        &format!("{limit}M"),
    ]);
    command
        .arg("-o")
        .arg(folder.path().join("answers"))
        .arg(path);
    let start = Instant::now();
    let (code, peak) = child::run(command.stdout(Stdio::null()).stderr(Stdio::null()));
    let what = format!(
        "{arguments:?} {} with {limit} MiB: code {code:?}, {} MiB",
        path.display(),
        peak / MIB
    );
    eprintln!("{what}, {:?}", start.elapsed());
    assert!(peak <= limit * MIB + BEYOND, "{what}");
    assert!(start.elapsed() < LONG, "{what}");
    code.expect("not ended by a signal")
}

/// Writes a file without building it in memory.
fn write(path: &Path, content: impl FnOnce(&mut dyn Write)) {
    let mut file = BufWriter::new(File::create(path).unwrap());
    content(&mut file);
    file.flush().unwrap();
}

fn repeat(to: &mut dyn Write, part: &[u8], times: usize) {
    (0..times).for_each(|_| to.write_all(part).unwrap());
}

/// Runs a command on each file with each limit, and requires one of these exit codes.
fn check(
    arguments: &[&str],
    limits: &[usize],
    codes: &[i32],
    files: &[(&str, &dyn Fn(&mut dyn Write))],
) {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = folder.path().join(name);
        write(&path, |to| content(to));
        for limit in limits {
            let code = run(arguments, *limit, &path);
            assert!(
                codes.contains(&code),
                "{name} with {limit} MiB: code {code}"
            );
        }
        std::fs::remove_file(path).unwrap();
    }
}

/// The header of a list or a text in RLP, of more than 55 bytes.
fn rlp_header(base: u8, length: usize) -> Vec<u8> {
    let length = length.to_be_bytes();
    let length = &length[length.iter().take_while(|byte| **byte == 0).count()..];
    [&[base + 55 + length.len() as u8], length].concat()
}

fn era1_record(to: &mut dyn Write, kind: u16, content: &[u8]) {
    to.write_all(&kind.to_le_bytes()).unwrap();
    to.write_all(&(content.len() as u32).to_le_bytes()).unwrap();
    to.write_all(&[0, 0]).unwrap();
    to.write_all(content).unwrap();
}

/// A file of one block whose transactions are `times` copies of the same bytes.
fn era1_of(to: &mut dyn Write, item: &[u8], times: usize) {
    let compressed = |write: &dyn Fn(&mut dyn Write)| {
        let mut encoder = snap::write::FrameEncoder::new(Vec::new());
        write(&mut encoder);
        encoder.into_inner().unwrap()
    };
    let list = rlp_header(0xc0, item.len() * times);
    let body = compressed(&|to| {
        to.write_all(&rlp_header(0xc0, list.len() + item.len() * times))
            .unwrap();
        to.write_all(&list).unwrap();
        repeat(to, item, times);
    });
    era1_record(to, 0x3265, &[]);
    era1_record(
        to,
        3,
        &compressed(&|to| {
            to.write_all(&[0xc9, 128, 128, 128, 128, 128, 128, 128, 128, 1])
                .unwrap()
        }),
    );
    era1_record(to, 4, &body);
}

/// Bad records, all of which are in the index at the end.
fn era1_of_bad_records(to: &mut dyn Write) {
    const RECORDS: i64 = 1 << 20;
    era1_record(to, 0x3265, &[]);
    repeat(to, &[0xff; 8], RECORDS as usize);
    to.write_all(&0x3266_u16.to_le_bytes()).unwrap();
    to.write_all(&(8 * RECORDS as u32 + 16).to_le_bytes())
        .unwrap();
    to.write_all(&[0; 10]).unwrap();
    (0..RECORDS).for_each(|record| {
        to.write_all(&(8 * (record - RECORDS)).to_le_bytes())
            .unwrap()
    });
    to.write_all(&RECORDS.to_le_bytes()).unwrap();
}

/// A list of values between two texts.
fn json_of(to: &mut dyn Write, before: &str, value: &str, times: usize, after: &str) {
    to.write_all(before.as_bytes()).unwrap();
    repeat(to, format!("{value},").as_bytes(), times - 1);
    to.write_all(value.as_bytes()).unwrap();
    to.write_all(after.as_bytes()).unwrap();
}

#[cfg(feature = "chains")]
#[test]
fn blocks_of_ethereum() {
    let senders = ["ethereum", "senders"];
    let smallest = [0xc9, 128, 128, 128, 128, 128, 128, 0x1b, 128, 128];
    let one_field = |to: &mut dyn Write| {
        let keys = "{\"transactions\":[{\"nonce\":\"0x0\",\"gas\":\"0x0\",\"value\":\"0x0\",\"input\":\"0x\",\"r\":\"0x1\",\
                    \"s\":\"0x1\",\"accessList\":[{\"address\":\"0x\",\"storageKeys\":[";
        json_of(to, keys, "\"\"", 3_000_000, "]}]}]}");
    };
    check(
        &senders,
        &LIMITS,
        &[1, 2, 3],
        &[
            ("items.era1", &|to| era1_of(to, &[0x80], 10_000_000)),
            ("lists.era1", &|to| era1_of(to, &[0xc0], 60_000_000)),
            ("transactions.era1", &|to| era1_of(to, &smallest, 300_000)),
            ("records.era1", &era1_of_bad_records),
            ("zeros.json", &|to| json_of(to, "[", "0", 5_000_000, "]")),
            ("transactions.json", &|to| {
                json_of(to, "{\"transactions\":[", "0", 5_000_000, "]}")
            }),
            ("keys.json", &one_field),
            ("deep.json", &|to| repeat(to, b"[", 5_000_000)),
            ("deeper.json", &|to| repeat(to, b"{\"a\":", 2_000_000)),
            ("lines.json", &|to| {
                json_of(to, "{}\n", "[\n", 1_000_000, "")
            }),
            ("long.json", &|to| {
                json_of(to, "{}\n\"", "a", 20_000_000, "\"")
            }),
        ],
    );
}

#[cfg(feature = "chains")]
#[test]
fn inputs_of_bitcoin() {
    const MAGIC: [u8; 4] = [0xf9, 0xbe, 0xb4, 0xd9];
    let block = [&MAGIC[..], &81_u32.to_le_bytes(), &[0; 80], &[2]].concat();
    for (blocks, length, records) in [(4000, 4 << 20, 1), (20_000, 40, 20_000), (400_000, 40, 1)] {
        let folder = tempfile::tempdir().unwrap();
        let undo = [
            &MAGIC[..],
            &(length as u32).to_le_bytes(),
            &[1],
            &vec![0; length + 31],
        ]
        .concat();
        write(&folder.path().join("blk00000.dat"), |to| {
            repeat(to, &block, blocks)
        });
        write(&folder.path().join("rev00000.dat"), |to| {
            repeat(to, &undo, records)
        });
        LIMITS
            .iter()
            .for_each(|limit| assert_eq!(run(&["bitcoin", "verify"], *limit, folder.path()), 2));
    }
}

#[cfg(feature = "chains")]
#[test]
fn certificates() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data/sm2/sm2_certs.pem");
    let text = std::fs::read_to_string(path).unwrap();
    let start = "-----BEGIN CERTIFICATE-----";
    let end = "-----END CERTIFICATE-----\n";
    let one = &text[text.find(start).unwrap()..];
    let one = &one[..one.find(end).unwrap() + end.len()];
    check(
        &["certificates"],
        &LIMITS,
        &[0, 2, 3],
        &[
            ("same.pem", &|to| repeat(to, one.as_bytes(), 7000)),
            ("begins.pem", &|to| repeat(to, b"-----BEGIN ", 60_000)),
            ("open.pem", &|to| {
                repeat(to, b"-----BEGIN CERTIFICATE-----", 60_000)
            }),
        ],
    );
    // Zeros that need no place on the disk.
    let folder = tempfile::tempdir().unwrap();
    let zeros = folder.path().join("zeros");
    File::create(&zeros).unwrap().set_len(1 << 28).unwrap();
    LIMITS
        .iter()
        .for_each(|limit| assert_eq!(run(&["certificates"], *limit, &zeros), 2));
}

/// Pipes and links of a folder, and endless inputs.
#[cfg(feature = "chains")]
#[test]
fn folders() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::os::unix::fs::symlink(".", at("self")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", at("zero")).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(at("pipe"))
            .status()
            .unwrap()
            .success()
    );
    for command in [
        &["ethereum", "senders"][..],
        &["bitcoin", "verify"],
        &["certificates"],
    ] {
        // It contains no file, only pipes and links.
        assert_eq!(run(command, 64, folder.path()), 2);
        assert_eq!(run(command, 64, Path::new("/dev/zero")), 2);
    }
    assert_eq!(
        run(
            &["bitcoin", "scan", "--key-file", "/dev/zero"],
            64,
            Path::new("none.parquet")
        ),
        2
    );
    let state = at("pipe").to_str().unwrap().to_owned();
    assert_eq!(
        run(
            &["ethereum", "senders", "--state", &state],
            64,
            folder.path()
        ),
        2
    );
}

/// Text and compressed text without a valid batch.
#[test]
fn texts() {
    let item = format!(
        "{{\"digest\":\"{}\",\"signature\":\"{}\",\"public_key\":\"02{}\"",
        "ab".repeat(32),
        "cd".repeat(64),
        "ef".repeat(32)
    );
    let zipped = |to: &mut dyn Write, part: &[u8], times: usize| {
        let mut encoder = GzEncoder::new(to, Compression::fast());
        repeat(&mut encoder, part, times);
        encoder.finish().unwrap();
    };
    let member = {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.flush().unwrap();
        encoder.finish().unwrap()
    };
    check(
        &["verify", "--curve", "p256"],
        &[OF_TEXT],
        &[0, 1, 2],
        &[
            ("deep.jsonl", &|to| {
                json_of(to, &format!("{item},\"tag\":"), "[", 1_000_000, "}\n")
            }),
            ("open.jsonl", &|to| repeat(to, b"{\"a\":", 1_000_000)),
            ("long.jsonl", &|to| {
                json_of(to, "{\"digest\":\"", "a", 10_000_000, "\"}\n")
            }),
            ("number.jsonl", &|to| {
                json_of(to, "{\"recovery_id\":", "9", 1_000_000, "}\n")
            }),
            ("keys.jsonl", &|to| {
                json_of(to, "{", "\"digest\":\"00\"", 500_000, "}\n")
            }),
            ("escapes.jsonl", &|to| {
                json_of(to, "{\"digest\":\"", "\\u0061", 1_000_000, "\"}\n")
            }),
            ("zeros.jsonl", &|to| repeat(to, &[0; 1024], 5000)),
            ("numbers.json", &|to| json_of(to, "[", "1", 1_000_000, "]")),
            ("objects.json", &|to| json_of(to, "[", "{}", 1_000_000, "]")),
            ("columns.csv", &|to| {
                json_of(to, "", "digest", 200_000, "\n1\n")
            }),
            ("quotes.csv", &|to| repeat(to, b"\"\n", 500_000)),
            ("tags.jsonl", &|to| {
                repeat(
                    to,
                    format!("{item},\"tag\":\"{}\"}}\n", "t".repeat(100_000)).as_bytes(),
                    100,
                )
            }),
            ("zeros.gz", &|to| zipped(to, &[b'0'; 1 << 16], 1 << 12)),
            ("lines.gz", &|to| zipped(to, &[b'\n'; 1 << 16], 1 << 10)),
            ("members.gz", &|to| repeat(to, &member, 100_000)),
            ("frames.zst", &|to| {
                repeat(to, &[0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0], 500_000)
            }),
            ("window.zst", &|to| {
                to.write_all(&[0x28, 0xb5, 0x2f, 0xfd, 0, 0xf8, 0, 0, 0, 0])
                    .unwrap()
            }),
        ],
    );
}

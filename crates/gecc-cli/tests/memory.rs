//! The peak memory of the command: it never exceeds the limit by more than docs/using.md states,
//! whatever the size of the input.
//!
//! These tests run in a process of their own that stays small; see `child::run`.

#[path = "../../../tests/harness/mod.rs"]
mod harness;
#[path = "../../gecc-arrow/tests/arrow/synthetic.rs"]
mod synthetic;

mod child;

use harness::test;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use synthetic::Beside;

const MIB: usize = 1 << 20;
/// Limits in MiB: below and above those that allow the large tables of one, two and three curves.
const LIMITS: [usize; 9] = [1, 8, 48, 63, 64, 65, 128, 192, 256];
const THREADS: usize = 2;
/// The memory that every call takes: a few MiB, and one per thread.
const BASE: usize = (6 + THREADS) * MIB;
/// Lines of the command's input.
const LINES: usize = 200_000;

/// Lines with tags of this size, and the limit in MiB with which they are read.
const TAGGED_LINES: usize = 300;
const TAG: usize = MIB;
const LIMIT_WITH_TAGS: usize = 64;

/// Cases in which only a few rows fit into the limit: the limit and the size of each tag in MiB,
/// and the number of rows.
const LONG_ROWS: [(usize, usize, usize); 4] =
    [(32, 1, 64), (32, 3, 24), (32, 15, 8), (128, 15, 12)];
/// The number of copies of the longest row that may be in memory beyond the limit.
const COPIES_OF_A_ROW: usize = 5;

fn main() -> ExitCode {
    let tests = LIMITS.iter().map(|limit| {
        test(format!("command::{limit}_mib"), None, || {
            command(*limit, "text", LINES, write_text)
        })
    });
    let tags = test("command::tags".to_owned(), None, || {
        command(LIMIT_WITH_TAGS, "tags", TAGGED_LINES, write_tagged)
    });
    let names = test("command::names".to_owned(), None, || {
        command(LIMIT_WITH_TAGS, "names", TAGGED_LINES, write_named)
    });
    let tables = [
        test(
            "tables::adversarial_headers_stay_within_the_memory_limit".to_owned(),
            None,
            adversarial_headers_stay_within_the_memory_limit,
        ),
        test(
            "tables::adversarial_headers_of_tables_stay_within_the_memory_limit".to_owned(),
            None,
            adversarial_headers_of_tables_stay_within_the_memory_limit,
        ),
        test(
            "tables::wide_footers_and_long_lists_stay_within_the_memory_limit".to_owned(),
            None,
            wide_footers_and_long_lists_stay_within_the_memory_limit,
        ),
        test(
            "tables::repeated_values_stay_within_the_memory_limit".to_owned(),
            None,
            repeated_values_stay_within_the_memory_limit,
        ),
    ];
    let long_rows = LONG_ROWS.into_iter().map(|(limit, tag, rows)| {
        test(
            format!("command::rows_of_{tag}_mib_within_{limit}"),
            None,
            move || long_rows(limit, tag * MIB, rows),
        )
    });
    let node = test(
        "node::large_blocks".to_owned(),
        None,
        large_blocks_of_a_node_stay_within_the_memory_limit,
    );
    harness::run(
        tests
            .chain([tags, names, node])
            .chain(long_rows)
            .chain(tables)
            .collect(),
    )
}

fn write_text(file: File) {
    write_lines(file, LINES, "");
}

fn write_tagged(file: File) {
    write_lines(
        file,
        TAGGED_LINES,
        &format!("\"tag\":\"{}\",", "t".repeat(TAG)),
    );
}

/// Lines whose rejection names a member.
fn write_named(file: File) {
    write_lines(
        file,
        TAGGED_LINES,
        &format!("\"d{}igest\":\"00\",", "_".repeat(TAG)),
    );
}

/// Writes `lines` lines that begin with `field`.
fn write_lines(file: File, lines: usize, field: &str) {
    let line = format!("{{{field}\"digest\":\"")
        + &"5a".repeat(32)
        + "\",\"signature\":\""
        + &"11".repeat(64)
        + "\",\"public_key\":\"02";
    // Written directly, so that this process stays small.
    let mut file = BufWriter::new(file);
    (0..lines).for_each(|item| writeln!(file, "{line}{:064x}\"}}", item + 1).expect("writable"));
}

fn command(limit: usize, name: &str, lines: usize, write: fn(File)) {
    let folder =
        std::env::temp_dir().join(format!("gecc-memory-{}-{name}-{limit}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder is writable");
    let input = folder.join("input");
    let output = folder.join("output");
    write(File::create(&input).expect("writable"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_gecc"));
    command.args([
        "verify",
        "--curve",
        "secp256k1",
        "--engine",
        "cpu",
        "--threads",
        &THREADS.to_string(),
    ]);
    command
        .args(["--max-memory", &format!("{limit}M"), "-o"])
        .arg(&output)
        .arg(&input);
    let (_, peak) = child::run(command.stderr(Stdio::null()));
    let answers = BufReader::new(File::open(&output).expect("there are answers"))
        .split(b'\n')
        .count();
    std::fs::remove_dir_all(&folder).expect("the folder is this test's");
    eprintln!("{name}: {:.1} MiB of {limit}", peak as f64 / MIB as f64);
    assert_eq!(answers, lines);
    // The excess covers the program itself and its input and output buffers.
    assert!(
        peak <= limit * MIB + BASE + 24 * MIB,
        "{peak} bytes with a limit of {limit} MiB"
    );
}

/// Rows of JSON and of CSV to answers of every format, by few threads and by many.
fn long_rows(limit: usize, tag: usize, rows: usize) {
    let folder = folder("long-rows");
    let json = folder.path().join("rows.jsonl");
    write_lines(
        File::create(&json).expect("writable"),
        rows,
        &format!("\"tag\":\"{}\",", "t".repeat(tag)),
    );
    let csv = folder.path().join("rows.csv");
    write_csv(
        File::create(&csv).expect("writable"),
        rows,
        &"t".repeat(tag),
    );
    let calls = [
        (&json, "answers.jsonl", 2),
        (&json, "answers.parquet", 2),
        (&json, "answers.parquet", 8),
    ];
    let more = [
        (&json, "answers.arrow", 8),
        (&csv, "answers.csv", 8),
        (&csv, "answers.parquet", 2),
    ];
    for (input, output, threads) in calls.into_iter().chain(more) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gecc"));
        command.args([
            "verify",
            "--curve",
            "secp256k1",
            "--engine",
            "cpu",
            "--threads",
            &threads.to_string(),
        ]);
        command
            .args(["--max-memory", &format!("{limit}M"), "-o"])
            .arg(folder.path().join(output))
            .arg(input);
        let messages = folder.path().join("messages");
        let (code, peak) = child::run(command.stderr(File::create(&messages).expect("writable")));
        let message = std::fs::read_to_string(&messages).expect("text");
        eprintln!(
            "{} to {output}, {threads} threads: {:.1} MiB",
            input.display(),
            peak as f64 / MIB as f64
        );
        // All signatures are rejected.
        assert_eq!(code, Some(1), "{message}");
        let counts = format!("{rows} items");
        assert!(
            message.lines().any(|line| line.starts_with(&counts)),
            "{message}"
        );
        let most = (limit + 6 + threads + 24) * MIB + COPIES_OF_A_ROW * tag;
        assert!(
            peak <= most,
            "{output} of {tag} bytes a row, {threads} threads: {peak} bytes, at most {most}"
        );
    }
}

fn write_csv(file: File, rows: usize, tag: &str) {
    let mut file = BufWriter::new(file);
    writeln!(file, "tag,digest,signature,public_key").expect("writable");
    for item in 0..rows {
        let digest = "5a".repeat(32);
        let signature = "11".repeat(64);
        writeln!(file, "{tag},{digest},{signature},02{:064x}", item + 1).expect("writable");
    }
}

/// A node returns blocks of 4 MiB each, as many as are requested.
fn large_blocks_of_a_node_stay_within_the_memory_limit() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("bound"));
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || give_large_blocks(stream.expect("a connection")));
        }
    });
    const LIMIT: usize = 64;
    let mut command = Command::new(env!("CARGO_BIN_EXE_gecc"));
    command.args([
        "ethereum",
        "senders",
        "--engine",
        "cpu",
        "--threads",
        &THREADS.to_string(),
        "--rpc-url",
        &url,
    ]);
    command
        .args([
            "--from",
            "1",
            "--to",
            "40",
            "--max-memory",
            &format!("{LIMIT}M"),
        ])
        .stdout(Stdio::null());
    let (code, peak) = child::run(&mut command);
    eprintln!("blocks: {:.1} MiB of {LIMIT}", peak as f64 / MIB as f64);
    assert_eq!(code, Some(0));
    assert!(
        peak <= LIMIT * MIB + BASE + 24 * MIB,
        "{peak} bytes with a limit of {LIMIT} MiB"
    );
}

fn give_large_blocks(stream: TcpStream) -> io::Result<()> {
    let part = [b'0'; 1 << 16];
    let mut lines = BufReader::new(stream.try_clone()?);
    let mut to = stream;
    loop {
        let mut length = 0;
        let mut line = String::new();
        while lines.read_line(&mut line)? > 2 {
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().expect("a number");
            }
            line.clear();
        }
        let mut calls = vec![0; length];
        lines.read_exact(&mut calls)?;
        let calls: Vec<serde_json::Value> = serde_json::from_slice(&calls)?;
        write!(to, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")?;
        let mut put = |text: &[u8]| {
            to.write_all(&[format!("{:x}\r\n", text.len()).as_bytes(), text, b"\r\n"].concat())
        };
        for (place, call) in calls.iter().enumerate() {
            let before = if place == 0 { "[" } else { "," };
            put(format!(
                "{before}{{\"id\":{},\"result\":{{\"extraData\":\"",
                call["id"]
            )
            .as_bytes())?;
            (0..4 * MIB / part.len()).try_for_each(|_| put(&part))?;
            put(format!(
                "\",\"number\":{},\"transactions\":[]}}}}",
                call["params"][0]
            )
            .as_bytes())?;
        }
        put(b"]")?;
        to.write_all(b"0\r\n\r\n")?;
    }
}

/// The limit with which tables are read, and the maximum peak: 64 MiB above it.
const TABLE_LIMIT: usize = 100 * MIB;
const TABLE_PEAK: usize = TABLE_LIMIT + 64 * MIB;
/// The maximum time per table.
const TABLE_TIME: Duration = Duration::from_secs(20);

fn of_tables(arguments: &[&str]) -> Vec<String> {
    let threads = THREADS.to_string();
    let common = [
        "--engine",
        "cpu",
        "--threads",
        &threads,
        "--max-memory",
        "100M",
    ];
    arguments
        .iter()
        .chain(&common)
        .map(|argument| (*argument).to_owned())
        .collect()
}

/// Runs the command on a table with an address space of at most 4 GB. Returns its exit code and its
/// messages.
fn over_table(arguments: &[String], path: &Path, name: &str) -> (Option<i32>, String) {
    let messages = path.with_extension("messages");
    let mut command = Command::new("sh");
    command
        .args([
            "-c",
            "ulimit -v 4000000; exec \"$0\" \"$@\"",
            env!("CARGO_BIN_EXE_gecc"),
        ])
        .args(arguments)
        .arg(path);
    command
        .stdout(Stdio::null())
        .stderr(File::create(&messages).expect("writable"));
    let begin = Instant::now();
    let (code, peak) = child::run(&mut command);
    let message = std::fs::read_to_string(&messages).expect("text");
    let took = begin.elapsed();
    eprintln!(
        "{name}: {code:?}, {:.1} MiB, {took:.1?}",
        peak as f64 / MIB as f64
    );
    assert!(peak <= TABLE_PEAK, "{name}: {peak} bytes");
    assert!(took <= TABLE_TIME, "{name}: {took:?}");
    assert!(!message.contains("panicked"), "{name}: {message}");
    (code, message)
}

/// Creates a folder that is removed with its contents on drop.
fn folder(name: &str) -> tempfile::TempDir {
    tempfile::Builder::new()
        .prefix(&format!("gecc-memory-{name}"))
        .tempdir()
        .expect("the temporary folder is writable")
}

fn adversarial_headers_stay_within_the_memory_limit() {
    let folder = folder("headers");
    let verify = of_tables(&["verify", "--curve", "secp256k1"]);
    for (number, (name, bytes)) in synthetic::hostile().into_iter().enumerate() {
        let path = folder.path().join(format!("{number}.parquet"));
        std::fs::write(&path, bytes).expect("writable");
        let (code, message) = over_table(&verify, &path, &name);
        let is_reported = message.contains("Parquet") || message.contains("above the limit");
        assert!(code == Some(2) && is_reported, "{name}: {code:?} {message}");
    }
}

fn adversarial_headers_of_tables_stay_within_the_memory_limit() {
    let folder = folder("others");
    let path = folder.path().join("hostile.parquet");
    for name in [
        "a root of 2^31 - 1 children",
        "2^31 - 1 row groups as a number",
        "100000 groups in groups as field 65538",
    ] {
        let (_, bytes) = synthetic::hostile()
            .into_iter()
            .find(|(known, _)| known == name)
            .expect("a file of this name");
        std::fs::write(&path, bytes).expect("writable");
        let recover = of_tables(&["recover", "--curve", "secp256k1"]);
        let senders: Vec<String> = ["ethereum", "senders", "--engine", "cpu"]
            .map(str::to_owned)
            .into();
        for arguments in [recover, senders] {
            let (code, message) = over_table(&arguments, &path, name);
            assert!(
                matches!(code, Some(1 | 2)) && message.contains("Parquet"),
                "{name}: {code:?} {message}"
            );
        }
    }
}

/// A wide footer, and a long list in a page of some bytes.
fn wide_footers_and_long_lists_stay_within_the_memory_limit() {
    let folder = folder("much");
    let path = folder.path().join("much.parquet");
    let output = folder.path().join("output.parquet");
    let with_columns = of_tables(&[
        "verify",
        "--curve",
        "secp256k1",
        "--beside",
        "-o",
        output.to_str().expect("text"),
    ]);
    let files = [
        ("columns", synthetic::wide(200_000)),
        ("a list", synthetic::long_list(200_000_000)),
    ];
    for (name, bytes) in files {
        std::fs::write(&path, bytes).expect("writable");
        let (code, message) = over_table(&with_columns, &path, name);
        assert!(
            code == Some(2) && message.contains("above the limit"),
            "{name}: {code:?} {message}"
        );
    }
}

/// A value of a dictionary is stored once, but `--beside` repeats it in every row.
fn repeated_values_stay_within_the_memory_limit() {
    const ROWS: usize = 1024;
    let folder = folder("repeated");
    let path = folder.path().join("few.parquet");
    let output = folder.path().join("output.parquet");
    let with_columns = of_tables(&[
        "verify",
        "--curve",
        "secp256k1",
        "--beside",
        "-o",
        output.to_str().expect("text"),
    ]);
    for part in [Beside::Bytes, Beside::Struct, Beside::List] {
        std::fs::write(&path, synthetic::file_beside(part, ROWS, MIB)).expect("writable");
        let (code, message) = over_table(&with_columns, &path, &format!("{part:?}"));
        // None of the keys is valid.
        assert_eq!(code, Some(2), "{part:?}: {message}");
        assert!(
            message.contains("1024") || message.contains("1,024"),
            "{part:?}: {message}"
        );
    }
}

//! How much memory the command takes: never more than the limit and what docs/using.md says goes beyond, whatever the size of its
//! input.
//!
//! A process of its own for all of it: what this one has counts as the command's until that is loaded.

#[path = "../../../tests/harness/mod.rs"]
mod harness;

use harness::test;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::process::{Command, ExitCode, Stdio};

const MIB: usize = 1 << 20;
/// Limits in MiB: below and above those that allow the large tables of one, two and three curves.
const LIMITS: [usize; 9] = [0, 8, 48, 63, 64, 65, 128, 192, 256];
const THREADS: usize = 2;
/// What calls take in any case: a few MiB, and one for each thread.
const BASE: usize = (6 + THREADS) * MIB;
/// Lines of the command's input.
const LINES: usize = 200_000;

/// Lines with tags of this size, and the limit in MiB with which they are read.
const TAGGED_LINES: usize = 300;
const TAG: usize = MIB;
const LIMIT_WITH_TAGS: usize = 64;

fn main() -> ExitCode {
    let tests = LIMITS.iter().flat_map(|limit| {
        [
            test(format!("command::{limit}_mib"), None, || command(*limit, "text", LINES, write_text, &[])),
            test(format!("command::rows_{limit}_mib"), None, || command(*limit, "rows", LINES, write_rows, &ROWS)),
        ]
    });
    let tags =
        test("command::tags".to_owned(), None, || command(LIMIT_WITH_TAGS, "tags", TAGGED_LINES, write_tagged, &[]));
    harness::run(tests.chain([tags]).collect())
}

/// For what `write_rows` writes.
const ROWS: [&str; 4] = ["--format", "rows", "--layout", "digest:32,signature:64,public_key:33"];

fn write_text(file: File) {
    write_lines(file, LINES, "");
}

fn write_tagged(file: File) {
    write_lines(file, TAGGED_LINES, &format!("\"tag\":\"{}\",", "t".repeat(TAG)));
}

/// So many lines, which begin with some field.
fn write_lines(file: File, lines: usize, field: &str) {
    let line = format!("{{{field}\"digest\":\"")
        + &"5a".repeat(32)
        + "\",\"signature\":\""
        + &"11".repeat(64)
        + "\",\"public_key\":\"02";
    // Not in memory first, for the reason above.
    let mut file = BufWriter::new(file);
    (0..lines).for_each(|item| writeln!(file, "{line}{:064x}\"}}", item + 1).expect("writable"));
}

fn write_rows(file: File) {
    let mut rows = BufWriter::new(file);
    for item in 0..LINES {
        let mut row = [0x11; 129];
        row[96] = 2;
        row[121..].copy_from_slice(&(item as u64 + 1).to_be_bytes());
        rows.write_all(&row).expect("writable");
    }
}

fn command(limit: usize, name: &str, lines: usize, write: fn(File), arguments: &[&str]) {
    let folder = std::env::temp_dir().join(format!("gecc-memory-{}-{name}-{limit}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder is writable");
    let (input, output) = (folder.join("input"), folder.join("output"));
    write(File::create(&input).expect("writable"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_gecc"));
    command.args(["verify", "--curve", "secp256k1", "--engine", "cpu", "--threads", &THREADS.to_string()]);
    command.args(["--max-memory", &format!("{limit}M")]).args(arguments).arg("-o").arg(&output).arg(&input);
    let peak = peak_of(command.stderr(Stdio::null()));
    let answers = BufReader::new(File::open(&output).expect("there are answers")).split(b'\n').count();
    std::fs::remove_dir_all(&folder).expect("the folder is this test's");
    eprintln!("{name}: {:.1} MiB of {limit}", peak as f64 / MIB as f64);
    assert_eq!(answers, lines);
    // The command itself, and what it reads and writes at a time.
    assert!(peak <= limit * MIB + BASE + 24 * MIB, "{peak} bytes with a limit of {limit} MiB");
}

/// Runs a command, and gives the most memory that it had.
#[allow(clippy::zombie_processes, reason = "wait4 waits for it, and tells what it had")]
fn peak_of(command: &mut Command) -> usize {
    let child = command.spawn().expect("the command runs");
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    let mut status = 0;
    // SAFETY: both are writable, and the child is waited for nowhere else.
    let waited = unsafe { libc::wait4(child.id() as i32, &mut status, 0, usage.as_mut_ptr()) };
    assert_eq!(waited, child.id() as i32);
    // SAFETY: all zeros are a value, and the system has written one.
    (unsafe { usage.assume_init() }.ru_maxrss as usize) << 10
}

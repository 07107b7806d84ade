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
    let limits = LIMITS.map(|limit| test(format!("command::{limit}_mib"), None, move || command(limit, LINES, 0)));
    let tags = test("command::tags".to_owned(), None, || command(LIMIT_WITH_TAGS, TAGGED_LINES, TAG));
    harness::run(limits.into_iter().chain([tags]).collect())
}

/// Verifies so many lines, each with a tag of so many bytes.
fn command(limit: usize, lines_of_input: usize, tag: usize) {
    let folder = std::env::temp_dir().join(format!("gecc-memory-{}-{limit}-{tag}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder is writable");
    let (input, output) = (folder.join("input"), folder.join("output"));
    let line = "{\"tag\":\"".to_owned()
        + &"t".repeat(tag)
        + "\",\"digest\":\""
        + &"5a".repeat(32)
        + "\",\"signature\":\""
        + &"11".repeat(64)
        + "\",\"public_key\":\"02";
    // Not in memory first, for the reason above.
    let mut lines = BufWriter::new(File::create(&input).expect("writable"));
    (0..lines_of_input).for_each(|item| writeln!(lines, "{line}{:064x}\"}}", item + 1).expect("writable"));
    drop(lines);
    let mut command = Command::new(env!("CARGO_BIN_EXE_gecc"));
    command.args(["verify", "--curve", "secp256k1", "--engine", "cpu", "--threads", &THREADS.to_string()]);
    command.args(["--max-memory", &format!("{limit}M")]).arg("-o").arg(&output).arg(&input);
    let peak = peak_of(command.stderr(Stdio::null()));
    let answers = BufReader::new(File::open(&output).expect("there are answers")).split(b'\n').count();
    std::fs::remove_dir_all(&folder).expect("the folder is this test's");
    eprintln!("command: {:.1} MiB of {limit}", peak as f64 / MIB as f64);
    assert_eq!(answers, lines_of_input);
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

//! How much memory calls take beside their inputs and results: never more than the limit and what README says goes beyond.
//!
//! Each test is a process of its own, whose peak the operating system tells.

mod harness;

use gecc::{Backend, Engine, P256, Point, PublicKeys, Secp256k1, SecretKey, Sm2, ecdsa, keys, point, sm2};
use harness::test;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::process::{Command, ExitCode, Stdio};

const CHILD: &str = "GECC_TEST_MEMORY";
const MIB: usize = 1 << 20;
/// Limits in MiB: below and above those that allow the large tables of one, two and three curves.
const LIMITS: [usize; 9] = [0, 8, 48, 63, 64, 65, 128, 192, 256];
const THREADS: usize = 2;
/// What calls take in any case: a few MiB, and one for each thread.
const BASE: usize = (6 + THREADS) * MIB;
const ITEMS: usize = 150_000;
/// Lines of the command's input.
const LINES: usize = 200_000;

fn main() -> ExitCode {
    if let Ok(limit) = std::env::var(CHILD) {
        library(limit.parse().expect("a limit"));
        return ExitCode::SUCCESS;
    }
    let of_library = LIMITS.map(|limit| test(format!("library::{limit}_mib"), None, move || child(limit)));
    let of_command = LIMITS.map(|limit| test(format!("command::{limit}_mib"), None, move || command(limit)));
    harness::run(of_library.into_iter().chain(of_command).collect())
}

fn child(limit: usize) {
    let this = std::env::current_exe().expect("a running test has a file");
    let output = Command::new(this).env(CHILD, limit.to_string()).stderr(Stdio::piped()).output();
    let output = output.expect("this test can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A figure of this process in bytes.
fn status(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).expect("a figure");
    line.trim().trim_end_matches("kB").trim().parse::<usize>().expect("a number") << 10
}

/// Checks what a call takes beside its results.
fn check(name: &str, limit: usize, results: usize, call: impl FnOnce()) {
    // From here on the peak counts anew.
    std::fs::write("/proc/self/clear_refs", "5").expect("Linux");
    let before = status("VmRSS");
    call();
    let taken = status("VmHWM").saturating_sub(before + results);
    eprintln!("{name}: {:.1} MiB of {}", taken as f64 / MIB as f64, limit / MIB);
    assert!(taken <= limit + BASE, "{name}: {taken} bytes with a limit of {limit}");
}

fn library(limit: usize) {
    let limit = limit * MIB;
    let few = Engine::builder().backend(Backend::Cpu).threads(THREADS).max_memory(0).build().expect("two threads");
    let engine =
        Engine::builder().backend(Backend::Cpu).threads(THREADS).max_memory(limit).build().expect("two threads");
    let secret: Vec<SecretKey> = (0..ITEMS)
        .map(|item| {
            let mut key = [0x11; 32];
            key[24..].copy_from_slice(&(item as u64).to_be_bytes());
            SecretKey::from_bytes(key)
        })
        .collect();
    let digests: Vec<[u8; 32]> = secret.iter().map(|key| *key.expose_bytes()).collect();
    let public: Vec<Point> = keys::public_keys::<Secp256k1>(&few, &secret).unwrap().into_iter().flatten().collect();
    let signed = ecdsa::sign_recoverable::<Secp256k1>(&few, &digests, &secret, Default::default()).unwrap();
    let (signatures, ids): (Vec<[u8; 64]>, Vec<u8>) =
        signed.into_iter().flatten().map(|signed| (signed.signature, signed.recovery_id)).unzip();
    // A result takes at most so much, and a fresh page or two besides.
    let results = |bytes: usize| bytes * ITEMS + (64 << 10);

    let verify = |keys: &[Point]| {
        let keys = PublicKeys::points(keys);
        let verdicts = ecdsa::verify::<Secp256k1>(&engine, &digests, &signatures, keys, Default::default()).unwrap();
        verdicts.rejected().count()
    };
    check("verify", limit, results(2), || assert_eq!(verify(&public), 0));
    // A thousand keys, each with its table where there is room.
    let repeated: Vec<Point> = (0..ITEMS).map(|item| public[item % 1000]).collect();
    check("verify with 1000 keys", limit, results(2), || assert_eq!(verify(&repeated), ITEMS - 1000));
    check("recover", limit, results(66), || {
        assert_eq!(ecdsa::recover::<Secp256k1>(&engine, &digests, &signatures, &ids).unwrap().len(), ITEMS);
    });
    check("sign", limit, results(66), || {
        assert_eq!(ecdsa::sign::<P256>(&engine, &digests, &secret, Default::default()).unwrap().len(), ITEMS);
    });
    // The large tables of all curves together.
    check("mul_base", limit, results(66), || {
        assert_eq!(point::mul_base::<P256>(&engine, &digests).unwrap().len(), ITEMS);
        engine.warm_up::<P256>().unwrap();
    });
    check("mul_base", limit, results(66), || {
        assert_eq!(point::mul_base::<Sm2>(&engine, &digests).unwrap().len(), ITEMS);
        engine.warm_up::<Sm2>().unwrap();
    });
    check("sm2", limit, results(66), || assert_eq!(sm2::sign(&engine, &digests, &secret).unwrap().len(), ITEMS));
}

/// The command keeps to the limit, whatever the size of its input.
fn command(limit: usize) {
    let folder = std::env::temp_dir().join(format!("gecc-memory-{}-{limit}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder is writable");
    let (input, output) = (folder.join("input"), folder.join("output"));
    let line = "{\"digest\":\"".to_owned()
        + &"5a".repeat(32)
        + "\",\"signature\":\""
        + &"11".repeat(64)
        + "\",\"public_key\":\"02";
    // Not in memory first: what this process has counts as the command's until that is loaded.
    let mut lines = BufWriter::new(File::create(&input).expect("writable"));
    (0..LINES).for_each(|item| writeln!(lines, "{line}{:064x}\"}}", item + 1).expect("writable"));
    drop(lines);
    let mut command = Command::new(env!("CARGO_BIN_EXE_gecc"));
    command.args(["verify", "--curve", "secp256k1", "--engine", "cpu", "--threads", "2"]);
    command.args(["--max-memory", &format!("{limit}M")]).arg("-o").arg(&output).arg(&input);
    let peak = peak_of(command.stderr(Stdio::null()));
    let answers = std::fs::read_to_string(&output).expect("there are answers").lines().count();
    std::fs::remove_dir_all(&folder).expect("the folder is this test's");
    eprintln!("command: {:.1} MiB of {limit}", peak as f64 / MIB as f64);
    assert_eq!(answers, LINES);
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

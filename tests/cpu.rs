//! The suite on the CPU engine: with every core and without limits, and once more with one thread, little memory and
//! portable code.

mod harness;
mod suite;

use gecc::{Backend, Engine};
use std::process::{Command, ExitCode};
use std::sync::LazyLock;

/// Set in the process that runs with little memory.
const LIMITED: &str = "GECC_TEST_LIMITED";
/// What runs there: the tests of the batch arithmetic.
const SUBJECTS: [&str; 6] = ["edge_verify", "large_x", "point_", "poisoned_points", "poisoned_verify", "repeated_keys"];

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let builder = Engine::builder().backend(Backend::Cpu);
    let builder = if is_limited() { builder.threads(1).max_memory(1 << 20).portable(true) } else { builder };
    builder.build().expect("threads can be started")
});

fn is_limited() -> bool {
    std::env::var_os(LIMITED).is_some()
}

fn main() -> ExitCode {
    let on_cpu = suite::tests().map(|(name, run)| harness::test(name, None, move || run(&ENGINE)));
    let mut tests: Vec<_> = on_cpu.collect();
    if is_limited() {
        tests.retain(|test| SUBJECTS.iter().any(|subject| test.name().starts_with(subject)));
    } else {
        tests.extend(harness::tests(None, harness::named![with_one_thread_and_little_memory]));
    }
    harness::run(tests)
}

/// The engine keeps its large tables for the whole process, once it has any. What it does without them, for small batches
/// and under a memory limit, is therefore tested in a process of its own.
fn with_one_thread_and_little_memory() {
    let this = std::env::current_exe().expect("a running test has a file");
    let output = Command::new(this).env(LIMITED, "1").output().expect("this test can be started");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    // A change of names must not leave the process without tests.
    let passed = text.lines().filter(|line| line.ends_with("... ok")).count();
    assert!(passed >= 20, "only {passed} tests ran:\n{text}");
}

//! The suite on each engine: on the CPU with every core and without limits, and once more with one
//! thread, little memory and portable code; and on all GPUs.

mod harness;

mod bip340;
mod ecdh;
mod ecdsa;
mod ed25519;
mod engine;
mod hashing;
mod keys;
mod list;
mod points;
mod secrets;
mod silent_payments;
mod sm2;
mod support;

use gecc::{Backend, Engine};
use harness::Test;
use harness::needs::{self, Need};
use std::env;
use std::process::{Command, ExitCode};
use std::sync::LazyLock;

/// Set in the process that runs with little memory, in which only these tests use engines.
const LIMITED: &str = "GECC_TEST_LIMITED";
/// The subjects that run there: the tests of the batch arithmetic.
const SUBJECTS: [&str; 7] = [
    "ecdsa::edge_cases",
    "ecdsa::isolated_verification",
    "ecdsa::large_x",
    "ecdsa::repeated_keys",
    "points::arithmetic",
    "points::isolation",
    "points::vectors",
];

static CPU: LazyLock<Engine> = LazyLock::new(|| {
    Engine::builder()
        .backend(Backend::Cpu)
        .build()
        .expect("threads can be started")
});

static LIMITED_CPU: LazyLock<Engine> = LazyLock::new(|| {
    let builder = Engine::builder()
        .backend(Backend::Cpu)
        .threads(1)
        .max_memory(1 << 20)
        .portable(true);
    builder.build().expect("a thread can be started")
});

static GPU: LazyLock<Engine> = LazyLock::new(|| {
    Engine::builder()
        .backend(Backend::Gpu)
        .build()
        .expect("the GPUs can be used")
});

fn main() -> ExitCode {
    harness::run(tests())
}

fn tests() -> Vec<Test> {
    if env::var_os(LIMITED).is_some() {
        let subjects = list::tests()
            .filter(|(name, _)| SUBJECTS.iter().any(|subject| name.starts_with(subject)));
        return on("cpu", &LIMITED_CPU, None, subjects);
    }
    let mut tests = on("cpu", &CPU, None, list::tests());
    tests.extend(harness::tests(
        None,
        harness::named![with_one_thread_and_little_memory],
    ));
    tests.extend(on("gpu", &GPU, Some(&needs::GPU), list::tests()));
    tests
}

fn on(
    engine_name: &str,
    engine: &'static LazyLock<Engine>,
    need: Option<&'static Need>,
    tests: impl Iterator<Item = list::Test>,
) -> Vec<Test> {
    tests
        .map(|(name, run)| {
            harness::test(format!("{engine_name}::{name}"), need, move || run(engine))
        })
        .collect()
}

/// The engine keeps its large tables for the whole process, once it has any. Its behaviour without
/// them, for small batches and under a memory limit, is therefore tested in a process of its own.
fn with_one_thread_and_little_memory() {
    let this = env::current_exe().expect("a running test has a file");
    let output = Command::new(this)
        .arg("cpu::")
        .env(LIMITED, "1")
        .output()
        .expect("this test can be started");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    // A change of names must not leave the process without tests.
    let passed = text.lines().filter(|line| line.ends_with("... ok")).count();
    assert!(passed >= 20, "only {passed} tests ran:\n{text}");
}

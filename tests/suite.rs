//! The tests that every engine has to pass, in one folder per subject: on the CPU with every core
//! and without limits, once more with one thread, little memory and portable code, and on all GPUs.
//!
//! Tests are declared where they are written (`declare`). Items are checked against the RustCrypto
//! crates, one at a time (`support::reference`), or are valid or invalid by construction
//! (`support::scheme`).

mod harness;

mod bip340;
mod cases;
mod declare;
mod ecdh;
mod ecdsa;
mod ed25519;
mod edwards25519;
mod engine;
mod hashing;
mod keys;
mod masking;
mod oprf;
mod points;
mod ristretto255;
mod secrets;
mod silent_payments;
mod sm2;
mod support;
mod x25519;

use declare::{Declared, Test as Function, declared};
use gecc::{Backend, Engine};
use harness::Test;
use harness::needs::{self, Need};
use std::env;
use std::process::{Command, ExitCode};
use std::sync::LazyLock;

/// Set in the process that runs with little memory, in which only these tests use engines.
const LIMITED: &str = "GECC_TEST_LIMITED";
/// The subjects that run there: the tests of the batch arithmetic.
const SUBJECTS: [&str; 11] = [
    "ecdsa::edge_cases",
    "ecdsa::isolated_verification",
    "ecdsa::large_x",
    "ecdsa::repeated_keys",
    "edwards25519",
    "points::arithmetic",
    "points::isolation",
    "points::vectors",
    "ristretto255",
    "sm2::shared_with_ecdsa",
    "x25519",
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
    let declared = declared();
    if env::var_os(LIMITED).is_some() {
        let selected: Vec<_> = declared
            .into_iter()
            .filter(|test| {
                SUBJECTS
                    .iter()
                    .any(|subject| test.path().starts_with(subject))
            })
            .collect();
        return on("cpu", &LIMITED_CPU, None, &selected);
    }
    let mut tests = on("cpu", &CPU, None, &declared);
    tests.extend(harness::tests(
        None,
        harness::named![with_one_thread_and_little_memory],
    ));
    tests.extend(on("gpu", &GPU, Some(&needs::GPU), &declared));
    tests.extend(without_engine(&declared));
    tests
}

/// Returns the tests of every engine on this one.
fn on(
    engine_name: &str,
    engine: &'static LazyLock<Engine>,
    need: Option<&'static Need>,
    declared: &[&Declared],
) -> Vec<Test> {
    let mut tests = Vec::new();
    for test in declared {
        if let Function::OnEveryEngine(run) = test.test {
            let name = format!("{engine_name}::{}", test.path());
            tests.push(harness::test(name, need, move || run(engine)));
        }
    }
    tests
}

/// Returns the tests that need no engine.
fn without_engine(declared: &[&Declared]) -> Vec<Test> {
    let mut tests = Vec::new();
    for test in declared {
        if let Function::Once(run) = test.test {
            tests.push(harness::test(test.path(), None, run));
        }
    }
    tests
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

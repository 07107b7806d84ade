//! Bitcoin, Ethereum and certificates on every engine, the examples for them, and the selection of
//! files in folders.

#[path = "../../../../tests/harness/mod.rs"]
mod harness;

#[path = "../../../../tests/harness/programs.rs"]
mod programs;

#[path = "../../../../tests/harness/random.rs"]
mod random;

mod bitcoin;
mod certificates;
mod ethereum;
mod examples;
#[cfg(unix)]
mod folders;
mod support;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut tests = examples::tests();
    #[cfg(unix)]
    tests.extend(folders::tests());
    tests.extend(bitcoin::tests());
    tests.extend(certificates::tests());
    tests.extend(ethereum::tests());
    harness::run(tests)
}

//! The first level of the library's tests: the suite on each engine, the public interface as a new user meets it, the
//! examples, modular arithmetic, and the layering of modules.

#[path = "../harness/mod.rs"]
mod harness;

#[path = "../harness/programs.rs"]
mod programs;

#[path = "../harness/random.rs"]
mod random;

#[path = "../suite/mod.rs"]
mod suite;

mod engines;
mod examples;
mod getting_started;
mod layering;
mod modular;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut tests = engines::tests();
    tests.extend(getting_started::tests());
    tests.extend(examples::tests());
    tests.extend(layering::tests());
    tests.extend(modular::tests());
    harness::run(tests)
}

//! The first level of the library's tests, in addition to the suite on each engine
//! (`tests/suite.rs`): the public interface as a new user meets it, the examples, modular
//! arithmetic, the numbers of verdicts, and the layering of modules.

#[path = "../harness/mod.rs"]
mod harness;

#[path = "../harness/programs.rs"]
mod programs;

#[path = "../harness/random.rs"]
mod random;

mod audit;
mod curves;
mod examples;
mod generated;
mod getting_started;
#[path = "../../tools/layering/mod.rs"]
mod layering;
mod modular;
mod private_set_intersection;
mod verdict_codes;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut tests = getting_started::tests();
    tests.extend(audit::tests());
    tests.extend(curves::tests());
    tests.extend(examples::tests());
    tests.extend(generated::tests());
    tests.extend(layering::tests());
    tests.extend(modular::tests());
    tests.extend(private_set_intersection::tests());
    tests.extend(verdict_codes::tests());
    harness::run(tests)
}

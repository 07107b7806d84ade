//! Tests that are listed when they run, so that what this machine lacks counts as ignored, with the reason.

use libtest_mimic::{Arguments, Failed, Trial};
use std::process::ExitCode;

/// What a test needs and this machine lacks.
#[derive(Clone, Debug)]
pub struct Missing {
    /// What was looked for and not found.
    pub problem: String,
    /// The environment variable that makes its absence a failure.
    pub variable: &'static str,
}

/// A test that runs unless something is missing. Then it counts as ignored, or fails where the variable is 1.
pub fn test(name: impl Into<String>, missing: Option<Missing>, run: impl FnOnce() + Send + 'static) -> Trial {
    let Some(Missing { problem, variable }) = missing else {
        return Trial::test(name, move || {
            run();
            Ok(())
        });
    };
    let required = std::env::var(variable).as_deref() == Ok("1");
    let reason = format!("{problem}; {variable}=1 makes that a failure");
    let kind = problem.clone();
    Trial::test(name, move || Err(Failed::from(reason))).with_kind(kind).with_ignored_flag(!required)
}

/// Runs the tests that the command line asks for.
pub fn run(tests: Vec<Trial>) -> ExitCode {
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

/// What is missing where there is no GPU.
#[allow(dead_code, reason = "not every list of tests has some for a GPU")]
pub fn without_gpu() -> Option<Missing> {
    use gecc::{Backend, Engine, Error};
    match Engine::builder().backend(Backend::Gpu).build() {
        Err(Error::NoDevice(problem)) => Some(Missing { problem, variable: "GECC_REQUIRE_GPU" }),
        // Whatever else is wrong is for the tests to find.
        _ => None,
    }
}

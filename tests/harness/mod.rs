//! Tests that are listed when they run, so that what this machine lacks counts as ignored, with the reason.

#![allow(dead_code, unused_imports, unused_macros, reason = "each list of tests uses a part")]

pub mod needs;

use libtest_mimic::{Arguments, Completion, Trial};
use needs::Need;
use std::process::ExitCode;

/// Something by its name.
pub type Named<T> = (&'static str, T);

/// Functions by their names.
macro_rules! named {
    ($($(#[$attribute:meta])* $function:path),* $(,)?) => {
        [$($(#[$attribute])* (stringify!($function), $function)),*]
    };
}
pub(crate) use named;

/// A test that runs unless what it needs is missing. Then it counts as ignored, or fails where the variable of the need
/// is 1.
pub fn test(name: impl Into<String>, need: Option<&'static Need>, run: impl FnOnce() + Send + 'static) -> Trial {
    Trial::ignorable_test(name, move || {
        let Some((problem, variable)) = need.and_then(Need::missing) else {
            run();
            return Ok(Completion::Completed);
        };
        match std::env::var(variable).as_deref() {
            Ok("1") => Err(format!("{variable}=1, and {problem}").into()),
            _ => Ok(Completion::ignored_with(format!("{problem}; {variable}=1 makes that a failure"))),
        }
    })
}

/// Tests that need the same.
pub fn tests<const N: usize>(need: Option<&'static Need>, tests: [Named<fn()>; N]) -> Vec<Trial> {
    tests.map(|(name, run)| test(name, need, run)).into()
}

/// Runs the tests that the command line asks for.
pub fn run(tests: Vec<Trial>) -> ExitCode {
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

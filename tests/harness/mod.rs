//! Tests that are listed at run time, so that tests whose requirements this machine lacks count as
//! ignored, with the reason.

#![allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "each list of tests uses a part"
)]

pub mod needs;

use libtest_mimic::{Arguments, Completion, Trial};
use needs::{Missing, Need};
use std::process::ExitCode;
use std::ptr;

/// A value with its name.
pub type Named<T> = (&'static str, T);

/// Pairs functions with their names.
macro_rules! named {
    ($($(#[$attribute:meta])* $function:path),* $(,)?) => {
        [$($(#[$attribute])* (stringify!($function), $function)),*]
    };
}
pub(crate) use named;

/// A test, and its requirements on the machine.
pub struct Test {
    trial: Trial,
    need: Option<&'static Need>,
}

impl Test {
    /// Marks a test that takes too long to run by default.
    pub fn long(self) -> Test {
        Test {
            trial: self.trial.with_kind("takes long").with_ignored_flag(true),
            ..self
        }
    }
}

/// Returns a test that runs unless its requirement is missing. Then it counts as ignored, or fails
/// if the variable of the need is 1.
pub fn test(
    name: impl Into<String>,
    need: Option<&'static Need>,
    run: impl FnOnce() + Send + 'static,
) -> Test {
    let trial = Trial::ignorable_test(name, move || match need.and_then(Need::missing) {
        None => {
            run();
            Ok(Completion::Completed)
        }
        Some(Missing::Ignored(reason)) => Ok(Completion::ignored_with(reason)),
        Some(Missing::Failed(reason)) => Err(reason.into()),
    });
    Test { trial, need }
}

/// Returns tests with the same requirement.
pub fn tests<const N: usize>(need: Option<&'static Need>, tests: [Named<fn()>; N]) -> Vec<Test> {
    tests.map(|(name, run)| test(name, need, run)).into()
}

/// Runs the tests that the command line selects. Tests that a machine cannot run are reported once
/// per missing requirement, with their number.
pub fn run(tests: Vec<Test>) -> ExitCode {
    let mut arguments = Arguments::from_args();
    if arguments.list {
        let trials = tests.into_iter().map(|test| test.trial).collect();
        return libtest_mimic::run(&arguments, trials).exit_code();
    }
    let selected = tests
        .into_iter()
        .filter(|test| !arguments.is_filtered_out(&test.trial));
    let with_long = arguments.ignored || arguments.include_ignored;
    let trials = summarize(selected, |test| !test.trial.has_ignored_flag() || with_long);
    // The selection is made, and must not be applied to the names of the summaries.
    arguments.filter = None;
    arguments.skip.clear();
    arguments.include_ignored = with_long;
    arguments.ignored = false;
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Replaces tests that would be ignored by one for each missing requirement.
fn summarize(tests: impl Iterator<Item = Test>, would_run: impl Fn(&Test) -> bool) -> Vec<Trial> {
    let mut trials = Vec::new();
    let mut missing: Vec<(&'static Need, String, Vec<Trial>)> = Vec::new();
    for test in tests {
        let need = test.need.filter(|_| would_run(&test));
        let Some((need, Missing::Ignored(reason))) =
            need.and_then(|need| Some((need, need.missing()?)))
        else {
            trials.push(test.trial);
            continue;
        };
        match missing.iter_mut().find(|(other, ..)| ptr::eq(*other, need)) {
            Some((_, _, ignored)) => ignored.push(test.trial),
            None => missing.push((need, reason, vec![test.trial])),
        }
    }
    for (need, reason, mut ignored) in missing {
        if ignored.len() == 1 {
            trials.append(&mut ignored);
            continue;
        }
        let name = format!("{}: {} tests not run", need.name(), ignored.len());
        trials.push(Trial::ignorable_test(name, || {
            Ok(Completion::ignored_with(reason))
        }));
    }
    trials
}

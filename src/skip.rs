//! Tests that need what not every machine has, here and in `tests/`.

use std::fmt::Display;
use std::io::Write;

/// What was found; where it was not, the reason is printed, and with `variable` set to 1 it is a failure.
pub fn without<T>(found: Result<T, impl Display>, variable: &str) -> Option<T> {
    let problem = match found {
        Ok(found) => return Some(found),
        Err(problem) => problem,
    };
    assert!(std::env::var(variable).as_deref() != Ok("1"), "{variable}=1, and {problem}");
    // Unlike `eprintln!`, this is shown of tests that pass too.
    writeln!(std::io::stderr(), "skipped: {problem}. {variable}=1 makes that a failure.").expect("stderr is open");
    None
}

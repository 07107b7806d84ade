//! Why a command ended early, and what is said on standard error.

use std::io::{self, Write};

/// Why a command ended early.
pub enum Failure {
    /// Nobody reads the output any more: no error, but no reason to go on.
    ClosedPipe,
    Problem(String),
}

/// For writing the output; errors of the input are described where they arise.
impl From<io::Error> for Failure {
    fn from(problem: io::Error) -> Self {
        match problem.kind() {
            io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Failure::Problem(format!("writing the output: {problem}")),
        }
    }
}

impl From<gecc::Error> for Failure {
    fn from(problem: gecc::Error) -> Self {
        Failure::Problem(problem.to_string())
    }
}

impl From<String> for Failure {
    fn from(problem: String) -> Self {
        Failure::Problem(problem)
    }
}

/// Says something on standard error. Unlike `eprintln!`, does not panic where that is closed.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

//! Exit codes, and the reasons for which a command ends early.

use crate::messages::note;
use std::io;
use std::process::ExitCode;

// Exit codes.
pub const ALL_PASSED: u8 = 0;
pub const SOME_REJECTED: u8 = 1;
pub const COULD_NOT_RUN: u8 = 2;
/// The exit code that shells expect of a program whose output is no longer read.
pub const CLOSED_PIPE: u8 = 141;

/// Converts the result of a program to its exit code, and reports a failure on standard error under
/// the program's name.
pub fn exit(program: &str, ended: Result<u8, Failure>) -> ExitCode {
    ExitCode::from(match ended {
        Ok(code) => code,
        Err(Failure::ClosedPipe) => CLOSED_PIPE,
        Err(Failure::Problem(problem)) => {
            note(&format!("{program}: {problem}"));
            COULD_NOT_RUN
        }
    })
}

/// The reason for which a command ended early.
pub enum Failure {
    /// The reader of the output is gone. This is not an error, but there is no reason to go on.
    ClosedPipe,
    Problem(String),
}

/// Converts errors of writing the output; errors of the input are described where they arise.
impl From<io::Error> for Failure {
    fn from(problem: io::Error) -> Self {
        match problem.kind() {
            io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Failure::Problem(written(&problem)),
        }
    }
}

/// Describes an error of writing the output.
pub fn written(problem: &io::Error) -> String {
    let why = match problem.kind() {
        io::ErrorKind::StorageFull => "the disk is full: ",
        io::ErrorKind::QuotaExceeded => "the user may have no more on the disk: ",
        io::ErrorKind::FileTooLarge => {
            "the file has the size that `ulimit -f` or the file system allows: "
        }
        _ => "",
    };
    format!("writing the output: {why}{problem}")
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

//! The command line of gecc: batches of signatures, keys and points from files and pipes.

mod bench;
#[cfg(feature = "chains")]
mod chains;
mod commands;
mod curve;
mod draw;
mod flags;
mod input;
mod installed;
mod job;
mod memory;
mod output;
mod secrets;
#[cfg(all(feature = "arrow", feature = "chains"))]
mod silent;
mod threads;

use clap::{CommandFactory, Parser};
#[cfg(feature = "chains")]
use commands::{bitcoin, certificates, ethereum};
use commands::{doctor, ecdh, kernels, pubkey, recover, sign, verify};
use flags::{Arguments, Command};
use output::{Failure, note};
use std::io::Write;
use std::process::ExitCode;

// Exit codes.
const ALL_PASSED: u8 = 0;
const SOME_REJECTED: u8 = 1;
const COULD_NOT_RUN: u8 = 2;
/// Nothing was rejected, and some of what was asked about could not be checked.
#[cfg(feature = "chains")]
const NOT_CHECKED: u8 = 3;
/// What a shell expects of a program that ended by Ctrl-C, or because nobody reads its output.
const INTERRUPTED: u8 = 130;
const CLOSED_PIPE: u8 = 141;

fn main() -> ExitCode {
    memory::keep_freed();
    #[cfg(feature = "arrow")]
    say_nothing_of_caught_panics();
    match run(Arguments::parse()) {
        Ok(code) => ExitCode::from(code),
        Err(Failure::ClosedPipe) => ExitCode::from(CLOSED_PIPE),
        Err(Failure::Problem(problem)) => {
            note(&format!("gecc: {problem}"));
            ExitCode::from(COULD_NOT_RUN)
        }
    }
}

/// A decoder that panics on a broken file gives an error, which says enough.
#[cfg(feature = "arrow")]
fn say_nothing_of_caught_panics() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !gecc_arrow::catches_panics() {
            hook(panic);
        }
    }));
}

fn run(arguments: Arguments) -> Result<u8, Failure> {
    match arguments.command {
        Command::Verify(options) => verify::run(options),
        Command::Recover(options) => recover::run(options),
        Command::Sign(options) => sign::run(options),
        Command::Ecdh(options) => ecdh::run(options),
        Command::Pubkey(options) => pubkey::run(options),
        #[cfg(feature = "chains")]
        Command::Ethereum(command) => ethereum::run(command),
        #[cfg(feature = "chains")]
        Command::Bitcoin(command) => bitcoin::run(command),
        #[cfg(feature = "chains")]
        Command::Certificates(options) => certificates::run(options),
        Command::Bench(options) => bench::run(options),
        Command::Kernels(command) => kernels::run(command),
        Command::Doctor { kernels } => doctor::run(kernels),
        Command::Completions { shell } => {
            // It panics where it cannot write.
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "gecc", &mut script);
            std::io::stdout().write_all(&script)?;
            Ok(ALL_PASSED)
        }
    }
}

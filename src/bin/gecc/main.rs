//! The command line of gecc: batches of signatures, keys and points from files and pipes.

mod args;
mod bars;
mod bench;
mod doctor;
mod ecdh;
mod fields;
#[cfg(test)]
mod freed;
mod input;
mod kernels;
mod keyfile;
mod lines;
mod memory;
mod methods;
mod output;
mod plot;
mod pubkey;
mod queue;
mod recover;
mod rows;
mod sign;
#[path = "../../stack.rs"]
mod stack;
mod stream;
mod verify;
mod wiped;

use args::{Arguments, BenchCommand, BenchOptions, Command};
use clap::{CommandFactory, Parser};
use output::{Failure, note};
use std::io::Write;
use std::process::ExitCode;

// Exit codes.
const ALL_PASSED: u8 = 0;
const SOME_REJECTED: u8 = 1;
const COULD_NOT_RUN: u8 = 2;

fn main() -> ExitCode {
    memory::keep_freed();
    match run(Arguments::parse()) {
        Ok(code) => ExitCode::from(code),
        Err(Failure::ClosedPipe) => ExitCode::from(ALL_PASSED),
        Err(Failure::Problem(problem)) => {
            note(&format!("gecc: {problem}"));
            ExitCode::from(COULD_NOT_RUN)
        }
    }
}

fn run(arguments: Arguments) -> Result<u8, Failure> {
    match arguments.command {
        Command::Verify(options) => verify::run(options),
        Command::Recover(options) => recover::run(options),
        Command::Sign(options) => sign::run(options),
        Command::Ecdh(options) => ecdh::run(options),
        Command::Pubkey(options) => pubkey::run(options),
        Command::Bench(BenchOptions { command: Some(BenchCommand::Methods(options)), .. }) => methods::run(options),
        Command::Bench(options) => bench::run(options),
        Command::Kernels(command) => kernels::run(command),
        Command::Doctor => doctor::run(),
        Command::Completions { shell } => {
            // It panics where it cannot write.
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "gecc", &mut script);
            std::io::stdout().write_all(&script)?;
            Ok(ALL_PASSED)
        }
    }
}

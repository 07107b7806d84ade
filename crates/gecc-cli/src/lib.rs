//! The command `gecc`: batches of signatures, keys and points from files and pipes.
//!
//! The public items (options, exit codes and measuring) are for the benchmarks of this repository
//! and are not stable. Programs should use the crate `gecc`.
#![allow(missing_docs, reason = "for the packages of one repository")]

pub mod allocator;
#[cfg(feature = "chains")]
mod chains;
mod commands;
pub mod curve;
pub mod engine;
pub mod failure;
mod flags;
mod input;
pub mod installation;
mod interrupt;
mod job;
pub mod measure;
pub mod messages;
#[cfg(feature = "chains")]
mod node;
mod operation;
mod output;
mod secrets;
#[cfg(all(feature = "arrow", feature = "chains"))]
mod silent_payments;
mod standard_streams;

use clap::{CommandFactory, FromArgMatches};
use commands::{bench, doctor, kernels, keys, masks, signatures};
#[cfg(feature = "chains")]
use commands::{bitcoin, certificates, ethereum};
#[cfg(feature = "chains")]
use failure::COULD_NOT_RUN;
use failure::{ALL_PASSED, CLOSED_PIPE, SOME_REJECTED};
use flags::{Arguments, Command, GivenOptions};
use output::Failure;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

// Exit codes in addition to those of `failure`.
/// Nothing was rejected, but some items could not be checked.
#[cfg(feature = "chains")]
const NOT_CHECKED: u8 = 3;

/// Runs the command with the arguments of the process.
pub fn main() -> ExitCode {
    allocator::keep_freed();
    interrupt::ignore_limit_of_files();
    #[cfg(feature = "arrow")]
    say_nothing_of_caught_panics();
    failure::exit(
        "gecc",
        arguments().and_then(|(arguments, given)| run(arguments, &given)),
    )
}

/// Parses the arguments. The error messages of clap quote arguments, which may be private keys.
fn arguments() -> Result<(Arguments, GivenOptions), Failure> {
    messages::hide_secret_arguments();
    let matches = Arguments::command().try_get_matches().map_err(refusal)?;
    let arguments = Arguments::from_arg_matches(&matches).map_err(refusal)?;
    Ok((arguments, GivenOptions::of(&matches)))
}

/// Returns the failure for arguments that clap refuses, or prints the help that was requested and
/// exits.
fn refusal(problem: clap::Error) -> Failure {
    if !problem.use_stderr() {
        return match print_help(&problem) {
            Ok(()) => std::process::exit(ALL_PASSED.into()),
            Err(failure) => failure,
        };
    }
    let text = problem.render().to_string();
    match messages::without_secrets(&text) {
        Some(text) => Failure::Problem(text.trim_start_matches("error: ").trim_end().to_owned()),
        None => problem.exit(),
    }
}

/// Prints the help or the version, which clap does without reporting errors.
fn print_help(requested: &clap::Error) -> Result<(), Failure> {
    standard_streams::require_output()?;
    requested.print()?;
    io::stdout().flush()?;
    Ok(())
}

/// The message of a build without the feature `arrow` if Parquet or Arrow is needed.
#[cfg(not(feature = "arrow"))]
const WITHOUT_TABLES: &str = "this gecc was built without Parquet and Arrow, which archives, wheels and \
                              `cargo install --path crates/gecc-cli --features arrow` have";

/// Silences the panics of decoders on malformed files. They are caught and reported as errors,
/// which is enough.
#[cfg(feature = "arrow")]
fn say_nothing_of_caught_panics() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !gecc_arrow::catches_panics() {
            hook(panic);
        }
    }));
}

fn run(arguments: Arguments, given: &GivenOptions) -> Result<u8, Failure> {
    messages::listen(arguments.verbose)?;
    if arguments.command.prints() {
        standard_streams::require_output()?;
    }
    match arguments.command {
        Command::Verify(options) => signatures::verify(options, given),
        Command::Recover(options) => signatures::recover(options),
        Command::Sign(options) => signatures::sign(options, given),
        Command::Ecdh(options) => keys::ecdh(options),
        Command::Pubkey(options) => keys::pubkey(options, given),
        Command::Mask(options) => masks::mask(options),
        Command::Unmask(options) => masks::unmask(options),
        #[cfg(feature = "chains")]
        Command::Ethereum(command) => ethereum::run(command),
        #[cfg(feature = "chains")]
        Command::Bitcoin(command) => bitcoin::run(command),
        #[cfg(feature = "chains")]
        Command::Certificates(options) => certificates::run(options),
        Command::Bench(options) => bench::run(&options),
        Command::Kernels(command) => kernels::run(command),
        Command::Doctor(options) => doctor::run(&options),
        Command::Completions { shell } => {
            // `generate` panics if it cannot write.
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "gecc", &mut script);
            io::stdout().write_all(&script)?;
            Ok(ALL_PASSED)
        }
        Command::Man { folder } => {
            write_manual(&folder).map_err(|problem| messages::path_error(&folder, problem))?;
            Ok(ALL_PASSED)
        }
    }
}

/// Writes the pages of the manual to a folder, which is created if necessary.
fn write_manual(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    clap_mangen::generate_to(Arguments::command(), folder)
}

//! Measurements of gecc beyond `gecc bench`: individual kernels, variants and methods of
//! arithmetic, the command on files, the coalescer under load, and the start of a process.

mod ablations;
mod draw;
mod files;
mod flags;
mod measure;
mod methods;
mod operations;
mod schemes;
mod service;
mod start;

use clap::Parser;
use flags::{Arguments, Command};
use gecc_cli::allocator;
use gecc_cli::failure::{self, ALL_PASSED, Failure, SOME_REJECTED};
use std::process::ExitCode;

fn main() -> ExitCode {
    allocator::keep_freed();
    failure::exit("gecc-bench", run(&Arguments::parse().command))
}

fn run(command: &Command) -> Result<u8, Failure> {
    match command {
        Command::Ablations(batches) => ablations::run(batches),
        Command::Files(options) => files::run(options),
        Command::Methods(options) => methods::run(options),
        Command::Operations(options) => operations::run(options),
        Command::Service(options) => service::run(options),
        Command::Start(options) => start::run(options),
    }
}

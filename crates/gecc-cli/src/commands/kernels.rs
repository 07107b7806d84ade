//! `gecc kernels`: machine code for GPUs, ahead of time.

use crate::ALL_PASSED;
use crate::flags::{KernelsCommand, KernelsOptions};
use crate::output::Failure;
use std::io::{self, Write};
use std::path::Path;

pub fn run(command: KernelsCommand) -> Result<u8, Failure> {
    match command {
        KernelsCommand::Build(options) => build(&options),
    }
}

fn build(options: &KernelsOptions) -> Result<u8, Failure> {
    for architecture in &options.arch {
        // A closed pipe is found when the total is printed; the files are what was asked for.
        let report = |path: &Path| _ = writeln!(io::stdout(), "{}", path.display());
        let files =
            gecc::kernels::build(architecture, &options.out, report).map_err(|e| Failure::Problem(e.to_string()))?;
        writeln!(io::stdout(), "{architecture}: {} files", files.len())?;
    }
    Ok(ALL_PASSED)
}

//! `gecc kernels`: ahead-of-time compilation of GPU kernels.

use crate::ALL_PASSED;
use crate::flags::{BuildOptions, KernelsCommand, PackOptions};
use crate::output::{Failure, path_error, shown_path};
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::Instant;

pub fn run(command: KernelsCommand) -> Result<u8, Failure> {
    match command {
        KernelsCommand::Build(options) => build(&options),
        KernelsCommand::Pack(options) => pack(&options),
    }
}

fn build(options: &BuildOptions) -> Result<u8, Failure> {
    for architecture in &options.arch {
        let files = gecc::kernels::build(architecture, &options.out, print_path)?;
        writeln!(io::stdout(), "{architecture}: {} files", files.len())?;
    }
    Ok(ALL_PASSED)
}

/// Prints the name of a file. A closed pipe is detected when the total is printed; the files are
/// the requested result. Names are escaped only for terminals, since programs read them verbatim.
fn print_path(path: &Path) {
    let name = if io::stdout().is_terminal() {
        shown_path(path)
    } else {
        path.display().to_string()
    };
    let _ = writeln!(io::stdout(), "{name}");
}

fn pack(options: &PackOptions) -> Result<u8, Failure> {
    for architecture in &options.arch {
        let started = Instant::now();
        let path = gecc::kernels::pack(architecture, &options.out)?;
        // Checks the pack the way it will be read.
        let kernels = gecc::kernels::check_pack(&path)?.kernels;
        let bytes = fs::metadata(&path)
            .map_err(|problem| path_error(&path, problem))?
            .len();
        let seconds = started.elapsed().as_secs_f64();
        writeln!(
            io::stdout(),
            "{}: {kernels} kernel files, {bytes} bytes, {seconds:.1} s",
            shown_path(&path)
        )?;
    }
    Ok(ALL_PASSED)
}

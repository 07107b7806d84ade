//! The command `gecc`.

use std::process::ExitCode;

fn main() -> ExitCode {
    gecc_cli::main()
}

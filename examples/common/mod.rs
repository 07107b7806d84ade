//! Shared by all examples: the location of the example data, the exit code, and the summary's last
//! line.

use gecc::Engine;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// The result of an example, with any error.
pub type ExampleResult<T> = Result<T, Box<dyn Error>>;

/// The path of a file or folder in `examples/data`, which lies above the package that the example
/// is built with.
pub fn example_data(name: &str) -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let data = package
        .ancestors()
        .map(|folder| folder.join("examples/data"))
        .find(|data| data.is_dir());
    data.unwrap_or_default().join(name)
}

/// Converts an outcome to the exit codes of the command line: 0 if everything is valid, 1 if
/// something is not, 2 if the example could not run.
pub fn exit_code(outcome: ExampleResult<bool>) -> ExitCode {
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// One line on speed. A single block is a small batch, and the first batch of a process builds its
/// tables: `gecc bench` is for comparing speeds.
pub fn throughput(what: &str, items: usize, time: Duration, engine: &Engine) -> String {
    let rate = items as f64 / time.as_secs_f64();
    format!(
        "{items} {what} in {:.1} ms: {rate:.0} per second on {engine}",
        1e3 * time.as_secs_f64()
    )
}

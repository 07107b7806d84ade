//! A run of the command in its own process.

use super::answers::{Expected, fingerprint};
use crate::flags::{FileOperation, FilesOptions};
use crate::{ALL_PASSED, SOME_REJECTED};
use gecc_cli::measure::timing::timed;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The settings shared by the runs on all files of an operation.
pub struct Call<'a> {
    pub options: &'a FilesOptions,
    pub operation: FileOperation,
    /// The file with the key.
    pub keys: Option<PathBuf>,
}

impl Call<'_> {
    /// Returns the median duration of the runs in seconds, after checking the answers of each run.
    pub fn median(
        &self,
        format_arguments: &[String],
        input: &Path,
        output: &Path,
        expected: &Expected,
    ) -> Result<f64, String> {
        let mut seconds = Vec::new();
        let mut compared = None;
        for _ in 0..self.options.runs {
            // Freeing the page cache of a file takes long, and is not part of the command's work.
            remove(output).map_err(|problem| format!("{}: {problem}", output.display()))?;
            seconds.push(self.run(format_arguments, input, output, expected.code())?);
            let found = fingerprint(output)
                .map_err(|problem| format!("{}: {problem}", output.display()))?;
            if compared != Some(found) {
                expected.compare(output)?;
                compared = Some(found);
            }
        }
        seconds.sort_by(f64::total_cmp);
        Ok(seconds[seconds.len() / 2])
    }

    fn run(
        &self,
        format_arguments: &[String],
        input: &Path,
        output: &Path,
        expected_code: u8,
    ) -> Result<f64, String> {
        let mut command = Command::new(self.options.program()?);
        command.args([&self.operation.name(), "--curve", self.options.curve.name()]);
        command
            .args(self.options.engine.arguments())
            .args(format_arguments);
        if let Some(keys) = &self.keys {
            command.arg("--key-file").arg(keys);
        }
        command
            .arg("-o")
            .arg(output)
            .arg(input)
            .stdin(Stdio::null());
        let (ended, seconds) = timed(|| command.output());
        let ended = ended.map_err(|problem| format!("the command does not start: {problem}"))?;
        match ended.status.code() {
            Some(code) if code == i32::from(expected_code) => Ok(seconds),
            Some(code) if [ALL_PASSED, SOME_REJECTED].map(i32::from).contains(&code) => {
                Err(format!("exit code {code} instead of {expected_code}"))
            }
            _ => Err(reason(&ended.stderr)),
        }
    }
}

/// Removes a file if it exists.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(problem) if problem.kind() != io::ErrorKind::NotFound => Err(problem),
        _ => Ok(()),
    }
}

/// Returns why a command ended: its own error message, or else its last line.
fn reason(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let says_why = |line: &&str| {
        line.starts_with("gecc: ") && !line.starts_with("gecc: warning")
            || line.starts_with("error: ")
    };
    let line = text
        .lines()
        .rfind(says_why)
        .or_else(|| text.lines().rfind(|line| !line.trim().is_empty()));
    line.unwrap_or("the command failed without a message")
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn the_reason_of_a_failure_is_found() {
        let cases = [
            (
                "gecc: warning: x\ngecc: no such file\n",
                "gecc: no such file",
            ),
            (
                "error: invalid value\n\nFor more information, try '--help'.\n",
                "error: invalid value",
            ),
            ("killed\n\n", "killed"),
            ("", "the command failed without a message"),
        ];
        for (log, expected) in cases {
            assert_eq!(reason(log.as_bytes()), expected);
        }
    }
}

//! Examples as programs, and their output.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// An example as a command. Cargo builds the examples next to the tests, in the folder above the
/// test's own.
pub fn command(name: &str) -> Command {
    let test = std::env::current_exe().expect("the test runs from a file");
    let folder = test
        .ancestors()
        .nth(2)
        .expect("target/PROFILE/deps/TEST")
        .join("examples");
    let path = folder
        .join(name)
        .with_extension(std::env::consts::EXE_EXTENSION);
    assert!(
        path.exists(),
        "{} is missing: run `cargo test` without a filter of targets first",
        path.display()
    );
    Command::new(path)
}

/// Runs an example.
fn example(name: &str, arguments: &[&Path]) -> Output {
    command(name)
        .args(arguments)
        .output()
        .expect("the example runs")
}

/// The example succeeds on its example data and prints these lines.
pub fn prints(name: &str, lines: &[&str]) {
    let output = example(name, &[]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    for line in lines {
        assert!(
            text.lines().any(|printed| printed.trim() == *line),
            "{line:?} is not in\n{text}"
        );
    }
}

/// The example, on a changed copy of its input, ends with this code and prints this on standard
/// error.
pub fn complains(name: &str, input: &Path, code: i32, complaint: &str) {
    let output = example(name, &[input]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{name}: {text}");
    assert!(
        text.contains(complaint),
        "{name}: {complaint:?} is not in\n{text}"
    );
}

/// A folder of this test's own, inside `target`.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("examples-{name}"));
    std::fs::create_dir_all(&folder).expect("writable");
    folder
}

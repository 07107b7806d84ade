//! Runs the program under test, `crate::PROGRAM`, and manages temporary files.

use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

pub fn program() -> Command {
    Command::new(crate::PROGRAM)
}

/// Starts the program with all three streams connected to the test.
pub fn start(arguments: &[&str]) -> Child {
    let mut command = program();
    command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().expect("the binary runs")
}

/// Runs the program with standard input from `input`.
pub fn run(arguments: &[&str], input: impl Into<Vec<u8>>) -> Output {
    let mut child = start(arguments);
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.into();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("the binary ends");
    // A program that ends early closes its input; tests detect that by its exit code.
    let _ = writer.join().expect("the writer does not panic");
    output
}

/// Requires the message that a GPU is needed, in a process from which the driver hides all GPUs.
pub fn refuses_without_gpu(arguments: &[&str]) {
    let output = program()
        .args(arguments)
        .env("CUDA_VISIBLE_DEVICES", "")
        .output()
        .expect("the binary runs");
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("no usable GPU"),
        "{}",
        stderr(&output)
    );
}

pub fn answers(output: &Output) -> Vec<Value> {
    let text = std::str::from_utf8(&output.stdout).expect("UTF-8");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a JSON line"))
        .collect()
}

pub fn code(output: &Output) -> i32 {
    output.status.code().expect("not killed")
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A file of this test, removed with it.
pub struct TemporaryFile(PathBuf);

impl TemporaryFile {
    pub fn new(name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = std::env::temp_dir().join(format!("gecc-cli-{}-{name}", std::process::id()));
        std::fs::write(&path, content).expect("the temporary folder is writable");
        TemporaryFile(path)
    }

    pub fn path(&self) -> &str {
        self.0.to_str().expect("UTF-8")
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

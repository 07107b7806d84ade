//! The command on lines of JSON.

use serde_json::Value;
use std::io::Write;
use std::process::{Command, Stdio};

/// Returns the answers of `gecc ARGUMENTS` to items, one each.
pub fn answers(arguments: &[&str], items: &[Value]) -> Vec<Value> {
    let lines: Vec<String> = items.iter().map(Value::to_string).collect();
    let mut child = Command::new(env!("CARGO_BIN_EXE_gecc"))
        .args(arguments)
        .args(["--engine", "cpu", "--format", "jsonl", "--quiet"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut input = child.stdin.take().expect("piped");
    let writer = std::thread::spawn(move || input.write_all(lines.join("\n").as_bytes()));
    let output = child.wait_with_output().expect("the command ends");
    let _ = writer.join().expect("the writer does not panic");
    let answers: Vec<Value> = output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).expect("an answer is JSON"))
        .collect();
    assert_eq!(
        answers.len(),
        items.len(),
        "gecc {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    answers
}

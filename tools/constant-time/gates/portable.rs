//! The portable CPU engine under valgrind: memcheck reports every conditional jump, address and
//! system call that depends on undefined memory, and secrets are marked undefined.
//!
//! The instructions that valgrind does not know, such as those of AVX-512 and SHA-NI, it hides from
//! the program.

use super::list::List;
use super::{memcheck, operations};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// The folder to which paths in the list are relative.
const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The variable that names the work of a watched process.
const WATCHED: &str = "GECC_TEST_WATCHED";

/// A report: its kind, and the lines of this crate on the stack, the innermost first.
struct Report {
    kind: String,
    lines: Vec<String>,
}

pub fn secrets_do_not_affect_branches_or_addresses() {
    let mut findings = BTreeSet::new();
    let list = List::read("portable.txt");
    for report in watch("operations") {
        let mut keys = report
            .lines
            .iter()
            .map(|line| format!("{}: {line}", report.kind));
        let innermost = keys
            .next()
            .unwrap_or_else(|| panic!("{} outside of this crate", report.kind));
        // Reports that a listed line has led to are explained with it.
        let listed = keys
            .find(|key| list.has(key))
            .filter(|_| !list.has(&innermost));
        findings.insert(listed.unwrap_or(innermost));
    }
    list.check(&findings);
}

pub fn leaks_are_reported() {
    let reports = watch("leak");
    for (kind, function) in [("branch", "leaky_branch"), ("address", "leaky_load")] {
        assert!(
            reports
                .iter()
                .any(|report| report.kind == kind && report.lines[0].contains(function)),
            "{function}"
        );
    }
}

/// Runs the watched operations if `watch` has started this process, and returns whether it has.
pub fn is_watched() -> bool {
    let Ok(work) = env::var(WATCHED) else {
        return false;
    };
    assert!(memcheck::is_running());
    match work.as_str() {
        "leak" => operations::leak(),
        _ => operations::all(),
    }
    true
}

/// Runs this program under valgrind for the given work alone, and returns the reports.
fn watch(work: &str) -> Vec<Report> {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("watched_{work}.xml"));
    let mut command = Command::new("valgrind");
    command.args([
        "--tool=memcheck",
        "--num-callers=100",
        "--error-limit=no",
        "--xml=yes",
    ]);
    command.arg(format!("--xml-file={}", file.display()));
    command
        .arg(env::current_exe().expect("a running test has a file"))
        .env(WATCHED, work);
    let output = command.output().expect("valgrind can be started");
    assert!(
        output.status.success(),
        "{work}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let xml = fs::read_to_string(file).expect("valgrind writes its reports");
    reports(&xml)
}

/// The reports in valgrind's XML, in which every element that matters has a line of its own.
fn reports(xml: &str) -> Vec<Report> {
    // With XML output valgrind also looks for memory that was not freed, whatever its options.
    xml.split("<error>")
        .skip(1)
        .map(report_of)
        .filter(|report| !report.kind.starts_with("Leak_"))
        .collect()
}

fn report_of(error: &str) -> Report {
    let kind = error
        .lines()
        .find_map(|line| element(line, "kind"))
        .expect("an error is of some kind");
    let kind = match kind {
        "UninitCondition" => "branch",
        "UninitValue" => "address",
        other => other,
    };
    let stack = error.split("</stack>").next().unwrap_or(error);
    Report {
        kind: kind.to_owned(),
        lines: stack
            .split("<frame>")
            .skip(1)
            .filter_map(source_line)
            .collect(),
    }
}

/// FILE, FUNCTION: CODE of a frame, if it is a line of this crate.
fn source_line(frame: &str) -> Option<String> {
    let [folder, file, number] =
        ["dir", "file", "line"].map(|name| frame.lines().find_map(|line| element(line, name)));
    let folder = folder?;
    let file = file?;
    let path = Path::new(folder).join(file);
    let path = path.strip_prefix(ROOT).ok()?;
    let source = fs::read_to_string(Path::new(ROOT).join(path)).ok()?;
    let number: usize = number?.parse().ok()?;
    let lines: Vec<&str> = source.lines().take(number).collect();
    let function = lines.iter().rev().find_map(|line| {
        let (before, name) = line.split_once("fn ")?;
        let is_definition = before
            .split_whitespace()
            .all(|word| word.starts_with("pub") || word == "const");
        is_definition.then(|| name.split(['(', '<']).next())?
    });
    // Line 0: the compiler does not know.
    let code = lines.last().map_or("?", |line| line.trim());
    Some(format!(
        "{}, {}: {code}",
        path.display(),
        function.unwrap_or("?")
    ))
}

fn element<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.trim()
        .strip_prefix(&format!("<{name}>"))?
        .strip_suffix(&format!("</{name}>"))
}

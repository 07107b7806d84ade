//! The tables of docs/conformance.md.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{env, fs};

/// Mismatches of a file that are shown.
const SHOWN: usize = 8;
const HEAD: &str = "| file | cases | library | command | Python | not applicable |\n\
                    |---|--:|--:|--:|--:|---|\n";

/// The results of the cases of one file.
///
/// A case that applies has to pass through every interface that the row names: the cases of an
/// interface are those of the file without those that do not apply.
pub struct Row {
    file: String,
    cases: usize,
    left_out: Vec<(String, usize)>,
    notes: Vec<String>,
    library: Tally,
    command: Tally,
    python: bool,
}

/// The cases that passed through one interface.
#[derive(Default)]
struct Tally {
    is_used: bool,
    passed: usize,
    mismatches: Vec<String>,
}

impl Tally {
    fn count(&mut self, passed: bool, what: impl FnOnce() -> String) {
        self.is_used = true;
        if passed {
            self.passed += 1;
        } else {
            self.mismatches.push(what());
        }
    }

    fn cell(&self) -> String {
        if self.is_used {
            self.passed.to_string()
        } else {
            "–".to_owned()
        }
    }
}

impl Row {
    pub fn new(file: impl Into<String>, cases: usize) -> Self {
        Row {
            file: file.into(),
            cases,
            left_out: Vec::new(),
            notes: Vec::new(),
            library: Tally::default(),
            command: Tally::default(),
            python: false,
        }
    }

    /// States that the library computes the cases, of which all may turn out not to apply.
    pub fn through_library(mut self) -> Self {
        self.library.is_used = true;
        self
    }

    /// Counts a case through the library.
    pub fn library(&mut self, passed: bool, what: impl FnOnce() -> String) {
        self.library.count(passed, what);
    }

    /// Counts a case through the command.
    pub fn command(&mut self, passed: bool, what: impl FnOnce() -> String) {
        self.command.count(passed, what);
    }

    /// Leaves out a case, which does not apply for this reason.
    pub fn leave_out(&mut self, reason: &str) {
        match self.left_out.iter_mut().find(|(other, _)| other == reason) {
            Some((_, count)) => *count += 1,
            None => self.left_out.push((reason.to_owned(), 1)),
        }
    }

    /// Adds a remark to the last cell.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// States that the tests of the Python package have the file too (`test_conformance.py`), which
    /// compare the cell with their own count.
    pub fn with_python(mut self) -> Self {
        self.python = true;
        self
    }

    fn applicable(&self) -> usize {
        self.cases - self.left_out.iter().map(|(_, count)| count).sum::<usize>()
    }

    fn line(&self) -> String {
        let python = if self.python {
            self.applicable().to_string()
        } else {
            "–".to_owned()
        };
        let left_out = self
            .left_out
            .iter()
            .map(|(reason, count)| format!("{count}: {reason}"));
        let notes: Vec<String> = left_out.chain(self.notes.iter().cloned()).collect();
        format!(
            "| {} | {} | {} | {} | {python} | {} |\n",
            self.file,
            self.cases,
            self.library.cell(),
            self.command.cell(),
            notes.join("; "),
        )
    }

    /// Returns mismatches, and interfaces that did not see every case.
    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let interfaces = [("library", &self.library), ("command", &self.command)];
        for (interface, tally) in interfaces {
            let shown = tally.mismatches.iter().take(SHOWN);
            problems.extend(shown.map(|what| format!("{}, {interface}: {what}", self.file)));
            let seen = tally.passed + tally.mismatches.len();
            if tally.is_used && seen != self.applicable() {
                problems.push(format!(
                    "{}, {interface}: {seen} of {} cases were computed",
                    self.file,
                    self.applicable()
                ));
            }
            if tally.mismatches.len() > SHOWN {
                problems.push(format!(
                    "{}, {interface}: {} mismatches in all",
                    self.file,
                    tally.mismatches.len()
                ));
            }
        }
        problems
    }
}

/// Returns the folder of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Fails on mismatches, and unless the table of this name has these rows.
pub fn check(name: &str, rows: &[Row]) {
    let table: String = rows
        .iter()
        .fold(HEAD.to_owned(), |table, row| table + &row.line());
    let problems: Vec<String> = rows.iter().flat_map(Row::problems).collect();
    assert!(problems.is_empty(), "{}\n\n{table}", problems.join("\n"));
    let total = totals(rows);
    compare(name, &format!("{table}{total}"));
}

fn totals(rows: &[Row]) -> String {
    let sum = |count: &dyn Fn(&Row) -> usize| rows.iter().map(count).sum::<usize>();
    let mut line = String::from("| **all** |");
    let cells = [
        sum(&|row| row.cases),
        sum(&|row| row.library.passed),
        sum(&|row| row.command.passed),
        sum(&|row| if row.python { row.applicable() } else { 0 }),
        sum(&|row| row.cases - row.applicable()),
    ];
    for cell in cells {
        write!(line, " {cell} |").expect("text grows");
    }
    line + "\n"
}

/// Compares a table with the one in the documentation, or writes it.
fn compare(name: &str, table: &str) {
    static FILE: Mutex<()> = Mutex::new(());
    let _guard = FILE.lock();
    let path = root().join("docs/conformance.md");
    let page = fs::read_to_string(&path).expect("docs/conformance.md is there");
    let begin = format!("<!-- table: {name} -->\n");
    let end = "<!-- end of table -->";
    let (before, rest) = page
        .split_once(&begin)
        .unwrap_or_else(|| panic!("docs/conformance.md has no line {begin:?}"));
    let (found, after) = rest.split_once(end).expect("the table has an end");
    if env::var_os("GECC_CONFORMANCE_WRITE").is_some_and(|value| value == "1") {
        let page = format!("{before}{begin}{table}{end}{after}");
        fs::write(&path, page).expect("docs/conformance.md can be written");
    } else {
        assert!(
            found == table,
            "the table `{name}` of docs/conformance.md is not current: run `.ci/conformance write`. This run has\n{table}"
        );
    }
}

//! Lists of known acceptable findings, one per line with its reason: `FINDING  # REASON`. Lines
//! that begin with `#` are the list's head. A finding whose reason ends with `[in some builds]` may
//! also be missing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::{env, fs};

/// If this variable is 1, the lists are written anew with the known reasons.
const WRITE: &str = "GECC_WRITE_GATES";
/// Separates a finding from its reason.
const SEPARATOR: &str = "  # ";
const IN_SOME_BUILDS: &str = "[in some builds]";
/// The placeholder for a missing reason.
const NO_REASON: &str = "?";

pub struct List {
    file: PathBuf,
    head: String,
    reasons: BTreeMap<String, String>,
}

impl List {
    /// Reads the list of this name in the tool's folder.
    pub fn read(name: &str) -> Self {
        let file = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("tools/constant-time")
            .join(name);
        let text = fs::read_to_string(&file)
            .unwrap_or_else(|problem| panic!("{}: {problem}", file.display()));
        let (head, entries): (Vec<&str>, Vec<&str>) =
            text.lines().partition(|line| line.starts_with('#'));
        let mut reasons = BTreeMap::new();
        for entry in entries.into_iter().filter(|line| !line.is_empty()) {
            let (finding, reason) = entry.split_once(SEPARATOR).unwrap_or((entry, NO_REASON));
            reasons.insert(finding.trim_end().to_owned(), reason.to_owned());
        }
        List {
            file,
            head: head.join("\n"),
            reasons,
        }
    }

    pub fn has(&self, finding: &str) -> bool {
        self.reasons.contains_key(finding)
    }

    fn reason(&self, finding: &str) -> &str {
        self.reasons.get(finding).map_or(NO_REASON, String::as_str)
    }

    /// The entries that need not be found.
    fn optional(&self) -> impl Iterator<Item = &String> {
        self.reasons
            .iter()
            .filter(|(_, reason)| reason.ends_with(IN_SOME_BUILDS))
            .map(|(finding, _)| finding)
    }

    /// Fails unless the findings equal the list, and each has a reason.
    pub fn check(&self, findings: &BTreeSet<String>) {
        if env::var(WRITE).as_deref() == Ok("1") {
            self.write(findings);
        }
        let new: Vec<&String> = findings
            .iter()
            .filter(|finding| self.reason(finding) == NO_REASON)
            .collect();
        let expected: BTreeSet<&String> = findings.iter().chain(self.optional()).collect();
        let gone: Vec<&String> = self
            .reasons
            .keys()
            .filter(|finding| !expected.contains(finding))
            .collect();
        let file = self.file.display();
        assert!(
            new.is_empty() && gone.is_empty(),
            "{file}: without a reason: {new:#?}; not found any more: {gone:#?}"
        );
    }

    fn write(&self, findings: &BTreeSet<String>) {
        let all: BTreeSet<&String> = findings.iter().chain(self.optional()).collect();
        let entries = all
            .into_iter()
            .map(|finding| format!("{finding}{SEPARATOR}{}\n", self.reason(finding)));
        let text = format!("{}\n\n{}", self.head, entries.collect::<String>());
        fs::write(&self.file, text).expect("the list can be written");
    }
}

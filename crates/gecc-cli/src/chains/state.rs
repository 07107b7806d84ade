//! The record of files that are done, with the options and outcome of each, so that a later call
//! can leave them out.
//!
//! The record is a text with one line of JSON per file whose answers are all written. A file is
//! read again if it or a file that accompanies it has changed since, or if it was done with other
//! options.

use crate::flags::ChainOptions;
use gecc_chains::Paths;
use gecc_chains::bitcoin::companion_files;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// The beginning of every line.
const BEGIN: &str = "{\"path\":";

/// The file that records which files are done, and the options that the answers depend on.
pub struct StateFile<'a> {
    pub path: &'a Path,
    options: String,
}

impl<'a> StateFile<'a> {
    /// Combines the name of a command with the values of its own options that were given.
    pub fn new(
        path: &'a Path,
        command: &str,
        given: &[(&str, Option<String>)],
        chain: &ChainOptions,
    ) -> Self {
        let only_rejected = ("--only-rejected", chain.only_rejected.then(String::new));
        let all = given.iter().chain(std::iter::once(&only_rejected));
        let mut options = command.to_owned();
        for (name, value) in all.filter_map(|(name, value)| Some((name, value.as_ref()?))) {
            options.extend([" ", name]);
            if !value.is_empty() {
                options.extend([" ", value]);
            }
        }
        StateFile { path, options }
    }
}

/// The outcome of a file, as far as it determines the exit code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileOutcome {
    pub rejected: u64,
    pub not_checked: u64,
    /// Places that could not be read.
    pub problems: u64,
}

impl FileOutcome {
    pub fn add(&mut self, other: FileOutcome) {
        self.rejected += other.rejected;
        self.not_checked += other.not_checked;
        self.problems += other.problems;
    }
}

/// The state of a file, with the files that accompany it, before it was checked.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct FileState {
    path: FileName,
    /// The total size of all of them.
    bytes: u64,
    /// The sum of the modification times of all of them in nanoseconds, so that any change shows,
    /// not only the latest.
    modified: u64,
}

/// A line of the record.
#[derive(Serialize, Deserialize)]
struct RecordLine {
    #[serde(flatten)]
    file: FileState,
    options: String,
    outcome: FileOutcome,
}

/// The name of a file, as bytes where it is not UTF-8.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
enum FileName {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<PathBuf> for FileName {
    fn from(path: PathBuf) -> Self {
        path.into_os_string().into_string().map_or_else(
            |name| FileName::Bytes(name.into_encoded_bytes()),
            FileName::Text,
        )
    }
}

impl FileState {
    fn of(path: &Path) -> io::Result<Self> {
        let mut state = FileState {
            path: path.canonicalize()?.into(),
            bytes: 0,
            modified: 0,
        };
        state.add(&std::fs::metadata(path)?);
        // Files that do not exist are not counted.
        for accompanying in companion_files(path) {
            if let Ok(metadata) = std::fs::metadata(accompanying) {
                state.add(&metadata);
            }
        }
        Ok(state)
    }

    fn add(&mut self, metadata: &Metadata) {
        let since = metadata
            .modified()
            .unwrap_or(SystemTime::UNIX_EPOCH)
            .duration_since(UNIX_EPOCH);
        self.bytes += metadata.len();
        self.modified = self
            .modified
            .wrapping_add(since.unwrap_or_default().as_nanos() as u64);
    }
}

/// The record, which is appended to.
pub struct StateRecord {
    path: PathBuf,
    file: File,
    options: String,
    /// The files that are to be checked, in their present state: changes made meanwhile are not
    /// recorded as checked.
    begun: HashMap<Arc<Path>, FileState>,
}

/// The files that a record covers.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct DoneFiles {
    /// Files that are done with the same options.
    pub done: usize,
    /// The number of these of which not everything was valid.
    pub flawed: usize,
    /// Files that are done with other options only.
    pub with_other_options: usize,
    /// The combined outcome of all files that are done.
    pub outcome: FileOutcome,
}

impl StateRecord {
    /// Opens or creates the record, removes from `paths` the files that are done, and returns what
    /// was removed.
    pub fn open(noted: &StateFile, paths: &mut Paths) -> Result<(Self, DoneFiles), String> {
        let path = noted.path;
        let before = read_state_file(path).map_err(|problem| state_error(path, problem))?;
        let Recorded {
            with_options: of_options,
            with_others: of_others,
        } = Recorded::parse(&before, &noted.options);
        let mut found = DoneFiles::default();
        let mut begun = HashMap::new();
        paths.files.retain(|(path, _)| {
            let Ok(file) = FileState::of(path) else {
                return true;
            };
            if let Some(outcome) = of_options.get(&file) {
                found.done += 1;
                found.flawed += usize::from(*outcome != FileOutcome::default());
                found.outcome.add(*outcome);
                return false;
            }
            found.with_other_options += usize::from(of_others.contains(&file));
            begun.insert(Arc::clone(path), file);
            true
        });
        let file = File::options().create(true).append(true).open(path);
        let file = file.map_err(|problem| state_error(path, problem))?;
        let mut state = StateRecord {
            path: path.to_owned(),
            file,
            options: noted.options.clone(),
            begun,
        };
        if !before.is_empty() && !before.ends_with('\n') {
            state.append("\n")?;
        }
        Ok((state, found))
    }

    /// Records files whose answers are written, with their outcomes.
    pub fn add(&mut self, finished: &[(Arc<Path>, FileOutcome)]) -> Result<(), String> {
        let mut lines = String::new();
        for (path, outcome) in finished {
            let Some(file) = self.begun.get(path) else {
                continue;
            };
            let line = RecordLine {
                file: file.clone(),
                options: self.options.clone(),
                outcome: *outcome,
            };
            lines += &serde_json::to_string(&line).expect("numbers and texts are JSON");
            lines.push('\n');
        }
        self.append(&lines)
    }

    fn append(&mut self, text: &str) -> Result<(), String> {
        self.file
            .write_all(text.as_bytes())
            .map_err(|problem| state_error(&self.path, problem))
    }
}

/// The files on the lines of a record.
#[derive(Default)]
struct Recorded {
    /// Files that are done with the options of the call, with their outcomes.
    with_options: HashMap<FileState, FileOutcome>,
    with_others: HashSet<FileState>,
}

impl Recorded {
    /// Parses a record. The last line may be truncated if the program was killed, or may have lost
    /// bytes if power failed. Files on lines that cannot be parsed are done again.
    fn parse(text: &str, options: &str) -> Self {
        let mut recorded = Recorded::default();
        for line in text.lines().map(|line| line.trim_matches('\0')) {
            match serde_json::from_str::<RecordLine>(line) {
                Ok(line) if line.options == options => {
                    recorded.with_options.insert(line.file, line.outcome);
                }
                Ok(line) => {
                    recorded.with_others.insert(line.file);
                }
                // Lines of earlier versions, which did not record options.
                Err(_) => recorded
                    .with_others
                    .extend(serde_json::from_str::<FileState>(line).ok()),
            }
        }
        recorded
    }
}

/// Reads the text of a record, which is empty if the file does not exist.
fn read_state_file(path: &Path) -> Result<String, String> {
    if std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err("it is not a regular file".to_owned());
    }
    let text = match std::fs::read(path) {
        // A name may have been cut within a character.
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(problem) if problem.kind() == io::ErrorKind::NotFound => String::new(),
        Err(problem) => return Err(problem.to_string()),
    };
    if is_state(&text) {
        Ok(text)
    } else {
        Err("this is not a file that --state has written".to_owned())
    }
}

fn state_error(path: &Path, problem: impl Display) -> String {
    format!("{}: {problem}", path.display())
}

/// Returns whether a text is such a record, including one that was truncated in its first line.
fn is_state(text: &str) -> bool {
    let mut lines = text
        .lines()
        .map(|line| line.trim_matches('\0').trim())
        .filter(|line| !line.is_empty());
    let Some(first) = lines.next() else {
        return true;
    };
    first.starts_with(BEGIN) || BEGIN.starts_with(first) || is_record(first) || lines.any(is_record)
}

fn is_record(line: &str) -> bool {
    serde_json::from_str::<FileState>(line).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gecc_chains::files_of;
    use std::time::Duration;

    fn noted<'a>(path: &'a Path, options: &str) -> StateFile<'a> {
        StateFile {
            path,
            options: options.to_owned(),
        }
    }

    /// Opens the record for one file with options `options`.
    fn open(
        state: &Path,
        file: &Path,
        options: &str,
    ) -> Result<(StateRecord, DoneFiles, Paths), String> {
        let mut paths = files_of(&[file.to_owned()]);
        let (state, found) = StateRecord::open(&noted(state, options), &mut paths)?;
        Ok((state, found, paths))
    }

    /// Opens the record, adds the files that are not done yet with `outcome`, and returns the files
    /// that were done before.
    fn run(
        state: &Path,
        file: &Path,
        options: &str,
        outcome: FileOutcome,
    ) -> Result<DoneFiles, String> {
        let (mut state, found, paths) = open(state, file, options)?;
        let finished: Vec<_> = paths
            .files
            .iter()
            .map(|(path, _)| (Arc::clone(path), outcome))
            .collect();
        state.add(&finished)?;
        Ok(found)
    }

    #[test]
    fn file_that_grows_while_it_is_checked_is_not_done() {
        let folder = tempfile::tempdir().unwrap();
        let [state, file] = ["state", "file"].map(|name| folder.path().join(name));
        std::fs::write(&file, "one").unwrap();
        for (comes, expected) in [(" two", 0), ("", 1)] {
            let (mut opened, _, paths) = open(&state, &file, "a").unwrap();
            File::options()
                .append(true)
                .open(&file)
                .unwrap()
                .write_all(comes.as_bytes())
                .unwrap();
            opened
                .add(&[(Arc::clone(&paths.files[0].0), FileOutcome::default())])
                .unwrap();
            assert_eq!(open(&state, &file, "a").unwrap().1.done, expected);
        }
    }

    fn write_with_time(path: &Path, text: &str, hours: u64) {
        std::fs::write(path, text).unwrap();
        let time = UNIX_EPOCH + Duration::from_secs(3600 * hours);
        File::options()
            .write(true)
            .open(path)
            .unwrap()
            .set_modified(time)
            .unwrap();
    }

    /// Blocks may be copied again with their times preserved.
    #[test]
    fn changed_file_is_not_done_even_if_an_accompanying_file_is_newer() {
        let folder = tempfile::tempdir().unwrap();
        let [state, blocks, spent] =
            ["state", "blk00000.dat", "rev00000.dat"].map(|name| folder.path().join(name));
        write_with_time(&spent, "spent", 9);
        for (text, hours) in [("one", 1), ("two", 2)] {
            write_with_time(&blocks, text, hours);
            for expected in [0, 1] {
                assert_eq!(
                    run(&state, &blocks, "a", FileOutcome::default())
                        .unwrap()
                        .done,
                    expected,
                    "{text}"
                );
            }
        }
    }

    /// A record that was truncated at any byte, or that lost a part, is read as far as possible.
    #[test]
    fn truncated_records_are_read_as_far_as_possible() {
        let folder = tempfile::tempdir().unwrap();
        let [state, file] = ["state", "dätei"].map(|name| folder.path().join(name));
        std::fs::write(&file, "one").unwrap();
        let outcome = FileOutcome {
            rejected: 3,
            not_checked: 0,
            problems: 1,
        };
        assert_eq!(run(&state, &file, "a", outcome).unwrap().done, 0);
        let whole = std::fs::read(&state).unwrap();
        for end in 0..whole.len() {
            for lost in [&whole[..end], &[&whole[..end], &[0; 20]].concat()] {
                std::fs::write(&state, lost).unwrap();
                let is_line = end + 1 == whole.len();
                assert_eq!(
                    run(&state, &file, "a", outcome).unwrap().done,
                    usize::from(is_line),
                    "{end}"
                );
                assert_eq!(run(&state, &file, "a", outcome).unwrap().done, 1, "{end}");
            }
        }
        let other = run(&state, &file, "b", outcome).unwrap();
        assert_eq!((other.done, other.with_other_options), (0, 1));
        for options in ["a", "b"] {
            let found = run(&state, &file, options, outcome).unwrap();
            assert_eq!(
                found,
                DoneFiles {
                    done: 1,
                    flawed: 1,
                    with_other_options: 0,
                    outcome
                }
            );
        }
        // The format before options were recorded.
        let line: serde_json::Value = serde_json::from_slice(&whole).unwrap();
        let old = serde_json::json!({"path": line["path"], "bytes": line["bytes"], "modified": line["modified"]});
        std::fs::write(&state, format!("{old}\n")).unwrap();
        assert_eq!(
            run(&state, &file, "a", outcome).unwrap().with_other_options,
            1
        );
        for other in ["notes\n", "{}\n", "[1]", "{\"a\":1}\n{\"path\":"] {
            std::fs::write(&state, other).unwrap();
            assert!(run(&state, &file, "a", outcome).is_err(), "{other}");
        }
    }
}

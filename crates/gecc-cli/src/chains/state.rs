//! Which files are done, so that a later call can leave them out.
//!
//! A text with a line of JSON for each file whose answers are all put out. A file that has changed since is read again.

use gecc_chains::Paths;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// A file as it was when it was checked.
#[derive(PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Done {
    path: Name,
    bytes: u64,
    /// In nanoseconds.
    modified: u64,
}

/// The name of a file, as bytes where it is not UTF-8.
#[derive(PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
enum Name {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<PathBuf> for Name {
    fn from(path: PathBuf) -> Self {
        path.into_os_string().into_string().map_or_else(|name| Name::Bytes(name.into_encoded_bytes()), Name::Text)
    }
}

impl Done {
    fn of(path: &Path) -> io::Result<Self> {
        let (path, metadata) = (path.canonicalize()?, std::fs::metadata(path)?);
        let since = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH).duration_since(UNIX_EPOCH);
        Ok(Done { path: path.into(), bytes: metadata.len(), modified: since.unwrap_or_default().as_nanos() as u64 })
    }
}

/// The text, to which is appended.
pub struct State {
    path: PathBuf,
    file: File,
}

impl State {
    /// Opens or makes the text, and leaves out of `paths` what is done. Gives how many files that were.
    pub fn open(path: &Path, paths: &mut Paths) -> Result<(Self, usize), String> {
        let named = |problem: String| format!("{}: {problem}", path.display());
        if std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(named("it is no regular file".to_owned()));
        }
        let before = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(problem) if problem.kind() == io::ErrorKind::NotFound => String::new(),
            Err(problem) => return Err(named(problem.to_string())),
        };
        // The last line may have been cut off when a program was ended. What is not understood is done again.
        let done: HashSet<Done> = before.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        if done.is_empty() && !before.trim().is_empty() {
            return Err(named("this is no text that --state has written".to_owned()));
        }
        let all = paths.files.len();
        paths.files.retain(|(path, _)| Done::of(path).map_or(true, |file| !done.contains(&file)));
        let file =
            File::options().create(true).append(true).open(path).map_err(|problem| named(problem.to_string()))?;
        let mut state = State { path: path.to_owned(), file };
        if !before.is_empty() && !before.ends_with('\n') {
            state.append("\n")?;
        }
        Ok((state, all - paths.files.len()))
    }

    /// Notes files whose answers are put out.
    pub fn add(&mut self, finished: &[Arc<Path>]) -> Result<(), String> {
        let mut lines = String::new();
        for done in finished.iter().filter_map(|path| Done::of(path).ok()) {
            lines += &serde_json::to_string(&done).expect("numbers and a name are JSON");
            lines.push('\n');
        }
        self.append(&lines)
    }

    fn append(&mut self, text: &str) -> Result<(), String> {
        self.file.write_all(text.as_bytes()).map_err(|problem| format!("{}: {problem}", self.path.display()))
    }
}

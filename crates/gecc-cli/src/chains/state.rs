//! Which files are done, so that a later call can leave them out.
//!
//! A text with a line of JSON for each file whose answers are all put out. A file that has changed since, or what it
//! has beside it, is read again.

use gecc_chains::Paths;
use gecc_chains::bitcoin::files_beside;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// A file as it was before it was checked, with those that it has beside it.
#[derive(PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Done {
    path: Name,
    /// Of all of them.
    bytes: u64,
    /// The times of all of them in nanoseconds, added up: each changes the sum, and not only the latest.
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
        let mut done = Done { path: path.canonicalize()?.into(), bytes: 0, modified: 0 };
        done.add(&std::fs::metadata(path)?);
        // What is not there has no part.
        files_beside(path)
            .iter()
            .filter_map(|beside| std::fs::metadata(beside).ok())
            .for_each(|beside| done.add(&beside));
        Ok(done)
    }

    fn add(&mut self, metadata: &Metadata) {
        let since = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH).duration_since(UNIX_EPOCH);
        self.bytes += metadata.len();
        self.modified = self.modified.wrapping_add(since.unwrap_or_default().as_nanos() as u64);
    }
}

/// The text, to which is appended.
pub struct State {
    path: PathBuf,
    file: File,
    /// The files that are to be checked. What comes to one meanwhile is not noted as checked.
    begun: HashMap<Arc<Path>, Done>,
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
        let (all, mut begun) = (paths.files.len(), HashMap::new());
        paths.files.retain(|(path, _)| {
            let Ok(file) = Done::of(path) else { return true };
            let is_new = !done.contains(&file);
            if is_new {
                begun.insert(Arc::clone(path), file);
            }
            is_new
        });
        let file =
            File::options().create(true).append(true).open(path).map_err(|problem| named(problem.to_string()))?;
        let mut state = State { path: path.to_owned(), file, begun };
        if !before.is_empty() && !before.ends_with('\n') {
            state.append("\n")?;
        }
        Ok((state, all - paths.files.len()))
    }

    /// Notes files whose answers are put out.
    pub fn add(&mut self, finished: &[Arc<Path>]) -> Result<(), String> {
        let mut lines = String::new();
        for done in finished.iter().filter_map(|path| self.begun.get(path)) {
            lines += &serde_json::to_string(done).expect("numbers and a name are JSON");
            lines.push('\n');
        }
        self.append(&lines)
    }

    fn append(&mut self, text: &str) -> Result<(), String> {
        self.file.write_all(text.as_bytes()).map_err(|problem| format!("{}: {problem}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gecc_chains::files_of;
    use std::time::Duration;

    #[test]
    fn what_comes_to_a_file_while_it_is_checked_is_not_done() {
        let folder = tempfile::tempdir().unwrap();
        let [state, file] = ["state", "file"].map(|name| folder.path().join(name));
        let open = || {
            let mut paths = files_of(std::slice::from_ref(&file));
            let (state, done) = State::open(&state, &mut paths).unwrap();
            (state, done, paths)
        };
        std::fs::write(&file, "one").unwrap();
        for (comes, expected) in [(" two", 0), ("", 1)] {
            let (mut state, _, paths) = open();
            File::options().append(true).open(&file).unwrap().write_all(comes.as_bytes()).unwrap();
            state.add(&[Arc::clone(&paths.files[0].0)]).unwrap();
            assert_eq!(open().1, expected);
        }
    }

    /// As where blocks were copied again, and keep their times.
    #[test]
    fn what_changes_and_stays_the_older_one_is_not_done() {
        let folder = tempfile::tempdir().unwrap();
        let [state, blocks, spent] = ["state", "blk00000.dat", "rev00000.dat"].map(|name| folder.path().join(name));
        let write = |path: &Path, text: &str, hours: u64| {
            std::fs::write(path, text).unwrap();
            let time = UNIX_EPOCH + Duration::from_secs(3600 * hours);
            File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
        };
        let done = || {
            let mut paths = files_of(std::slice::from_ref(&blocks));
            let (mut state, done) = State::open(&state, &mut paths).unwrap();
            state.add(&paths.files.iter().map(|(path, _)| Arc::clone(path)).collect::<Vec<_>>()).unwrap();
            done
        };
        write(&blocks, "one", 1);
        write(&spent, "spent", 9);
        assert_eq!([done(), done()], [0, 1]);
        write(&blocks, "two", 2);
        assert_eq!([done(), done()], [0, 1]);
    }
}

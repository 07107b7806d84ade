//! Which files there are, and reading them in order.

use crate::problem::{Place, Problem};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes that are read at once.
const READ: usize = 1 << 20;

/// Files in the order in which they are read, and what could not be looked into.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    /// Each with its length.
    pub files: Vec<(Arc<Path>, u64)>,
    /// Paths that are not there, and folders that cannot be read.
    pub problems: Vec<Problem>,
}

impl Paths {
    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|(_, length)| length).sum()
    }
}

/// The files that some paths name: a file is itself, and a folder the files in it and in its folders, sorted by name.
/// Names that begin with a dot are left out of folders.
pub fn files_of(paths: &[PathBuf]) -> Paths {
    let mut found = Paths::default();
    paths.iter().for_each(|path| add(path, &mut found));
    found
}

fn add(path: &Path, found: &mut Paths) {
    let shared: Arc<Path> = Arc::from(path);
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(problem) => return found.problems.push(Problem::new(&shared, Place::Whole, problem)),
    };
    if !metadata.is_dir() {
        return found.files.push((shared, metadata.len()));
    }
    let is_shown = |path: &PathBuf| !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    let listed: io::Result<Vec<PathBuf>> =
        std::fs::read_dir(path).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    match listed {
        Err(problem) => found.problems.push(Problem::new(&shared, Place::Whole, problem)),
        Ok(mut inside) => {
            inside.retain(is_shown);
            inside.sort_unstable();
            inside.iter().for_each(|path| add(path, found));
        }
    }
}

/// A file that is read from one place to the next.
pub(crate) struct Reader {
    pub path: Arc<Path>,
    file: BufReader<File>,
    place: u64,
    length: u64,
}

impl Reader {
    pub fn open(path: &Arc<Path>) -> Result<Self, Problem> {
        let opened = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
        let (length, file) = opened.map_err(|problem| Problem::new(path, Place::Whole, problem))?;
        Ok(Reader { path: Arc::clone(path), file: BufReader::with_capacity(READ, file), place: 0, length })
    }

    /// Where the next byte is.
    pub fn place(&self) -> u64 {
        self.place
    }

    /// Bytes from here to the end.
    pub fn left(&self) -> u64 {
        self.length.saturating_sub(self.place)
    }

    /// Something wrong at this place.
    pub fn problem(&self, what: impl std::fmt::Display) -> Problem {
        self.problem_at(self.place, what)
    }

    pub fn problem_at(&self, place: u64, what: impl std::fmt::Display) -> Problem {
        Problem::new(&self.path, Place::Byte(place), what)
    }

    /// The next bytes, as many as are asked for.
    pub fn read<const N: usize>(&mut self) -> Result<[u8; N], Problem> {
        let mut bytes = [0; N];
        self.require(N as u64)?;
        self.file.read_exact(&mut bytes).map_err(|problem| self.problem(problem))?;
        self.place += N as u64;
        Ok(bytes)
    }

    /// Appends the next bytes, few of them, without going on.
    pub fn peek(&mut self, length: usize, to: &mut Vec<u8>) -> Result<(), Problem> {
        let place = self.place;
        self.append(length as u64, to)?;
        self.go_back_to(place)
    }

    /// Appends the next bytes. What the file does not have is not made room for.
    pub fn append(&mut self, length: u64, to: &mut Vec<u8>) -> Result<(), Problem> {
        self.require(length)?;
        let start = to.len();
        let read = self.file.by_ref().take(length).read_to_end(to).map_err(|problem| self.problem(problem))?;
        if read as u64 != length {
            to.truncate(start);
            return Err(self.problem("the file became shorter while it was read"));
        }
        self.place += length;
        Ok(())
    }

    pub fn skip(&mut self, length: u64) -> Result<(), Problem> {
        self.require(length)?;
        let distance = i64::try_from(length).expect("a file has fewer bytes");
        self.file.seek_relative(distance).map_err(|problem| self.problem(problem))?;
        self.place += length;
        Ok(())
    }

    fn go_back_to(&mut self, place: u64) -> Result<(), Problem> {
        let distance = i64::try_from(self.place - place).expect("a file has fewer bytes");
        self.file.seek_relative(-distance).map_err(|problem| self.problem(problem))?;
        self.place = place;
        Ok(())
    }

    /// Goes to another place.
    pub fn go_to(&mut self, place: u64) -> Result<(), Problem> {
        self.file.seek(SeekFrom::Start(place)).map_err(|problem| self.problem(problem))?;
        self.place = place;
        Ok(())
    }

    /// The first bytes, or all there are, without going on.
    pub fn first(&mut self) -> Result<&[u8], Problem> {
        // The borrow of an early return would last to the end.
        let filled = self.file.fill_buf().map(<[u8]>::len);
        filled.map_err(|problem| self.problem(problem))?;
        Ok(self.file.buffer())
    }

    /// Appends a line with its end, of at most so many bytes; whether there was one.
    pub fn append_line(&mut self, most: u64, to: &mut Vec<u8>) -> Result<bool, Problem> {
        let start = to.len();
        let mut limited = self.file.by_ref().take(most);
        let read = limited.read_until(b'\n', to).map_err(|problem| self.problem(problem))?;
        if read as u64 == most && !to.ends_with(b"\n") {
            to.truncate(start);
            return Err(self.problem(format!("a line has more than {most} bytes")));
        }
        self.place += read as u64;
        Ok(read > 0)
    }

    fn require(&self, length: u64) -> Result<(), Problem> {
        let left = self.left();
        if length <= left {
            return Ok(());
        }
        Err(self.problem(format!("{length} bytes are to follow, and the file has {left} more")))
    }
}

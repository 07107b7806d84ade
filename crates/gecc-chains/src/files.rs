//! Finds files and reads them in order.

use crate::content::FileContent;
use crate::node_folders::NodeFolder;
use crate::problem::{FilePosition, Problem};
use std::collections::HashSet;
use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Minimum and maximum number of bytes read at once.
const READ: usize = 1 << 20;
const LEAST_READ: u64 = 1 << 12;
const NO_FILE: &str = "there is no file in the folder";
const ENDS_EARLY: &str = "the file ended while it was read";

/// Files in reading order, and the paths that could not be read.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    /// Each file with its length.
    pub files: Vec<(Arc<Path>, u64)>,
    /// Paths that do not exist, and folders that cannot be read.
    pub problems: Vec<Problem>,
}

impl Paths {
    /// Returns the total size of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|(_, length)| length).sum()
    }

    /// Returns the total size if it is known: of regular files only, without pipes.
    pub fn known_bytes(&self) -> Option<u64> {
        let is_known = !self.files.is_empty() && self.files.iter().all(|(_, length)| *length > 0);
        is_known.then(|| self.bytes())
    }
}

/// Returns the files that paths denote: a file denotes itself, and a folder the regular files in it
/// and in its subfolders, sorted by name. Within folders, names that begin with a dot are skipped,
/// as is everything that is neither a file nor a folder, such as a named pipe. A folder is entered
/// once, and a file in folders is taken once, whatever links lead to it.
///
/// In a folder of Bitcoin Core, only the files of blocks are taken. A folder that is the database
/// of another node is reported as a problem that explains how to export its blocks, and so is a
/// folder without a file.
pub fn files_of(paths: &[PathBuf]) -> Paths {
    let mut scan = FolderScan::default();
    paths.iter().for_each(|path| scan.add(path, true));
    scan.found
}

/// The files found so far.
#[derive(Default)]
struct FolderScan {
    found: Paths,
    /// Identities of files and folders that are not taken again.
    seen: HashSet<Identity>,
    /// Regular files that were met, including those that are not taken again.
    met: usize,
}

/// The device and the inode, since links can give a folder any number of names.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = PathBuf;

#[cfg(unix)]
fn identity(_: &Path, metadata: &Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path, _: &Metadata) -> Option<Identity> {
    path.canonicalize().ok()
}

impl FolderScan {
    /// Adds a path. A path that the caller `named` is taken whatever its type.
    fn add(&mut self, path: &Path, named: bool) {
        let shared: Arc<Path> = Arc::from(path);
        let metadata = match std::fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(problem) => {
                return self.found.problems.push(Problem::new(
                    &shared,
                    FilePosition::Whole,
                    problem,
                ));
            }
        };
        let is_new = identity(path, &metadata).is_none_or(|identity| self.seen.insert(identity));
        if metadata.is_dir() {
            let before = (self.met, self.found.problems.len());
            if is_new {
                self.enter(&shared);
            }
            if is_new && named && (self.met, self.found.problems.len()) == before {
                self.found
                    .problems
                    .push(Problem::new(&shared, FilePosition::Whole, NO_FILE));
            }
            return;
        }
        self.met += usize::from(metadata.is_file());
        if named || metadata.is_file() && is_new {
            self.found.files.push((shared, metadata.len()));
        }
    }

    fn enter(&mut self, folder: &Arc<Path>) {
        let listed: io::Result<Vec<PathBuf>> = std::fs::read_dir(folder)
            .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
        match listed {
            Err(problem) => {
                self.found
                    .problems
                    .push(Problem::new(folder, FilePosition::Whole, problem))
            }
            Ok(mut inside) => {
                inside.retain(|path| !is_hidden(path));
                inside.sort_unstable();
                match NodeFolder::of(&inside) {
                    NodeFolder::Blocks(files) => {
                        files.iter().for_each(|path| self.add(path, false))
                    }
                    NodeFolder::Data(blocks) => self.add(&blocks, false),
                    NodeFolder::Database(what) => {
                        self.found
                            .problems
                            .push(Problem::new(folder, FilePosition::Whole, what))
                    }
                    NodeFolder::Other => inside.iter().for_each(|path| self.add(path, false)),
                }
            }
        }
    }
}

/// Returns whether a name begins with a dot.
fn is_hidden(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

/// Opens a file that the user did not name. Pipes, which would block, and devices, which may be
/// endless, are refused.
///
/// # Errors
/// Errors of the system, and paths that are not regular files.
pub(crate) fn open_companion(path: &Path) -> io::Result<File> {
    // Checked before opening, because opening a pipe blocks until there is a writer.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    File::open(path)
}

/// The outcome of reading a line.
#[derive(PartialEq)]
pub(crate) enum LineRead {
    Whole,
    /// A line longer than the limit.
    Longer,
    /// The end of the file.
    None,
}

/// A file that is read sequentially. Pipes and compressed files are supported where no seeking back
/// is needed.
pub(crate) struct FileReader {
    pub path: Arc<Path>,
    file: BufReader<FileContent>,
    place: u64,
    /// `None` for compressed files and those that are not regular files.
    length: Option<u64>,
    /// The first bytes, including leading blanks, enough to recognise the format; empty for a file
    /// that the user did not name and that is read as it is.
    first: Vec<u8>,
}

impl FileReader {
    /// Opens a file, which may be compressed by gzip or zstd.
    pub fn open(path: &Arc<Path>) -> Result<Self, Problem> {
        Self::of(path, File::open(path).and_then(FileContent::recognised))
    }

    /// Opens a file that the user did not name, without decompression.
    pub fn open_companion(path: &Arc<Path>) -> Result<Self, Problem> {
        Self::of(
            path,
            open_companion(path).map(|file| (FileContent::File(file), Vec::new())),
        )
    }

    /// Opens a companion file, which may be compressed.
    pub fn open_compressed_companion(path: &Arc<Path>) -> Result<Self, Problem> {
        Self::of(path, open_companion(path).and_then(FileContent::recognised))
    }

    fn of(path: &Arc<Path>, content: io::Result<(FileContent, Vec<u8>)>) -> Result<Self, Problem> {
        let opened = content.and_then(|(content, first)| Ok((content.length()?, content, first)));
        let (length, content, first) =
            opened.map_err(|problem| Problem::new(path, FilePosition::Whole, problem))?;
        // The buffer is at most as large as the file, because there may be many small files and
        // each buffer is first filled with zeros.
        let buffer = length.map_or(READ, |length| {
            length.clamp(LEAST_READ, READ as u64) as usize
        });
        Ok(FileReader {
            path: Arc::clone(path),
            file: BufReader::with_capacity(buffer, content),
            place: 0,
            length,
            first,
        })
    }

    /// Returns whether the bytes are the result of decompression rather than those of the file.
    pub fn is_decompressed(&self) -> bool {
        matches!(self.file.get_ref(), FileContent::Decompressed(_))
    }

    /// Returns whether it is a pipe, or something else that can only be read sequentially.
    pub fn is_pipe(&self) -> bool {
        matches!(self.file.get_ref(), FileContent::Stream(_))
    }

    /// Returns the position of the next byte.
    pub fn place(&self) -> u64 {
        self.place
    }

    /// Returns the number of bytes up to the end, or `u64::MAX` if that is not known.
    pub fn left(&self) -> u64 {
        self.length
            .map_or(u64::MAX, |length| length.saturating_sub(self.place))
    }

    /// Returns whether nothing follows. A read error is left to the next read.
    pub fn at_end(&mut self) -> bool {
        self.left() == 0
            || self.length.is_none() && self.file.fill_buf().is_ok_and(<[u8]>::is_empty)
    }

    /// Creates a problem at the current position.
    pub fn problem(&self, what: impl std::fmt::Display) -> Problem {
        self.problem_at(self.place, what)
    }

    pub fn problem_at(&self, place: u64, what: impl std::fmt::Display) -> Problem {
        Problem::new(&self.path, FilePosition::Byte(place), what)
    }

    /// Reads the next `N` bytes.
    pub fn read<const N: usize>(&mut self) -> Result<[u8; N], Problem> {
        let mut bytes = [0; N];
        self.require(N as u64)?;
        self.file
            .read_exact(&mut bytes)
            .map_err(|problem| self.problem(problem))?;
        self.place += N as u64;
        Ok(bytes)
    }

    /// Appends the next `length` bytes. Memory is reserved only for bytes that the file has.
    pub fn append(&mut self, length: u64, to: &mut Vec<u8>) -> Result<(), Problem> {
        self.require(length)?;
        let start = to.len();
        if self.length.is_some() && length > READ as u64 {
            // Growing step by step would take twice as much. The whole length is in the file.
            let room = usize::try_from(length)
                .ok()
                .and_then(|length| to.try_reserve_exact(length).ok());
            room.ok_or_else(|| {
                self.problem(format!("out of memory: cannot allocate {length} bytes"))
            })?;
        }
        let read = self
            .file
            .by_ref()
            .take(length)
            .read_to_end(to)
            .map_err(|problem| self.problem(problem))?;
        if read as u64 != length {
            to.truncate(start);
            return Err(self.problem(ENDS_EARLY));
        }
        self.place += length;
        Ok(())
    }

    /// Appends all that follows, up to `most` bytes. Returns whether that was everything.
    pub fn append_rest(&mut self, most: u64, to: &mut Vec<u8>) -> Result<bool, Problem> {
        if self.length.is_some() {
            let left = self.left();
            return if left <= most {
                self.append(left, to).map(|()| true)
            } else {
                Ok(false)
            };
        }
        let read = self
            .file
            .by_ref()
            .take(most)
            .read_to_end(to)
            .map_err(|problem| self.problem(problem))?;
        self.place += read as u64;
        Ok(self.at_end())
    }

    pub fn skip(&mut self, length: u64) -> Result<(), Problem> {
        self.require(length)?;
        if self.length.is_some() {
            return self.move_by(i64::try_from(length).expect("a file has fewer bytes"));
        }
        let mut skipped = self.file.by_ref().take(length);
        let skipped =
            io::copy(&mut skipped, &mut io::sink()).map_err(|problem| self.problem(problem))?;
        self.place += skipped;
        if skipped == length {
            Ok(())
        } else {
            Err(self.problem(ENDS_EARLY))
        }
    }

    /// Moves to another position. Buffered bytes are kept if the position is near.
    pub fn go_to(&mut self, place: u64) -> Result<(), Problem> {
        let distance = i128::from(place) - i128::from(self.place);
        self.move_by(
            i64::try_from(distance)
                .map_err(|_| self.problem("the position is outside the file"))?,
        )
    }

    fn move_by(&mut self, distance: i64) -> Result<(), Problem> {
        self.file
            .seek_relative(distance)
            .map_err(|problem| self.problem(problem))?;
        self.place = self
            .place
            .checked_add_signed(distance)
            .expect("a place in a file");
        Ok(())
    }

    /// Returns the first bytes, or all bytes of a shorter file, independent of the current
    /// position.
    pub fn first(&self) -> &[u8] {
        &self.first
    }

    /// Appends a line with its line end, of at most `most` bytes. Of a longer line, `most` bytes
    /// are skipped.
    pub fn append_line(&mut self, most: u64, to: &mut Vec<u8>) -> Result<LineRead, Problem> {
        let start = to.len();
        let mut limited = self.file.by_ref().take(most);
        let read = limited
            .read_until(b'\n', to)
            .map_err(|problem| self.problem(problem))? as u64;
        self.place += read;
        if read == most && !to.ends_with(b"\n") {
            to.truncate(start);
            return Ok(LineRead::Longer);
        }
        Ok(if read > 0 {
            LineRead::Whole
        } else {
            LineRead::None
        })
    }

    fn require(&self, length: u64) -> Result<(), Problem> {
        let left = self.left();
        if length <= left {
            return Ok(());
        }
        Err(self.problem(format!(
            "expected {length} more bytes, but the file has only {left}"
        )))
    }
}

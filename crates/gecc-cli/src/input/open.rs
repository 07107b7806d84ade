//! Opening of inputs: those with random access, and those that are read sequentially.

use super::compressed::{LONGEST_SIGNATURE, compression, decompressed_when_read};
use super::pipe::Pipe;
use crate::secrets::buffers::Wiped;
use crate::standard_streams;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// An open input.
pub enum Input {
    /// A regular file that is not compressed, which threads read at several positions at once.
    File(PlainFile),
    /// A pipe or any other source, decompressed.
    Stream(Box<dyn Read + Send>),
}

/// A regular file, with the range to read.
pub struct PlainFile {
    pub file: File,
    pub start: u64,
    /// The end of the file when it was opened. The file may have grown or shrunk since.
    pub end: u64,
}

impl Input {
    /// Returns the number of bytes to read, if known.
    pub fn length(&self) -> Option<u64> {
        match self {
            Input::File(plain) => Some(plain.end.saturating_sub(plain.start)),
            Input::Stream(_) => None,
        }
    }

    /// Returns a reader of the whole input.
    pub fn into_reader(self) -> Box<dyn Read + Send> {
        match self {
            Input::File(plain) => Box::new(plain.file),
            Input::Stream(reader) => reader,
        }
    }
}

/// Opens a file, or standard input for `-`.
pub fn open(path: &Path) -> io::Result<Input> {
    if is_standard_stream(path) {
        standard_streams::require_input().map_err(io::Error::other)?;
        return open_standard_input();
    }
    if is_pipe(path) {
        return Ok(Input::Stream(decompressed_when_read(Box::new(Pipe::new(
            path,
        )))));
    }
    as_input(File::open(path)?)
}

#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    std::fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_: &Path) -> bool {
    false
}

/// Returns whether a path denotes standard input, or, for an output, standard output.
pub fn is_standard_stream(path: &Path) -> bool {
    path == Path::new("-")
}

/// Opens standard input, which may be a file that has been read in part.
#[cfg(unix)]
fn open_standard_input() -> io::Result<Input> {
    use std::os::fd::AsFd;
    as_input(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

#[cfg(not(unix))]
fn open_standard_input() -> io::Result<Input> {
    Ok(Input::Stream(decompressed_when_read(Box::new(io::stdin()))))
}

#[cfg(unix)]
fn as_input(mut file: File) -> io::Result<Input> {
    use std::io::Seek;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Ok(Input::Stream(decompressed_when_read(Box::new(file))));
    }
    let start = file.stream_position()?;
    let plain = PlainFile {
        file,
        start,
        end: metadata.len(),
    };
    let mut head = [0; LONGEST_SIGNATURE];
    let length = plain.read_at(&mut head, start)?;
    Ok(match compression(&head[..length])? {
        None => Input::File(plain),
        Some(_) => Input::Stream(decompressed_when_read(Box::new(plain.file))),
    })
}

#[cfg(not(unix))]
fn as_input(file: File) -> io::Result<Input> {
    Ok(Input::Stream(decompressed_when_read(Box::new(file))))
}

/// Makes the error for a file that became shorter after it was opened.
pub fn became_shorter() -> io::Error {
    io::Error::new(
        io::ErrorKind::UnexpectedEof,
        "the file became shorter while it was read",
    )
}

impl PlainFile {
    /// Returns the first bytes. Errors are ignored here, and are reported by the next read.
    pub fn head(&self) -> Wiped {
        const HEAD: usize = 1 << 16;
        let mut head = Wiped::new(vec![0; HEAD]);
        let length = self.read_at(&mut head, self.start).unwrap_or(0);
        head.truncate(length);
        head
    }

    /// Reads from a position until the buffer is full or the file ends. Returns the number of bytes
    /// read.
    #[cfg(unix)]
    pub fn read_at(&self, buffer: &mut [u8], place: u64) -> io::Result<usize> {
        use std::os::unix::fs::FileExt;
        let mut filled = 0;
        while filled < buffer.len() {
            match self
                .file
                .read_at(&mut buffer[filled..], place + filled as u64)
            {
                Ok(0) => break,
                Ok(length) => filled += length,
                Err(problem) if problem.kind() == io::ErrorKind::Interrupted => {}
                Err(problem) => return Err(problem),
            }
        }
        Ok(filled)
    }

    #[cfg(not(unix))]
    pub fn read_at(&self, _: &mut [u8], _: u64) -> io::Result<usize> {
        unreachable!("files are streams here")
    }
}

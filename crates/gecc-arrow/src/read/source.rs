//! A file that several threads read concurrently.

use crate::error::Error;
use bytes::Bytes;
use rustix::buffer::spare_capacity;
use rustix::io::{Errno, pread};
use std::fs::File;
use std::path::{Path, PathBuf};

/// A file and its length when it was opened. Nothing is read beyond it, so a wrong length inside
/// the file costs no memory.
pub(crate) struct Source {
    file: File,
    path: PathBuf,
    length: u64,
}

impl Source {
    pub fn open(path: &Path) -> Result<Self, Error> {
        let file = File::open(path).map_err(Error::file(path))?;
        let length = file.metadata().map_err(Error::file(path))?.len();
        Ok(Source {
            file,
            path: path.to_owned(),
            length,
        })
    }

    pub fn length(&self) -> u64 {
        self.length
    }

    /// Reads `length` bytes at `start`.
    pub fn bytes(&self, start: u64, length: usize) -> Result<Vec<u8>, Error> {
        let end = start
            .checked_add(length as u64)
            .filter(|end| *end <= self.length);
        if end.is_none() {
            let found = format!(
                "the file ends at {}, but {length} bytes at {start} are expected",
                self.length
            );
            return Err(Error::Malformed(found));
        }
        let mut bytes = Vec::with_capacity(length);
        while bytes.len() < length {
            let offset = start + bytes.len() as u64;
            match pread(&self.file, spare_capacity(&mut bytes), offset) {
                Ok(0) => {
                    return Err(Error::Malformed(
                        "the file became shorter while it was read".to_owned(),
                    ));
                }
                Ok(_) | Err(Errno::INTR) => {}
                Err(problem) => return Err(Error::file(&self.path)(problem.into())),
            }
        }
        // The vector may have a larger capacity, and more bytes were read then.
        bytes.truncate(length);
        Ok(bytes)
    }

    /// Reads the bytes at `start`, but at most `length`.
    pub fn at_most(&self, start: u64, length: usize) -> Result<Bytes, Error> {
        let there = self.length.saturating_sub(start).min(length as u64);
        self.bytes(start, there as usize).map(Bytes::from)
    }

    /// Returns the file, to be read from its beginning.
    pub fn into_file(self) -> File {
        self.file
    }
}

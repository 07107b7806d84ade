//! Files whose bytes Bitcoin Core obfuscates with a key, since its version 28.

use crate::files::{Reader, open_beside};
use crate::problem::{Place, Problem};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// The name of the file with the key.
pub const KEY: &str = "xor.dat";
/// The key that leaves bytes unchanged.
const NO_KEY: [u8; 8] = [0; 8];

/// Reads the key in the folder of a file: zeros if there is no key file.
///
/// # Errors
/// Errors of the system, and a file of another length.
fn key_beside(path: &Path) -> Result<[u8; 8], Problem> {
    let path: Arc<Path> = Arc::from(path.with_file_name(KEY));
    let mut bytes = Vec::new();
    let read = open_beside(&path).and_then(|file| file.take(9).read_to_end(&mut bytes));
    match read {
        Ok(_) => {
            let key = bytes.as_slice().try_into();
            key.map_err(|_| Problem::new(&path, Place::Whole, "a key has 8 bytes"))
        }
        Err(none) if none.kind() == std::io::ErrorKind::NotFound => Ok(NO_KEY),
        Err(other) => Err(Problem::new(&path, Place::Whole, other)),
    }
}

/// A file whose bytes are obfuscated with a key.
pub struct Hidden {
    pub reader: Reader,
    key: [u8; 8],
}

impl Hidden {
    /// Opens a file with the key in its folder.
    pub fn open(reader: Reader) -> Result<Self, Problem> {
        let key = key_beside(&reader.path)?;
        Ok(Hidden { reader, key })
    }

    /// Appends bytes from the current position.
    pub fn append(&mut self, length: u64, to: &mut Vec<u8>) -> Result<(), Problem> {
        let place = self.reader.place();
        let start = to.len();
        self.reader.append(length, to)?;
        let mut key = self.key;
        if key != NO_KEY {
            key.rotate_left((place % 8) as usize);
            let (whole, rest) = to[start..].as_chunks_mut();
            for part in whole {
                *part = (u64::from_ne_bytes(*part) ^ u64::from_ne_bytes(key)).to_ne_bytes();
            }
            rest.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        }
        Ok(())
    }

    /// Reads bytes from the current position.
    pub fn read(&mut self, length: u64) -> Result<Vec<u8>, Problem> {
        let mut bytes = Vec::new();
        self.append(length, &mut bytes)?;
        Ok(bytes)
    }

    /// Replaces the contents of `to` with bytes from `place`.
    pub fn read_at(&mut self, place: u64, length: u64, to: &mut Vec<u8>) -> Result<(), Problem> {
        to.clear();
        self.reader.go_to(place)?;
        self.append(length, to)
    }

    /// Reads bytes as the file has them, without deobfuscation.
    pub fn read_raw_at(&mut self, place: u64, length: u64, to: &mut Vec<u8>) -> Result<(), Problem> {
        to.clear();
        self.reader.go_to(place)?;
        self.reader.append(length, to)
    }

    /// Returns the length of the file in bytes.
    pub fn length(&self) -> u64 {
        self.reader.place().saturating_add(self.reader.left())
    }

    /// Returns whether a key other than zeros was found.
    pub fn has_key(&self) -> bool {
        self.key != NO_KEY
    }
}

//! Files whose bytes Bitcoin Core obfuscates with a key, since its version 28, and explanations for
//! files of blocks that do not begin with a record of a known network: they are obfuscated with a
//! key that is missing from their folder, or belong to a custom network.
//!
//! Bitcoin Core repeats the 8 bytes of `xor.dat` over the whole file. Bytes 12 to 43 of a file hold
//! the hash of the previous block. It ends in zeros, because the hash of a block is a small number,
//! and the predecessor of the genesis block has a hash of zeros only. So the key can be read off
//! there.

use super::LONGEST_BLOCK;
use super::network::Network;
use crate::files::{FileReader, open_companion};
use crate::problem::{FilePosition, Problem};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// The end of the previous block's hash in the first record.
const BEFORE_ENDS: usize = 44;
const HEADER: u64 = 8;
/// The name of the file with the key.
pub const KEY: &str = "xor.dat";
/// The key that leaves bytes unchanged.
const NO_KEY: [u8; 8] = [0; 8];

/// Reads the key in the folder of a file: zeros if there is no key file.
///
/// # Errors
/// Errors of the system, and a file of another length.
fn companion_key(path: &Path) -> Result<[u8; 8], Problem> {
    let path: Arc<Path> = Arc::from(path.with_file_name(KEY));
    let mut bytes = Vec::new();
    let read = open_companion(&path).and_then(|file| file.take(9).read_to_end(&mut bytes));
    match read {
        Ok(_) => {
            let key = bytes.as_slice().try_into();
            key.map_err(|_| Problem::new(&path, FilePosition::Whole, "a key has 8 bytes"))
        }
        Err(none) if none.kind() == std::io::ErrorKind::NotFound => Ok(NO_KEY),
        Err(other) => Err(Problem::new(&path, FilePosition::Whole, other)),
    }
}

/// A file whose bytes are obfuscated with a key.
pub struct ObfuscatedFile {
    pub reader: FileReader,
    key: [u8; 8],
}

impl ObfuscatedFile {
    /// Opens a file with the key in its folder.
    pub fn open(reader: FileReader) -> Result<Self, Problem> {
        let key = companion_key(&reader.path)?;
        Ok(ObfuscatedFile { reader, key })
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
            rest.iter_mut()
                .zip(key)
                .for_each(|(byte, key)| *byte ^= key);
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
    pub fn read_raw_at(
        &mut self,
        place: u64,
        length: u64,
        to: &mut Vec<u8>,
    ) -> Result<(), Problem> {
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

/// Returns advice about a file whose first record has no known magic, if the cause can be
/// determined.
pub fn hint(file: &mut ObfuscatedFile) -> Result<Option<String>, Problem> {
    let magic = repeated_magic(file)?;
    if let Some(magic) = magic
        && let Some(network) = Network::of(magic)
    {
        let digits = const_hex::encode(magic);
        return Ok(Some(format!(
            "records begin with {digits}, the magic of {network}, and not with --magic"
        )));
    }
    let mut first = Vec::new();
    let length = file.length().min(BEFORE_ENDS as u64);
    file.read_raw_at(0, length, &mut first)?;
    if let Some(first) = first.first_chunk()
        && is_hidden(first)
    {
        return Ok(Some(if file.has_key() {
            format!(
                "the magic of a network is obfuscated with another key: {KEY} does not belong to these files"
            )
        } else {
            format!(
                "the magic of a network is obfuscated with a key: put the {KEY} of these files next to them"
            )
        }));
    }
    Ok(magic.map(|magic| {
        let magic = const_hex::encode(magic);
        format!("records begin with {magic}, the magic of no known network (of a custom signet: --magic {magic})")
    }))
}

/// Returns whether a key over the whole file would turn its first four bytes into the magic of a
/// network.
fn is_hidden(first: &[u8; BEFORE_ENDS]) -> bool {
    let key: [u8; 4] = *first.last_chunk().expect("it has more");
    let magic = std::array::from_fn(|at| first[at] ^ key[at]);
    // A key of zeros means that the file is not obfuscated: its first block simply has a
    // predecessor whose hash ends in zeros.
    key != [0; 4] && Network::of(magic).is_some()
}

/// Returns the first four bytes if the second record begins with them too, or if there is only one
/// record.
fn repeated_magic(file: &mut ObfuscatedFile) -> Result<Option<[u8; 4]>, Problem> {
    let end = file.length();
    let mut bytes = Vec::new();
    file.read_at(0, end.min(HEADER), &mut bytes)?;
    let &[magic, length] = bytes.as_chunks().0 else {
        return Ok(None);
    };
    let length = u64::from(u32::from_le_bytes(length));
    let next = HEADER + length;
    if !(81..=LONGEST_BLOCK).contains(&length) || next > end {
        return Ok(None);
    }
    file.read_at(next, (end - next).min(4), &mut bytes)?;
    Ok((bytes.is_empty() || bytes == magic).then_some(magic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_hidden_detects_key_in_zeros_of_previous_hash() {
        let mut first = [0; BEFORE_ENDS];
        first[..4].copy_from_slice(&[0xf9, 0xbe, 0xb4, 0xd9]);
        first[4..8].copy_from_slice(&285_u32.to_le_bytes());
        first[8] = 1;
        assert!(!is_hidden(&first));
        let key = [1, 2, 3, 4, 5, 6, 7, 8];
        let hidden: [u8; BEFORE_ENDS] = std::array::from_fn(|at| first[at] ^ key[at % 8]);
        assert!(is_hidden(&hidden));
        let mut other = hidden;
        other[1] ^= 1;
        assert!(!is_hidden(&other));
    }
}

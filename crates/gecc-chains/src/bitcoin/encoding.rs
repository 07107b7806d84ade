//! Bitcoin's serialization format, read from the front of a slice.

use sha2::{Digest, Sha256};

/// A result whose error is a clause that describes the problem.
pub type Result<T> = std::result::Result<T, &'static str>;

pub const ENDS_EARLY: &str = "the encoding ends too early";

pub fn take<'a>(bytes: &mut &'a [u8], count: u64) -> Result<&'a [u8]> {
    let taken = usize::try_from(count)
        .ok()
        .and_then(|count| bytes.split_off(..count));
    taken.ok_or(ENDS_EARLY)
}

pub fn array<'a, const N: usize>(bytes: &mut &'a [u8]) -> Result<&'a [u8; N]> {
    let (taken, rest) = bytes.split_first_chunk().ok_or(ENDS_EARLY)?;
    *bytes = rest;
    Ok(taken)
}

/// Reads a number of 1, 3, 5 or 9 bytes (Bitcoin Core's CompactSize), which must be in the shortest
/// of these forms.
pub fn number(bytes: &mut &[u8]) -> Result<u64> {
    let [first] = *array(bytes)?;
    let (number, least) = match first {
        0xfd => (u16::from_le_bytes(*array(bytes)?).into(), 0xfd),
        0xfe => (u32::from_le_bytes(*array(bytes)?).into(), 1 << 16),
        0xff => (u64::from_le_bytes(*array(bytes)?), 1 << 32),
        short => (short.into(), 0),
    };
    if number < least {
        Err("a number is not in its shortest form")
    } else {
        Ok(number)
    }
}

/// Reads bytes that are preceded by their length.
pub fn sized<'a>(bytes: &mut &'a [u8]) -> Result<&'a [u8]> {
    let size = number(bytes)?;
    take(bytes, size)
}

/// Passes the bytes of a number in its shortest form to `put`.
pub fn put_number(number: usize, put: impl FnOnce(&[u8])) {
    let number = number as u64;
    let (form, length) = match number {
        0..0xfd => return put(&[number as u8]),
        0xfd..=0xffff => (0xfd, 3),
        0x1_0000..=0xffff_ffff => (0xfe, 5),
        _ => (0xff, 9),
    };
    let mut bytes = [form; 9];
    bytes[1..].copy_from_slice(&number.to_le_bytes());
    put(&bytes[..length]);
}

/// Hashes bytes, preceded by their length.
pub fn hash_sized(hash: &mut Sha256, bytes: &[u8]) {
    put_number(bytes.len(), |number| hash.update(number));
    hash.update(bytes);
}

/// Appends bytes, preceded by their length.
pub fn put_sized(bytes: &[u8], to: &mut Vec<u8>) {
    put_number(bytes.len(), |number| to.extend_from_slice(number));
    to.extend_from_slice(bytes);
}

//! Progress of an input.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The progress of an input: the batches whose answers have been taken ([`crate::answer_batches`],
/// [`crate::transform`]). Any thread may query it.
#[derive(Debug, Default)]
pub struct Progress {
    bytes: AtomicU64,
    rows: AtomicU64,
}

impl Progress {
    /// Returns the approximate number of bytes of the file or stream: batches are given equal
    /// shares of a file with a footer.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    pub(crate) fn set(&self, bytes: u64, rows: u64) {
        self.bytes.store(bytes, Ordering::Relaxed);
        self.rows.store(rows, Ordering::Relaxed);
    }
}

/// The byte position up to which an input was read for the batches returned so far.
#[derive(Clone, Default)]
pub(crate) struct ByteOffset(Arc<AtomicU64>);

impl ByteOffset {
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Sets the position to the end of a part in a file of this length.
    pub fn set(&self, length: u64, part: u64, parts: u64) {
        let place = u128::from(length) * u128::from(part) / u128::from(parts.max(1));
        self.0
            .store(u64::try_from(place).unwrap_or(length), Ordering::Relaxed);
    }
}

/// Counts the bytes read.
pub(crate) struct CountingReader<R> {
    input: R,
    place: ByteOffset,
}

impl<R> CountingReader<R> {
    pub fn new(input: R) -> (Self, ByteOffset) {
        let place = ByteOffset::default();
        (
            CountingReader {
                input,
                place: place.clone(),
            },
            place,
        )
    }
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let length = self.input.read(to)?;
        self.place.0.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

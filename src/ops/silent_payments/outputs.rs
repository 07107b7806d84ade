//! The transaction outputs of rows.

use super::LIMIT;
use crate::types::{Error, Rows};
use std::ops::Range;

/// The taproot outputs of each row of a scan: a list column of offsets and values. Row i has the
/// outputs `offsets[i]..offsets[i + 1]`; there is one more offset than there are rows.
#[derive(Clone, Copy, Debug)]
pub struct Outputs<'a> {
    offsets: &'a [u64],
    keys: OutputKeys<'a>,
}

#[derive(Clone, Copy, Debug)]
enum OutputKeys<'a> {
    XOnly(Rows<'a, 32>),
    Prefixes(&'a [u64]),
}

impl<'a> Outputs<'a> {
    /// Takes outputs as their x-only keys, 32 bytes each, big-endian.
    ///
    /// # Errors
    /// [`Error::InvalidColumn`] if there are no offsets, or offsets decrease or exceed the number
    /// of keys.
    pub fn x_only(offsets: &'a [u64], keys: impl Into<Rows<'a, 32>>) -> Result<Self, Error> {
        let keys = keys.into();
        Self::new(
            offsets,
            OutputKeys::XOnly(keys),
            keys.len().unwrap_or(usize::MAX),
        )
    }

    /// Takes outputs as the first eight bytes of their x-only keys, as big-endian numbers. Matches
    /// are then candidates: an unrelated output has the same eight bytes with probability 2^-64.
    ///
    /// # Errors
    /// The errors of [`Outputs::x_only`].
    pub fn prefixes(offsets: &'a [u64], prefixes: &'a [u64]) -> Result<Self, Error> {
        Self::new(offsets, OutputKeys::Prefixes(prefixes), prefixes.len())
    }

    fn new(offsets: &'a [u64], keys: OutputKeys<'a>, count: usize) -> Result<Self, Error> {
        let problem = match offsets {
            [] => Some("outputs have no offset".to_owned()),
            [.., last] if *last > count as u64 => {
                Some(format!("{count} outputs, and an offset of {last}"))
            }
            _ => (!offsets.is_sorted()).then(|| "offsets of outputs decrease".to_owned()),
        };
        problem.map_or(Ok(Outputs { offsets, keys }), |problem| {
            Err(Error::InvalidColumn(problem))
        })
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns the outputs of a range of rows; their indices in the column do not change.
    ///
    /// # Panics
    /// If the range is out of bounds.
    pub fn slice(&self, rows: Range<usize>) -> Self {
        Outputs {
            offsets: &self.offsets[rows.start..=rows.end],
            keys: self.keys,
        }
    }

    /// Returns the indices in the column of a row's outputs.
    pub(super) fn of_row(&self, row: usize) -> Range<usize> {
        // Offsets are at most the number of keys.
        self.offsets[row] as usize..self.offsets[row + 1] as usize
    }

    /// Returns an upper bound on the number of a row's matches: its outputs, or [`LIMIT`] if there
    /// are more.
    pub(super) fn most_matches(&self, row: usize) -> u32 {
        u32::try_from(self.of_row(row).len()).map_or(LIMIT, |outputs| outputs.min(LIMIT))
    }

    /// Returns `true` if the known bytes of an output agree with this x-coordinate.
    pub(super) fn is(&self, output: usize, x: &[u8; 32]) -> bool {
        match self.keys {
            OutputKeys::XOnly(keys) => keys.get(output) == x,
            OutputKeys::Prefixes(prefixes) => {
                prefixes[output] == u64::from_be_bytes(*x.first_chunk().expect("32 bytes"))
            }
        }
    }
}

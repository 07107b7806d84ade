//! Rows of tweak points and outputs, in the layout that the engine takes.

use crate::vector::{BLOB, LogicalType, SQLNULL, TINYINT, UBIGINT, Vector};
use gecc::silent_payments::Outputs;
use gecc::{Error, PublicKeys};
use std::ops::Range;

/// The known part of outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputKind {
    /// The first eight bytes of their x-only keys, as numbers.
    Prefixes,
    /// Their x-only keys, or blobs of another length.
    Keys,
}

impl OutputKind {
    /// Returns the contents of lists of this type.
    ///
    /// # Errors
    /// A description of the required type.
    pub fn of(lists: &LogicalType) -> Result<Self, String> {
        match lists.element().map(|element| element.type_of()) {
            Some(BLOB) => Ok(OutputKind::Keys),
            // NULL is the element type of an empty list.
            Some(TINYINT..=UBIGINT | SQLNULL) => Ok(OutputKind::Prefixes),
            None if lists.type_of() == SQLNULL => Ok(OutputKind::Prefixes),
            _ => {
                Err("`outputs` must be a list of BIGINT, the first 8 bytes of each, or of BLOB, 32 bytes each"
                    .to_owned())
            }
        }
    }
}

/// Tweak points of any form, and lists of outputs.
pub struct ScanColumns {
    known: OutputKind,
    tweak_points: Vec<[u8; 65]>,
    offsets: Vec<u64>,
    /// The known prefixes of all rows. Other representations are empty.
    prefixes: Vec<u64>,
    keys: Vec<[u8; 32]>,
}

impl ScanColumns {
    pub fn new(known: OutputKind) -> Self {
        ScanColumns {
            known,
            tweak_points: Vec::new(),
            offsets: vec![0],
            prefixes: Vec::new(),
            keys: Vec::new(),
        }
    }

    pub fn rows(&self) -> usize {
        self.tweak_points.len()
    }

    /// Adds a row, if all its outputs can be read. Returns whether it was added.
    pub fn push(&mut self, tweak_point: [u8; 65], values: &Vector, places: Range<usize>) -> bool {
        let begin = self.count();
        let is_read = places.into_iter().all(|place| match self.known {
            // DuckDB stores them as signed numbers.
            OutputKind::Prefixes => values
                .integer(place)
                .map(|value| self.prefixes.push(value as u64))
                .is_some(),
            OutputKind::Keys => {
                let key = values.bytes(place).and_then(|bytes| bytes.try_into().ok());
                key.map(|key| self.keys.push(key)).is_some()
            }
        });
        if is_read {
            self.tweak_points.push(tweak_point);
            self.offsets.push(self.count() as u64);
        } else {
            self.prefixes.truncate(begin);
            self.keys.truncate(begin);
        }
        is_read
    }

    /// Adds rows with the same kind of outputs.
    pub fn append(&mut self, rows: ScanColumns) {
        let begin = self.count() as u64;
        self.tweak_points.extend(rows.tweak_points);
        self.offsets
            .extend(rows.offsets[1..].iter().map(|offset| begin + offset));
        self.prefixes.extend(rows.prefixes);
        self.keys.extend(rows.keys);
    }

    pub fn keys(&self) -> PublicKeys<'_> {
        PublicKeys::mixed(&self.tweak_points)
    }

    pub fn outputs(&self) -> Result<Outputs<'_>, Error> {
        match self.known {
            OutputKind::Prefixes => Outputs::prefixes(&self.offsets, &self.prefixes),
            OutputKind::Keys => Outputs::x_only(&self.offsets, &self.keys),
        }
    }

    /// Returns the number of outputs.
    fn count(&self) -> usize {
        self.prefixes.len() + self.keys.len()
    }
}

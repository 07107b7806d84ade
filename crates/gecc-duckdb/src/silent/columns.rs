//! Rows of tweak points and outputs, as the engine gets them.

use crate::vector::{LogicalType, Type, Vector};
use gecc::silent_payments::Outputs;
use gecc::{Error, PublicKeys};
use std::ops::Range;

/// What is known of outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// The first eight bytes of their x-only keys, as numbers.
    Prefixes,
    /// Their x-only keys, or blobs of another length.
    Keys,
}

impl Known {
    /// What lists of this type hold.
    ///
    /// # Errors
    /// What they have to hold.
    pub fn of(lists: &LogicalType) -> Result<Self, String> {
        match lists.element().map(|element| element.type_of()) {
            Some(Type::Blob) => Ok(Known::Keys),
            // Those of an empty list.
            Some(Type::Integer(_) | Type::Null) => Ok(Known::Prefixes),
            None if lists.type_of() == Type::Null => Ok(Known::Prefixes),
            _ => {
                Err("`outputs` must be a list of BIGINT, the first 8 bytes of each, or of BLOB, 32 bytes each"
                    .to_owned())
            }
        }
    }
}

/// Tweak points of any form, and lists of outputs.
pub struct Columns {
    tweak_points: Vec<[u8; 65]>,
    offsets: Vec<u64>,
    outputs: Values,
}

enum Values {
    Prefixes(Vec<u64>),
    Keys(Vec<[u8; 32]>),
}

impl Columns {
    pub fn new(known: Known) -> Self {
        let outputs = match known {
            Known::Prefixes => Values::Prefixes(Vec::new()),
            Known::Keys => Values::Keys(Vec::new()),
        };
        Columns { tweak_points: Vec::new(), offsets: vec![0], outputs }
    }

    /// The same without rows.
    pub fn empty(&self) -> Self {
        Columns::new(match self.outputs {
            Values::Prefixes(_) => Known::Prefixes,
            Values::Keys(_) => Known::Keys,
        })
    }

    pub fn rows(&self) -> usize {
        self.tweak_points.len()
    }

    /// Adds a row. Whether all its outputs could be read; otherwise it is not added.
    pub fn push(&mut self, tweak_point: [u8; 65], values: &Vector, places: Range<usize>) -> bool {
        let begin = self.count();
        let is_read = match &mut self.outputs {
            Values::Prefixes(prefixes) => places.clone().all(|place| {
                // DuckDB has them as signed numbers.
                values.integer(place).map(|value| prefixes.push(value as u64)).is_some()
            }),
            Values::Keys(keys) => places.clone().all(|place| {
                let key = values.bytes(place).and_then(|bytes| bytes.try_into().ok());
                key.map(|key| keys.push(key)).is_some()
            }),
        };
        if is_read {
            self.tweak_points.push(tweak_point);
            self.offsets.push(self.count());
        } else {
            match &mut self.outputs {
                Values::Prefixes(prefixes) => prefixes.truncate(begin as usize),
                Values::Keys(keys) => keys.truncate(begin as usize),
            }
        }
        is_read
    }

    /// Adds rows of the same kind of outputs.
    pub fn append(&mut self, rows: Columns) {
        let begin = self.count();
        self.tweak_points.extend(rows.tweak_points);
        self.offsets.extend(rows.offsets[1..].iter().map(|offset| begin + offset));
        match (&mut self.outputs, rows.outputs) {
            (Values::Prefixes(all), Values::Prefixes(more)) => all.extend(more),
            (Values::Keys(all), Values::Keys(more)) => all.extend(more),
            _ => unreachable!("a statement's outputs are all of one kind"),
        }
    }

    pub fn keys(&self) -> PublicKeys<'_> {
        PublicKeys::mixed(&self.tweak_points)
    }

    pub fn outputs(&self) -> Result<Outputs<'_>, Error> {
        match &self.outputs {
            Values::Prefixes(prefixes) => Outputs::prefixes(&self.offsets, prefixes),
            Values::Keys(keys) => Outputs::x_only(&self.offsets, keys),
        }
    }

    /// Outputs.
    fn count(&self) -> u64 {
        match &self.outputs {
            Values::Prefixes(prefixes) => prefixes.len() as u64,
            Values::Keys(keys) => keys.len() as u64,
        }
    }
}

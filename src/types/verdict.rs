//! Results of items: [`Rejection`] for items that fail, and verdicts.
//!
//! An invalid item never causes an [`crate::Error`] and never affects other items.

use std::fmt;

// Defines `Rejection`, generated from `cuda/codes.toml`.
include!(concat!(env!("OUT_DIR"), "/verdicts.rs"));

impl Rejection {
    /// Returns the stable numeric form: one byte, 2 or more ([`Verdict::VALID_CODE`] is 1; 0 is
    /// never used).
    pub fn code(self) -> u8 {
        self as u8
    }
}

/// The result of verifying one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Every check passed.
    Valid,
    /// The first check, in the order of the standard, that failed.
    Rejected(Rejection),
}

impl Verdict {
    /// The numeric form of [`Verdict::Valid`].
    pub const VALID_CODE: u8 = VALID;

    /// Returns the numeric form: 1 for valid, the rejection's code otherwise.
    pub fn code(self) -> u8 {
        match self {
            Verdict::Valid => Self::VALID_CODE,
            Verdict::Rejected(reason) => reason.code(),
        }
    }

    /// Returns `true` if every check passed.
    pub fn is_valid(self) -> bool {
        self == Verdict::Valid
    }
}

impl From<Result<(), Rejection>> for Verdict {
    fn from(result: Result<(), Rejection>) -> Self {
        result.map_or_else(Verdict::Rejected, |()| Verdict::Valid)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Valid => f.write_str("valid"),
            Verdict::Rejected(reason) => reason.fmt(f),
        }
    }
}

/// The verdicts of a batch, one per item, in input order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "signatures are only verified if their verdicts are checked"]
pub struct Verdicts(Vec<Verdict>);

impl Verdicts {
    pub(crate) fn new(verdicts: Vec<Verdict>) -> Self {
        Verdicts(verdicts)
    }

    /// Returns `true` if every item is valid. True for an empty batch.
    pub fn all_valid(&self) -> bool {
        self.0.iter().all(|v| v.is_valid())
    }

    /// Returns the items that failed, each with its index in the batch and the reason.
    pub fn rejected(&self) -> impl Iterator<Item = (usize, Rejection)> + '_ {
        self.0
            .iter()
            .enumerate()
            .filter_map(|(index, verdict)| match verdict {
                Verdict::Valid => None,
                Verdict::Rejected(reason) => Some((index, *reason)),
            })
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns `true` if the batch was empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns all verdicts, in input order.
    pub fn as_slice(&self) -> &[Verdict] {
        &self.0
    }

    /// Iterates over all verdicts, in input order.
    pub fn iter(&self) -> std::slice::Iter<'_, Verdict> {
        self.0.iter()
    }
}

impl std::ops::Index<usize> for Verdicts {
    type Output = Verdict;
    fn index(&self, index: usize) -> &Verdict {
        &self.0[index]
    }
}

impl IntoIterator for Verdicts {
    type Item = Verdict;
    type IntoIter = std::vec::IntoIter<Verdict>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

#[cfg(test)]
#[path = "../../cuda/emit_codes.rs"]
mod emit_codes;

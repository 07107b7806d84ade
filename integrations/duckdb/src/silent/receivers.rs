//! The receivers of a statement: created from the keys in its rows, which are usually the same in
//! all, and kept while the statement runs.

use super::batching::BatchGatherer;
use super::columns::OutputKind;
use crate::vector::{BLOB, Vector};
use gecc::silent_payments::Receiver;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use zeroize::Zeroizing;

/// Maximum number of receivers that a thread keeps.
const MAX_SEARCHES: usize = 16;

/// The labels of a row: the elements of all rows, and the range of its own.
#[derive(Clone)]
pub struct Labels<'a> {
    pub values: Vector<'a>,
    pub places: Range<usize>,
}

impl<'a> Labels<'a> {
    /// Returns the numbers of labels.
    ///
    /// # Errors
    /// A label out of range.
    pub fn numbers(&self) -> Result<Vec<u32>, String> {
        let integers = self.places.clone().map(|place| self.values.integer(place));
        let all: Option<Vec<u32>> = integers
            .map(|integer| u32::try_from(integer?).ok())
            .collect();
        all.ok_or_else(|| "a label is not a number of 0 to 4294967295".to_owned())
    }

    /// Returns the points of labels.
    ///
    /// # Errors
    /// A label that is null.
    pub fn points(&self) -> Result<Vec<&'a [u8]>, String> {
        let all: Option<Vec<&[u8]>> = self
            .places
            .clone()
            .map(|place| self.values.bytes(place))
            .collect();
        all.ok_or_else(|| "a label is null".to_owned())
    }

    /// Writes the part of the receiver's identity that labels determine.
    fn write(&self, to: &mut Vec<u8>) {
        for place in self.places.clone() {
            match self.values.type_of() {
                BLOB => write_part(self.values.bytes(place).unwrap_or_default(), to),
                _ => write_part(&self.values.integer(place).unwrap_or(-1).to_be_bytes(), to),
            }
        }
    }
}

/// The keys of a receiver in a row. Scan and spend key are empty if they come from a file, and
/// labels are `None` if the statement has none.
#[derive(Clone)]
pub struct RowKeys<'a> {
    pub scan: &'a [u8],
    pub spend: &'a [u8],
    pub labels: Option<Labels<'a>>,
}

impl RowKeys<'_> {
    /// Returns whether it is the same receiver.
    pub fn is(&self, other: &Self) -> bool {
        if self.label_places() == other.label_places() {
            return are_equal(self.scan, other.scan) && self.spend == other.spend;
        }
        are_equal(&self.identity(), &other.identity())
    }

    /// Returns the numbers of the labels, of which there may be none.
    ///
    /// # Errors
    /// A label out of range.
    pub fn label_numbers(&self) -> Result<Vec<u32>, String> {
        self.labels.as_ref().map_or(Ok(Vec::new()), Labels::numbers)
    }

    fn label_places(&self) -> Option<&Range<usize>> {
        self.labels.as_ref().map(|labels| &labels.places)
    }

    /// Returns the identity of the receiver, which distinguishes it from others.
    fn identity(&self) -> Zeroizing<Vec<u8>> {
        // The capacity is sufficient for valid keys and labels, and the scan key comes last: a
        // growing vector would leave copies in freed memory.
        let labels = self.labels.as_ref().map_or(0, |labels| labels.places.len());
        let mut identity = Zeroizing::new(Vec::with_capacity(256 + 128 * labels));
        self.labels
            .iter()
            .for_each(|labels| labels.write(&mut identity));
        write_part(self.spend, &mut identity);
        write_part(self.scan, &mut identity);
        identity
    }
}

/// Adds a part after its length, so that no other parts have the same encoding.
fn write_part(part: &[u8], to: &mut Vec<u8>) {
    to.extend(part.len().to_be_bytes());
    to.extend(part);
}

/// Compares bytes in a time that does not depend on the position of a difference.
fn are_equal(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .fold(0, |differs, (a, b)| differs | (a ^ b))
            == 0
}

/// A receiver, with the batches that are searched for it.
pub struct Search {
    identity: Zeroizing<Vec<u8>>,
    pub gather: BatchGatherer,
}

/// The searches of a statement that threads use. When the last thread drops a search, it ends and
/// its keys are wiped.
#[derive(Default)]
pub struct Searches(Mutex<Vec<Weak<Search>>>);

impl Searches {
    /// Returns the search for a receiver, which is created if necessary. `mine` are those of this
    /// thread.
    ///
    /// # Errors
    /// An error of `receiver`.
    pub fn of(
        &self,
        mine: &mut Vec<Arc<Search>>,
        keys: &RowKeys,
        known: OutputKind,
        receiver: impl FnOnce() -> Result<Receiver, String>,
    ) -> Result<Arc<Search>, String> {
        let identity = keys.identity();
        if let Some(search) = mine
            .iter()
            .find(|search| are_equal(&search.identity, &identity))
        {
            return Ok(Arc::clone(search));
        }
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|search| search.strong_count() > 0);
        let mut alive = all.iter().filter_map(Weak::upgrade);
        let search = match alive.find(|search| are_equal(&search.identity, &identity)) {
            Some(search) => search,
            None => {
                let gather = BatchGatherer::new(receiver()?, known);
                let search = Arc::new(Search { identity, gather });
                all.push(Arc::downgrade(&search));
                search
            }
        };
        if mine.len() == MAX_SEARCHES {
            mine.remove(0);
        }
        mine.push(Arc::clone(&search));
        Ok(search)
    }
}

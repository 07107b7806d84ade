//! A slot: column buffers that several callers fill concurrently and that then become one batch
//! without another copy.
//!
//! A slot is free, open or sealed. While it is open, callers reserve rows with one atomic exchange
//! and fill them in parallel. Sealing ends reservations. The last thread to finish, which is either
//! the last writer or the sealer, owns the slot exclusively until it marks it as free.

use super::batch::Batch;
use super::kind::{ArenaColumns, COLUMNS, RequestInputs};
use crate::engine::PageLocked;
use crate::host::trace::Times;
use std::cell::UnsafeCell;
use std::ops::Range;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use zeroize::Zeroize;

/// The bit of the word that closes reservations. The other bits count the reserved rows.
const SEALED: usize = 1 << (usize::BITS - 1);

/// The value of the count of written items once the slot is sealed and completely written.
const COMPLETE: usize = 1 << (usize::BITS - 1);

/// Indices of the times of a slot: the first reservation, sealing, and completion.
pub const FIRST: usize = 0;
pub const SEALED_AT: usize = 1;
pub const COMPLETE_AT: usize = 2;

pub struct Slot {
    word: AtomicUsize,
    /// Items written. Sealing adds `COMPLETE` minus the number of reserved items.
    written: AtomicUsize,
    /// Time of the first reservation, in nanoseconds on the clock of the service; 0 before it.
    since: AtomicU64,
    columns: [SlotColumn; COLUMNS],
    capacity: usize,
    secret: [bool; COLUMNS],
    batch: UnsafeCell<Arc<Batch>>,
    /// Times of the first reservation, of sealing, and of completion, for measurements.
    pub times: Times<3>,
}

struct SlotColumn {
    start: *mut u8,
    width: usize,
    /// The memory that `start` points to, accessed only through it.
    _memory: PageLocked<u8>,
}

impl SlotColumn {
    fn new(width: usize, capacity: usize, mut memory: PageLocked<u8>) -> Self {
        assert_eq!(memory.len(), width * capacity);
        SlotColumn {
            start: memory.as_mut_ptr(),
            width,
            _memory: memory,
        }
    }
}

// SAFETY: columns are written through reservations, whose rows are disjoint; otherwise they and the
// batch are used only by the thread that owns the slot exclusively.
unsafe impl Send for Slot {}
// SAFETY: as above.
unsafe impl Sync for Slot {}

/// Reserved rows of an open slot, which cannot become free before they are written. They must be
/// written, because the batch waits for them.
#[must_use]
pub struct Reservation<'a> {
    slot: &'a Slot,
    start: usize,
    items: usize,
}

impl Slot {
    /// Creates a free slot. `memory` allocates the requested number of bytes.
    pub fn new(
        shape: &ArenaColumns,
        capacity: usize,
        memory: impl Fn(usize) -> PageLocked<u8>,
    ) -> Self {
        Slot {
            word: AtomicUsize::new(SEALED),
            written: AtomicUsize::new(0),
            since: AtomicU64::new(0),
            columns: shape
                .inputs
                .map(|width| SlotColumn::new(width, capacity, memory(width * capacity))),
            capacity,
            secret: shape.secret_inputs,
            batch: UnsafeCell::new(Arc::new(Batch::new())),
            times: Times::new(),
        }
    }

    /// Opens the slot for a new batch.
    ///
    /// # Safety
    /// The slot must be free, and nobody else may open it.
    pub unsafe fn open(&self) {
        // SAFETY: nobody has a reservation in the slot, so nobody reads this.
        unsafe { *self.batch.get() = Arc::new(Batch::new()) };
        self.written.store(0, Ordering::Relaxed);
        self.since.store(0, Ordering::Relaxed);
        self.word.store(0, Ordering::Release);
    }

    /// Reserves rows for `items` items. Returns `None` if the slot is not open or has not enough
    /// rows left.
    pub fn reserve(&self, items: usize, now: u64) -> Option<Reservation<'_>> {
        let reserved = self
            .word
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |word| {
                (word & SEALED == 0 && word + items <= self.capacity).then_some(word + items)
            });
        let start = reserved.ok()?;
        if start == 0 {
            self.since.store(now, Ordering::Relaxed);
            self.times.set(FIRST);
        }
        Some(Reservation {
            slot: self,
            start,
            items,
        })
    }

    /// Returns the number of reserved items and the time of the first reservation, if the slot is
    /// open and has any.
    pub fn gathered(&self) -> Option<(usize, u64)> {
        let word = self.word.load(Ordering::Acquire);
        (word & SEALED == 0 && word > 0).then(|| (word, self.since.load(Ordering::Relaxed)))
    }

    /// Seals an open slot. The caller must ensure that nobody else does so. Returns the number of
    /// items if the caller now owns the slot. Otherwise some callers are still writing, and the
    /// last of them owns it.
    pub fn seal(&self) -> Option<usize> {
        self.times.set(SEALED_AT);
        let items = self.word.fetch_or(SEALED, Ordering::AcqRel);
        assert_eq!(items & SEALED, 0, "a slot is sealed once");
        self.add_written(COMPLETE - items).then_some(items)
    }

    /// Adds to the count of written items, and returns whether this completes the slot. That
    /// happens once, since only the last addition reaches the sum.
    fn add_written(&self, count: usize) -> bool {
        let is_complete = self
            .written
            .fetch_add(count, Ordering::AcqRel)
            .wrapping_add(count)
            == COMPLETE;
        if is_complete {
            self.times.set(COMPLETE_AT);
        }
        is_complete
    }

    /// Returns the batch that is collected or computed here.
    ///
    /// # Safety
    /// The caller must have an unwritten reservation, or own the slot.
    pub unsafe fn batch(&self) -> Arc<Batch> {
        // SAFETY: only opening the slot changes the batch, which cannot happen meanwhile.
        unsafe { (*self.batch.get()).clone() }
    }

    /// Returns the columns of the first `items` items.
    ///
    /// # Safety
    /// The caller must own the slot until the columns are not used any more, and the slot must have
    /// at least `items` items.
    pub unsafe fn columns(&self, items: usize) -> [&[u8]; COLUMNS] {
        assert!(items <= self.capacity);
        // SAFETY: the bytes belong to the slot, are initialised, and nobody writes to them.
        self.columns
            .each_ref()
            .map(|column| unsafe { slice::from_raw_parts(column.start, column.width * items) })
    }

    /// Copies items over others, as pairs of source and destination.
    ///
    /// # Safety
    /// The caller must own the slot.
    pub unsafe fn copy(&self, moves: &[(usize, usize)]) {
        for column in &self.columns {
            for &(from, to) in moves {
                assert!(from < self.capacity && to < self.capacity && from != to);
                // SAFETY: two different rows within the column.
                unsafe {
                    let from = column.start.add(from * column.width);
                    let to = column.start.add(to * column.width);
                    from.copy_to_nonoverlapping(to, column.width);
                }
            }
        }
    }

    /// Wipes the secret columns of the first `items` items.
    ///
    /// # Safety
    /// The caller must own the slot.
    pub unsafe fn wipe(&self, items: usize) {
        assert!(items <= self.capacity);
        for (SlotColumn { start, width, .. }, _) in self
            .columns
            .iter()
            .zip(self.secret)
            .filter(|(_, is_secret)| *is_secret)
        {
            // SAFETY: the bytes belong to the slot, and nobody else uses them.
            unsafe { slice::from_raw_parts_mut(*start, width * items) }.zeroize();
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let items = *self.word.get_mut() & !SEALED;
        // SAFETY: nobody else has the slot.
        unsafe { self.wipe(items) };
    }
}

impl Reservation<'_> {
    /// Returns the reserved rows.
    pub fn items(&self) -> Range<usize> {
        self.start..self.start + self.items
    }

    /// Returns whether these are the first rows of the batch.
    pub fn is_first(&self) -> bool {
        self.start == 0
    }

    pub fn batch(&self) -> Arc<Batch> {
        // SAFETY: this reservation is not written yet.
        unsafe { self.slot.batch() }
    }

    /// Fills the rows. This cannot fail, because the lengths were checked when the inputs were
    /// created. Returns the number of items of the slot if the caller now owns it.
    pub fn write(self, inputs: &RequestInputs) -> Option<usize> {
        assert_eq!(inputs.items(), self.items);
        for (index, column) in self.slot.columns.iter().enumerate() {
            // SAFETY: the rows belong to this reservation alone, and are within the column.
            let rows = unsafe {
                slice::from_raw_parts_mut(
                    column.start.add(self.start * column.width),
                    self.items * column.width,
                )
            };
            inputs.write(index, rows);
        }
        let is_complete = self.slot.add_written(self.items);
        is_complete.then(|| self.slot.word.load(Ordering::Acquire) & !SEALED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Operation;
    use crate::curve::CurveId;
    use crate::service::kind::{RequestColumn, RequestKind};
    use crate::types::Rows;
    use std::thread;

    fn slot(capacity: usize) -> Slot {
        let slot = Slot::new(
            &RequestKind::from(Operation::EcdsaRecover(CurveId::ALL[0])).shape(),
            capacity,
            |bytes| vec![0; bytes].into(),
        );
        // SAFETY: the slot is new.
        unsafe { slot.open() };
        slot
    }

    /// Creates items whose bytes all equal their number, and calls `then` with inputs that contain
    /// them.
    fn with_inputs<R>(numbers: Range<usize>, then: impl FnOnce(&RequestInputs) -> R) -> R {
        let digests: Vec<[u8; 32]> = numbers.clone().map(|number| [number as u8; 32]).collect();
        let signatures: Vec<[u8; 64]> = numbers.clone().map(|number| [number as u8; 64]).collect();
        let ids: Vec<[u8; 1]> = numbers.map(|number| [number as u8]).collect();
        let columns = [
            ("digests", RequestColumn::rows(Rows::new(&digests))),
            ("signatures", RequestColumn::rows(Rows::new(&signatures))),
            ("ids", RequestColumn::rows(Rows::new(&ids))),
        ];
        then(&RequestInputs::new(columns).unwrap())
    }

    #[test]
    fn reservations_fail_when_slot_is_full() {
        let slot = slot(10);
        assert_eq!(slot.gathered(), None);
        let first = slot.reserve(7, 5).unwrap();
        assert!(first.is_first() && first.items() == (0..7));
        assert_eq!(slot.gathered(), Some((7, 5)));
        assert!(slot.reserve(4, 6).is_none());
        let second = slot.reserve(3, 7).unwrap();
        assert!(!second.is_first() && second.items() == (7..10));
        assert_eq!(slot.seal(), None);
        assert!(slot.reserve(1, 8).is_none() && slot.gathered().is_none());
        assert_eq!(with_inputs(7..10, |inputs| second.write(inputs)), None);
        assert_eq!(with_inputs(0..7, |inputs| first.write(inputs)), Some(10));
        // SAFETY: this test has the slot for itself.
        let columns = unsafe {
            slot.copy(&[(9, 2)]);
            slot.columns(9)
        };
        let expected = [0, 1, 9, 3, 4, 5, 6, 7, 8];
        assert!(
            columns[0]
                .chunks(32)
                .zip(expected)
                .all(|(row, number)| row == [number; 32])
        );
        assert!(
            columns[1]
                .chunks(64)
                .zip(expected)
                .all(|(row, number)| row == [number; 64])
        );
        assert_eq!(columns[2], expected);
    }

    /// Writes single items until the slot is sealed or full. Returns how often this completed it.
    fn fill(slot: &Slot) -> usize {
        let mut owners = 0;
        while let Some(place) = slot.reserve(1, 1) {
            owners +=
                usize::from(with_inputs(place.items(), |inputs| place.write(inputs)).is_some());
        }
        owners
    }

    #[test]
    fn slot_sealed_during_writes_has_one_owner() {
        for _ in 0..if cfg!(miri) { 4 } else { 200 } {
            let slot = slot(64);
            let owners: usize = thread::scope(|scope| {
                let threads = [(); 3].map(|()| scope.spawn(|| fill(&slot)));
                let sealed = slot.seal();
                usize::from(sealed.is_some())
                    + threads
                        .into_iter()
                        .map(|t| t.join().unwrap())
                        .sum::<usize>()
            });
            assert_eq!(owners, 1);
            let items = slot.word.load(Ordering::Relaxed) & !SEALED;
            // SAFETY: the threads have ended.
            let columns = unsafe { slot.columns(items) };
            assert!(
                columns[2]
                    .iter()
                    .enumerate()
                    .all(|(item, byte)| *byte == item as u8)
            );
        }
    }

    #[test]
    fn secrets_are_wiped() {
        let kind = RequestKind {
            with_data: true,
            ..Operation::Sm2Sign.into()
        };
        let slot = Slot::new(&kind.shape(), 4, |bytes| vec![0xee; bytes].into());
        // SAFETY: this test has the slot for itself.
        let columns = unsafe {
            slot.wipe(3);
            slot.columns(4)
        };
        assert!(columns[0].iter().all(|byte| *byte == 0xee));
        // Keys, and additional data.
        for column in &columns[1..] {
            let (wiped, rest) = column.split_at(96);
            assert!(wiped.iter().all(|byte| *byte == 0) && rest.iter().all(|byte| *byte == 0xee));
        }
    }
}

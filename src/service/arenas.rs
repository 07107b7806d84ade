//! The arenas of one kind of request.

use super::kind::{ArenaColumns, RequestKind};
use super::lock;
use super::rates::Rates;
use super::slot::{Reservation, Slot};
use crate::engine::PageLocked;
use crate::host::trace;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

/// The maximum number of arenas per kind.
pub const SLOTS: usize = 1024;

/// Number of free arenas to keep, allocated in the background. Allocating an arena takes longer
/// than filling it, because its pages are touched for the first time and locked.
pub const SPARE: usize = 2;

/// The value of `open` when no arena is open.
const NONE: usize = usize::MAX;

pub struct Arenas {
    pub kind: RequestKind,
    pub shape: ArenaColumns,
    capacity: usize,
    slots: Box<[OnceLock<Box<Slot>>]>,
    /// The open slot. Changed only while the list of free slots is locked.
    open: AtomicUsize,
    free: Mutex<Free>,
    /// Notified when a slot becomes free, or when allocating one has ended, even if it failed.
    freed: Condvar,
    pub rates: Mutex<Rates>,
}

struct Free {
    slots: Vec<usize>,
    /// Number of existing slots.
    made: usize,
    /// True while a thread allocates an arena.
    is_making: bool,
}

/// A batch with all its items, whose slot is owned exclusively.
#[derive(Debug, PartialEq, Eq)]
pub struct Complete {
    pub slot: usize,
    pub items: usize,
}

/// The error that all arenas are in use.
#[derive(Debug)]
pub struct NoArena;

impl Arenas {
    /// Creates arenas for batches of at most `capacity` items.
    pub fn new(kind: RequestKind, capacity: usize) -> Self {
        Arenas {
            kind,
            shape: kind.shape(),
            capacity,
            slots: (0..SLOTS).map(|_| OnceLock::new()).collect(),
            open: AtomicUsize::new(NONE),
            free: Mutex::new(Free {
                slots: Vec::new(),
                made: 0,
                is_making: false,
            }),
            freed: Condvar::new(),
            rates: Mutex::new(Rates::new()),
        }
    }

    pub fn slot(&self, slot: usize) -> &Slot {
        self.slots[slot]
            .get()
            .expect("numbers of slots are those of slots that there are")
    }

    /// Reserves rows for a request, and returns them with their slot. A slot without enough rows is
    /// sealed, and passed to `complete` if that completes it.
    pub fn reserve(
        &self,
        items: usize,
        now: u64,
        memory: impl Fn(usize) -> PageLocked<u8>,
        mut complete: impl FnMut(Complete),
    ) -> Result<(usize, Reservation<'_>), NoArena> {
        loop {
            let open = self.open.load(Ordering::Acquire);
            if open != NONE
                && let Some(reservation) = self.slot(open).reserve(items, now)
            {
                if reservation.items().end == self.capacity {
                    // The slot is full. The last writer hands in the batch.
                    self.seal_full(open);
                }
                return Ok((open, reservation));
            }
            if let Some(batch) = self.replace(open, &memory)? {
                complete(batch);
            }
        }
    }

    /// Opens another slot in place of `old`, unless another thread has done so. Returns the batch
    /// in `old` if sealing completes it.
    fn replace(
        &self,
        old: usize,
        memory: impl Fn(usize) -> PageLocked<u8>,
    ) -> Result<Option<Complete>, NoArena> {
        let mut free = lock(&self.free);
        let slot = loop {
            if self.open.load(Ordering::Relaxed) != old {
                return Ok(None);
            }
            match free.slots.pop() {
                Some(slot) => break slot,
                None if free.is_making => {
                    free = self
                        .freed
                        .wait(free)
                        .unwrap_or_else(PoisonError::into_inner)
                }
                None => free = self.make(free, &memory)?,
            }
        };
        // SAFETY: the slot was free, and the lock is held.
        unsafe { self.slot(slot).open() };
        self.open.store(slot, Ordering::Release);
        Ok(self.seal_slot(old))
    }

    /// Allocates a slot. The lock is released meanwhile, so that batches can end and slots be
    /// recycled.
    fn make<'a>(
        &'a self,
        mut free: MutexGuard<'a, Free>,
        memory: impl Fn(usize) -> PageLocked<u8>,
    ) -> Result<MutexGuard<'a, Free>, NoArena> {
        let slot = free.made;
        let place = self.slots.get(slot).ok_or(NoArena)?;
        free.is_making = true;
        drop(free);
        let _noted = trace::span("arena made", self.capacity);
        let mut making = Making {
            arenas: self,
            made: None,
        };
        place.get_or_init(|| Box::new(Slot::new(&self.shape, self.capacity, memory)));
        making.made = Some(slot);
        drop(making);
        Ok(lock(&self.free))
    }

    /// Returns whether arenas should be allocated ahead of need: fewer than [`SPARE`] are free, and
    /// fewer than `most` exist.
    pub fn lacks_spare(&self, most: usize) -> bool {
        lock(&self.free).lacks(SPARE, most)
    }

    /// Allocates arenas until `spare` are free or `most` exist.
    pub fn make_spare(&self, spare: usize, most: usize, memory: impl Fn(usize) -> PageLocked<u8>) {
        let mut free = lock(&self.free);
        while free.lacks(spare, most) {
            if free.is_making {
                free = self
                    .freed
                    .wait(free)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let Ok(after) = self.make(free, &memory) else {
                return;
            };
            free = after;
        }
    }

    /// Returns the time of the first reservation in the open slot, if it has items.
    pub fn gathered_since(&self) -> Option<u64> {
        let open = self.open.load(Ordering::Acquire);
        (open != NONE)
            .then(|| self.slot(open).gathered())
            .flatten()
            .map(|(_, since)| since)
    }

    /// Seals the open slot, if any.
    pub fn seal(&self) -> Option<Complete> {
        let _free = lock(&self.free);
        let open = self.open.swap(NONE, Ordering::AcqRel);
        self.seal_slot(open)
    }

    /// Seals a slot that is completely reserved, where the caller has not yet written its own rows.
    fn seal_full(&self, slot: usize) {
        let _free = lock(&self.free);
        if self
            .open
            .compare_exchange(slot, NONE, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
        {
            let complete = self.seal_slot(slot);
            debug_assert_eq!(complete, None, "a place is not written");
        }
    }

    /// Seals this slot. The list of free slots must be locked.
    fn seal_slot(&self, slot: usize) -> Option<Complete> {
        let items = if slot == NONE {
            None
        } else {
            self.slot(slot).seal()
        };
        items.map(|items| Complete { slot, items })
    }

    /// Wipes a slot and makes it free again.
    pub fn recycle(&self, batch: Complete) {
        // SAFETY: the batch's owner also owns its slot.
        unsafe { self.slot(batch.slot).wipe(batch.items) };
        lock(&self.free).slots.push(batch.slot);
        self.freed.notify_all();
    }
}

impl Free {
    fn lacks(&self, spare: usize, most: usize) -> bool {
        self.slots.len() < spare && self.made < most
    }
}

/// A slot that is being allocated. On drop, whether or not allocation succeeded, waiting threads
/// are woken.
struct Making<'a> {
    arenas: &'a Arenas,
    made: Option<usize>,
}

impl Drop for Making<'_> {
    fn drop(&mut self) {
        let mut free = lock(&self.arenas.free);
        free.is_making = false;
        free.made += usize::from(self.made.is_some());
        free.slots.extend(self.made);
        drop(free);
        self.arenas.freed.notify_all();
    }
}

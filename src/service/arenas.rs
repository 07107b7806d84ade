//! The arenas of one kind of request.

use super::kind::{ArenaColumns, RequestKind};
use super::lock;
use super::rates::Rates;
use super::slot::{Reservation, Slot};
use crate::engine::PageLocked;
use crate::host::notes;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

/// The most arenas of a kind.
pub const SLOTS: usize = 1024;

/// Arenas that are free, or made while nobody waits for them. An arena takes longer to make than to fill: its pages are
/// touched for the first time, and locked.
pub const SPARE: usize = 2;

/// No arena is open.
const NONE: usize = usize::MAX;

pub struct Arenas {
    pub kind: RequestKind,
    pub shape: ArenaColumns,
    capacity: usize,
    slots: Box<[OnceLock<Box<Slot>>]>,
    /// The slot that is open. Changed by who holds the list of those that are free.
    open: AtomicUsize,
    free: Mutex<Free>,
    /// A slot is free, or the one that was being made could not be.
    freed: Condvar,
    pub rates: Mutex<Rates>,
}

struct Free {
    slots: Vec<usize>,
    /// Slots that there are.
    made: usize,
    /// True while a thread makes an arena.
    is_making: bool,
}

/// A batch whose items are all there, and which its owner has for himself.
#[derive(Debug, PartialEq, Eq)]
pub struct Complete {
    pub slot: usize,
    pub items: usize,
}

/// All arenas are in use.
#[derive(Debug)]
pub struct NoArena;

impl Arenas {
    /// Arenas for batches of at most `capacity` items.
    pub fn new(kind: RequestKind, capacity: usize) -> Self {
        Arenas {
            kind,
            shape: kind.shape(),
            capacity,
            slots: (0..SLOTS).map(|_| OnceLock::new()).collect(),
            open: AtomicUsize::new(NONE),
            free: Mutex::new(Free { slots: Vec::new(), made: 0, is_making: false }),
            freed: Condvar::new(),
            rates: Mutex::new(Rates::new()),
        }
    }

    pub fn slot(&self, slot: usize) -> &Slot {
        self.slots[slot].get().expect("numbers of slots are those of slots that there are")
    }

    /// Places for a request, with the slot that they are in. A slot that lacks them is sealed, and handed to `complete`
    /// if that makes it complete.
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
                    // Nothing more can come. Who writes last hands the batch in.
                    self.seal_full(open);
                }
                return Ok((open, reservation));
            }
            if let Some(batch) = self.replace(open, &memory)? {
                complete(batch);
            }
        }
    }

    /// Opens another slot in place of one, unless somebody else has done so.
    fn replace(&self, old: usize, memory: impl Fn(usize) -> PageLocked<u8>) -> Result<Option<Complete>, NoArena> {
        let mut free = lock(&self.free);
        let slot = loop {
            if self.open.load(Ordering::Relaxed) != old {
                return Ok(None);
            }
            match free.slots.pop() {
                Some(slot) => break slot,
                None if free.is_making => free = self.freed.wait(free).unwrap_or_else(PoisonError::into_inner),
                None => free = self.make(free, &memory)?,
            }
        };
        // SAFETY: it was free, and the lock is held.
        unsafe { self.slot(slot).open() };
        self.open.store(slot, Ordering::Release);
        Ok(self.seal_slot(old))
    }

    /// Makes a slot. The lock is not held meanwhile: batches end and slots come back.
    fn make<'a>(
        &'a self,
        mut free: MutexGuard<'a, Free>,
        memory: impl Fn(usize) -> PageLocked<u8>,
    ) -> Result<MutexGuard<'a, Free>, NoArena> {
        let slot = free.made;
        let place = self.slots.get(slot).ok_or(NoArena)?;
        free.is_making = true;
        drop(free);
        let _noted = notes::span("arena made", self.capacity);
        let mut making = Making { arenas: self, made: None };
        place.get_or_init(|| Box::new(Slot::new(&self.shape, self.capacity, memory)));
        making.made = Some(slot);
        drop(making);
        Ok(lock(&self.free))
    }

    /// Returns whether arenas should be made ahead of need: fewer than [`SPARE`] are free, and
    /// there are fewer than `most`.
    pub fn lacks_spare(&self, most: usize) -> bool {
        lock(&self.free).lacks(SPARE, most)
    }

    /// Makes arenas until `spare` are free or `most` are there.
    pub fn make_spare(&self, spare: usize, most: usize, memory: impl Fn(usize) -> PageLocked<u8>) {
        let mut free = lock(&self.free);
        while free.lacks(spare, most) {
            if free.is_making {
                free = self.freed.wait(free).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let Ok(after) = self.make(free, &memory) else { return };
            free = after;
        }
    }

    /// Since when there are items in the open slot.
    pub fn gathered_since(&self) -> Option<u64> {
        let open = self.open.load(Ordering::Acquire);
        (open != NONE).then(|| self.slot(open).gathered()).flatten().map(|(_, since)| since)
    }

    /// Seals the open slot, if any.
    pub fn seal(&self) -> Option<Complete> {
        let _free = lock(&self.free);
        let open = self.open.swap(NONE, Ordering::AcqRel);
        self.seal_slot(open)
    }

    /// Seals a slot in which all places are given, one of them to the caller, who has not written yet.
    fn seal_full(&self, slot: usize) {
        let _free = lock(&self.free);
        if self.open.compare_exchange(slot, NONE, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            let complete = self.seal_slot(slot);
            debug_assert_eq!(complete, None, "a place is not written");
        }
    }

    /// Seals this slot, called by the holder of the list of free slots.
    fn seal_slot(&self, slot: usize) -> Option<Complete> {
        let items = if slot == NONE { None } else { self.slot(slot).seal() };
        items.map(|items| Complete { slot, items })
    }

    /// Makes a slot free again.
    pub fn recycle(&self, batch: Complete) {
        // SAFETY: the batch's owner has its slot for himself.
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

/// A slot that is being made. Those who wait for it are woken whatever becomes of it.
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

//! The arenas of one kind of request.

use super::kind::{Kind, Shape};
use super::lock;
use super::rates::Rates;
use super::slot::{Reservation, Sealed, Slot};
use crate::engine::PageLocked;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

/// More arenas than a queue's items can ever be in.
const SLOTS: usize = 1024;

/// No arena is open.
const NONE: usize = usize::MAX;

pub struct Lane {
    pub kind: Kind,
    pub shape: Shape,
    capacity: usize,
    slots: Box<[OnceLock<Box<Slot>>]>,
    /// The slot that is open. Changed by who holds the list of those that are free.
    open: AtomicUsize,
    free: Mutex<Free>,
    pub rates: Mutex<Rates>,
}

struct Free {
    slots: Vec<usize>,
    /// Slots that there are.
    made: usize,
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

impl Lane {
    /// A lane with batches of at most so many items.
    pub fn new(kind: Kind, capacity: usize) -> Self {
        Lane {
            kind,
            shape: kind.shape(),
            capacity,
            slots: (0..SLOTS).map(|_| OnceLock::new()).collect(),
            open: AtomicUsize::new(NONE),
            free: Mutex::new(Free { slots: Vec::new(), made: 0 }),
            rates: Mutex::new(Rates::new()),
        }
    }

    pub fn slot(&self, slot: usize) -> &Slot {
        self.slots[slot].get().expect("numbers of slots are those of slots that there are")
    }

    /// Places for a request, with the slot that they are in. A slot that lacks them is sealed, and handed to `complete` if that
    /// makes it complete.
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
        if self.open.load(Ordering::Relaxed) != old {
            return Ok(None);
        }
        let slot = match free.slots.pop() {
            Some(slot) => slot,
            None => self.make(&mut free, memory)?,
        };
        // SAFETY: it was free, and the lock is held.
        unsafe { self.slot(slot).open() };
        self.open.store(slot, Ordering::Release);
        let sealed = if old == NONE { Sealed::Unfinished } else { self.slot(old).seal() };
        Ok(complete(old, sealed))
    }

    fn make(&self, free: &mut Free, memory: impl Fn(usize) -> PageLocked<u8>) -> Result<usize, NoArena> {
        let slot = free.made;
        let place = self.slots.get(slot).ok_or(NoArena)?;
        place.get_or_init(|| Box::new(Slot::new(&self.shape, self.capacity, memory)));
        free.made += 1;
        Ok(slot)
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
        (open != NONE).then(|| complete(open, self.slot(open).seal())).flatten()
    }

    /// Makes a slot free again.
    pub fn recycle(&self, batch: Complete) {
        // SAFETY: the batch's owner has its slot for himself.
        unsafe { self.slot(batch.slot).wipe(batch.items) };
        lock(&self.free).slots.push(batch.slot);
    }
}

fn complete(slot: usize, sealed: Sealed) -> Option<Complete> {
    match sealed {
        Sealed::Complete(items) => Some(Complete { slot, items }),
        Sealed::Unfinished => None,
    }
}

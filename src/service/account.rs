//! The requests that one caller has in flight.

use super::batch::Batch;
use super::lock;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// A caller's items in the service.
pub struct Account {
    pub id: u64,
    entries: Mutex<Entries>,
}

#[derive(Default)]
struct Entries {
    /// Items that were let in and are not done, as far as that was looked at.
    items: usize,
    /// The batches that they are in.
    batches: VecDeque<(Arc<AtomicBool>, usize)>,
}

/// Whether a request can be admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// It has been taken.
    Taken,
    /// There are fewer free places than the request has items.
    None,
    /// The caller has as much under way as there is room for others.
    ForOthers,
}

impl Account {
    pub fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        Account { id: NEXT.fetch_add(1, Ordering::Relaxed) as u64, entries: Mutex::default() }
    }

    /// Takes room for a request out of a queue of this many places, of which `total` are taken. A caller may have as
    /// many items under way as places are left free: so there is always room for who has nothing under way, or less
    /// than others.
    pub fn take(&self, items: usize, total: &AtomicUsize, queue: usize) -> Room {
        let mut entries = lock(&self.entries);
        entries.forget_first();
        let room = entries.take(items, total, queue);
        if room != Room::ForOthers {
            return room;
        }
        entries.forget_all();
        entries.take(items, total, queue)
    }

    /// Says which batch the items of a request that was let in are in.
    pub fn enter(&self, batch: &Batch, items: usize) {
        let mut entries = lock(&self.entries);
        match entries.batches.back_mut() {
            Some((last, count)) if Arc::ptr_eq(last, batch.is_done()) => *count += items,
            _ => entries.batches.push_back((batch.is_done().clone(), items)),
        }
    }

    /// Takes back a request that was let in and is in no batch.
    pub fn give_back(&self, items: usize) {
        lock(&self.entries).items -= items;
    }
}

impl Entries {
    /// Forgets batches that are done, from the oldest on.
    fn forget_first(&mut self) {
        while let Some((is_done, items)) = self.batches.front()
            && is_done.load(Ordering::Acquire)
        {
            self.items -= items;
            self.batches.pop_front();
        }
    }

    /// Forgets all batches that are done.
    fn forget_all(&mut self) {
        let Entries { items, batches } = self;
        batches.retain(|(is_done, count)| {
            let is_done = is_done.load(Ordering::Acquire);
            if is_done {
                *items -= count;
            }
            !is_done
        });
    }

    fn take(&mut self, items: usize, total: &AtomicUsize, queue: usize) -> Room {
        let own = self.items;
        let mut taken = total.load(Ordering::SeqCst);
        loop {
            let free = queue.saturating_sub(taken);
            if items > free {
                return Room::None;
            }
            if own > 0 && own + items > free {
                return Room::ForOthers;
            }
            match total.compare_exchange_weak(taken, taken + items, Ordering::SeqCst, Ordering::SeqCst) {
                Ok(_) => {
                    self.items += items;
                    return Room::Taken;
                }
                Err(found) => taken = found,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_may_have_as_much_as_is_left_for_others() {
        let total = AtomicUsize::new(0);
        let callers = [(); 3].map(|()| Account::new());
        let fill = |caller: &Account| {
            std::iter::repeat_with(|| caller.take(1, &total, 120)).take_while(|room| *room == Room::Taken).count()
        };
        // One caller has a half, and as others come each has the same share as is left free.
        assert_eq!(callers.each_ref().map(fill), [60, 30, 15]);
        assert_eq!(total.load(Ordering::Relaxed), 105);
        // A caller who has nothing under way gets all that there is.
        assert_eq!(Account::new().take(16, &total, 120), Room::None);
        assert_eq!(Account::new().take(15, &total, 120), Room::Taken);
    }

    #[test]
    fn what_is_done_makes_room() {
        let (total, caller) = (AtomicUsize::new(0), Account::new());
        let batches = [(); 4].map(|()| Batch::new());
        for batch in &batches {
            assert_eq!(caller.take(10, &total, 80), Room::Taken);
            caller.enter(batch, 6);
            caller.enter(batch, 4);
        }
        assert_eq!(caller.take(1, &total, 80), Room::ForOthers);
        // Not the oldest.
        batches[2].leave();
        total.fetch_sub(10, Ordering::SeqCst);
        assert_eq!(caller.take(10, &total, 80), Room::Taken);
        assert_eq!(caller.take(1, &total, 80), Room::ForOthers);
        caller.give_back(10);
        total.fetch_sub(10, Ordering::SeqCst);
        batches.iter().for_each(Batch::leave);
        total.store(0, Ordering::SeqCst);
        assert_eq!(caller.take(80, &total, 80), Room::Taken);
    }
}

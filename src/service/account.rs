//! Quotas: the items that a caller has in flight.

use super::batch::Batch;
use super::lock;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// The items of one caller in the service.
pub struct Account {
    pub id: u64,
    entries: Mutex<Entries>,
}

#[derive(Default)]
struct Entries {
    /// Number of admitted items that are not known to be done.
    items: usize,
    /// The batches that contain them, with the items in each.
    batches: VecDeque<(Arc<AtomicBool>, usize)>,
}

/// The result of a request for admission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// The request was admitted.
    Taken,
    /// The queue has fewer free places than the request has items.
    None,
    /// The caller's quota is exhausted; the remaining room is reserved for others.
    ForOthers,
}

impl Account {
    pub fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        Account { id: NEXT.fetch_add(1, Ordering::Relaxed) as u64, entries: Mutex::default() }
    }

    /// Admits a request to a queue with `queue` places, of which `total` are taken. A caller may
    /// have as many items in flight as there are places left free. So there is always room for a
    /// caller that has nothing in flight, or less than others.
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

    /// Records the batch that contains the items of an admitted request.
    pub fn enter(&self, batch: &Batch, items: usize) {
        let mut entries = lock(&self.entries);
        match entries.batches.back_mut() {
            Some((last, count)) if Arc::ptr_eq(last, batch.is_done()) => *count += items,
            _ => entries.batches.push_back((batch.is_done().clone(), items)),
        }
    }

    /// Withdraws an admitted request that is not in a batch.
    pub fn give_back(&self, items: usize) {
        lock(&self.entries).items -= items;
    }
}

impl Entries {
    /// Removes completed batches from the front, up to the first that is not done.
    fn forget_first(&mut self) {
        while let Some((is_done, items)) = self.batches.front()
            && is_done.load(Ordering::Acquire)
        {
            self.items -= items;
            self.batches.pop_front();
        }
    }

    /// Removes all completed batches.
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
        // The first caller takes half of the queue. Each later one gets a share as large as the rest
        // that remains free.
        let admitted = callers.each_ref().map(|caller| {
            let taken = std::iter::repeat_with(|| caller.take(1, &total, 120));
            taken.take_while(|room| *room == Room::Taken).count()
        });
        assert_eq!(admitted, [60, 30, 15]);
        assert_eq!(total.load(Ordering::Relaxed), 105);
        // A caller with nothing in flight can take everything that is left.
        assert_eq!(Account::new().take(16, &total, 120), Room::None);
        assert_eq!(Account::new().take(15, &total, 120), Room::Taken);
    }

    #[test]
    fn what_is_done_makes_room() {
        let total = AtomicUsize::new(0);
        let caller = Account::new();
        let batches = [(); 4].map(|()| Batch::new());
        for batch in &batches {
            assert_eq!(caller.take(10, &total, 80), Room::Taken);
            caller.enter(batch, 6);
            caller.enter(batch, 4);
        }
        assert_eq!(caller.take(1, &total, 80), Room::ForOthers);
        // A batch other than the oldest.
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

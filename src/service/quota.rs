//! Quotas: the items that a caller has in flight.

use super::batch::Batch;
use super::lock;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// The items of one caller in the service.
pub struct Quota {
    pub id: u64,
    in_flight: Mutex<InFlight>,
}

#[derive(Default)]
struct InFlight {
    /// Number of admitted items that are not known to be done.
    items: usize,
    /// The batches that contain them, with the items in each.
    batches: VecDeque<(Arc<AtomicBool>, usize)>,
}

/// The result of a request for admission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuotaDecision {
    /// The request was admitted.
    Admitted,
    /// The queue has fewer free places than the request has items.
    QueueFull,
    /// The caller's quota is exhausted; the remaining places are reserved for others.
    QuotaExceeded,
}

impl Quota {
    pub fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        Quota {
            id: NEXT.fetch_add(1, Ordering::Relaxed) as u64,
            in_flight: Mutex::default(),
        }
    }

    /// Admits a request to a queue with `queue` places, of which `total` are taken. A caller may
    /// have as many items in flight as there are places left free. So there is always room for a
    /// caller that has nothing in flight, or less than others.
    pub fn take(&self, items: usize, total: &AtomicUsize, queue: usize) -> QuotaDecision {
        let mut in_flight = lock(&self.in_flight);
        in_flight.forget_first();
        let decision = in_flight.take(items, total, queue);
        if decision != QuotaDecision::QuotaExceeded {
            return decision;
        }
        in_flight.forget_all();
        in_flight.take(items, total, queue)
    }

    /// Records the batch that contains the items of an admitted request.
    pub fn enter(&self, batch: &Batch, items: usize) {
        let mut in_flight = lock(&self.in_flight);
        match in_flight.batches.back_mut() {
            Some((last, count)) if Arc::ptr_eq(last, batch.is_done()) => *count += items,
            _ => in_flight
                .batches
                .push_back((batch.is_done().clone(), items)),
        }
    }

    /// Withdraws an admitted request that is not in a batch.
    pub fn give_back(&self, items: usize) {
        lock(&self.in_flight).items -= items;
    }
}

impl InFlight {
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
        let InFlight { items, batches } = self;
        batches.retain(|(is_done, count)| {
            let is_done = is_done.load(Ordering::Acquire);
            if is_done {
                *items -= count;
            }
            !is_done
        });
    }

    fn take(&mut self, items: usize, total: &AtomicUsize, queue: usize) -> QuotaDecision {
        let own = self.items;
        let mut taken = total.load(Ordering::SeqCst);
        loop {
            let free = queue.saturating_sub(taken);
            if items > free {
                return QuotaDecision::QueueFull;
            }
            if own > 0 && own + items > free {
                return QuotaDecision::QuotaExceeded;
            }
            match total.compare_exchange_weak(
                taken,
                taken + items,
                Ordering::SeqCst,
                Ordering::SeqCst,
            ) {
                Ok(_) => {
                    self.items += items;
                    return QuotaDecision::Admitted;
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
    fn quota_equals_free_places_of_queue() {
        let total = AtomicUsize::new(0);
        let callers = [(); 3].map(|()| Quota::new());
        // The first caller takes half of the queue. Each later one gets a share as large as the
        // rest that remains free.
        let admitted = callers.each_ref().map(|caller| {
            let taken = std::iter::repeat_with(|| caller.take(1, &total, 120));
            taken
                .take_while(|decision| *decision == QuotaDecision::Admitted)
                .count()
        });
        assert_eq!(admitted, [60, 30, 15]);
        assert_eq!(total.load(Ordering::Relaxed), 105);
        // A caller with nothing in flight can take everything that is left.
        assert_eq!(Quota::new().take(16, &total, 120), QuotaDecision::QueueFull);
        assert_eq!(Quota::new().take(15, &total, 120), QuotaDecision::Admitted);
    }

    #[test]
    fn finished_items_free_quota() {
        let total = AtomicUsize::new(0);
        let caller = Quota::new();
        let batches = [(); 4].map(|()| Batch::new());
        for batch in &batches {
            assert_eq!(caller.take(10, &total, 80), QuotaDecision::Admitted);
            caller.enter(batch, 6);
            caller.enter(batch, 4);
        }
        assert_eq!(caller.take(1, &total, 80), QuotaDecision::QuotaExceeded);
        // A batch other than the oldest.
        batches[2].leave();
        total.fetch_sub(10, Ordering::SeqCst);
        assert_eq!(caller.take(10, &total, 80), QuotaDecision::Admitted);
        assert_eq!(caller.take(1, &total, 80), QuotaDecision::QuotaExceeded);
        caller.give_back(10);
        total.fetch_sub(10, Ordering::SeqCst);
        batches.iter().for_each(Batch::leave);
        total.store(0, Ordering::SeqCst);
        assert_eq!(caller.take(80, &total, 80), QuotaDecision::Admitted);
    }
}

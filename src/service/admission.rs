//! Admission: counts the items in the service, and blocks requests until the number drops below the
//! limit.

use super::batch::wake_all;
use super::error::ServiceError;
use super::lock;
use super::quota::{Quota, QuotaDecision};
use super::round_robin::{RoundRobin, Turn};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Waker;

pub struct AdmissionControl {
    queue: usize,
    /// Items that are admitted and not done.
    total: AtomicUsize,
    is_closed: AtomicBool,
    /// True while a request waits. Changed only while `waiters` is locked.
    is_waiting: AtomicBool,
    waiters: Mutex<Waiters>,
}

struct Waiters {
    round_robin: RoundRobin<Arc<Waiter>>,
    /// Admitted requests whose callers have not noticed it yet, by name. They are counted in
    /// `total`.
    admitted: HashMap<usize, Arc<Waiter>>,
}

/// A request that waits for room.
pub struct Waiter {
    quota: Arc<Quota>,
    items: usize,
    /// Woken when the request is admitted or refused, and `None` from then on.
    waker: Mutex<Option<Waker>>,
}

/// The outcome of a request for admission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    LetIn,
    Full,
    Stopped,
}

impl AdmissionControl {
    pub fn new(queue: usize) -> Self {
        AdmissionControl {
            queue,
            total: AtomicUsize::new(0),
            is_closed: AtomicBool::new(false),
            is_waiting: AtomicBool::new(false),
            waiters: Mutex::new(Waiters {
                round_robin: RoundRobin::new(),
                admitted: HashMap::new(),
            }),
        }
    }

    /// Returns the number of items that are admitted and not done.
    pub fn total(&self) -> usize {
        self.total.load(Ordering::SeqCst)
    }

    /// Returns the error for a request without room.
    pub fn full(&self, items: usize) -> ServiceError {
        ServiceError::Full {
            items,
            queue: self.queue,
        }
    }

    /// Admits a request if there is room and no other request is waiting.
    pub fn enter(&self, quota: &Quota, items: usize) -> Answer {
        if self.is_closed() {
            return Answer::Stopped;
        }
        if self.is_waiting.load(Ordering::SeqCst)
            || quota.take(items, &self.total, self.queue) != QuotaDecision::Admitted
        {
            return Answer::Full;
        }
        // A thread that closes the gate and then finds no items must be able to rely on that.
        if self.is_closed() {
            self.undo(quota, items);
            return Answer::Stopped;
        }
        Answer::LetIn
    }

    /// Queues a request until there is room for it and its caller's turn has come; then wakes
    /// `waker`.
    pub fn wait(&self, quota: &Arc<Quota>, items: usize, waker: &Waker) -> Arc<Waiter> {
        let waker = Mutex::new(Some(waker.clone()));
        let waiter = Arc::new(Waiter {
            quota: quota.clone(),
            items,
            waker,
        });
        let mut waiters = lock(&self.waiters);
        waiters.round_robin.push(quota.id, waiter.clone());
        self.is_waiting.store(true, Ordering::SeqCst);
        drop(waiters);
        // There may have been room, or the gate may have been closed, before the request was
        // queued.
        self.admit_waiters();
        waiter
    }

    /// Returns the outcome of a waiting request, once; or `None`, in which case `waker` is woken
    /// when it is known.
    pub fn poll(&self, waiter: &Arc<Waiter>, waker: &Waker) -> Option<Answer> {
        let mut known = lock(&waiter.waker);
        if known.is_some() {
            let old = known.replace(waker.clone());
            // Wakers are dropped without holding the lock, because that may run the caller's code.
            drop(known);
            drop(old);
            return None;
        }
        drop(known);
        Some(if self.claim(waiter) {
            Answer::LetIn
        } else {
            Answer::Stopped
        })
    }

    /// Withdraws a request whose caller no longer waits.
    pub fn withdraw(&self, waiter: &Arc<Waiter>) {
        if self.claim(waiter) {
            return self.undo(&waiter.quota, waiter.items);
        }
        let mut waiters = lock(&self.waiters);
        waiters
            .round_robin
            .remove(waiter.quota.id, |other| Arc::ptr_eq(other, waiter));
        self.is_waiting
            .store(!waiters.round_robin.is_empty(), Ordering::SeqCst);
        drop(waiters);
        // The request may have been admitted meanwhile, or may have blocked others in the queue.
        if self.claim(waiter) {
            self.undo(&waiter.quota, waiter.items);
        } else {
            self.admit_waiters();
        }
    }

    /// Returns whether a request has been admitted without its caller having noticed. Returns true
    /// only once.
    fn claim(&self, waiter: &Arc<Waiter>) -> bool {
        lock(&self.waiters)
            .admitted
            .remove(&name_of(waiter))
            .is_some()
    }

    /// Withdraws an admitted request that is not in a batch.
    pub fn undo(&self, quota: &Quota, items: usize) {
        quota.give_back(items);
        self.leave(items);
    }

    /// Removes `items` completed items.
    pub fn leave(&self, items: usize) {
        self.total.fetch_sub(items, Ordering::SeqCst);
        self.admit_waiters();
    }

    /// Stops admission, and notifies waiting requests.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
        let mut waiters = lock(&self.waiters);
        let waiting = waiters.round_robin.take_all();
        let unaware = std::mem::take(&mut waiters.admitted);
        self.is_waiting.store(false, Ordering::SeqCst);
        drop(waiters);
        unaware
            .values()
            .for_each(|waiter| self.undo(&waiter.quota, waiter.items));
        wake_waiters(&waiting);
    }

    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::SeqCst)
    }

    /// Admits waiting requests as far as there is room.
    fn admit_waiters(&self) {
        if !self.is_waiting.load(Ordering::SeqCst) {
            return;
        }
        if self.is_closed() {
            return self.close();
        }
        let mut waiters = lock(&self.waiters);
        let done = waiters.round_robin.turn(|waiter| {
            match waiter.quota.take(waiter.items, &self.total, self.queue) {
                QuotaDecision::Admitted => Turn::Admitted,
                QuotaDecision::QuotaExceeded => Turn::Passed,
                QuotaDecision::QueueFull => Turn::Waits,
            }
        });
        waiters
            .admitted
            .extend(done.iter().map(|waiter| (name_of(waiter), waiter.clone())));
        self.is_waiting
            .store(!waiters.round_robin.is_empty(), Ordering::SeqCst);
        drop(waiters);
        wake_waiters(&done);
        if self.is_closed() {
            self.close();
        }
    }
}

/// Returns a name that is unique while this waiter lives.
fn name_of(waiter: &Arc<Waiter>) -> usize {
    Arc::as_ptr(waiter).addr()
}

/// Notifies waiting requests that their outcome is known.
fn wake_waiters(waiters: &[Arc<Waiter>]) {
    wake_all(
        waiters
            .iter()
            .filter_map(|waiter| lock(&waiter.waker).take()),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller() -> Arc<Quota> {
        Arc::new(Quota::new())
    }

    fn poll(gate: &AdmissionControl, waiter: &Arc<Waiter>) -> Option<Answer> {
        gate.poll(waiter, Waker::noop())
    }

    #[test]
    fn waiting_requests_are_admitted_when_places_free_up() {
        let gate = AdmissionControl::new(10);
        let callers = [(); 4].map(|()| caller());
        assert_eq!(gate.enter(&callers[0], 10), Answer::LetIn);
        assert_eq!(gate.enter(&callers[1], 1), Answer::Full);
        let large = gate.wait(&callers[1], 8, Waker::noop());
        let small = gate.wait(&callers[2], 1, Waker::noop());
        assert_eq!(
            [&large, &small].map(|waiter| poll(&gate, waiter)),
            [None, None]
        );
        gate.undo(&callers[0], 7);
        // Small requests do not overtake a waiting large one, and neither do new requests.
        assert_eq!(poll(&gate, &small), None);
        assert_eq!(gate.enter(&callers[3], 1), Answer::Full);
        gate.undo(&callers[0], 3);
        assert_eq!(
            [&large, &small].map(|waiter| poll(&gate, waiter)),
            [Some(Answer::LetIn); 2]
        );
        assert_eq!(
            (gate.total(), gate.enter(&callers[3], 1)),
            (9, Answer::LetIn)
        );
    }

    #[test]
    fn abandoned_requests_take_no_places() {
        let gate = AdmissionControl::new(4);
        let callers = [(); 3].map(|()| caller());
        assert_eq!(gate.enter(&callers[0], 4), Answer::LetIn);
        let first = gate.wait(&callers[1], 4, Waker::noop());
        let second = gate.wait(&callers[2], 4, Waker::noop());
        gate.undo(&callers[0], 4);
        assert_eq!(poll(&gate, &second), None);
        // Admitted, but its caller has not noticed yet.
        gate.withdraw(&first);
        assert_eq!(poll(&gate, &second), Some(Answer::LetIn));
        let third = gate.wait(&callers[0], 1, Waker::noop());
        gate.withdraw(&third);
        gate.undo(&callers[2], 4);
        assert_eq!(
            (gate.total(), gate.enter(&callers[0], 4)),
            (0, Answer::LetIn)
        );
    }

    #[test]
    fn closing_wakes_all_waiting_requests() {
        let gate = AdmissionControl::new(4);
        let callers = [(); 3].map(|()| caller());
        assert_eq!(gate.enter(&callers[0], 4), Answer::LetIn);
        let first = gate.wait(&callers[1], 3, Waker::noop());
        let second = gate.wait(&callers[2], 3, Waker::noop());
        gate.undo(&callers[0], 4);
        gate.close();
        // None of them is counted, although one had been admitted.
        assert_eq!(
            [&first, &second].map(|waiter| poll(&gate, waiter)),
            [Some(Answer::Stopped); 2]
        );
        assert_eq!(
            (gate.total(), gate.enter(&callers[0], 1)),
            (0, Answer::Stopped)
        );
        assert_eq!(
            poll(&gate, &gate.wait(&callers[0], 1, Waker::noop())),
            Some(Answer::Stopped)
        );
    }
}

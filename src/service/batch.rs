//! The state shared by the requests of a batch: its answers, the waiting callers, and the dropped
//! requests.

use super::error::ServiceError;
use super::lock;
use crate::types::Results;
use std::array;
use std::mem;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::task::Waker;
use zeroize::Zeroize;

/// Number of lists of waiting callers. With several, few callers contend for the same lock.
const LISTS: usize = 16;

/// The answers of all items of a batch.
pub struct BatchAnswers {
    pub codes: Vec<u8>,
    pub rows: Vec<u8>,
    pub width: usize,
    pub is_secret: bool,
}

impl BatchAnswers {
    /// Allocates zeroed answers for `items` items.
    pub fn new(items: usize, width: usize, is_secret: bool) -> Self {
        BatchAnswers {
            codes: vec![0; items],
            rows: vec![0; items * width],
            width,
            is_secret,
        }
    }

    /// Returns the answers of some items.
    pub fn slice(&self, items: Range<usize>) -> Results<'_> {
        let start = items.start;
        let count = items.len();
        Results::new(&self.codes, [&self.rows, &[]], [self.width, 0]).slice(start, count)
    }

    /// Replaces the answer of item `to` by that of item `from`.
    pub fn copy(&mut self, from: usize, to: usize) {
        self.codes[to] = self.codes[from];
        self.rows
            .copy_within(from * self.width..(from + 1) * self.width, to * self.width);
    }
}

impl Drop for BatchAnswers {
    fn drop(&mut self) {
        if self.is_secret {
            self.rows.zeroize();
        }
    }
}

pub type BatchOutcome = Result<BatchAnswers, ServiceError>;

/// A batch, as seen by its waiting callers.
pub struct Batch {
    /// The number by which measurements identify the batch.
    pub number: u64,
    outcome: OnceLock<BatchOutcome>,
    waiting: [Mutex<WaitingList>; LISTS],
    /// Items of dropped requests; `None` once the batch has begun.
    dropped: Mutex<Option<Vec<Range<usize>>>>,
    /// Set when the batch no longer occupies memory. It outlives the answers, so that accounts can
    /// count the items in flight.
    is_done: Arc<AtomicBool>,
}

/// The waiting callers, each with a fixed position; `None` once there is an outcome.
struct WaitingList(Option<Vec<Option<Waker>>>);

/// The position of a waiting caller in its list.
#[derive(Clone, Copy, Debug)]
pub struct WaitingPosition(usize);

impl Batch {
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Batch {
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            outcome: OnceLock::new(),
            waiting: array::from_fn(|_| Mutex::new(WaitingList(Some(Vec::new())))),
            dropped: Mutex::new(Some(Vec::new())),
            is_done: Arc::default(),
        }
    }

    pub fn outcome(&self) -> Option<&BatchOutcome> {
        self.outcome.get()
    }

    /// Returns the flag that is set when the batch no longer occupies memory.
    pub fn is_done(&self) -> &Arc<AtomicBool> {
        &self.is_done
    }

    /// Registers a request to be woken when there is an outcome. Returns false if there is one
    /// already. `item` is the first item of the request.
    pub fn wake_at_end(
        &self,
        item: usize,
        place: &mut Option<WaitingPosition>,
        waker: &Waker,
    ) -> bool {
        let mut waiting = lock(&self.waiting[list_of(item)]);
        let Some(list) = &mut waiting.0 else {
            return false;
        };
        let WaitingPosition(place) = *place.get_or_insert_with(|| {
            list.push(None);
            WaitingPosition(list.len() - 1)
        });
        let known = &mut list[place];
        if known.as_ref().is_some_and(|known| known.will_wake(waker)) {
            return true;
        }
        let old = known.replace(waker.clone());
        // Wakers are dropped without holding the lock, because that may run the caller's code.
        drop(waiting);
        drop(old);
        true
    }

    /// Drops a request. Its items are not computed unless the batch has begun.
    pub fn drop_request(&self, items: Range<usize>, place: Option<WaitingPosition>) {
        if let Some(WaitingPosition(place)) = place {
            let mut waiting = lock(&self.waiting[list_of(items.start)]);
            let waker = waiting.0.as_mut().and_then(|list| list[place].take());
            drop(waiting);
            drop(waker);
        }
        if let Some(dropped) = &mut *lock(&self.dropped) {
            dropped.push(items);
        }
    }

    /// Begins the batch. Returns the items of dropped requests.
    pub fn begin(&self) -> Vec<Range<usize>> {
        lock(&self.dropped).take().unwrap_or_default()
    }

    /// Marks the batch as no longer occupying memory.
    pub fn leave(&self) {
        self.is_done.store(true, Ordering::Release);
    }

    /// Sets the outcome and wakes all waiting callers.
    pub fn end(&self, outcome: BatchOutcome) {
        // A second outcome is not possible: a batch is computed once.
        let _ = self.outcome.set(outcome);
        for list in &self.waiting {
            let waiting = lock(list).0.take().unwrap_or_default();
            wake_all(waiting.into_iter().flatten());
        }
    }
}

/// Wakes all wakers, consecutive ones of the same task only once. A waker that panics when it is
/// woken or dropped does not prevent the others from being woken.
pub fn wake_all(wakers: impl Iterator<Item = Waker>) {
    let mut last: Option<Waker> = None;
    for waker in wakers {
        if last.as_ref().is_none_or(|last| !last.will_wake(&waker)) {
            quietly(|| waker.wake_by_ref());
        }
        let before = last.replace(waker);
        quietly(|| drop(before));
    }
    quietly(|| drop(last));
}

/// Maximum number of nested panics, each raised by dropping the payload of the previous one. The
/// last payload is leaked.
const PANICS: usize = 4;

/// Runs a caller's code on a thread that serves other callers too. Panics are caught here,
/// including panics raised by dropping a panic's payload.
pub fn quietly(run: impl FnOnce()) {
    let mut left = catch_unwind(AssertUnwindSafe(run)).err();
    for _ in 0..PANICS {
        let Some(panic) = left else { return };
        left = catch_unwind(AssertUnwindSafe(|| drop(panic))).err();
    }
    mem::forget(left);
}

/// Spreads requests of every size over the lists.
fn list_of(item: usize) -> usize {
    ((item as u32).wrapping_mul(0x9e37_79b1) >> 28) as usize % LISTS
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;
    use std::task::Wake;

    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    struct Panics;

    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            panic!("on purpose");
        }
    }

    struct PanicsWhenDropped;

    impl Wake for PanicsWhenDropped {
        fn wake(self: Arc<Self>) {}
    }

    impl Drop for PanicsWhenDropped {
        fn drop(&mut self) {
            std::panic::panic_any(Payload);
        }
    }

    /// The payload of a panic, which panics when it is dropped.
    struct Payload;

    impl Drop for Payload {
        fn drop(&mut self) {
            panic!("on purpose");
        }
    }

    #[test]
    fn panicking_waker_drop_does_not_prevent_other_wakes() {
        let batch = Batch::new();
        let counters: Vec<_> = (0..50).map(|_| counter()).collect();
        for (item, (_, waker)) in counters.iter().enumerate() {
            batch.wake_at_end(2 * item, &mut None, waker);
            batch.wake_at_end(
                2 * item + 1,
                &mut None,
                &Waker::from(Arc::new(PanicsWhenDropped)),
            );
        }
        batch.end(Err(ServiceError::Stopped));
        assert!(
            counters
                .iter()
                .all(|(count, _)| count.0.load(Ordering::Relaxed) == 1)
        );
    }

    fn counter() -> (Arc<Count>, Waker) {
        let count = Arc::new(Count(AtomicUsize::new(0)));
        (count.clone(), Waker::from(count))
    }

    #[test]
    fn all_waiting_tasks_are_woken() {
        let batch = Batch::new();
        let counters: Vec<_> = (0..100).map(|_| counter()).collect();
        let mut places = vec![None; 100];
        for (item, (_, waker)) in counters.iter().enumerate() {
            assert!(batch.wake_at_end(item, &mut places[item], waker));
            assert!(batch.wake_at_end(item, &mut places[item], waker));
        }
        assert!(batch.wake_at_end(100, &mut None, &Waker::from(Arc::new(Panics))));
        batch.drop_request(7..8, places[7]);
        let dropped = batch.begin();
        assert!(dropped.len() == 1 && dropped[0] == (7..8));
        batch.drop_request(8..9, places[8]);
        batch.end(Err(ServiceError::Stopped));
        for (item, (count, _)) in counters.iter().enumerate() {
            assert_eq!(
                count.0.load(Ordering::Relaxed),
                usize::from(item != 7 && item != 8),
                "{item}"
            );
        }
        assert!(!batch.wake_at_end(3, &mut None, &counters[3].1));
        assert!(matches!(batch.outcome(), Some(Err(ServiceError::Stopped))));
    }

    #[test]
    fn task_with_many_requests_is_woken_once_per_list() {
        let batch = Batch::new();
        let (count, waker) = counter();
        for item in 0..1000 {
            batch.wake_at_end(item, &mut None, &waker);
        }
        batch.end(Err(ServiceError::Stopped));
        assert!((1..=LISTS).contains(&count.0.load(Ordering::Relaxed)));
    }

    #[test]
    fn requests_are_spread_over_lists() {
        for size in [1, 64, 100, 4096] {
            let mut lists = [0; LISTS];
            (0..1600).for_each(|request| lists[list_of(request * size)] += 1);
            assert!(
                lists.iter().all(|count| (20..400).contains(count)),
                "{size}: {lists:?}"
            );
        }
    }
}

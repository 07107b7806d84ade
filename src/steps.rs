//! Reading, computing and writing at the same time: steps with threads of their own, between which results keep their
//! order and memory its bounds.
//!
//! A [`line`](fn@line) has one thread that hands items in, some that work on them, and one that takes the results in
//! the order of the items. Each end learns when another is gone, so that all threads end. A [`Room`] bounds what is on
//! the way in bytes, and [`map`] shares the items of one step between the threads of a pool.
//!
//! ```
//! use gecc::steps::line;
//!
//! let (entrance, workers, results) = line(4, 1);
//! let squares: Vec<u64> = std::thread::scope(|scope| {
//!     scope.spawn(move || (0..100).all(|item| entrance.hand_in(item)));
//!     for _ in 0..3 {
//!         let workers = workers.clone();
//!         scope.spawn(move || workers.work(|item: u64| Some(item * item)));
//!     }
//!     drop(workers);
//!     results.collect()
//! });
//! assert!(squares.into_iter().eq((0..100).map(|item| item * item)));
//! ```

use crate::host::lock;
use rayon::ThreadPool;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// An item, and where its result goes.
type Task<I, R> = (I, SyncSender<R>);

/// A line of workers. `results` that nobody has taken and `items` that no worker has taken may wait before who hands in
/// does.
pub fn line<I, R>(results: usize, items: usize) -> (Entrance<I, R>, Workers<I, R>, Results<R>) {
    let (to_taker, results) = sync_channel(results);
    let (to_workers, tasks) = sync_channel(items);
    (Entrance { to_workers, to_taker }, Workers(Arc::new(Mutex::new(tasks))), Results(results))
}

/// The sending end of a pipeline. Dropping it ends the input.
pub struct Entrance<I, R> {
    to_workers: SyncSender<Task<I, R>>,
    to_taker: SyncSender<Receiver<R>>,
}

impl<I, R> Entrance<I, R> {
    /// Hands an item to the workers, and waits until there is room for it. Gives whether more is wanted.
    #[must_use]
    pub fn hand_in(&self, item: I) -> bool {
        let (to, result) = sync_channel(1);
        self.to_taker.send(result).is_ok() && self.to_workers.send((item, to)).is_ok()
    }

    /// Puts a result behind those of all items before, without a worker. Gives whether more is wanted.
    pub fn put(&self, result: R) -> bool {
        let (to, later) = sync_channel(1);
        to.send(result).is_ok() && self.to_taker.send(later).is_ok()
    }
}

/// The end from which workers take items; each worker has a clone.
pub struct Workers<I, R>(Arc<Mutex<Receiver<Task<I, R>>>>);

impl<I, R> Clone for Workers<I, R> {
    fn clone(&self) -> Self {
        Workers(Arc::clone(&self.0))
    }
}

impl<I, R> Workers<I, R> {
    /// The next item, and where its result goes. `None` when no more come. Where that is dropped without a result, the
    /// results end.
    pub fn next(&self) -> Option<(I, SyncSender<R>)> {
        lock(&self.0).recv().ok()
    }

    /// Works on items until no more come. Where `work` gives `None` the results end.
    pub fn work(&self, mut work: impl FnMut(I) -> Option<R>) {
        while let Some((item, to)) = self.next() {
            if let Some(result) = work(item) {
                // Nobody may want it any more.
                let _ = to.send(result);
            }
        }
    }
}

/// The results of a line in the order of its items, until no more come or one is missing.
pub struct Results<R>(Receiver<Receiver<R>>);

impl<R> Iterator for Results<R> {
    type Item = R;

    fn next(&mut self) -> Option<R> {
        self.0.recv().ok()?.recv().ok()
    }
}

/// A bound on a sum, such as that of bytes in memory.
pub struct Room {
    state: Mutex<Held>,
    changed: Condvar,
    most: u64,
}

#[derive(Default)]
struct Held {
    sum: u64,
    is_closed: bool,
}

impl Room {
    /// Room for `most` in all.
    pub fn new(most: u64) -> Self {
        Room { state: Mutex::default(), changed: Condvar::new(), most }
    }

    /// Waits until there is room, which who is alone always has. Gives whether anybody still wants what comes.
    #[must_use]
    pub fn enter(&self, part: u64) -> bool {
        let is_full = |held: &mut Held| !held.is_closed && held.sum > 0 && held.sum.saturating_add(part) > self.most;
        let mut held = self.changed.wait_while(lock(&self.state), is_full).unwrap_or_else(PoisonError::into_inner);
        held.sum = held.sum.saturating_add(part);
        !held.is_closed
    }

    /// Gives back what was taken by [`Room::enter`].
    pub fn leave(&self, part: u64) {
        let mut held = lock(&self.state);
        held.sum = held.sum.saturating_sub(part);
        drop(held);
        self.changed.notify_all();
    }

    /// Wakes everybody who waits. What arrives from here on is discarded.
    pub fn close(&self) {
        lock(&self.state).is_closed = true;
        self.changed.notify_all();
    }
}

/// Returns the results of `work` in order; each item is a task of its own.
///
/// Tasks begin in the order in which they were handed in, also by several callers at a time, and none waits for
/// another. With rayon's iterators, which halve the work again and again, a thread that waits for the other half takes
/// up what others handed in later, so that all calls end when the last of them does.
pub fn map<T: Send, R: Send>(
    pool: &ThreadPool,
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let items: Vec<T> = items.into_iter().collect();
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let work = &work;
    pool.in_place_scope(|scope| {
        for (item, result) in items.into_iter().zip(&mut results) {
            scope.spawn(move |_| *result = Some(work(item)));
        }
    });
    results.into_iter().map(|result| result.expect("every task has run")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::ThreadPoolBuilder;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    /// Starts workers, and a thread that hands in numbers for as long as they are wanted.
    fn numbers(
        workers: usize,
        most: usize,
        work: impl Fn(usize) -> Option<usize> + Copy + Send + 'static,
    ) -> Results<usize> {
        let (entrance, taking, results) = line(most, 0);
        for _ in 0..workers {
            let taking = taking.clone();
            thread::spawn(move || taking.work(work));
        }
        thread::spawn(move || (0..1000).all(|item| entrance.hand_in(item)) && entrance.put(5000));
        results
    }

    #[test]
    fn results_come_in_order_and_not_too_far_ahead() {
        static TAKEN: AtomicUsize = AtomicUsize::new(0);
        let results = numbers(7, 5, |item| {
            // Those that wait, the one that is taken, and the one that was taken but is not counted yet.
            assert!(item <= TAKEN.load(Ordering::SeqCst) + 5 + 2);
            thread::sleep(Duration::from_micros((item * 7919 % 300) as u64));
            Some(item)
        });
        let counted = results.inspect(|_| {
            TAKEN.fetch_add(1, Ordering::SeqCst);
        });
        assert!(counted.eq((0..1000).chain([5000])));
    }

    #[test]
    fn a_missing_result_ends_them() {
        assert!(numbers(3, 4, |item| (item != 77).then_some(item)).eq(0..77));
    }

    #[test]
    fn threads_end_though_nobody_takes_the_results() {
        let (entrance, workers, mut results) = line(2, 1);
        let handing = thread::spawn(move || (0..).take_while(|item| entrance.hand_in(*item)).count());
        let working = thread::spawn(move || workers.work(Some));
        assert_eq!(results.next(), Some(0));
        drop(results);
        assert!(handing.join().unwrap() < 7);
        working.join().unwrap();
    }

    #[test]
    fn nobody_hands_in_what_no_worker_takes() {
        let (entrance, workers, results) = line::<_, ()>(2, 1);
        drop(workers);
        assert!(!entrance.hand_in(1));
        drop(results);
        assert!(!entrance.put(()));
    }

    #[test]
    fn a_room_is_full_for_all_but_who_is_alone() {
        let room = Arc::new(Room::new(100));
        assert!(room.enter(1000));
        let second = Arc::clone(&room);
        let second = thread::spawn(move || second.enter(1));
        thread::sleep(Duration::from_millis(50));
        assert!(!second.is_finished());
        room.leave(1000);
        assert!(second.join().unwrap() && room.enter(99));
        room.close();
        assert!(!room.enter(1));
    }

    #[test]
    fn nobody_waits_for_a_closed_room() {
        let room = Arc::new(Room::new(100));
        assert!(room.enter(100));
        let second = Arc::clone(&room);
        let second = thread::spawn(move || second.enter(1));
        room.close();
        assert!(!second.join().unwrap());
    }

    #[test]
    fn results_are_in_order_also_of_several_callers() {
        let pool = ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        thread::scope(|scope| {
            for caller in 0..8_u64 {
                let pool = &pool;
                scope.spawn(move || {
                    let expected: Vec<u64> = (0..1000).map(|item| item * caller).collect();
                    assert_eq!(map(pool, 0..1000_u64, |item| item * caller), expected);
                });
            }
        });
        assert!(map(&pool, Vec::<u8>::new(), |byte| byte).is_empty());
    }
}

//! Ordered, bounded pipelines: reading, computing and writing run concurrently, each on threads of
//! its own, while results keep the order of the items and memory stays bounded.
//!
//! [`Stages::run`] runs a pipeline: one thread reads items, several process them, and the caller's
//! thread takes the results in the order of the items. A [`Demand`] says whether results are still
//! wanted, a [`MemoryBudget`] limits the bytes in flight, and [`map`] distributes the items of one
//! step over the threads of a pool.
//!
//! ```
//! use gecc::pipeline::{Demand, Stages};
//! use std::ops::ControlFlow;
//! use std::sync::atomic::AtomicBool;
//!
//! let interrupted = AtomicBool::new(false);
//! let demand = Demand::until(&interrupted);
//! let stages = Stages { workers: 3, items: 1, results: 4, demand: &demand, budgets: &[] };
//! let mut squares = Vec::new();
//! let ended: Option<()> = stages.run(
//!     |sender| {
//!         (0..100).all(|item| sender.send(item));
//!     },
//!     |item: u64| Some(item * item),
//!     |square| {
//!         squares.push(square);
//!         ControlFlow::Continue(())
//!     },
//! )?;
//! assert_eq!(ended, None);
//! assert!(squares.into_iter().eq((0..100).map(|item| item * item)));
//! # std::io::Result::Ok(())
//! ```
//!
//! Its parts are available where the stages have threads of another kind
//! ([`pipeline`](fn@pipeline)). Dropping any end stops the others, so that all threads end.

use crate::host::lock;
use rayon::ThreadPool;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, Scope};

/// The demand for the results of a pipeline. It ends when the caller's flag is set, or with
/// [`Stages::run`].
pub struct Demand<'a> {
    stop: &'a AtomicBool,
    has_ended: AtomicBool,
}

impl<'a> Demand<'a> {
    /// Creates a demand that ends when `stop` becomes true.
    pub fn until(stop: &'a AtomicBool) -> Self {
        Demand {
            stop,
            has_ended: AtomicBool::new(false),
        }
    }

    /// Returns whether further results are wanted.
    pub fn continues(&self) -> bool {
        !self.stop.load(Ordering::Relaxed) && !self.has_ended.load(Ordering::Relaxed)
    }
}

/// The threads and queues of a pipeline.
#[derive(Clone, Copy)]
pub struct Stages<'a> {
    /// The number of threads that process items.
    pub workers: usize,
    /// The number of items that wait for a worker.
    pub items: usize,
    /// The number of items that are processed, or whose results wait to be taken.
    pub results: usize,
    /// Ends when no more results are taken. Items that are left then are not processed.
    pub demand: &'a Demand<'a>,
    /// The budgets that the reading thread may be waiting for when no more results are taken. They
    /// are closed then.
    pub budgets: &'a [&'a MemoryBudget],
}

impl Stages<'_> {
    /// Runs a pipeline. `read` sends items from a thread of its own, `work` processes each on one of
    /// the worker threads, and `take` receives the results on the calling thread, in the order of
    /// the items. Ends after the last item, after the first for which `work` returns `None`, and
    /// when `take` breaks, in which case the value is returned.
    ///
    /// # Errors
    /// The error of the operating system if the reading thread or every worker cannot be started.
    pub fn run<I: Send, R: Send, B>(
        &self,
        read: impl FnOnce(Sender<I, R>) + Send,
        work: impl Fn(I) -> Option<R> + Sync,
        mut take: impl FnMut(R) -> ControlFlow<B>,
    ) -> io::Result<Option<B>> {
        let (sender, workers, results) = pipeline(self.results, self.items);
        let work = &work;
        let ending = EndOnDrop(self);
        thread::scope(|scope| {
            // Dropped before the scope waits for its threads, also if `take` panics.
            let _ending = ending;
            spawn(scope, "gecc-read".to_owned(), move || read(sender))?;
            for index in 0..self.workers.max(1) {
                let items = workers.clone();
                let started = spawn(scope, format!("gecc-compute-{index}"), move || {
                    items.work(|item| self.demand.continues().then(|| work(item)).flatten());
                });
                match started {
                    Ok(()) => {}
                    Err(problem) if index == 0 => return Err(problem),
                    // Fewer workers are sufficient.
                    Err(_) => break,
                }
            }
            drop(workers);
            for result in results {
                if let ControlFlow::Break(value) = take(result) {
                    return Ok(Some(value));
                }
            }
            Ok(None)
        })
    }
}

/// Ends the demand and closes the budgets when it is dropped, so that no thread goes on, or waits
/// for memory that will not be released.
struct EndOnDrop<'a>(&'a Stages<'a>);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.demand.has_ended.store(true, Ordering::Relaxed);
        self.0.budgets.iter().for_each(|budget| budget.close());
    }
}

fn spawn<'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: String,
    work: impl FnOnce() + Send + 'scope,
) -> io::Result<()> {
    thread::Builder::new()
        .name(name)
        .spawn_scoped(scope, work)
        .map(drop)
}

/// An item, and the sender for its result.
type Task<I, R> = (I, SyncSender<R>);

/// Creates a pipeline. At most `items` items wait for a worker and `results` results for the
/// receiver; beyond that [`Sender::send`] blocks.
pub fn pipeline<I, R>(results: usize, items: usize) -> (Sender<I, R>, Workers<I, R>, Results<R>) {
    let (to_taker, results) = sync_channel(results);
    let (to_workers, tasks) = sync_channel(items);
    (
        Sender {
            to_workers,
            to_taker,
        },
        Workers(Arc::new(Mutex::new(tasks))),
        Results(results),
    )
}

/// The sending end of a pipeline. Dropping it ends the input.
pub struct Sender<I, R> {
    to_workers: SyncSender<Task<I, R>>,
    to_taker: SyncSender<Receiver<R>>,
}

impl<I, R> Sender<I, R> {
    /// Sends an item to the workers; blocks while the pipeline is full. Returns `false` if no more
    /// items are wanted, because another end was dropped.
    #[must_use]
    pub fn send(&self, item: I) -> bool {
        let (to, result) = sync_channel(1);
        self.to_taker.send(result).is_ok() && self.to_workers.send((item, to)).is_ok()
    }

    /// Appends a result after those of all items sent before, without a worker. Returns `false` if
    /// no more are wanted.
    pub fn send_result(&self, result: R) -> bool {
        let (to, later) = sync_channel(1);
        to.send(result).is_ok() && self.to_taker.send(later).is_ok()
    }
}

/// The worker end of a pipeline; each worker has a clone.
pub struct Workers<I, R>(Arc<Mutex<Receiver<Task<I, R>>>>);

impl<I, R> Clone for Workers<I, R> {
    fn clone(&self) -> Self {
        Workers(Arc::clone(&self.0))
    }
}

impl<I, R> Workers<I, R> {
    /// Returns the next item and the sender for its result, or `None` at the end of the input. If
    /// the sender is dropped without a result, the results end.
    pub fn next(&self) -> Option<(I, SyncSender<R>)> {
        lock(&self.0).recv().ok()
    }

    /// Processes items until the end of the input. If `work` returns `None`, the results end.
    pub fn work(&self, mut work: impl FnMut(I) -> Option<R>) {
        while let Some((item, to)) = self.next() {
            if let Some(result) = work(item) {
                // The receiver may have been dropped.
                let _ = to.send(result);
            }
        }
    }
}

/// The receiving end of a pipeline: the results in the order of the items, until the end of the
/// input or the first item without a result.
pub struct Results<R>(Receiver<Receiver<R>>);

impl<R> Iterator for Results<R> {
    type Item = R;

    fn next(&mut self) -> Option<R> {
        self.0.recv().ok()?.recv().ok()
    }
}

/// A limit on a sum, such as that of bytes in memory.
pub struct MemoryBudget {
    state: Mutex<BudgetState>,
    changed: Condvar,
    most: u64,
}

#[derive(Default)]
struct BudgetState {
    sum: u64,
    is_closed: bool,
}

impl MemoryBudget {
    /// Creates a limit of `most` in total.
    pub fn new(most: u64) -> Self {
        MemoryBudget {
            state: Mutex::default(),
            changed: Condvar::new(),
            most,
        }
    }

    /// Blocks until `part` fits within the limit. A caller that is alone is always admitted.
    /// Returns `false` if the limit was closed because no more data is wanted.
    #[must_use]
    pub fn acquire(&self, part: u64) -> bool {
        let waited = self.changed.wait_while(lock(&self.state), |held| {
            !held.is_closed && held.sum > 0 && held.sum.saturating_add(part) > self.most
        });
        let mut held = waited.unwrap_or_else(PoisonError::into_inner);
        held.sum = held.sum.saturating_add(part);
        !held.is_closed
    }

    /// Returns `part` bytes that were acquired with [`MemoryBudget::acquire`].
    pub fn release(&self, part: u64) {
        let mut held = lock(&self.state);
        held.sum = held.sum.saturating_sub(part);
        drop(held);
        self.changed.notify_all();
    }

    /// Wakes all blocked callers. Data that arrives afterwards is discarded.
    pub fn close(&self) {
        lock(&self.state).is_closed = true;
        self.changed.notify_all();
    }
}

/// Returns the results of `work` in order; each item is a task of its own.
///
/// Tasks start in the order in which they were submitted, even by several concurrent callers, and
/// no task waits for another. With rayon's iterators, which split the work recursively, a thread
/// that waits for its other half would steal tasks that other callers submitted later, and all
/// calls would end when the last of them does.
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
    results
        .into_iter()
        .map(|result| result.expect("every task has run"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::ThreadPoolBuilder;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    /// Starts workers, and a thread that sends numbers for as long as they are wanted.
    fn numbers(
        workers: usize,
        most: usize,
        work: impl Fn(usize) -> Option<usize> + Copy + Send + 'static,
    ) -> Results<usize> {
        let (sender, taking, results) = pipeline(most, 0);
        for _ in 0..workers {
            let taking = taking.clone();
            thread::spawn(move || taking.work(work));
        }
        thread::spawn(move || (0..1000).all(|item| sender.send(item)) && sender.send_result(5000));
        results
    }

    #[test]
    fn results_come_in_order_within_the_limit() {
        static TAKEN: AtomicUsize = AtomicUsize::new(0);
        let results = numbers(7, 5, |item| {
            // In flight: waiting items, the one that is taken, and the one that was taken but is
            // not counted yet.
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
    fn missing_result_ends_the_workers() {
        assert!(numbers(3, 4, |item| (item != 77).then_some(item)).eq(0..77));
    }

    #[test]
    fn threads_end_when_results_are_dropped() {
        let (sender, workers, mut results) = pipeline(2, 1);
        let handing = thread::spawn(move || (0..).take_while(|item| sender.send(*item)).count());
        let working = thread::spawn(move || workers.work(Some));
        assert_eq!(results.next(), Some(0));
        drop(results);
        assert!(handing.join().unwrap() < 7);
        working.join().unwrap();
    }

    #[test]
    fn items_are_refused_without_workers() {
        let (sender, workers, results) = pipeline::<_, ()>(2, 1);
        drop(workers);
        assert!(!sender.send(1));
        drop(results);
        assert!(!sender.send_result(()));
    }

    #[test]
    fn full_budget_blocks_all_but_a_sole_caller() {
        let room = Arc::new(MemoryBudget::new(100));
        assert!(room.acquire(1000));
        let second = Arc::clone(&room);
        let second = thread::spawn(move || second.acquire(1));
        thread::sleep(Duration::from_millis(50));
        assert!(!second.is_finished());
        room.release(1000);
        assert!(second.join().unwrap() && room.acquire(99));
        room.close();
        assert!(!room.acquire(1));
    }

    #[test]
    fn run_ends_a_reader_that_waits_for_memory() {
        let stop = AtomicBool::new(false);
        let demand = Demand::until(&stop);
        let room = MemoryBudget::new(3);
        let stages = Stages {
            workers: 2,
            items: 0,
            results: 2,
            demand: &demand,
            budgets: &[&room],
        };
        let mut taken = Vec::new();
        let value = stages.run(
            // Nothing is released, so the fourth item does not fit.
            |sender| {
                (0..)
                    .take_while(|item| room.acquire(1) && sender.send(*item))
                    .for_each(drop)
            },
            |item: u32| Some(10 * item),
            |result| {
                taken.push(result);
                if result == 20 {
                    ControlFlow::Break("three")
                } else {
                    ControlFlow::Continue(())
                }
            },
        );
        assert_eq!((value.unwrap(), taken), (Some("three"), vec![0, 10, 20]));
        assert!(!demand.continues());
    }

    #[test]
    fn run_leaves_items_after_a_stop() {
        let stop = AtomicBool::new(false);
        let demand = Demand::until(&stop);
        let processed = AtomicUsize::new(0);
        let stages = Stages {
            workers: 3,
            items: 1,
            results: 4,
            demand: &demand,
            budgets: &[],
        };
        let ended: Option<()> = stages
            .run(
                |sender| {
                    (0..1000).all(|item| sender.send(item));
                },
                |item: usize| {
                    processed.fetch_add(1, Ordering::Relaxed);
                    Some(item)
                },
                |item| {
                    if item == 5 {
                        stop.store(true, Ordering::Relaxed);
                    }
                    ControlFlow::Continue(())
                },
            )
            .unwrap();
        assert_eq!(ended, None);
        // Those before the stop, and those that were in flight then.
        assert!((6..=6 + 4 + 2).contains(&processed.load(Ordering::Relaxed)));
    }

    #[test]
    fn run_ends_its_threads_if_taking_panics() {
        let stop = AtomicBool::new(false);
        let demand = Demand::until(&stop);
        let room = MemoryBudget::new(1);
        let stages = Stages {
            workers: 1,
            items: 0,
            results: 1,
            demand: &demand,
            budgets: &[&room],
        };
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            stages.run(
                |sender| while room.acquire(1) && sender.send(()) {},
                Some,
                |()| -> ControlFlow<()> { panic!("an expected panic") },
            )
        }));
        assert!(panicked.is_err());
    }

    #[test]
    fn closed_budget_blocks_nobody() {
        let room = Arc::new(MemoryBudget::new(100));
        assert!(room.acquire(100));
        let second = Arc::clone(&room);
        let second = thread::spawn(move || second.acquire(1));
        room.close();
        assert!(!second.join().unwrap());
    }

    #[test]
    fn map_keeps_order_for_concurrent_callers() {
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

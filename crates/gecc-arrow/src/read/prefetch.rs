//! Numbered tasks on threads of their own, which run ahead of the consumer that takes the results
//! in order, or on the consumer's thread.

use super::memory_budget::TaskMemory;
use gecc::pipeline::{Results, Sender, pipeline};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// The results of the tasks `0..tasks`, in order. At most `window` tasks are started whose results
/// were not taken. Threads end when this is dropped.
pub(crate) struct Prefetch<T> {
    /// The memory budget that tasks enter, and leave when their results are taken.
    room: Arc<TaskMemory>,
    results: OrderedResults<T>,
}

enum OrderedResults<T> {
    /// No task runs ahead: starting a thread would take longer than the tasks.
    OnConsumer(Range<usize>, TaskFn<T>),
    OnThreads(PrefetchThreads<T>),
}

type TaskFn<T> = Box<dyn Fn(usize) -> T + Send + Sync>;

struct PrefetchThreads<T> {
    tasks: Range<usize>,
    /// `None` if no more tasks are to be started. A panic of a task is its result.
    sender: Option<Sender<usize, thread::Result<T>>>,
    results: Results<thread::Result<T>>,
    threads: Vec<JoinHandle<()>>,
    stopped: Arc<AtomicBool>,
}

impl<T: Send + 'static> Prefetch<T> {
    /// Runs `work` on `threads` threads, or on the consumer's thread if `threads` is 0.
    ///
    /// # Errors
    /// If the system cannot start any thread.
    pub fn start(
        tasks: usize,
        threads: usize,
        window: usize,
        room: Arc<TaskMemory>,
        work: impl Fn(usize) -> T + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        if threads == 0 {
            return Ok(Prefetch {
                room,
                results: OrderedResults::OnConsumer(0..tasks, Box::new(work)),
            });
        }
        let window = window.clamp(1, tasks.max(1));
        // The consumer also submits the tasks, so the queue must have room for all started tasks.
        let (sender, workers, results) = pipeline(window, window);
        let stopped = Arc::new(AtomicBool::new(false));
        let work = Arc::new(work);
        let mut ahead = PrefetchThreads {
            tasks: 0..tasks,
            sender: Some(sender),
            results,
            threads: Vec::new(),
            stopped,
        };
        for index in 0..threads.min(tasks).max(1) {
            let workers = workers.clone();
            let work = work.clone();
            let is_over = ahead.stopped.clone();
            let builder = thread::Builder::new().name(format!("gecc-read-{index}"));
            match builder.spawn(move || workers.work(|task| run_unless(&is_over, &*work, task))) {
                Ok(thread) => ahead.threads.push(thread),
                // Fewer threads are sufficient.
                Err(_) if !ahead.threads.is_empty() => break,
                Err(problem) => return Err(problem),
            }
        }
        (0..window).for_each(|_| ahead.begin());
        Ok(Prefetch {
            room,
            results: OrderedResults::OnThreads(ahead),
        })
    }
}

/// Runs a task and catches its panic; `None` if no more results are wanted.
fn run_unless<T>(
    is_over: &AtomicBool,
    work: impl Fn(usize) -> T,
    task: usize,
) -> Option<thread::Result<T>> {
    let is_over = is_over.load(Ordering::Relaxed);
    (!is_over).then(|| catch_unwind(AssertUnwindSafe(|| work(task))))
}

impl<T> Iterator for Prefetch<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        let result = match &mut self.results {
            OrderedResults::OnConsumer(tasks, work) => tasks.next().map(work),
            OrderedResults::OnThreads(threads) => threads.next(),
        };
        result.inspect(|_| self.room.leave())
    }
}

impl<T> Drop for Prefetch<T> {
    fn drop(&mut self) {
        // Before waiting for the threads.
        self.room.stop();
    }
}

impl<T> PrefetchThreads<T> {
    /// Starts the next task, if any.
    fn begin(&mut self) {
        let goes_on = self
            .tasks
            .next()
            .zip(self.sender.as_ref())
            .is_some_and(|(task, to)| to.send(task));
        if !goes_on {
            self.sender = None;
        }
    }

    fn next(&mut self) -> Option<T> {
        let result = self.results.next()?;
        self.begin();
        Some(result.unwrap_or_else(|panic| resume_unwind(panic)))
    }
}

impl<T> Drop for PrefetchThreads<T> {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.sender = None;
        for thread in self.threads.drain(..) {
            // Panics of the tasks are results.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;
    use std::time::Duration;

    fn no_room() -> Arc<TaskMemory> {
        Arc::new(TaskMemory::new(0))
    }

    #[test]
    fn prefetch_yields_results_in_order_within_its_window() {
        let taken = Arc::new(AtomicUsize::new(0));
        let seen = taken.clone();
        let ahead = Prefetch::start(200, 7, 5, no_room(), move |task| {
            // One result more may have been taken than is counted here.
            assert!(task <= seen.load(Ordering::SeqCst) + 5 + 1);
            thread::sleep(Duration::from_micros((task * 7919 % 300) as u64));
            task
        })
        .unwrap();
        for (expected, task) in ahead.enumerate() {
            assert_eq!(task, expected);
            taken.fetch_add(1, Ordering::SeqCst);
        }
        assert_eq!(taken.load(Ordering::SeqCst), 200);
        assert_eq!(
            Prefetch::start(0, 3, 3, no_room(), |task| task)
                .unwrap()
                .next(),
            None
        );
    }

    #[test]
    fn prefetch_without_threads_works_on_the_consumers_thread() {
        let here = thread::current().id();
        let ahead = Prefetch::start(3, 0, 5, no_room(), move |task| {
            (task, thread::current().id() == here)
        })
        .unwrap();
        assert_eq!(ahead.collect::<Vec<_>>(), [(0, true), (1, true), (2, true)]);
    }

    #[test]
    fn dropped_prefetch_ends_its_threads() {
        let begun = Arc::new(AtomicUsize::new(0));
        let count = begun.clone();
        let mut ahead = Prefetch::start(1000, 4, 8, no_room(), move |_| {
            count.fetch_add(1, Ordering::SeqCst)
        })
        .unwrap();
        ahead.next();
        drop(ahead);
        assert!(begun.load(Ordering::SeqCst) <= 9);
    }

    #[test]
    fn panic_of_a_task_is_raised_in_order() {
        let mut ahead = Prefetch::start(3, 2, 3, no_room(), |task| assert_ne!(task, 1)).unwrap();
        assert_eq!(ahead.next(), Some(()));
        assert!(catch_unwind(AssertUnwindSafe(|| ahead.next())).is_err());
    }
}

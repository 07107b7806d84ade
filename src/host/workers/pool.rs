//! The threads of the CPU engine: a rayon pool that belongs to one engine.

use super::scoped_job::{Job, ScopedJob, with_scoped_job};
use crate::host::lock;
use crate::types::Error;
use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::vec;

/// Maximum number of threads. More threads than any machine has cores are a mistake, and starting
/// them takes minutes.
const MOST_THREADS: usize = 4096;

/// The stack of a thread in bytes. Without optimisation, a function of vector code takes up to 1.6
/// MB of it, since every intermediate value has a place of its own in the frame. Only pages that
/// are touched take memory.
const STACK: usize = 16 << 20;

/// True if callers compute, too. Their stacks may be too small for unoptimised code.
const CALLERS_COMPUTE: bool = cfg!(not(gecc_unoptimised));

thread_local! {
    /// True on threads of an engine's pool.
    static IN_POOL: Cell<bool> = const { Cell::new(false) };
}

/// The worker threads, which live as long as the engine.
#[derive(Debug)]
pub struct Pool(rayon::ThreadPool);

/// The role of the calling thread while tasks run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CallerRole {
    Sleeps,
    TakesPart,
}

impl Pool {
    /// Starts `threads` threads, or one per core if no number is given.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] for a number out of range, [`Error::Threads`] when the system
    /// refuses to start them.
    pub fn new(threads: Option<usize>) -> Result<Self, Error> {
        if let Some(threads) = threads.filter(|threads| !(1..=MOST_THREADS).contains(threads)) {
            let problem = format!("{threads} is not in 1..={MOST_THREADS}");
            return Err(Error::InvalidOption {
                option: "threads",
                problem,
            });
        }
        let builder = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0));
        let builder = builder
            .thread_name(|number| format!("gecc-cpu-{number}"))
            .stack_size(STACK)
            .start_handler(|_| IN_POOL.set(true));
        builder
            .build()
            .map(Pool)
            .map_err(|problem| Error::Threads(problem.to_string()))
    }

    /// Returns the number of threads.
    pub fn threads(&self) -> usize {
        self.0.current_num_threads()
    }

    /// Runs `work` for every task while the calling thread sleeps. Tasks must not wait for other
    /// tasks.
    ///
    /// # Panics
    /// Resumes a panic of `work` once no task runs any more. Tasks that have not begun are dropped.
    pub fn for_each<T: Send>(&self, tasks: Vec<T>, work: impl Fn(T) + Sync) {
        let count = tasks.len();
        let tasks = Mutex::new(tasks.into_iter());
        self.run_times(count, &|| run_next(&tasks, &work), CallerRole::Sleeps);
    }

    /// Runs tasks on the pool and on the calling thread, which has no other work. That thread
    /// starts at once, whereas waking the pool's threads can take longer than copying a megabyte.
    pub fn for_each_with_caller<T: Send>(&self, tasks: Vec<T>, work: impl Fn(T) + Sync) {
        let count = tasks.len();
        let tasks = Mutex::new(tasks.into_iter());
        self.run_times(count, &|| run_next(&tasks, &work), CallerRole::TakesPart);
    }

    /// Returns one result per index, computed in blocks of `block` indices.
    pub fn map<T: Clone + Send>(
        &self,
        block: usize,
        items: usize,
        initial: T,
        compute: impl Fn(usize) -> T + Sync,
    ) -> Vec<T> {
        let mut results = vec![initial; items];
        let blocks: Vec<_> = results.chunks_mut(block).enumerate().collect();
        self.for_each(blocks, |(index, out): (usize, &mut [T])| {
            for (offset, result) in out.iter_mut().enumerate() {
                *result = compute(index * block + offset);
            }
        });
        results
    }

    /// Runs `do_one` `count` times. This is independent of the type of tasks, so that it is
    /// compiled once and not for each type.
    fn run_times(&self, count: usize, do_one: &(dyn Fn() + Sync), caller: CallerRole) {
        let caller = if CALLERS_COMPUTE {
            caller
        } else {
            CallerRole::Sleeps
        };
        let helpers = count - usize::from(caller == CallerRole::TakesPart && count > 0);
        let helpers = helpers.min(self.threads());
        // On a thread of the pool, tasks run here: tasks that waited for others could wait for each
        // other.
        if count == 0 || (count == 1 && CALLERS_COMPUTE) || IN_POOL.get() {
            return (0..count).for_each(|_| do_one());
        }
        let state = TaskState {
            waiting: count,
            running: 0,
            panic: None,
        };
        let tasks = Tasks {
            state: Mutex::new(state),
            done: Condvar::new(),
            do_one,
        };
        with_scoped_job(&tasks, |job| {
            let job = job.clone();
            self.0.spawn(move || help(&job, helpers));
            if caller == CallerRole::TakesPart {
                tasks.run_all();
            }
            tasks.wait();
        });
        if let Some(panic) = lock(&tasks.state).panic.take() {
            resume_unwind(panic);
        }
    }
}

/// Takes the next task and runs `work` for it.
fn run_next<T>(tasks: &Mutex<vec::IntoIter<T>>, work: impl Fn(T)) {
    let task = lock(tasks).next();
    task.into_iter().for_each(work);
}

/// Wakes other threads, so that `helpers` threads take part in total, and takes part. Each thread
/// wakes two others, because one that woke all of them would still be busy with it when the first
/// could have finished.
fn help(job: &Arc<ScopedJob>, helpers: usize) {
    let Some(tasks) = job.borrow() else { return };
    let others = helpers - 1;
    for share in [others.div_ceil(2), others / 2] {
        if share > 0 {
            let job = job.clone();
            rayon::spawn(move || help(&job, share));
        }
    }
    tasks.run_part(0);
}

/// The tasks of a call.
struct Tasks<'a> {
    state: Mutex<TaskState>,
    /// Notified when no task waits or runs any more.
    done: Condvar,
    /// Takes the next task and does it.
    do_one: &'a (dyn Fn() + Sync),
}

struct TaskState {
    waiting: usize,
    running: usize,
    /// The payload of a task's panic.
    panic: Option<Box<dyn Any + Send>>,
}

impl Job for Tasks<'_> {
    fn run_part(&self, _: usize) -> bool {
        self.run_all();
        false
    }
}

impl Tasks<'_> {
    /// Runs tasks until none is left.
    fn run_all(&self) {
        while self.take() {
            let done = catch_unwind(AssertUnwindSafe(self.do_one));
            self.finish(done.err());
        }
    }

    /// Takes the next task. Returns whether there was one.
    fn take(&self) -> bool {
        let mut state = lock(&self.state);
        let waits = state.waiting > 0;
        state.waiting -= usize::from(waits);
        state.running += usize::from(waits);
        waits
    }

    fn finish(&self, panic: Option<Box<dyn Any + Send>>) {
        let mut state = lock(&self.state);
        state.running -= 1;
        if panic.is_some() {
            state.waiting = 0;
            state.panic = state.panic.take().or(panic);
        }
        if state.waiting == 0 && state.running == 0 {
            self.done.notify_all();
        }
    }

    fn wait(&self) {
        let done = self
            .done
            .wait_while(lock(&self.state), |state| state.waiting + state.running > 0);
        drop(done.unwrap_or_else(PoisonError::into_inner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

    fn both(pool: &Pool, tasks: Vec<usize>, work: impl Fn(usize) + Sync) {
        pool.for_each(tasks.clone(), &work);
        pool.for_each_with_caller(tasks, &work);
    }

    #[test]
    fn every_task_is_done_once() {
        for threads in [1, 2, 5] {
            let pool = Pool::new(Some(threads)).unwrap();
            for count in [0, 1, 2, 3, 1000] {
                let done: Vec<AtomicU32> = (0..count).map(|_| AtomicU32::new(0)).collect();
                both(&pool, (0..count).collect(), |task| {
                    _ = done[task].fetch_add(1, Ordering::Relaxed)
                });
                assert!(done.iter().all(|times| times.load(Ordering::Relaxed) == 2));
            }
        }
    }

    #[test]
    fn tasks_may_have_tasks() {
        let pool = Pool::new(Some(2)).unwrap();
        let done = AtomicUsize::new(0);
        both(&pool, (0..50).collect(), |_| {
            both(&pool, (0..7).collect(), |_| {
                _ = done.fetch_add(1, Ordering::Relaxed)
            })
        });
        assert_eq!(done.into_inner(), 2 * 50 * 2 * 7);
    }

    #[test]
    fn a_caller_that_does_not_take_part_computes_nothing() {
        let pool = Pool::new(Some(3)).unwrap();
        let caller = std::thread::current().id();
        pool.for_each((0..100).collect(), |_: usize| {
            assert_ne!(std::thread::current().id(), caller)
        });
    }

    #[test]
    fn all_threads_take_part() {
        let pool = Pool::new(Some(7)).unwrap();
        let barrier = std::sync::Barrier::new(7);
        pool.for_each((0..7).collect(), |_: usize| _ = barrier.wait());
    }

    #[test]
    fn panic_of_task_reaches_the_caller() {
        let pool = Pool::new(Some(3)).unwrap();
        let panic = catch_unwind(AssertUnwindSafe(|| {
            pool.for_each((0..100).collect(), |task: i32| {
                assert_ne!(task, 50, "fifty")
            });
        }))
        .unwrap_err();
        assert!(panic.downcast_ref::<String>().unwrap().contains("fifty"));
        every_task_is_done_once();
    }

    /// Every thread of another pool waits here at the same time, and none of them runs another task
    /// of its pool meanwhile.
    #[test]
    fn callers_in_another_pool_do_not_nest() {
        use rayon::prelude::*;
        std::thread_local!(static DEPTH: std::cell::Cell<usize> = const { std::cell::Cell::new(0) });
        let pool = Pool::new(Some(2)).unwrap();
        let callers = rayon::ThreadPoolBuilder::new().num_threads(4).build();
        let deepest = AtomicUsize::new(0);
        let sum = callers.unwrap().install(|| {
            (0..2000)
                .into_par_iter()
                .map(|call| {
                    deepest.fetch_max(DEPTH.replace(DEPTH.get() + 1), Ordering::Relaxed);
                    let sum = AtomicUsize::new(0);
                    pool.for_each(vec![call; 3], |task| {
                        _ = sum.fetch_add(task, Ordering::Relaxed)
                    });
                    DEPTH.set(DEPTH.get() - 1);
                    sum.into_inner()
                })
                .sum::<usize>()
        });
        assert_eq!((sum, deepest.into_inner()), (3 * 1999 * 1000, 0));
    }

    #[test]
    fn impossible_numbers_of_threads() {
        for threads in [0, MOST_THREADS + 1, usize::MAX] {
            assert!(matches!(
                Pool::new(Some(threads)),
                Err(Error::InvalidOption {
                    option: "threads",
                    ..
                })
            ));
        }
    }
}

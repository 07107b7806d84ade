//! Numbered tasks on threads of their own, some of them ahead of who takes the results in order.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// The results of the tasks `0..tasks`, in order. At most `window` tasks are begun whose results nobody has taken.
/// Threads end when this is dropped.
pub(crate) struct Ahead<T> {
    shared: Arc<Shared<T>>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    tasks: usize,
    window: usize,
}

struct State<T> {
    /// The next task to begin, and the next whose result is taken.
    begun: usize,
    taken: usize,
    /// Results that wait, and panics of the tasks.
    done: BTreeMap<usize, thread::Result<T>>,
    stopped: bool,
}

impl<T: Send + 'static> Ahead<T> {
    /// # Errors
    /// When the system gives no thread at all.
    pub fn start(
        tasks: usize,
        threads: usize,
        window: usize,
        work: impl Fn(usize) -> T + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let state = State { begun: 0, taken: 0, done: BTreeMap::new(), stopped: false };
        let shared =
            Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new(), tasks, window: window.max(1) });
        let work = Arc::new(work);
        let mut ahead = Ahead { shared, threads: Vec::new() };
        for index in 0..threads.min(tasks).max(1) {
            let (shared, work) = (ahead.shared.clone(), work.clone());
            let builder = thread::Builder::new().name(format!("gecc-read-{index}"));
            match builder.spawn(move || shared.run(work.as_ref())) {
                Ok(thread) => ahead.threads.push(thread),
                // Fewer threads will do.
                Err(_) if !ahead.threads.is_empty() => break,
                Err(problem) => return Err(problem),
            }
        }
        Ok(ahead)
    }
}

impl<T> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State<T>>) -> MutexGuard<'a, State<T>> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self, work: &impl Fn(usize) -> T) {
        while let Some(task) = self.begin() {
            let result = catch_unwind(AssertUnwindSafe(|| work(task)));
            self.lock().done.insert(task, result);
            self.changed.notify_all();
        }
    }

    /// The next task, once there is room for it.
    fn begin(&self) -> Option<usize> {
        let mut state = self.lock();
        while !state.stopped && state.begun < self.tasks {
            if state.begun < state.taken + self.window {
                state.begun += 1;
                return Some(state.begun - 1);
            }
            state = self.wait(state);
        }
        None
    }
}

impl<T> Iterator for Ahead<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        let mut state = self.shared.lock();
        let task = state.taken;
        if task == self.shared.tasks {
            return None;
        }
        let result = loop {
            match state.done.remove(&task) {
                Some(result) => break result,
                None => state = self.shared.wait(state),
            }
        };
        state.taken += 1;
        drop(state);
        self.shared.changed.notify_all();
        Some(result.unwrap_or_else(|panic| resume_unwind(panic)))
    }
}

impl<T> Drop for Ahead<T> {
    fn drop(&mut self) {
        self.shared.lock().stopped = true;
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // Panics of the tasks are results.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[test]
    fn results_come_in_order_and_not_too_far_ahead() {
        let taken = Arc::new(AtomicUsize::new(0));
        let seen = taken.clone();
        let work = move |task: usize| {
            // One result more may have been taken than is counted here.
            assert!(task <= seen.load(Ordering::SeqCst) + 5 + 1);
            thread::sleep(Duration::from_micros((task * 7919 % 300) as u64));
            task
        };
        let ahead = Ahead::start(200, 7, 5, work).unwrap();
        for (expected, task) in ahead.enumerate() {
            assert_eq!(task, expected);
            taken.fetch_add(1, Ordering::SeqCst);
        }
        assert_eq!(taken.load(Ordering::SeqCst), 200);
        assert_eq!(Ahead::start(0, 3, 3, |task| task).unwrap().next(), None);
    }

    #[test]
    fn threads_end_though_nobody_takes_the_results() {
        let begun = Arc::new(AtomicUsize::new(0));
        let count = begun.clone();
        let mut ahead = Ahead::start(1000, 4, 8, move |_| count.fetch_add(1, Ordering::SeqCst)).unwrap();
        ahead.next();
        drop(ahead);
        assert!(begun.load(Ordering::SeqCst) <= 9);
    }

    #[test]
    fn a_panic_comes_in_the_place_of_its_task() {
        let mut ahead = Ahead::start(3, 2, 3, |task| assert_ne!(task, 1)).unwrap();
        assert_eq!(ahead.next(), Some(()));
        assert!(catch_unwind(AssertUnwindSafe(|| ahead.next())).is_err());
    }
}

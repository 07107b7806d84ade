//! The threads that read cells.

use crate::error::Error;
use gecc::stack;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Number of rows of a task: enough to make the scheduling overhead small.
const TASK: usize = 8192;

/// The threads that convert cells to columns: those of this crate, or the caller's. Rayon's global
/// pool is never used.
#[derive(Clone, Default)]
pub struct Pool(Option<Arc<ThreadPool>>);

impl Pool {
    /// Creates a pool of the caller's threads.
    pub fn of(threads: Arc<ThreadPool>) -> Self {
        Pool(Some(threads))
    }

    /// Runs `work` on corresponding parts of `rows` and `codes`. It receives the index of its first
    /// row. A small number of rows is processed on the calling thread.
    pub(crate) fn fill<T: Send>(
        &self,
        rows: &mut [T],
        codes: &mut [u8],
        work: impl Fn(usize, &mut [T], &mut [u8]) + Sync,
    ) -> Result<(), Error> {
        assert_eq!(rows.len(), codes.len(), "a code for each row");
        if rows.len() <= TASK {
            work(0, rows, codes);
            return Ok(());
        }
        self.threads()?.install(|| {
            let parts = rows
                .par_chunks_mut(TASK)
                .zip(codes.par_chunks_mut(TASK))
                .enumerate();
            parts.for_each(|(part, (rows, codes))| work(part * TASK, rows, codes));
        });
        Ok(())
    }

    /// Returns the results of `work` on parts of `rows` rows, in order.
    pub(crate) fn map<T: Send>(
        &self,
        rows: usize,
        work: impl Fn(std::ops::Range<usize>) -> T + Sync,
    ) -> Result<Vec<T>, Error> {
        if rows <= TASK {
            return Ok(if rows == 0 {
                Vec::new()
            } else {
                vec![work(0..rows)]
            });
        }
        let parts = (0..rows.div_ceil(TASK)).into_par_iter();
        Ok(self.threads()?.install(|| {
            parts
                .map(|part| work(part * TASK..rows.min((part + 1) * TASK)))
                .collect()
        }))
    }

    /// Returns the results of `work` on each item, in order.
    pub(crate) fn each<I: Send, T: Send>(
        &self,
        items: Vec<I>,
        work: impl Fn(I) -> T + Sync + Send,
    ) -> Result<Vec<T>, Error> {
        Ok(self
            .threads()?
            .install(|| items.into_par_iter().map(work).collect()))
    }

    fn threads(&self) -> Result<Arc<ThreadPool>, Error> {
        match &self.0 {
            Some(threads) => Ok(threads.clone()),
            None => own_threads(),
        }
    }
}

/// Runs work on secrets, and wipes their traces on the stack.
pub(crate) fn wiped_if<R>(secret: bool, work: impl FnOnce() -> R) -> R {
    if secret { stack::wiped(work) } else { work() }
}

/// The threads of one process. They are never freed: a forked child inherits the pool without its
/// threads, and dropping it would wait for these.
struct Own {
    process: u32,
    threads: Arc<ThreadPool>,
}

/// Returns the pool of the process, created when first needed. A fork leaves the threads behind, so
/// the child creates its own pool. No lock is taken, because a thread that was left behind may hold
/// it.
fn own_threads() -> Result<Arc<ThreadPool>, Error> {
    static OWN: AtomicPtr<Own> = AtomicPtr::new(ptr::null_mut());
    let process = std::process::id();
    loop {
        let found = OWN.load(Ordering::Acquire);
        // SAFETY: null, or from `Box::into_raw` below and never freed.
        if let Some(own) = unsafe { found.as_ref() }.filter(|own| own.process == process) {
            return Ok(own.threads.clone());
        }
        let builder = ThreadPoolBuilder::new().thread_name(|index| format!("gecc-arrow-{index}"));
        let threads = match builder.build() {
            Ok(threads) => Arc::new(threads),
            // Another thread was first, and there are not enough resources for both pools.
            Err(_) if OWN.load(Ordering::Acquire) != found => continue,
            Err(problem) => return Err(gecc::Error::Threads(problem.to_string()).into()),
        };
        let made = Box::into_raw(Box::new(Own { process, threads }));
        if OWN
            .compare_exchange(found, made, Ordering::AcqRel, Ordering::Acquire)
            .is_err()
        {
            // SAFETY: no other thread has seen the pointer.
            drop(unsafe { Box::from_raw(made) });
        }
    }
}

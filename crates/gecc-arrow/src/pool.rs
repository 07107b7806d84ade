//! The threads that read cells.

use crate::error::Error;
use gecc::stack;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Rows of a task: enough that handing out tasks costs little.
const TASK: usize = 8192;

/// The threads that turn cells into columns: those of this crate, or the caller's. Never the global pool of rayon.
#[derive(Clone, Default)]
pub struct Pool(Option<Arc<ThreadPool>>);

impl Pool {
    /// The caller's threads.
    pub fn of(threads: Arc<ThreadPool>) -> Self {
        Pool(Some(threads))
    }

    /// `work` on parts of `rows` and, with the same numbers, of `codes`. It gets the number of its first row. Few rows
    /// are worked on where they are.
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
            let parts = rows.par_chunks_mut(TASK).zip(codes.par_chunks_mut(TASK)).enumerate();
            parts.for_each(|(part, (rows, codes))| work(part * TASK, rows, codes));
        });
        Ok(())
    }

    /// Returns the results of `work` on parts of this many rows, in order.
    pub(crate) fn map<T: Send>(
        &self,
        rows: usize,
        work: impl Fn(std::ops::Range<usize>) -> T + Sync,
    ) -> Result<Vec<T>, Error> {
        let part = |part: usize| work(part * TASK..rows.min((part + 1) * TASK));
        let parts = rows.div_ceil(TASK);
        if parts <= 1 {
            return Ok((0..parts).map(part).collect());
        }
        Ok(self.threads()?.install(|| (0..parts).into_par_iter().map(part).collect()))
    }

    /// Returns the results of `work` on each item, in order.
    pub(crate) fn each<I: Send, T: Send>(
        &self,
        items: Vec<I>,
        work: impl Fn(I) -> T + Sync + Send,
    ) -> Result<Vec<T>, Error> {
        Ok(self.threads()?.install(|| items.into_par_iter().map(work).collect()))
    }

    fn threads(&self) -> Result<Arc<ThreadPool>, Error> {
        match &self.0 {
            Some(threads) => Ok(threads.clone()),
            None => own_threads(),
        }
    }
}

/// Work on secrets, whose traces on the stack are wiped.
pub(crate) fn wiped_if<R>(secret: bool, work: impl FnOnce() -> R) -> R {
    if secret { stack::wiped(work) } else { work() }
}

/// The threads of one process. They are never freed, as a child has those of its parent without the threads: to drop
/// them would wait for these.
struct Own {
    process: u32,
    threads: Arc<ThreadPool>,
}

/// One pool for the process, made when first needed. A fork leaves threads behind, so that the child makes its own. No
/// lock is taken, as one of the threads that it leaves behind may hold it.
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
            // Another thread was first, and there is no room for both pools.
            Err(_) if OWN.load(Ordering::Acquire) != found => continue,
            Err(problem) => return Err(gecc::Error::Threads(problem.to_string()).into()),
        };
        let made = Box::into_raw(Box::new(Own { process, threads }));
        if OWN.compare_exchange(found, made, Ordering::AcqRel, Ordering::Acquire).is_err() {
            // SAFETY: nobody else has seen it.
            drop(unsafe { Box::from_raw(made) });
        }
    }
}

//! The threads that read cells.

use crate::error::Error;
use gecc::stack;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, Mutex, PoisonError};

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

    /// What `work` makes of parts of this many rows, in order.
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

    /// What `work` makes of each item, in order.
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

/// One pool for the process, made when first needed. A fork leaves threads behind, so that the child makes its own.
fn own_threads() -> Result<Arc<ThreadPool>, Error> {
    static THREADS: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
    let mut threads = THREADS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((_, pool)) = threads.as_ref().filter(|(owner, _)| *owner == process) {
        return Ok(pool.clone());
    }
    let builder = ThreadPoolBuilder::new().thread_name(|index| format!("gecc-arrow-{index}"));
    let pool = Arc::new(builder.build().map_err(|problem| gecc::Error::Threads(problem.to_string()))?);
    if let Some(inherited) = threads.replace((process, pool.clone())) {
        // Its threads are in the parent: to drop it would wait for them.
        std::mem::forget(inherited);
    }
    Ok(pool)
}

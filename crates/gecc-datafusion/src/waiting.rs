//! Blocking partitions until their answers are available.

use tokio::runtime::{self, Handle, RuntimeFlavor};
use tokio::task;

/// Runs work that blocks. On a worker of tokio's multi-thread runtime, its other tasks are passed
/// on before. Otherwise, with a blocked partition on each worker, nothing would be read for the
/// next batch. No deadlock is possible in either case, because the engine and the coalescer have
/// threads of their own.
pub fn waited<T>(work: impl FnOnce() -> T) -> T {
    let is_multi_thread = || Handle::try_current().is_ok_and(|h| h.runtime_flavor() == RuntimeFlavor::MultiThread);
    // Elsewhere `block_in_place` has no effect, or panics.
    if runtime::worker_index().is_some() && is_multi_thread() { task::block_in_place(work) } else { work() }
}

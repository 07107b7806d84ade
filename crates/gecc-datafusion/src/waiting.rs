//! Blocks partitions until their answers are there.

use tokio::runtime::{self, Handle, RuntimeFlavor};
use tokio::task;

/// Work that sleeps. A worker of tokio's multi-thread runtime hands its other tasks on before. Otherwise, with a
/// sleeping partition on each worker, nothing would be read for the next batch. Nothing can lock up either way, as the
/// engine and the coalescer have threads of their own.
pub fn waited<T>(work: impl FnOnce() -> T) -> T {
    let is_multi_thread = || Handle::try_current().is_ok_and(|h| h.runtime_flavor() == RuntimeFlavor::MultiThread);
    // Elsewhere `block_in_place` does nothing, or panics.
    if runtime::worker_index().is_some() && is_multi_thread() { task::block_in_place(work) } else { work() }
}

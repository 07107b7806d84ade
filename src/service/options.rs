//! Options and statistics of the coalescer.

use std::time::Duration;

/// The treatment of a request for which there is no room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhenFull {
    /// It waits until there is room: a thread sleeps, a future is pending.
    #[default]
    Wait,
    /// It is refused with [`crate::service::ServiceError::Full`].
    Refuse,
}

/// The treatment of requests that have not started when a coalescer is shut down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shutdown {
    /// They are answered.
    Answer,
    /// They are refused with [`crate::service::ServiceError::Stopped`].
    Refuse,
}

/// Options with their values.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Maximum number of items per batch.
    pub largest_batch: usize,
    pub longest_wait: Duration,
    /// Maximum number of items admitted and not done.
    pub queue: usize,
    pub when_full: WhenFull,
    /// Batches that the coalescer's threads compute at a time.
    pub in_flight: usize,
}

/// Statistics of a coalescer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Batches that were assigned to the CPU and did not fail.
    pub cpu_batches: u64,
    /// Batches that were assigned to the GPUs and did not fail.
    pub gpu_batches: u64,
    /// Items computed.
    pub items: u64,
    /// Items of requests that were dropped before their batch began, and were not computed.
    pub dropped_items: u64,
    /// Batches that failed, or were refused at the shutdown.
    pub failed_batches: u64,
}

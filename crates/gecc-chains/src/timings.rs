//! Statistics of how long each stage worked and waited.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A step from files to answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Reading files, on a few threads. It waits while as much is decoded or waits for that as may be.
    Read,
    /// Decompressing, decoding and hashing, on the threads of the pool. It waits for one that is free.
    Decode,
    /// Making batches, on one thread. It waits for what is decoded next, and for who computes.
    Gather,
    /// Computing, on a thread for each batch that is computed at a time. It waits for batches.
    Compute,
    /// Making of answers what is put out, on the threads that compute and those of the pool.
    Form,
    /// Putting out, on the caller's thread. It waits for the next batch.
    PutOut,
}

impl Step {
    /// All, in order.
    pub const ALL: [Step; 6] = [Step::Read, Step::Decode, Step::Gather, Step::Compute, Step::Form, Step::PutOut];

    /// The name in summaries.
    pub fn name(self) -> &'static str {
        match self {
            Step::Read => "reading",
            Step::Decode => "decoding",
            Step::Gather => "gathering",
            Step::Compute => "computing",
            Step::Form => "forming answers",
            Step::PutOut => "putting out",
        }
    }
}

/// Working and waiting times of the stages: wall time summed over all threads of a stage.
#[derive(Debug, Default)]
pub struct Timings {
    /// The working times in nanoseconds.
    worked: [AtomicU64; Step::ALL.len()],
    waited: [AtomicU64; Step::ALL.len()],
}

impl Timings {
    /// Returns how long a stage worked and waited.
    pub fn of(&self, step: Step) -> (Duration, Duration) {
        let of =
            |sums: &[AtomicU64; Step::ALL.len()]| Duration::from_nanos(sums[step as usize].load(Ordering::Relaxed));
        (of(&self.worked), of(&self.waited))
    }

    pub(crate) fn worked<T>(&self, step: Step, work: impl FnOnce() -> T) -> T {
        timed(&self.worked[step as usize], work)
    }

    pub(crate) fn waited<T>(&self, step: Step, wait: impl FnOnce() -> T) -> T {
        timed(&self.waited[step as usize], wait)
    }

    /// Counts time since then as waited.
    pub(crate) fn waited_since(&self, step: Step, start: Instant) {
        add(&self.waited[step as usize], start.elapsed());
    }

    /// Counts time since then as worked, without what was counted as waited meanwhile.
    pub(crate) fn worked_since(&self, step: Step, start: Instant, waited: Duration) {
        add(&self.worked[step as usize], start.elapsed().saturating_sub(waited));
    }
}

fn timed<T>(sum: &AtomicU64, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = run();
    add(sum, start.elapsed());
    result
}

fn add(sum: &AtomicU64, time: Duration) {
    sum.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
}

//! Statistics of how long each stage worked and waited.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A stage of the pipeline from files to answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Reading files, on a few threads. It waits while the decoding queue is full.
    Read,
    /// Decompressing, decoding and hashing, on the threads of the pool. It waits for a free thread.
    Decode,
    /// Gathering batches, on one thread. It waits for the next decoded piece, and for the compute
    /// stage.
    Gather,
    /// Computing, on one thread per concurrent batch. It waits for batches.
    Compute,
    /// Formatting answers, on the compute threads and those of the pool.
    Form,
    /// Output, on the caller's thread. It waits for the next batch.
    PutOut,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Stage; 6] = [
        Stage::Read,
        Stage::Decode,
        Stage::Gather,
        Stage::Compute,
        Stage::Form,
        Stage::PutOut,
    ];

    /// Returns the name in summaries.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Read => "reading",
            Stage::Decode => "decoding",
            Stage::Gather => "gathering",
            Stage::Compute => "computing",
            Stage::Form => "forming answers",
            Stage::PutOut => "putting out",
        }
    }
}

/// Working and waiting times of the stages: wall time summed over all threads of a stage.
#[derive(Debug, Default)]
pub struct Timings {
    /// The working times in nanoseconds.
    worked: [AtomicU64; Stage::ALL.len()],
    waited: [AtomicU64; Stage::ALL.len()],
}

impl Timings {
    /// Returns the working and waiting time of a stage.
    pub fn of(&self, step: Stage) -> (Duration, Duration) {
        (
            total(&self.worked[step as usize]),
            total(&self.waited[step as usize]),
        )
    }

    pub(crate) fn worked<T>(&self, step: Stage, work: impl FnOnce() -> T) -> T {
        timed(&self.worked[step as usize], work)
    }

    pub(crate) fn waited<T>(&self, step: Stage, wait: impl FnOnce() -> T) -> T {
        timed(&self.waited[step as usize], wait)
    }

    /// Counts as waiting time of the first of some stages what they have not worked or waited of
    /// `total`, the time that their threads existed.
    pub(crate) fn waited_otherwise(&self, stages: &[Stage], total: Duration) {
        let counted = stages.iter().map(|stage| {
            let (worked, waited) = self.of(*stage);
            worked + waited
        });
        let rest = total.saturating_sub(counted.sum());
        add(&self.waited[stages[0] as usize], rest);
    }

    /// Counts the time since `start` as waiting time.
    pub(crate) fn waited_since(&self, step: Stage, start: Instant) {
        add(&self.waited[step as usize], start.elapsed());
    }

    /// Counts the time since `start` as working time, except the part already counted as waiting.
    pub(crate) fn worked_since(&self, step: Stage, start: Instant, waited: Duration) {
        add(
            &self.worked[step as usize],
            start.elapsed().saturating_sub(waited),
        );
    }
}

fn timed<T>(sum: &AtomicU64, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = run();
    add(sum, start.elapsed());
    result
}

fn total(sum: &AtomicU64) -> Duration {
    Duration::from_nanos(sum.load(Ordering::Relaxed))
}

fn add(sum: &AtomicU64, time: Duration) {
    sum.fetch_add(
        u64::try_from(time.as_nanos()).unwrap_or(u64::MAX),
        Ordering::Relaxed,
    );
}

//! Medians.

use crate::failure::Failure;
use std::time::Instant;

/// Runs whose median counts: fewer where they take long.
const MOST_RUNS: usize = 15;
const LEAST_RUNS: usize = 3;
/// Seconds after which no further run starts.
const ENOUGH: f64 = 0.1;

/// The run in the middle: its seconds, and what it gave beside.
pub struct Timed<T> {
    pub seconds: f64,
    pub beside: T,
}

pub fn median<T>(mut run: impl FnMut() -> Result<(f64, T), Failure>) -> Result<Timed<T>, Failure> {
    let (mut runs, mut total) = (Vec::new(), 0.0);
    while runs.len() < LEAST_RUNS || (runs.len() < MOST_RUNS && total < ENOUGH) {
        let (seconds, beside) = run()?;
        total += seconds;
        runs.push(Timed { seconds, beside });
    }
    runs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    Ok(runs.swap_remove(runs.len() / 2))
}

/// Returns the result of `work` and its duration.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let started = Instant::now();
    let result = work();
    (result, started.elapsed().as_secs_f64())
}

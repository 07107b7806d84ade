//! Medians of timed runs.

use crate::failure::Failure;
use std::time::Instant;

/// The number of runs whose median is taken: fewer if they take long.
const MOST_RUNS: usize = 15;
const LEAST_RUNS: usize = 3;
/// The total of seconds after which no further run starts.
const ENOUGH: f64 = 0.1;

/// The median run: its duration, and its additional result.
pub struct Timed<T> {
    pub seconds: f64,
    pub beside: T,
}

pub fn median<T>(mut run: impl FnMut() -> Result<(f64, T), Failure>) -> Result<Timed<T>, Failure> {
    let mut runs = Vec::new();
    let mut total = 0.0;
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

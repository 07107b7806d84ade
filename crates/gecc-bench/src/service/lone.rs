//! A single caller at a low rate, alternately through the service and by direct calls.

use super::items::Items;
use gecc::Engine;
use gecc::service::Coalescer;
use gecc_cli::failure::Failure;
use gecc_cli::measure::timing::timed;
use std::ops::Range;
use std::thread;
use std::time::{Duration, Instant};

/// Requests per second.
const RATE: f64 = 100.0;

/// The sorted durations of the calls in seconds.
pub struct LoneOutcome {
    pub by_service: Vec<f64>,
    pub direct: Vec<f64>,
    /// The number of wrong verdicts.
    pub wrong: usize,
}

impl LoneOutcome {
    /// Returns the median through the service as a multiple of that of direct calls.
    pub fn ratio(&self) -> f64 {
        median(&self.by_service) / median(&self.direct)
    }
}

pub fn median(sorted: &[f64]) -> f64 {
    sorted[sorted.len() / 2]
}

/// Calls the service at the given rate, with a direct call half-way between two calls. Consecutive
/// calls use different items, since the items used last are in the processor's caches.
pub fn run(
    service: &Coalescer,
    engine: &Engine,
    items: &Items,
    size: usize,
    seconds: f64,
) -> Result<LoneOutcome, Failure> {
    let caller = service.caller();
    let start = Instant::now();
    let mut outcome = LoneOutcome {
        by_service: Vec::new(),
        direct: Vec::new(),
        wrong: 0,
    };
    for call in 0..((seconds * RATE) as usize).max(1) {
        let due = Duration::from_secs_f64(call as f64 / RATE);
        thread::sleep(due.saturating_sub(start.elapsed()));
        let range = range_of(2 * call, size, items.len());
        let (verdicts, seconds) = timed(|| items.request(&caller, range.clone()).wait());
        let verdicts = verdicts.map_err(|problem| Failure::Problem(problem.to_string()))?;
        outcome.by_service.push(seconds);
        outcome.wrong += Items::wrong(range, &verdicts);
        thread::sleep((due + Duration::from_secs_f64(0.5 / RATE)).saturating_sub(start.elapsed()));
        let range = range_of(2 * call + 1, size, items.len());
        let (verdicts, seconds) = timed(|| items.call(engine, range.clone()));
        outcome.direct.push(seconds);
        outcome.wrong += Items::wrong(range, &verdicts?);
    }
    outcome.by_service.sort_by(f64::total_cmp);
    outcome.direct.sort_by(f64::total_cmp);
    Ok(outcome)
}

/// Returns the items of a call by its number.
fn range_of(number: usize, size: usize, items: usize) -> Range<usize> {
    let first = number * size % (items - size + 1);
    first..first + size
}

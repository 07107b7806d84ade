//! An open-loop load: requests are sent when they are due, whatever the fate of earlier ones, and
//! latency is measured from then on. A stall of the service therefore shows for all requests that
//! arrive meanwhile.

use super::arrivals::Schedule;
use super::items::Items;
use super::send::{Arrivals, Load, Part};
use super::watch::watch;
use super::worst::Trace;
use gecc::lab::trace;
use gecc::service::Coalescer;
use gecc_cli::failure::Failure;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// The capacity for trace spans: some fifteen per batch.
const RECORDS_PER_SECOND: f64 = 60_000.0;

/// The outcome of a load.
pub struct LoadOutcome {
    /// The number of requests.
    pub sent: usize,
    pub refused: usize,
    /// The number of wrong verdicts.
    pub wrong: usize,
    /// The sorted latencies of answered requests from their due time, in nanoseconds.
    latencies: Vec<u32>,
    /// The sorted delays with which requests were sent, in nanoseconds.
    late: Vec<u32>,
    /// The fraction of the calibration runs in which senders' cores had at most a quarter of their
    /// speed.
    pub slow_cores: f64,
    /// The time from the first due request to the last answer.
    pub seconds: f64,
    /// The number of batches, and of items in them.
    pub batches: u64,
    pub gpu_batches: u64,
    pub batched_items: u64,
    pub trace: Option<Trace>,
}

impl LoadOutcome {
    pub fn answered(&self) -> usize {
        self.latencies.len()
    }

    /// Returns the seconds within which a fraction of the answers arrived.
    pub fn quantile(&self, share: f64) -> f64 {
        quantile(&self.latencies, share)
    }

    /// Returns the seconds after the due time within which a fraction of the requests was sent: the
    /// delay added by the benchmark itself.
    pub fn late(&self, share: f64) -> f64 {
        quantile(&self.late, share)
    }

    /// Returns the mean number of items in a batch.
    pub fn mean_batch(&self) -> f64 {
        self.batched_items as f64 / self.batches.max(1) as f64
    }
}

fn quantile(sorted: &[u32], share: f64) -> f64 {
    let index = (share * sorted.len() as f64) as usize;
    sorted
        .get(index.min(sorted.len().saturating_sub(1)))
        .map_or(0.0, |ns| f64::from(*ns) * 1e-9)
}

impl Load {
    pub fn run(&self, service: &Coalescer, items: &Items) -> Result<LoadOutcome, Failure> {
        let before = service.stats();
        let times = Schedule::new(self.arrivals, self.rate / self.items as f64);
        let arrivals = Arrivals::new(
            times.take_while(|due| due.as_secs_f64() < self.seconds),
            self,
            items,
        );
        if self.noted {
            trace::begin((RECORDS_PER_SECOND * self.seconds) as usize);
        }
        let stop = AtomicBool::new(false);
        let start = trace::now();
        let (parts, ticks) = thread::scope(|scope| {
            let watcher = self.noted.then(|| scope.spawn(|| watch(&stop)));
            let arrivals = &arrivals;
            let threads: Vec<_> = (0..self.senders)
                .map(|sender| scope.spawn(move || arrivals.sender(service, start, sender)))
                .collect();
            let parts: Vec<Part> = threads
                .into_iter()
                .map(|thread| thread.join().expect("senders do not panic"))
                .collect();
            stop.store(true, Ordering::Relaxed);
            (
                parts,
                watcher.map(|watcher| watcher.join().expect("it does not panic")),
            )
        });
        let seconds = (trace::now() - start) as f64 * 1e-9;
        if let Some(problem) = parts.iter().find_map(|part| part.problem.clone()) {
            return Err(Failure::Problem(problem.to_string()));
        }
        let calibrations: usize = parts.iter().map(|part| part.pace.calibrations).sum();
        let slow_calibrations: usize = parts.iter().map(|part| part.pace.slow_calibrations).sum();
        let after = service.stats();
        let gpu_batches = after.gpu_batches - before.gpu_batches;
        Ok(LoadOutcome {
            sent: parts.iter().map(|part| part.sent).sum(),
            refused: parts.iter().map(|part| part.refused).sum(),
            wrong: parts.iter().map(|part| part.wrong).sum(),
            latencies: sorted(&parts, |part| &part.latencies),
            late: sorted(&parts, |part| &part.late),
            slow_cores: slow_calibrations as f64 / calibrations.max(1) as f64,
            seconds,
            batches: gpu_batches + after.cpu_batches - before.cpu_batches,
            gpu_batches,
            batched_items: after.items - before.items,
            trace: ticks.map(|ticks| Trace {
                slow: parts
                    .iter()
                    .flat_map(|part| part.slow.iter().copied())
                    .collect(),
                spans: parts.iter().map(|part| part.pace.spans.clone()).collect(),
                records: trace::take(),
                ticks,
            }),
        })
    }
}

/// Returns the sorted numbers of all senders.
fn sorted(parts: &[Part], which: fn(&Part) -> &Vec<u32>) -> Vec<u32> {
    let mut all: Vec<u32> = parts
        .iter()
        .flat_map(|part| which(part).iter().copied())
        .collect();
    all.sort_unstable();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(latencies: Vec<u32>) -> LoadOutcome {
        LoadOutcome {
            sent: latencies.len(),
            refused: 0,
            wrong: 0,
            latencies,
            late: vec![1_000_000],
            slow_cores: 0.0,
            trace: None,
            seconds: 1.0,
            batches: 4,
            gpu_batches: 0,
            batched_items: 10,
        }
    }

    #[test]
    fn quantiles_cover_all_answers() {
        let hundred = outcome((1..=100).map(|ms| ms * 1_000_000).collect());
        let found = [0.0, 0.5, 0.99, 1.0].map(|share| (hundred.quantile(share) * 1e3).round());
        assert_eq!(
            (found, hundred.mean_batch()),
            ([1.0, 51.0, 100.0, 100.0], 2.5)
        );
        assert_eq!(outcome(Vec::new()).quantile(0.99), 0.0);
    }
}

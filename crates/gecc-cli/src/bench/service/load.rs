//! An open-loop load: requests are sent when they are due, whatever became of those before, and what each takes is counted from
//! then. So a service that stalls is seen to stall for all who arrive meanwhile.

use super::arrivals::Schedule;
use super::items::Items;
use crate::flags::Arrivals;
use crate::output::Failure;
use gecc::Verdicts;
use gecc::service::{Coalescer, ServiceError, Ticket};
use std::ops::Range;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// A load, and what sends it.
#[derive(Clone, Copy)]
pub struct Load {
    /// Items of a request.
    pub items: usize,
    /// Items that are sent in a second.
    pub rate: f64,
    pub arrivals: Arrivals,
    pub seconds: f64,
    /// Threads that send, each a caller of its own with a thread that waits for its answers.
    pub senders: usize,
}

/// What has become of a load.
pub struct Outcome {
    /// Requests.
    pub sent: usize,
    pub refused: usize,
    /// Wrong verdicts.
    pub wrong: usize,
    /// Of answered requests, from when they were due, in nanoseconds and in order.
    latencies: Vec<u32>,
    /// From the first request that was due to the last answer.
    pub seconds: f64,
    /// Batches, and items in them.
    pub batches: u64,
    pub gpu_batches: u64,
    pub batched_items: u64,
}

impl Outcome {
    pub fn answered(&self) -> usize {
        self.latencies.len()
    }

    /// Seconds within which such a share of the answers came.
    pub fn quantile(&self, share: f64) -> f64 {
        let index = (share * self.latencies.len() as f64) as usize;
        self.latencies.get(index.min(self.latencies.len().saturating_sub(1))).map_or(0.0, |ns| f64::from(*ns) * 1e-9)
    }

    /// Items of a batch, on average.
    pub fn mean_batch(&self) -> f64 {
        self.batched_items as f64 / self.batches.max(1) as f64
    }
}

/// A request that was sent: when it was due, and its items.
struct Sent {
    due: Instant,
    at: Range<usize>,
    ticket: Ticket<Verdicts>,
}

/// What one sender has seen.
#[derive(Default)]
struct Part {
    sent: usize,
    refused: usize,
    wrong: usize,
    latencies: Vec<u32>,
    problem: Option<ServiceError>,
}

impl Load {
    pub fn run(&self, service: &Coalescer, items: &Items) -> Result<Outcome, Failure> {
        let before = service.stats();
        let start = Instant::now();
        let parts = thread::scope(|scope| {
            let threads: Vec<_> = (0..self.senders)
                .map(|sender| scope.spawn(move || self.sender(service, items, start, sender)))
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("senders do not panic")).collect::<Vec<Part>>()
        });
        let (seconds, after) = (start.elapsed().as_secs_f64(), service.stats());
        if let Some(problem) = parts.iter().find_map(|part| part.problem.clone()) {
            return Err(Failure::Problem(problem.to_string()));
        }
        let sum = |count: fn(&Part) -> usize| parts.iter().map(count).sum();
        let (sent, refused, wrong) = (sum(|part| part.sent), sum(|part| part.refused), sum(|part| part.wrong));
        let mut latencies: Vec<u32> = parts.into_iter().flat_map(|part| part.latencies).collect();
        latencies.sort_unstable();
        let gpu_batches = after.gpu_batches - before.gpu_batches;
        Ok(Outcome {
            sent,
            refused,
            wrong,
            latencies,
            seconds,
            batches: gpu_batches + after.cpu_batches - before.cpu_batches,
            gpu_batches,
            batched_items: after.items - before.items,
        })
    }

    /// Sends the share of one sender, while another thread takes the answers.
    fn sender(&self, service: &Coalescer, items: &Items, start: Instant, sender: usize) -> Part {
        let (to, from) = mpsc::channel::<Sent>();
        thread::scope(|scope| {
            let taker = scope.spawn(move || take(from));
            let mut part = self.send(service, items, start, sender, to);
            let taken = taker.join().expect("takers do not panic");
            part.wrong += taken.wrong;
            part.latencies = taken.latencies;
            part.problem = part.problem.or(taken.problem);
            part
        })
    }

    fn send(&self, service: &Coalescer, items: &Items, start: Instant, sender: usize, to: mpsc::Sender<Sent>) -> Part {
        let (caller, mut part) = (service.caller(), Part::default());
        let rate = self.rate / (self.items * self.senders) as f64;
        // Senders go round in parts of their own, so that no batch has a key twice.
        let whole = items.len() / self.senders;
        let (first, mut offset) = (whole * sender, 0);
        for due in Schedule::new(self.arrivals, rate).take_while(|due| due.as_secs_f64() < self.seconds) {
            let due = start + due;
            if let Some(early) = due.checked_duration_since(Instant::now()) {
                thread::sleep(early);
            }
            if offset + self.items > whole {
                offset = 0;
            }
            let at = first + offset..first + offset + self.items;
            offset += self.items;
            part.sent += 1;
            match items.request(&caller, at.clone()).submit() {
                Ok(ticket) => _ = to.send(Sent { due, at, ticket }),
                Err(ServiceError::Full { .. }) => part.refused += 1,
                Err(problem) => {
                    part.problem = Some(problem);
                    break;
                }
            }
        }
        part
    }
}

/// Takes answers in the order in which requests were sent. One that comes before an earlier one counts as late as that.
fn take(from: mpsc::Receiver<Sent>) -> Part {
    let mut part = Part::default();
    for Sent { due, at, ticket } in from {
        match ticket.wait() {
            Ok(verdicts) => {
                part.latencies.push(nanoseconds(due.elapsed()));
                part.wrong += Items::wrong(at, &verdicts);
            }
            Err(problem) => part.problem = Some(problem),
        }
    }
    part
}

/// Up to four seconds; what takes longer counts as that.
fn nanoseconds(time: Duration) -> u32 {
    u32::try_from(time.as_nanos()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_all_answers() {
        let outcome = |latencies: Vec<u32>| Outcome {
            sent: latencies.len(),
            refused: 0,
            wrong: 0,
            latencies,
            seconds: 1.0,
            batches: 4,
            gpu_batches: 0,
            batched_items: 10,
        };
        let hundred = outcome((1..=100).map(|ms| ms * 1_000_000).collect());
        let found = [0.0, 0.5, 0.99, 1.0].map(|share| (hundred.quantile(share) * 1e3).round());
        assert_eq!((found, hundred.mean_batch()), ([1.0, 51.0, 100.0, 100.0], 2.5));
        assert_eq!(outcome(Vec::new()).quantile(0.99), 0.0);
    }
}

//! The threads that send requests and receive their answers.

use super::items::Items;
use super::pace::Pace;
use super::worst::Slow;
use crate::flags;
use gecc::Verdicts;
use gecc::lab::trace::now;
use gecc::service::{Coalescer, ServiceError, Ticket};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// A load and the threads that send it.
#[derive(Clone, Copy)]
pub struct Load {
    /// The number of items in a request.
    pub items: usize,
    /// The number of items that are sent per second.
    pub rate: f64,
    pub arrivals: flags::Arrivals,
    pub seconds: f64,
    /// The number of sender threads. Each is a caller of its own, with a thread that waits for its
    /// answers. The next request is sent by any free sender, so that a core that is slow for a
    /// while sends fewer.
    pub senders: usize,
    /// True if the delays of the slowest batches are recorded.
    pub noted: bool,
}

/// The schedule of requests, each of which is sent by any free sender.
pub struct Arrivals<'a> {
    /// The due time of each request, in nanoseconds from the start.
    due: Vec<u64>,
    next: AtomicUsize,
    load: Load,
    items: &'a Items,
}

/// A request that was sent: its due time, the times at which sending began and ended, in
/// nanoseconds on the clock of the trace spans, and its items.
struct Sent {
    due: u64,
    begun: u64,
    submitted: u64,
    at: Range<usize>,
    ticket: Ticket<Verdicts>,
}

/// The observations of one sender.
#[derive(Default)]
pub struct Part {
    pub sent: usize,
    pub refused: usize,
    /// The number of wrong verdicts.
    pub wrong: usize,
    /// The latencies of the answers, and the delays of sending, in nanoseconds.
    pub latencies: Vec<u32>,
    pub late: Vec<u32>,
    pub slow: Vec<Slow>,
    pub pace: Pace,
    pub problem: Option<ServiceError>,
}

impl<'a> Arrivals<'a> {
    pub fn new(due: impl Iterator<Item = Duration>, load: &Load, items: &'a Items) -> Self {
        let due = due.map(|due| due.as_nanos() as u64).collect();
        Arrivals {
            due,
            next: AtomicUsize::new(0),
            load: *load,
            items,
        }
    }

    /// Returns the due time and the items of the next request. Consecutive requests have different
    /// items, so that no batch contains a key twice.
    fn next(&self) -> Option<(u64, Range<usize>)> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let size = self.load.items;
        let first = number % (self.items.len() / size) * size;
        Some((*self.due.get(number)?, first..first + size))
    }

    /// Returns twice the share of a sender.
    fn room(&self) -> usize {
        2 * self.due.len() / self.load.senders
    }

    /// Sends requests, while another thread receives the answers.
    pub fn sender(&self, service: &Coalescer, start: u64, sender: usize) -> Part {
        let (to, from) = mpsc::channel::<Sent>();
        thread::scope(|scope| {
            let taker = scope.spawn(move || take(from, self.room(), sender));
            let mut part = self.send(service, start, to);
            let taken = taker.join().expect("takers do not panic");
            (part.wrong, part.latencies, part.slow) = (taken.wrong, taken.latencies, taken.slow);
            part.problem = part.problem.or(taken.problem);
            part
        })
    }

    fn send(&self, service: &Coalescer, start: u64, to: mpsc::Sender<Sent>) -> Part {
        let caller = service.caller();
        let mut part = Part {
            late: touched(self.room()),
            pace: Pace::new(self.load.noted),
            ..Part::default()
        };
        while let Some((due, at)) = self.next() {
            let due = start + due;
            let before = now();
            if due > before {
                thread::sleep(Duration::from_nanos(due - before));
            }
            let begun = now();
            part.late.push(short(begun.saturating_sub(due)));
            part.sent += 1;
            let ticket = self.items.request(&caller, at.clone()).submit();
            let submitted = now();
            match ticket {
                Ok(ticket) => {
                    _ = to.send(Sent {
                        due,
                        begun,
                        submitted,
                        at,
                        ticket,
                    })
                }
                Err(ServiceError::Full { .. }) => part.refused += 1,
                Err(problem) => {
                    part.problem = Some(problem);
                    break;
                }
            }
            part.pace.note([
                due.saturating_sub(before),
                begun - before,
                submitted - begun,
            ]);
        }
        part
    }
}

impl Part {
    /// Keeps the slowest request of each batch.
    fn note(&mut self, slow: Slow) {
        match self.slow.last_mut().filter(|last| last.batch == slow.batch) {
            Some(last) if last.latency() < slow.latency() => *last = slow,
            Some(_) => {}
            None => self.slow.push(slow),
        }
    }
}

/// Allocates memory for numbers and touches its pages, so that page faults do not occur while
/// requests are sent.
fn touched(room: usize) -> Vec<u32> {
    let mut values = vec![1; room];
    values.clear();
    values
}

/// Receives answers in the order in which requests were sent. One that arrives before an earlier
/// one counts as arriving with that one.
fn take(from: mpsc::Receiver<Sent>, room: usize, sender: usize) -> Part {
    let mut part = Part {
        latencies: touched(room),
        ..Part::default()
    };
    for Sent {
        due,
        begun,
        submitted,
        at,
        ticket,
    } in from
    {
        let batch = ticket.batch();
        match ticket.wait() {
            Ok(verdicts) => {
                let slow = Slow {
                    batch,
                    sender,
                    due,
                    begun,
                    submitted,
                    answered: now(),
                };
                part.latencies.push(short(slow.latency()));
                part.note(slow);
                part.wrong += Items::wrong(at, &verdicts);
            }
            Err(problem) => part.problem = Some(problem),
        }
    }
    part
}

/// Limits a duration to some four seconds.
fn short(nanoseconds: u64) -> u32 {
    u32::try_from(nanoseconds).unwrap_or(u32::MAX)
}

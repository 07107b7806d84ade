//! Accounts for a sender's time in spans of two milliseconds, and measures the speed of its core.
//!
//! A core of a virtual machine may run at a fraction of its speed for tens of milliseconds, in
//! pauses too short to be observed individually. A calibration run detects this: the same few
//! multiplications, which access no memory, are timed repeatedly.

use gecc::lab::trace::now;
use std::hint::black_box;

/// The duration of a span in nanoseconds.
const SPAN: u64 = 2_000_000;
/// The number of requests between two calibration runs.
const EACH: usize = 32;
/// The number of dependent multiplications in a calibration run: about a microsecond.
const MULTIPLICATIONS: usize = 500;
/// A calibration run is slow if it takes this multiple of the fastest one. A core that shares its
/// execution units with another takes up to twice as long.
const SLOW: u64 = 4;

/// The activity of a sender in a span, in nanoseconds and counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    pub start: u64,
    pub end: u64,
    pub requests: u64,
    /// The requested and the actual sleep.
    pub asked: u64,
    pub slept: u64,
    pub submitting: u64,
    /// The total time of the calibration runs, as multiples of the fastest so far, and their
    /// number.
    pub slowness: f64,
    pub calibrations: usize,
    pub counts: Counts,
}

impl Span {
    /// Adds the times and counts of another span.
    fn add(&mut self, other: &Span) {
        self.requests += other.requests;
        self.asked += other.asked;
        self.slept += other.slept;
        self.submitting += other.submitting;
        self.slowness += other.slowness;
        self.calibrations += other.calibrations;
        self.counts.faults += other.counts.faults;
        self.counts.waits += other.counts.waits;
        self.counts.losses += other.counts.losses;
    }
}

/// Counters that the system keeps for a thread: page faults, waits, and preemptions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub faults: u64,
    pub waits: u64,
    pub losses: u64,
}

/// The calibration runs of a sender, and its spans if these are recorded.
#[derive(Default)]
pub struct Pace {
    is_noted: bool,
    until_next: usize,
    fastest: Option<u64>,
    /// The number of calibration runs, and of slow ones.
    pub calibrations: usize,
    pub slow_calibrations: usize,
    current: Span,
    counted: Counts,
    pub spans: Vec<Span>,
}

impl Pace {
    pub fn new(is_noted: bool) -> Self {
        Pace {
            is_noted,
            counted: counts(),
            current: Span {
                start: now(),
                ..Span::default()
            },
            ..Pace::default()
        }
    }

    /// Records a request: the requested sleep before it, the actual sleep, and the duration of its
    /// submission.
    pub fn note(&mut self, [asked, slept, submitting]: [u64; 3]) {
        let span = &mut self.current;
        span.requests += 1;
        span.asked += asked;
        span.slept += slept;
        span.submitting += submitting;
        match self.until_next.checked_sub(1) {
            Some(left) => self.until_next = left,
            None => self.measure(),
        }
        if self.is_noted {
            self.end_span();
        }
    }

    fn measure(&mut self) {
        self.until_next = EACH - 1;
        let time = calibration_run();
        let fastest = self.fastest.map_or(time, |fastest| fastest.min(time));
        self.fastest = Some(fastest);
        self.calibrations += 1;
        self.slow_calibrations += usize::from(time >= SLOW * fastest);
        self.current.calibrations += 1;
        self.current.slowness += time as f64 / fastest as f64;
    }

    fn end_span(&mut self) {
        let end = now();
        let start = self.current.start;
        if end - start < SPAN {
            return;
        }
        let counted = counts();
        self.spans.push(Span {
            end,
            counts: counted.since(self.counted),
            ..self.current
        });
        self.current = Span {
            start: end,
            ..Span::default()
        };
        self.counted = counted;
    }
}

/// Multiplies repeatedly without accessing memory.
pub fn multiply(mut product: u64, times: usize) -> u64 {
    for _ in 0..times {
        product = (product ^ (product >> 29)).wrapping_mul(0x5851_f42d_4c95_7f2d);
    }
    product
}

/// Returns the duration of the multiplications in nanoseconds.
fn calibration_run() -> u64 {
    let start = now();
    black_box(multiply(black_box(start), MULTIPLICATIONS));
    (now() - start).max(1)
}

impl Counts {
    fn since(self, before: Counts) -> Counts {
        Counts {
            faults: self.faults - before.faults,
            waits: self.waits - before.waits,
            losses: self.losses - before.losses,
        }
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn counts() -> Counts {
    // SAFETY: all zeros are a valid value of the struct, and the call writes to nothing else.
    let usage = unsafe {
        let mut usage = std::mem::zeroed::<libc::rusage>();
        libc::getrusage(libc::RUSAGE_THREAD, &mut usage);
        usage
    };
    let [faults, waits, losses] = [usage.ru_minflt, usage.ru_nvcsw, usage.ru_nivcsw]
        .map(|count| u64::try_from(count).unwrap_or(0));
    Counts {
        faults,
        waits,
        losses,
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn counts() -> Counts {
    Counts::default()
}

/// Describes in a line the activity of a sender between two times.
pub fn describe(spans: &[Span], start: u64, end: u64) -> Option<String> {
    let within: Vec<&Span> = spans
        .iter()
        .filter(|span| span.start <= end && start <= span.end)
        .collect();
    let mut sums = Span::default();
    for span in &within {
        sums.add(span);
    }
    let first = within.first()?;
    let last = within.last()?;
    Some(format!(
        "its sender in {:.1} ms: {} requests, slept {:.1} ms of {:.1} requested, submitting for {:.1} ms, {} page faults, {} waits, \
         {} preemptions, multiplications took {:.1} times their best",
        (last.end - first.start) as f64 / 1e6,
        sums.requests,
        sums.slept as f64 / 1e6,
        sums.asked as f64 / 1e6,
        sums.submitting as f64 / 1e6,
        sums.counts.faults,
        sums.counts.waits,
        sums.counts.losses,
        sums.slowness / sums.calibrations.max(1) as f64,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_contain_all_requests_of_their_time() {
        let mut pace = Pace::new(true);
        let start = now();
        let mut requests = 0;
        while pace.spans.len() < 2 {
            pace.note([3, 2, 1]);
            requests += 1;
        }
        let noted: u64 = pace.spans.iter().map(|span| span.requests).sum();
        assert_eq!(noted + pace.current.requests, requests);
        assert!(
            pace.spans
                .iter()
                .all(|span| span.slept == 2 * span.requests && span.end - span.start >= SPAN)
        );
        assert!(pace.calibrations > 0 && pace.slow_calibrations < pace.calibrations);
        assert!(
            describe(&pace.spans, start, now())
                .unwrap()
                .contains("requests")
        );
        assert!(describe(&pace.spans, now() + 2 * SPAN, u64::MAX).is_none());
    }
}

//! Trace spans: the steps of the library with their times, so that a measurement can show what a
//! slow answer waited for.
//!
//! Spans are recorded only with the feature `lab`, and only between `begin` and `take`. Otherwise
//! the functions here do nothing.

use super::lock;
use std::cell::OnceCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::Instant;

/// A recorded span of time, in nanoseconds on a clock of the process.
#[derive(Clone, Debug)]
#[cfg_attr(
    not(feature = "lab"),
    allow(dead_code, reason = "only a measurement reads it")
)]
pub struct SpanRecord {
    /// The name of the step.
    pub what: &'static str,
    /// The batch, or a number of bytes or items, depending on the step.
    pub number: u64,
    /// Time at which the step began.
    pub start: u64,
    /// Time at which the step ended.
    pub end: u64,
    /// The thread's name.
    pub thread: Arc<str>,
}

static ENABLED: AtomicBool = AtomicBool::new(false);
static RECORDS: Mutex<Vec<SpanRecord>> = Mutex::new(Vec::new());

thread_local!(static THREAD_NAME: OnceCell<Arc<str>> = const { OnceCell::new() });

/// Returns whether spans are recorded. Without the feature, this is a compile-time constant.
fn is_enabled() -> bool {
    cfg!(feature = "lab") && ENABLED.load(Ordering::Relaxed)
}

/// Returns the nanoseconds since the first call.
pub fn now() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    if cfg!(feature = "lab") {
        START.get_or_init(Instant::now).elapsed().as_nanos() as u64
    } else {
        0
    }
}

/// Starts recording, with space allocated for `capacity` spans, so that the list is not moved while
/// they are recorded.
#[cfg(feature = "lab")]
pub fn begin(capacity: usize) {
    let mut records = lock(&RECORDS);
    records.clear();
    records.reserve(capacity);
    ENABLED.store(true, Ordering::Relaxed);
}

/// Stops recording, and returns the recorded spans.
#[cfg(feature = "lab")]
pub fn take() -> Vec<SpanRecord> {
    ENABLED.store(false, Ordering::Relaxed);
    std::mem::take(&mut *lock(&RECORDS))
}

/// Records a completed span.
pub fn record(what: &'static str, number: u64, start: u64, end: u64) {
    if !is_enabled() {
        return;
    }
    let thread = THREAD_NAME.with(|name| name.get_or_init(current_thread_name).clone());
    lock(&RECORDS).push(SpanRecord {
        what,
        number,
        start,
        end,
        thread,
    });
}

fn current_thread_name() -> Arc<str> {
    Arc::from(
        thread::current()
            .name()
            .unwrap_or("a thread without a name"),
    )
}

/// A span that is recorded on drop.
#[must_use]
pub struct Span {
    what: &'static str,
    number: u64,
    start: u64,
}

/// Records a span from now until the returned value is dropped.
pub fn span(what: &'static str, number: usize) -> Span {
    Span {
        what,
        number: number as u64,
        start: if is_enabled() { now() } else { 0 },
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        if self.start > 0 {
            record(self.what, self.number, self.start, now());
        }
    }
}

/// Times that threads record for other threads.
#[derive(Debug)]
pub struct Times<const N: usize>([AtomicU64; N]);

impl<const N: usize> Times<N> {
    pub fn new() -> Self {
        Times([const { AtomicU64::new(0) }; N])
    }

    /// Sets one of the times to now.
    pub fn set(&self, which: usize) {
        self.0[which].store(now(), Ordering::Relaxed);
    }

    pub fn get(&self, which: usize) -> u64 {
        self.0[which].load(Ordering::Relaxed)
    }
}

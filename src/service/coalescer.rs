//! The coalescer and its options.

use super::arenas::SLOTS;
use super::caller::Caller;
use super::compute::{Compute, OnEngine};
use super::dispatch::Dispatcher;
use super::lock;
use super::options::{Options, Shutdown, Stats, WhenFull};
use super::quota::Quota;
use crate::engine::{Backend, Engine};
use crate::types::Error;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Default size of a batch for a GPU: enough items to fill it.
const GPU_BATCH: usize = 1 << 17;
/// Default number of items per CPU thread in a batch: as many as share an inversion.
const CPU_BATCH: usize = 512;
/// Default size of the queue, in batches.
const QUEUED_BATCHES: usize = 4;
/// Limit on the items of requests and batches; larger ones do not fit in memory.
const MOST_ITEMS: usize = 1 << 26;
const MOST_IN_FLIGHT: usize = 256;

/// Combines the requests of many callers into batches, and returns to each its answers.
///
/// A coalescer has its own threads, and its own arenas in page-locked memory if there is a GPU.
/// They exist until it is dropped, which is equivalent to [`Coalescer::shutdown`] with
/// [`Shutdown::Refuse`].
pub struct Coalescer {
    dispatcher: Arc<Dispatcher>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Coalescer {
    /// Creates a coalescer with default options.
    ///
    /// # Errors
    /// [`Error::Threads`] when its threads cannot be started.
    pub fn new(engine: &Engine) -> Result<Self, Error> {
        Self::builder().build(engine)
    }

    /// Returns a builder for sizes, times, and the treatment of requests when the queue is full.
    pub fn builder() -> CoalescerBuilder {
        CoalescerBuilder::default()
    }

    pub(super) fn start(compute: Box<dyn Compute>, options: Options) -> Result<Self, Error> {
        let coalescer = Coalescer {
            dispatcher: Arc::new(Dispatcher::new(compute, options)),
            threads: Mutex::default(),
        };
        for number in 0..options.in_flight {
            coalescer.spawn(format!("gecc-service-{number}"), Dispatcher::work)?;
        }
        coalescer.spawn("gecc-service-arenas".to_owned(), Dispatcher::make_arenas)?;
        Ok(coalescer)
    }

    fn spawn(&self, name: String, work: fn(&Dispatcher)) -> Result<(), Error> {
        let dispatcher = self.dispatcher.clone();
        let thread = thread::Builder::new()
            .name(name)
            .spawn(move || work(&dispatcher));
        lock(&self.threads).push(thread.map_err(|problem| Error::Threads(problem.to_string()))?);
        Ok(())
    }

    /// Registers a new caller, which can make requests.
    pub fn caller(&self) -> Caller {
        Caller {
            dispatcher: self.dispatcher.clone(),
            quota: Arc::new(Quota::new()),
        }
    }

    /// Returns the maximum number of items per batch, which is also the maximum per request.
    pub fn largest_batch(&self) -> usize {
        self.dispatcher.options.largest_batch
    }

    /// Returns statistics of the coalescer so far.
    pub fn stats(&self) -> Stats {
        self.dispatcher.stats()
    }

    /// Refuses new requests and those that wait for room, answers or refuses requests whose batch
    /// has not begun, answers those whose batch has, and returns when all that is done. Tickets
    /// keep their answers.
    pub fn shutdown(&self, shutdown: Shutdown) {
        if !self.dispatcher.process.is_this() {
            return;
        }
        self.dispatcher.close(shutdown);
        let threads = std::mem::take(&mut *lock(&self.threads));
        // A waker may shut down the service from one of the service's own threads.
        for thread in threads
            .into_iter()
            .filter(|thread| thread.thread().id() != thread::current().id())
        {
            thread.join().expect("threads of the service do not panic");
        }
    }
}

impl Drop for Coalescer {
    fn drop(&mut self) {
        self.shutdown(Shutdown::Refuse);
    }
}

impl fmt::Debug for Coalescer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Coalescer")
            .field("options", &self.dispatcher.options)
            .finish_non_exhaustive()
    }
}

/// Options of a [`Coalescer`].
#[derive(Clone, Copy, Debug, Default)]
pub struct CoalescerBuilder {
    largest_batch: Option<usize>,
    longest_wait: Option<Duration>,
    queue: Option<usize>,
    when_full: WhenFull,
    in_flight: Option<usize>,
}

impl CoalescerBuilder {
    /// Sets the maximum number of items per batch, which is also the maximum per request. Default:
    /// 131072 with a GPU, 512 per thread without one, or half of the queue if that is less. Arenas
    /// of that size are allocated for all concurrent batches plus two more; verification takes 161
    /// bytes per item.
    pub fn largest_batch(self, items: usize) -> Self {
        CoalescerBuilder {
            largest_batch: Some(items),
            ..self
        }
    }

    /// Sets the longest time that a request waits for others while a thread of the service is free:
    /// 0.5 ms by default. A request does not wait when nothing is being computed. When all threads
    /// are computing, it waits for one of them.
    pub fn longest_wait(self, wait: Duration) -> Self {
        CoalescerBuilder {
            longest_wait: Some(wait),
            ..self
        }
    }

    /// Sets the maximum number of items that are admitted and not done. It bounds memory and the
    /// latency of requests. Default: four times the largest batch.
    pub fn queue(self, items: usize) -> Self {
        CoalescerBuilder {
            queue: Some(items),
            ..self
        }
    }

    /// Selects what happens to a request for which there is no room. By default it waits.
    pub fn when_full(self, when_full: WhenFull) -> Self {
        CoalescerBuilder { when_full, ..self }
    }

    /// Sets the number of batches that are computed at a time, each by a thread of the service.
    /// Default: 4 per GPU, so that it stays busy while answers are handed out, and 2 without a GPU.
    pub fn in_flight(self, batches: usize) -> Self {
        CoalescerBuilder {
            in_flight: Some(batches),
            ..self
        }
    }

    /// Starts the coalescer.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] for a number out of range, or for a queue of less than two or more
    /// than several hundred of the largest batches; [`Error::Threads`] when threads cannot be
    /// started; [`Error::Forked`] in a child of the process that created the engine.
    pub fn build(self, engine: &Engine) -> Result<Coalescer, Error> {
        engine.devices()?;
        let info = engine.info();
        let (batch, in_flight) = match info.backend {
            Backend::Gpu => (GPU_BATCH, 4 * info.devices.len()),
            Backend::Auto | Backend::Cpu => (CPU_BATCH * info.threads, 2),
        };
        Coalescer::start(
            Box::new(OnEngine::new(engine)),
            self.options(batch, in_flight)?,
        )
    }

    /// Completes the options with the default values `batch` and `in_flight`.
    pub(super) fn options(self, batch: usize, in_flight: usize) -> Result<Options, Error> {
        within(
            "largest_batch",
            self.largest_batch.unwrap_or(batch),
            1..=MOST_ITEMS,
        )?;
        let in_flight = self.in_flight.unwrap_or(in_flight);
        within("in_flight", in_flight, 1..=MOST_IN_FLIGHT)?;
        // Every admitted request must find an arena.
        let most_batches = (SLOTS - 1 - in_flight) / 2;
        let queue = self.queue.unwrap_or_else(|| {
            self.largest_batch
                .unwrap_or(batch)
                .saturating_mul(QUEUED_BATCHES)
        });
        within("queue", queue, 2..=QUEUED_BATCHES * MOST_ITEMS)?;
        let largest_batch = self
            .largest_batch
            .unwrap_or(batch.max(queue.div_ceil(most_batches)).min(queue / 2));
        within("largest_batch", largest_batch, 1..=queue / 2)?;
        within(
            "queue",
            queue,
            2 * largest_batch..=largest_batch * most_batches,
        )?;
        let longest_wait = self.longest_wait.unwrap_or(Duration::from_micros(500));
        Ok(Options {
            largest_batch,
            longest_wait,
            queue,
            when_full: self.when_full,
            in_flight,
        })
    }
}

fn within(
    option: &'static str,
    value: usize,
    range: std::ops::RangeInclusive<usize>,
) -> Result<(), Error> {
    if range.contains(&value) {
        return Ok(());
    }
    Err(Error::InvalidOption {
        option,
        problem: format!("{value} is not in {range:?}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(builder: CoalescerBuilder) -> Result<Options, Error> {
        builder.options(1024, 2)
    }

    #[test]
    fn options_fit_each_other() {
        let defaults = options(CoalescerBuilder::default()).unwrap();
        assert_eq!(
            (defaults.largest_batch, defaults.queue, defaults.in_flight),
            (1024, 4096, 2)
        );
        let small = options(CoalescerBuilder::default().queue(100)).unwrap();
        assert_eq!((small.largest_batch, small.queue), (50, 100));
        let long = options(CoalescerBuilder::default().queue(1_000_000)).unwrap();
        assert_eq!((long.largest_batch, long.queue), (1961, 1_000_000));
        let large = options(CoalescerBuilder::default().largest_batch(1 << 20)).unwrap();
        assert_eq!(large.queue, 1 << 22);
        for (wrong, name) in [
            (CoalescerBuilder::default().queue(1), "queue"),
            (
                CoalescerBuilder::default().largest_batch(0),
                "largest_batch",
            ),
            (
                CoalescerBuilder::default().largest_batch(usize::MAX / 8),
                "largest_batch",
            ),
            (
                CoalescerBuilder::default().queue(100).largest_batch(51),
                "largest_batch",
            ),
            (CoalescerBuilder::default().in_flight(0), "in_flight"),
            (
                CoalescerBuilder::default().largest_batch(2).queue(100_000),
                "queue",
            ),
        ] {
            assert!(
                matches!(options(wrong), Err(Error::InvalidOption { option, .. }) if option == name),
                "{wrong:?}"
            );
        }
    }
}

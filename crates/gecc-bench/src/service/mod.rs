//! `gecc-bench service`: the coalescer under load.

mod arrivals;
mod cores;
mod items;
mod load;
mod lone;
mod pace;
mod report;
mod send;
mod watch;
mod worst;

use crate::flags::{Arrivals, ServiceMode, ServiceOptions};
use crate::{ALL_PASSED, SOME_REJECTED};
use cores::Cores;
use gecc::Engine;
use gecc::service::{Coalescer, WhenFull};
use gecc_cli::failure::Failure;
use gecc_cli::measure::timing::{median, timed};
use items::Items;
use report::Report;
use send::Load;

/// The fractions of the engine's rate at which requests are sent if no rate is given.
const SHARES: [f64; 4] = [0.25, 0.5, 0.75, 0.9];
/// The fraction for bursts.
const OF_BURSTS: f64 = 0.5;
/// Single items are sent at half of the engine's rate, but at most at this rate.
const MOST_SINGLE: f64 = 1e6;
/// The multiple of the engine's rate for overload.
const OVERLOAD: f64 = 2.0;
/// The fraction of a measurement's duration that precedes it, to prepare tables, arenas and rates.
const WARM_UP: f64 = 0.2;

pub fn run(options: &ServiceOptions) -> Result<u8, Failure> {
    let engine = options.engine.start()?;
    let service = options.coalescer().build(&engine)?;
    let pool = (4 * service.largest_batch())
        .max(1 << 14)
        .max(options.senders() * options.items as usize);
    let items = Items::new(&engine, options.curve, pool)?;
    let (capacity, wrong) = capacity(&engine, &items)?;
    let prepared = items.request(&service.caller(), 0..0).prepare();
    prepared.map_err(|problem| Failure::Problem(problem.to_string()))?;
    let report = Report::new(options, &engine);
    report.capacity(items.len(), capacity, &Cores::measure())?;
    let mut bench = Bench {
        options,
        engine,
        service,
        items,
        capacity,
        report,
        wrong,
    };
    for &mode in options.modes() {
        bench.mode(mode)?;
    }
    if let Some(path) = &options.plot {
        bench.report.plot(path)?;
    }
    Ok(if bench.wrong == 0 {
        ALL_PASSED
    } else {
        SOME_REJECTED
    })
}

/// Measures direct calls on all items. Returns items per second, and the number of wrong verdicts.
fn capacity(engine: &Engine, items: &Items) -> Result<(f64, usize), Failure> {
    // This call also builds tables.
    let wrong = Items::wrong(0..items.len(), &items.call(engine, 0..items.len())?);
    let median = median(|| {
        let (verdicts, seconds) = timed(|| items.call(engine, 0..items.len()));
        verdicts.map(|verdicts| (seconds, verdicts))
    })?;
    Ok((items.len() as f64 / median.seconds, wrong))
}

struct Bench<'a> {
    options: &'a ServiceOptions,
    engine: Engine,
    service: Coalescer,
    items: Items,
    /// Items per second of the engine alone.
    capacity: f64,
    report: Report,
    wrong: usize,
}

impl Bench<'_> {
    fn mode(&mut self, mode: ServiceMode) -> Result<(), Failure> {
        let size = self.options.items as usize;
        match mode {
            ServiceMode::Requests => self
                .rates(&SHARES)
                .into_iter()
                .try_for_each(|rate| self.load(mode, size, rate, self.options.arrivals)),
            ServiceMode::Bursts => self
                .rates(&[OF_BURSTS])
                .into_iter()
                .try_for_each(|rate| self.load(mode, size, rate, Arrivals::Bursts)),
            ServiceMode::Single => {
                let rate = self
                    .options
                    .rate
                    .unwrap_or((self.capacity / 2.0).min(MOST_SINGLE));
                self.load(mode, 1, rate, self.options.arrivals)
            }
            ServiceMode::Lone => [1, size].into_iter().try_for_each(|size| self.lone(size)),
            ServiceMode::Overload => {
                let rate = self.options.rate.unwrap_or(OVERLOAD * self.capacity);
                self.load(mode, size, rate, self.options.arrivals)
            }
        }
    }

    /// Returns the requested rate, or fractions of the engine's rate.
    fn rates(&self, shares: &[f64]) -> Vec<f64> {
        match self.options.rate {
            Some(rate) => vec![rate],
            None => shares.iter().map(|share| share * self.capacity).collect(),
        }
    }

    fn load(
        &mut self,
        mode: ServiceMode,
        items: usize,
        rate: f64,
        arrivals: Arrivals,
    ) -> Result<(), Failure> {
        let seconds = self.options.seconds;
        let senders = self.options.senders();
        let load = Load {
            items,
            rate,
            arrivals,
            seconds,
            senders,
            noted: self.options.worst,
        };
        Load {
            seconds: WARM_UP * seconds,
            noted: false,
            ..load
        }
        .run(&self.service, &self.items)?;
        let outcome = load.run(&self.service, &self.items)?;
        self.wrong += outcome.wrong;
        self.report.load(&mode.name(), &load, &outcome)
    }

    fn lone(&mut self, size: usize) -> Result<(), Failure> {
        let outcome = lone::run(
            &self.service,
            &self.engine,
            &self.items,
            size,
            self.options.seconds,
        )?;
        self.wrong += outcome.wrong;
        self.report.lone(size, &outcome)
    }
}

impl ServiceOptions {
    /// Returns the options of a service that rejects requests when its queue is full.
    fn coalescer(&self) -> gecc::service::CoalescerBuilder {
        let mut builder = Coalescer::builder().when_full(WhenFull::Refuse);
        if let Some(items) = self.largest_batch {
            builder = builder.largest_batch(items as usize);
        }
        if let Some(wait) = self.longest_wait {
            builder = builder.longest_wait(std::time::Duration::from_micros(wait));
        }
        if let Some(items) = self.queue {
            builder = builder.queue(items as usize);
        }
        if let Some(batches) = self.in_flight {
            builder = builder.in_flight(batches as usize);
        }
        builder
    }
}

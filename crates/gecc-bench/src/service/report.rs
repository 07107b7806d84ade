//! Reports measurements as a table, as JSON and as a chart.

use super::cores::Cores;
use super::load::LoadOutcome;
use super::lone::{self, LoneOutcome};
use super::send::Load;
use super::worst::Trace;
use crate::draw::bars::{self, Bar, Group};
use crate::flags::ServiceOptions;
use gecc::Engine;
use gecc_cli::failure::Failure;
use gecc_cli::measure::rate;
use serde_json::json;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// The quantiles of the latencies, and their names.
const QUANTILES: [(f64, &str); 3] = [(0.5, "p50"), (0.99, "p99"), (0.999, "p99.9")];

pub struct Report {
    json: bool,
    curve: &'static str,
    engine: String,
    groups: Vec<Group>,
    has_header: bool,
}

impl Report {
    pub fn new(options: &ServiceOptions, engine: &Engine) -> Self {
        let json = options.json;
        let curve = options.curve.name();
        let engine = engine.to_string();
        Report {
            json,
            curve,
            engine,
            groups: Vec::new(),
            has_header: false,
        }
    }

    /// Reports the rate of the engine without the service, and the speed of the cores.
    pub fn capacity(
        &self,
        batch: usize,
        items_per_second: f64,
        cores: &Cores,
    ) -> Result<(), Failure> {
        if self.json {
            let row = json!({
                "curve": self.curve, "mode": "direct", "engine": self.engine, "batch": batch,
                "items_per_second": items_per_second, "core_speed": cores.mean, "slow_cores": cores.slow,
                "longest_slow_ms": cores.longest,
            });
            writeln!(io::stdout(), "{row}")?;
        } else {
            writeln!(io::stdout(), "{}, {}", self.curve, self.engine)?;
            writeln!(
                io::stdout(),
                "Direct calls of {batch} items: {}",
                rate(items_per_second)
            )?;
            writeln!(io::stdout(), "{cores}\n")?;
        }
        Ok(())
    }

    pub fn load(&mut self, mode: &str, load: &Load, outcome: &LoadOutcome) -> Result<(), Failure> {
        let offered = (outcome.sent * load.items) as f64 / load.seconds;
        let achieved = (outcome.answered() * load.items) as f64 / outcome.seconds;
        let refused = outcome.refused as f64 / outcome.sent.max(1) as f64;
        let [p50, p99, p999] = QUANTILES.map(|(share, _)| outcome.quantile(share) * 1e3);
        let late = outcome.late(0.999) * 1e3;
        let slowest = outcome.trace.as_ref().map_or_else(Vec::new, Trace::worst);
        let arrivals = load.arrivals.name();
        let batch = outcome.mean_batch();
        let wrong = outcome.wrong;
        if self.json {
            let row = json!({
                "curve": self.curve, "mode": mode, "arrivals": arrivals, "items": load.items,
                "seconds": outcome.seconds, "offered_per_second": offered, "achieved_per_second": achieved,
                "p50_ms": p50, "p99_ms": p99, "p999_ms": p999, "sent": outcome.sent, "refused": outcome.refused,
                "late_p999_ms": late, "slow_cores": outcome.slow_cores, "wrong": wrong, "mean_batch": batch, "batches": outcome.batches, "gpu_batches": outcome.gpu_batches,
            });
            writeln!(io::stdout(), "{row}")?;
            for batch in &slowest {
                writeln!(io::stdout(), "{}", batch.json())?;
            }
        } else {
            self.header()?;
            writeln!(
                io::stdout(),
                "{mode:9} {arrivals:8} {:>6} {:>11} {:>11} {p50:9.3} {p99:9.3} {p999:9.3} {late:9.3} {:8.2} % {:8.2} % {batch:10.1} {wrong:>6}",
                load.items,
                rate(offered),
                rate(achieved),
                100.0 * outcome.slow_cores,
                100.0 * refused
            )?;
            if !slowest.is_empty() {
                writeln!(io::stdout(), "slowest batches:")?;
            }
            for batch in &slowest {
                writeln!(io::stdout(), "{}", batch.text())?;
            }
        }
        self.bars(
            &format!("{mode}, {arrivals}, requests of {}", load.items),
            offered,
            outcome,
        );
        Ok(())
    }

    fn header(&mut self) -> io::Result<()> {
        if self.has_header {
            return Ok(());
        }
        self.has_header = true;
        writeln!(
            io::stdout(),
            "{:9} {:8} {:>6} {:>11} {:>11} {:>9} {:>9} {:>9} {:>9} {:>10} {:>10} {:>10} {:>6}",
            "mode",
            "arrivals",
            "items",
            "offered",
            "achieved",
            "p50 ms",
            "p99 ms",
            "p99.9 ms",
            "sent late",
            "slow cores",
            "refused",
            "mean batch",
            "wrong"
        )
    }

    pub fn lone(&self, size: usize, outcome: &LoneOutcome) -> Result<(), Failure> {
        let LoneOutcome {
            by_service,
            direct,
            wrong,
        } = outcome;
        let [service_ms, direct_ms] = [by_service, direct].map(|times| lone::median(times) * 1e3);
        let calls = by_service.len();
        let ratio = outcome.ratio();
        if self.json {
            let row = json!({
                "curve": self.curve, "mode": "lone", "items": size, "calls": calls, "service_ms": service_ms,
                "direct_ms": direct_ms, "ratio": ratio, "wrong": wrong,
            });
            writeln!(io::stdout(), "{row}")?;
        } else {
            writeln!(
                io::stdout(),
                "lone      {size} items, {calls} calls: {service_ms:.3} ms, direct {direct_ms:.3} ms, ratio {ratio:.3}, wrong {wrong}"
            )?;
        }
        Ok(())
    }

    /// Adds three bars for each rate.
    fn bars(&mut self, title: &str, offered: f64, outcome: &LoadOutcome) {
        if self.groups.last().is_none_or(|group| group.title != title) {
            self.groups.push(Group {
                title: title.to_owned(),
                bars: Vec::new(),
            });
        }
        let group = self.groups.last_mut().expect("it was put there");
        for (colour, (share, _)) in QUANTILES.into_iter().enumerate() {
            let milliseconds = outcome.quantile(share) * 1e3;
            let value = milliseconds.max(f64::MIN_POSITIVE);
            group.bars.push(Bar {
                label: rate(offered),
                colour,
                value,
                note: format!("{milliseconds:.3} ms"),
            });
        }
    }

    pub fn plot(&self, path: &Path) -> Result<(), Failure> {
        let subtitle = format!("{}, {}", self.curve, self.engine);
        let names = QUANTILES.map(|(_, name)| name);
        let drawing = bars::svg(
            "Milliseconds from arrival to answer, by rate",
            &subtitle,
            &names,
            &self.groups,
        );
        fs::write(path, drawing)
            .map_err(|problem| Failure::Problem(format!("{}: {problem}", path.display())))
    }
}

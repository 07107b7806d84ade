//! The delays of the slowest batches: their steps from the library's trace spans, and the
//! concurrent activity of the process and the machine.

use super::pace::{self, Span};
use super::watch::{Tick, delays};
use gecc::lab::trace::SpanRecord;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write;

/// The number of batches in the report.
const WORST: usize = 10;
/// The minimum duration of trace spans of other threads in the report, in nanoseconds.
const LONG: u64 = 500_000;

/// The steps of a request, in order. Those from the library have the names of its trace spans.
const STEPS: [&str; 8] = [
    "late",
    "submitted",
    "gathered",
    "written",
    "queued",
    "computed",
    "delivered",
    "read",
];
/// The steps of a computation on a GPU.
const ON_GPU: [&str; 6] = [
    "stream slot waited for",
    "memory",
    "upload",
    "launch",
    "device",
    "results",
];

/// The slowest request of a batch, with times in nanoseconds on the clock of the trace spans.
#[derive(Clone, Copy, Debug)]
pub struct Slow {
    pub batch: u64,
    pub sender: usize,
    pub due: u64,
    pub begun: u64,
    pub submitted: u64,
    pub answered: u64,
}

impl Slow {
    pub fn latency(&self) -> u64 {
        self.answered - self.due
    }

    fn overlaps(&self, start: u64, end: u64) -> bool {
        start < self.answered && self.due < end
    }
}

/// The data recorded in a run.
pub struct Trace {
    pub slow: Vec<Slow>,
    /// The spans of each sender.
    pub spans: Vec<Vec<Span>>,
    pub records: Vec<SpanRecord>,
    pub ticks: Vec<Tick>,
}

/// The report on a slow batch: its latency, its steps in milliseconds, and other long delays at the
/// same time.
pub struct DelayReport {
    pub milliseconds: f64,
    pub steps: Vec<(&'static str, f64)>,
    pub on_gpu: Vec<(&'static str, f64)>,
    pub meanwhile: Vec<String>,
}

impl Trace {
    /// Returns the slowest batches that do not overlap, so that a pause of a second is reported
    /// once.
    pub fn worst(&self) -> Vec<DelayReport> {
        let mut of_batch: HashMap<u64, Slow> = HashMap::new();
        for slow in &self.slow {
            let known = of_batch.entry(slow.batch).or_insert(*slow);
            if slow.latency() > known.latency() {
                *known = *slow;
            }
        }
        let mut all: Vec<Slow> = of_batch.into_values().collect();
        all.sort_unstable_by_key(|slow| std::cmp::Reverse(slow.latency()));
        let mut worst: Vec<Slow> = Vec::new();
        for slow in all {
            if worst.len() < WORST
                && !worst
                    .iter()
                    .any(|other| other.overlaps(slow.due, slow.answered))
            {
                worst.push(slow);
            }
        }
        worst.iter().map(|slow| self.report_on(slow)).collect()
    }

    fn report_on(&self, slow: &Slow) -> DelayReport {
        DelayReport {
            milliseconds: slow.latency() as f64 / 1e6,
            steps: STEPS
                .map(|name| (name, self.step(slow, name) as f64 / 1e6))
                .to_vec(),
            on_gpu: ON_GPU
                .map(|name| (name, self.step_on_gpu(slow, name) as f64 / 1e6))
                .to_vec(),
            meanwhile: self.meanwhile(slow),
        }
    }

    /// Returns the trace span of a batch by its name.
    fn record_of(&self, slow: &Slow, name: &str) -> Option<&SpanRecord> {
        self.records
            .iter()
            .find(|note| note.number == slow.batch && note.what == name)
    }

    /// Returns the nanoseconds of a step of a request.
    fn step(&self, slow: &Slow, name: &str) -> u64 {
        match name {
            "late" => slow.begun.saturating_sub(slow.due),
            "submitted" => slow.submitted - slow.begun,
            "read" => self
                .record_of(slow, "delivered")
                .map_or(0, |note| slow.answered.saturating_sub(note.end)),
            of_library => self
                .record_of(slow, of_library)
                .map_or(0, |note| note.end - note.start),
        }
    }

    /// Returns the nanoseconds of a step on the GPU, on the thread that computed the batch.
    fn step_on_gpu(&self, slow: &Slow, name: &str) -> u64 {
        let Some(computed) = self.record_of(slow, "computed") else {
            return 0;
        };
        self.records
            .iter()
            .filter(|note| note.what == name && note.thread == computed.thread)
            .filter(|note| computed.start <= note.start && note.end <= computed.end)
            .map(|note| note.end - note.start)
            .sum()
    }

    /// Returns trace spans other than steps of a batch, and threads that waited for a core.
    fn meanwhile(&self, slow: &Slow) -> Vec<String> {
        let others = self
            .records
            .iter()
            .filter(|note| !STEPS.contains(&note.what) && !ON_GPU.contains(&note.what))
            .filter(|note| note.end - note.start >= LONG && slow.overlaps(note.start, note.end));
        let records = others.map(|note| {
            let milliseconds = (note.end - note.start) as f64 / 1e6;
            let after = (note.start as f64 - slow.due as f64) / 1e6;
            format!(
                "{} ({}) {milliseconds:.1} ms, {after:+.1} ms from when it was due",
                note.what, note.thread
            )
        });
        let spans = self
            .spans
            .get(slow.sender)
            .and_then(|spans| pace::describe(spans, slow.due, slow.begun));
        records
            .take(WORST)
            .chain(spans)
            .chain(delays(&self.ticks, slow.due, slow.answered))
            .collect()
    }
}

impl DelayReport {
    pub fn json(&self) -> Value {
        let [steps, on_gpu] =
            [&self.steps, &self.on_gpu].map(|steps| -> serde_json::Map<String, Value> {
                steps
                    .iter()
                    .map(|(name, ms)| ((*name).to_owned(), json!(ms)))
                    .collect()
            });
        json!({
            "latency_ms": self.milliseconds, "steps_ms": steps, "on_gpu_ms": on_gpu,
            "meanwhile": self.meanwhile,
        })
    }

    pub fn text(&self) -> String {
        let mut text = format!("  {:8.2} ms:", self.milliseconds);
        write_steps(&self.steps, &mut text);
        text.push_str(" |");
        write_steps(&self.on_gpu, &mut text);
        for line in &self.meanwhile {
            let _ = write!(text, "\n               {line}");
        }
        text
    }
}

/// Appends the steps that are long enough to be shown.
fn write_steps(steps: &[(&'static str, f64)], text: &mut String) {
    for (name, milliseconds) in steps
        .iter()
        .filter(|(_, milliseconds)| *milliseconds >= 0.01)
    {
        let _ = write!(text, " {name} {milliseconds:.2}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slow(batch: u64, due: u64, answered: u64) -> Slow {
        Slow {
            batch,
            sender: 0,
            due,
            begun: due,
            submitted: due,
            answered,
        }
    }

    fn note(what: &'static str, number: u64, start: u64, end: u64) -> SpanRecord {
        SpanRecord {
            what,
            number,
            start,
            end,
            thread: "one".into(),
        }
    }

    #[test]
    fn pause_is_reported_once_with_its_steps() {
        let ms = 1_000_000;
        let trace = Trace {
            slow: vec![
                slow(1, 0, 9 * ms),
                slow(1, ms, 9 * ms),
                slow(2, 5 * ms, 10 * ms),
                slow(3, 20 * ms, 21 * ms),
            ],
            spans: vec![Vec::new()],
            records: vec![
                note("computed", 1, ms, 8 * ms),
                note("device", 0, 2 * ms, 5 * ms),
                note("pages locked", 7, 0, ms),
            ],
            ticks: Vec::new(),
        };
        let worst = trace.worst();
        assert_eq!(
            worst
                .iter()
                .map(|report| report.milliseconds)
                .collect::<Vec<_>>(),
            [9.0, 1.0]
        );
        assert!(
            worst[0].steps.contains(&("computed", 7.0))
                && worst[0].on_gpu.contains(&("device", 3.0))
        );
        assert_eq!(worst[0].meanwhile.len(), 1);
        assert!(worst[1].meanwhile.is_empty() && worst[0].text().contains("pages locked"));
    }
}

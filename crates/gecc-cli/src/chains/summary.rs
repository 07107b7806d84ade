//! How many signatures hold, of which kind, and why others do not.

use super::Row;
use crate::output::note;
use gecc::Engine;
use gecc_chains::{Step, Timings};
use std::collections::BTreeMap;

/// Reasons of a kind that are counted each by itself.
const MOST: usize = 1000;
const OTHERS: &str = "other reasons";

/// Counts of answers.
#[derive(Default)]
pub struct Summary {
    valid: u64,
    rejected: u64,
    unchecked: u64,
    /// By kind and, unless they hold, by reason.
    counts: BTreeMap<(&'static str, Option<String>), u64>,
    /// What was wrong with files.
    pub problems: u64,
}

impl Summary {
    pub fn of<'a, R: Row + 'a>(rows: impl Iterator<Item = &'a R>) -> Self {
        let mut summary = Summary::default();
        // Most answers hold, and follow others of their kind.
        let mut held: Vec<(&'static str, u64)> = Vec::new();
        for row in rows {
            match row.valid() {
                Some(true) => {
                    summary.valid += 1;
                    match held.iter_mut().find(|(kind, _)| *kind == row.kind()) {
                        Some((_, count)) => *count += 1,
                        None => held.push((row.kind(), 1)),
                    }
                    continue;
                }
                Some(false) => summary.rejected += 1,
                None => summary.unchecked += 1,
            }
            let reason = row.reason().unwrap_or_default();
            // The first two parts: what happened, and of what kind.
            let general = reason.splitn(3, ": ").take(2).collect::<Vec<_>>().join(": ");
            summary.count(row.kind(), Some(general), 1);
        }
        held.into_iter().for_each(|(kind, count)| summary.count(kind, None, count));
        summary
    }

    pub fn add(&mut self, other: Summary) {
        self.valid += other.valid;
        self.rejected += other.rejected;
        self.unchecked += other.unchecked;
        self.problems += other.problems;
        other.counts.into_iter().for_each(|((kind, reason), count)| self.count(kind, reason, count));
    }

    fn count(&mut self, kind: &'static str, reason: Option<String>, more: u64) {
        let mut key = (kind, reason);
        if self.counts.len() >= MOST && !self.counts.contains_key(&key) {
            key.1 = Some(OTHERS.to_owned());
        }
        *self.counts.entry(key).or_default() += more;
    }

    pub fn answers(&self) -> u64 {
        self.valid + self.rejected + self.unchecked
    }

    pub fn rejected(&self) -> u64 {
        self.rejected
    }

    pub fn unchecked(&self) -> u64 {
        self.unchecked
    }

    /// Prints the counts, by kind and reason.
    pub fn print(&self, what: &str, seconds: f64, engine: &Engine) {
        let rate = self.answers() as f64 / seconds.max(1e-9);
        note(&format!(
            "{} {what}, {} valid, {} rejected, {} not checked, {seconds:.3} s, {rate:.0} {what}/s, {engine}",
            self.answers(),
            self.valid,
            self.rejected,
            self.unchecked,
        ));
        for ((kind, reason), count) in &self.counts {
            match reason {
                None => note(&format!("{count:>12}  {kind}")),
                Some(reason) => note(&format!("{count:>12}  {kind}: {reason}")),
            }
        }
        if self.problems > 0 {
            note(&format!("{:>12}  places of files could not be read", self.problems));
        }
    }
}

/// Prints how long each step worked and waited for others. Steps at several places at a time have the sum of all.
pub fn print_timings(timings: &Timings) {
    for step in Step::ALL {
        let (worked, waited) = timings.of(step);
        let name = step.name();
        note(&format!("{name:>16}: worked {:.3} s, waited {:.3} s", worked.as_secs_f64(), waited.as_secs_f64()));
    }
}

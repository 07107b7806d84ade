//! Counts of valid signatures by kind, and of other items by reason.

use super::AnswerRow;
use super::state::FileOutcome;
use crate::flags::SummaryForm;
use crate::output::note;
use gecc::Engine;
use gecc_chains::{Problem, Progress, RootComparisons, Stage, Timings};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The maximum number of reasons that are counted individually.
const MOST: usize = 1000;
const OTHERS: &str = "other reasons";

/// Counts of answers.
#[derive(Default)]
pub struct Summary {
    valid: u64,
    pub rejected: u64,
    pub unchecked: u64,
    /// The number of items that carry no signature.
    unsigned: u64,
    /// The number of items whose source states no block.
    pub without_block: u64,
    /// The counts by kind and, unless valid, by reason.
    counts: BTreeMap<(&'static str, Option<String>), u64>,
    /// Places of files that could not be read.
    pub problems: u64,
    /// Parts of files that were not checked because data they need is missing.
    pub lacking: u64,
    /// Blocks that were compared with their transactions root.
    pub blocks: RootComparisons,
}

impl Summary {
    pub fn of<R: AnswerRow>(rows: &[R]) -> Self {
        let mut summary = Summary::default();
        // Most answers are valid and of the same kind as the previous one.
        let mut held: Vec<(&'static str, u64)> = Vec::new();
        for row in rows {
            summary.without_block += u64::from(!row.states_block());
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
                None if row.is_unsigned() => summary.unsigned += 1,
                None => summary.unchecked += 1,
            }
            let reason = row.reason().unwrap_or_default();
            // The first two components: the event and its kind.
            let general = reason
                .splitn(3, ": ")
                .take(2)
                .collect::<Vec<_>>()
                .join(": ");
            summary.count(row.kind(), Some(general), 1);
        }
        held.into_iter()
            .for_each(|(kind, count)| summary.count(kind, None, count));
        summary
    }

    /// Adds the problems and block counts of reading files.
    pub fn add_progress(&mut self, progress: &Progress) {
        self.lacking += progress
            .problems
            .iter()
            .filter(|problem| problem.not_checked)
            .count() as u64;
        self.problems += progress
            .problems
            .iter()
            .filter(|problem| !problem.not_checked)
            .count() as u64;
        self.blocks.add(progress.blocks);
    }

    /// Returns the counts that determine the exit code.
    pub fn outcome(&self) -> FileOutcome {
        let Summary {
            rejected,
            unchecked,
            problems,
            lacking,
            ..
        } = *self;
        FileOutcome {
            rejected,
            not_checked: unchecked + lacking,
            problems,
        }
    }

    pub fn add(&mut self, other: Summary) {
        self.valid += other.valid;
        self.rejected += other.rejected;
        self.unchecked += other.unchecked;
        self.unsigned += other.unsigned;
        self.without_block += other.without_block;
        self.problems += other.problems;
        self.lacking += other.lacking;
        self.blocks.add(other.blocks);
        other
            .counts
            .into_iter()
            .for_each(|((kind, reason), count)| self.count(kind, reason, count));
    }

    fn count(&mut self, kind: &'static str, reason: Option<String>, more: u64) {
        let mut key = (kind, reason);
        if self.counts.len() >= MOST && !self.counts.contains_key(&key) {
            key.1 = Some(OTHERS.to_owned());
        }
        *self.counts.entry(key).or_default() += more;
    }

    pub fn answers(&self) -> u64 {
        self.valid + self.rejected + self.unchecked + self.unsigned
    }

    /// Prints the counts, by kind and reason.
    pub fn print(&self, form: SummaryForm, what: &str, seconds: f64, engine: &Engine) {
        match form {
            SummaryForm::Text => self.print_text(what, seconds, engine),
            SummaryForm::Json => note(&self.json(what, seconds, engine).to_string()),
        }
    }

    fn json(&self, what: &str, seconds: f64, engine: &Engine) -> Value {
        let mut counts = Vec::with_capacity(self.counts.len());
        for ((kind, reason), count) in &self.counts {
            counts.push(json!({"type": kind, "reason": reason, "count": count}));
        }
        json!({
            "what": what,
            "answers": self.answers(),
            "valid": self.valid,
            "rejected": self.rejected,
            "not_checked": self.unchecked,
            "unsigned": self.unsigned,
            "blocks_compared": self.blocks.compared,
            "blocks_not_compared": self.blocks.not_compared,
            "parts_not_checked": self.lacking,
            "places_not_read": self.problems,
            "counts": counts,
            "seconds": seconds,
            "engine": engine.to_string(),
        })
    }

    fn print_text(&self, what: &str, seconds: f64, engine: &Engine) {
        let rate = self.answers() as f64 / seconds.max(1e-9);
        let unsigned = if self.unsigned > 0 {
            format!(", {} unsigned", self.unsigned)
        } else {
            String::new()
        };
        note(&format!(
            "{} {what}, {} valid, {} rejected, {} not checked{unsigned}, {seconds:.3} s, {rate:.0} {what}/s, {engine}",
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
        if self.blocks.not_compared > 0 {
            let count = self.blocks.not_compared;
            note(&format!(
                "{count:>12}  blocks were not compared with their transactions root"
            ));
        }
        if self.lacking > 0 {
            note(&format!(
                "{:>12}  parts of files were not checked",
                self.lacking
            ));
        }
        if self.problems > 0 {
            note(&format!(
                "{:>12}  places of files could not be read",
                self.problems
            ));
        }
    }
}

/// Counts problems of files, with unchecked parts counted separately, and reports the first of each
/// with `say`.
pub fn count_problems(
    found: &[Problem],
    unread: &mut u64,
    not_checked: &mut u64,
    say: impl Fn(&str),
) {
    /// The maximum number of problems of each kind that are reported individually.
    const MOST_REPORTED: u64 = 100;
    for problem in found {
        let count = if problem.not_checked {
            &mut *not_checked
        } else {
            &mut *unread
        };
        *count += 1;
        if *count <= MOST_REPORTED {
            say(&format!("gecc: {problem}"));
        }
    }
}

/// Prints the time that each step worked and waited for others. The times of concurrent steps are
/// summed.
pub fn print_timings(timings: &Timings) {
    for step in Stage::ALL {
        let (worked, waited) = timings.of(step);
        let name = step.name();
        note(&format!(
            "{name:>16}: worked {:.3} s, waited {:.3} s",
            worked.as_secs_f64(),
            waited.as_secs_f64()
        ));
    }
}

//! Formats results as lines.

use super::arena::Arena;
use super::batch::Batch;
use super::parser::{Origins, placed};
use super::tally::{Tally, reason_of};
use crate::flags::{AnswerFormat, StreamOptions};
use crate::operation::CommandOperation;
use crate::output::{Failure, Line, Output, WriteOutcome};
use crate::secrets::buffers::{Spares, Wiped, reserve, wiped_if};
use gecc::Verdict;
use gecc::pipeline::map;
use rayon::ThreadPool;
use zeroize::Zeroizing;

/// The size in bytes above which memory for a tag is reserved in advance, and the space reserved
/// for the rest of its line.
const LONG_TAG: usize = 1 << 16;
const BESIDE_TAG: usize = 1 << 12;

/// Selects the answers to write and their members.
pub struct LineSelection {
    /// The name of an item's position.
    place: &'static str,
    /// True if all answers include the position.
    line: bool,
    only_rejected: bool,
    /// True if the first rejection is the last answer.
    pub check: bool,
    /// True if answers with a position name the input too, since there are several.
    names_files: bool,
    /// The columns of CSV, if answers are CSV.
    csv: Option<Vec<&'static str>>,
}

impl LineSelection {
    pub fn new(
        operation: &CommandOperation,
        options: &StreamOptions,
        names_files: bool,
        place: &'static str,
    ) -> Self {
        let csv = (options.answers() == AnswerFormat::Csv).then(|| {
            let mut columns = operation.fields();
            columns.push(if operation.gives_verdicts() {
                "reason"
            } else {
                "error"
            });
            columns.extend(names_files.then_some("file"));
            columns.extend([place, "tag"]);
            columns
        });
        let StreamOptions {
            line,
            only_rejected,
            check,
            ..
        } = *options;
        LineSelection {
            place,
            line,
            only_rejected,
            check,
            names_files,
            csv,
        }
    }

    /// Returns the header of CSV.
    pub fn header(&self) -> Option<Wiped> {
        let columns = self.csv.as_ref()?;
        Some(Wiped::new((columns.join(",") + "\n").into_bytes()))
    }
}

/// Formatted lines, with their counts.
#[derive(Default)]
pub struct FormattedLines {
    pub text: Wiped,
    pub tally: Tally,
}

/// Formats the results of a batch as answers.
pub trait BatchFormatter: Sync {
    type Made: Send;
    /// Formats the answers of a batch.
    fn make(&self, batch: &Batch) -> Result<Self::Made, Failure>;
}

/// The destination of answers.
pub trait BatchSink<M> {
    /// Writes answers, and counts those that were written completely.
    fn put_out(&mut self, made: M, tally: &mut Tally) -> Result<(), Failure>;
}

/// The destination of lines.
pub struct LineSink<'a> {
    pub output: &'a mut Output,
    pub spares: &'a Spares,
}

impl BatchSink<Vec<FormattedLines>> for LineSink<'_> {
    fn put_out(&mut self, units: Vec<FormattedLines>, tally: &mut Tally) -> Result<(), Failure> {
        let (texts, tallies): (Vec<Wiped>, Vec<Tally>) = units
            .into_iter()
            .map(|unit| (unit.text, unit.tally))
            .unzip();
        let WriteOutcome {
            parts,
            whole,
            outcome,
        } = self.output.write(texts);
        tallies[..whole]
            .iter()
            .for_each(|of_unit| tally.add(of_unit));
        parts
            .into_iter()
            .for_each(|mut text| self.spares.give_back(std::mem::take(&mut *text)));
        Ok(outcome?)
    }
}

/// Formats answers as lines of text.
pub struct LineFormatter<'a> {
    pub operation: &'a CommandOperation,
    pub wanted: &'a LineSelection,
    pub spares: &'a Spares,
    /// The pool that formats units.
    pub pool: &'a ThreadPool,
}

impl BatchFormatter for LineFormatter<'_> {
    type Made = Vec<FormattedLines>;

    fn make(&self, batch: &Batch) -> Result<Vec<FormattedLines>, Failure> {
        Ok(self.units(placed(&batch.units), |(start, unit), written| {
            self.write_unit(&batch.arena, start, unit, written);
        }))
    }
}

impl LineFormatter<'_> {
    /// Formats units in parallel. If the first rejection is to be the last answer, the answers
    /// after it are omitted.
    pub fn units<U: Send>(
        &self,
        units: impl IntoIterator<Item = U>,
        write: impl Fn(U, &mut FormattedLines) + Sync,
    ) -> Vec<FormattedLines> {
        let mut all = map(self.pool, units, |unit| {
            wiped_if(self.operation.gives_secrets(), || {
                let mut written = FormattedLines::default();
                if let Some(spare) = self.spares.take() {
                    written.text = Zeroizing::new(spare);
                    written.text.clear();
                }
                write(unit, &mut written);
                written
            })
        });
        let last = all.iter().position(|written| self.is_last(written));
        all.truncate(last.map_or(all.len(), |last| last + 1));
        all
    }

    /// Returns whether a rejection was written that is the last answer.
    pub fn is_last(&self, written: &FormattedLines) -> bool {
        self.wanted.check && written.tally.rejected() > 0
    }

    fn write_unit(
        &self,
        arena: &Arena,
        start: usize,
        unit: &Origins,
        written: &mut FormattedLines,
    ) {
        let mut faults = unit.faults.iter().peekable();
        for row in 0..unit.rows() {
            let fault = faults
                .next_if(|(at, _)| *at == row)
                .map(|(_, reason)| reason.as_str());
            let (code, result) = arena.result(start + row);
            let outcome = match fault {
                Some(reason) => ItemOutcome::Refused(reason),
                None if code == Verdict::VALID_CODE => ItemOutcome::Passed(result),
                None => ItemOutcome::Rejected(code),
            };
            self.write_answer(
                outcome,
                (&unit.file, unit.line(row)),
                unit.tag(row),
                written,
            );
            if self.is_last(written) {
                return;
            }
        }
    }

    /// Writes the answer to an item at a position in a file. The tag is JSON, or empty if there is
    /// none.
    pub fn write_answer(
        &self,
        outcome: ItemOutcome,
        (file, place): (&str, u64),
        tag: &[u8],
        written: &mut FormattedLines,
    ) {
        let wanted = self.wanted;
        let passed = matches!(outcome, ItemOutcome::Passed(_));
        match outcome {
            ItemOutcome::Passed(_) => written.tally.pass(1),
            ItemOutcome::Rejected(code) => written.tally.reject(code, 1),
            ItemOutcome::Refused(reason) => written.tally.refuse(reason, 1),
        }
        if passed && wanted.only_rejected {
            return;
        }
        if tag.len() > LONG_TAG {
            reserve(&mut written.text, tag.len() + BESIDE_TAG);
        }
        let mut line = Line::begin(&mut written.text, wanted.csv.as_deref());
        match outcome {
            ItemOutcome::Passed(result) => self.operation.answer(result, &mut line),
            ItemOutcome::Rejected(code) => self.reject(&reason_of(code).to_string(), &mut line),
            ItemOutcome::Refused(reason) => self.reject(reason, &mut line),
        }
        if wanted.line || !passed {
            if wanted.names_files {
                line.text("file", file);
            }
            line.number(wanted.place, place);
        }
        if !tag.is_empty() {
            line.json("tag", tag);
        }
        line.end();
    }

    fn reject(&self, reason: &str, line: &mut Line) {
        if self.operation.gives_verdicts() {
            line.json("valid", b"false");
            line.text("reason", reason);
        } else {
            line.text("error", reason);
        }
    }
}

/// The outcome of an item.
#[derive(Clone, Copy)]
pub enum ItemOutcome<'a> {
    /// Passed, with this result.
    Passed(&'a [u8]),
    /// Rejected by the engine with this code.
    Rejected(u8),
    /// Not passed to the engine, for this reason.
    Refused(&'a str),
}

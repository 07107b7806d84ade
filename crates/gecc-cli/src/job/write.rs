//! From results to lines.

use super::arena::Arena;
use super::compute::Batch;
use super::parse::{Origins, placed};
use super::report::{Tally, reason_of};
use crate::flags::{AnswerFormat, StreamOptions};
use crate::operation::Operation;
use crate::output::{Failure, Line, Output, Put};
use crate::secrets::wiped::{Wiped, wiped_if};
use gecc::Verdict;
use gecc::steps::map;
use rayon::ThreadPool;
use std::sync::{Mutex, PoisonError};
use zeroize::{Zeroize, Zeroizing};

/// Which answers there are, and what they say besides.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// What the number of an item's place is called.
    pub place: &'static str,
    /// Whether all answers say it.
    pub line: bool,
    pub only_rejected: bool,
    /// Whether the first rejection is the last answer.
    pub check: bool,
    /// The input, where there are several.
    pub file: Option<&'a str>,
    /// The columns of CSV, where answers are that.
    pub csv: Option<&'a [&'static str]>,
}

impl<'a> Wanted<'a> {
    pub fn new(options: &StreamOptions, place: &'static str, form: &'a LineForm) -> Self {
        Wanted {
            place,
            line: options.line,
            only_rejected: options.only_rejected,
            check: options.check,
            file: form.file.as_deref(),
            csv: form.csv.as_deref(),
        }
    }
}

/// What lines say of an input.
pub struct LineForm {
    pub file: Option<String>,
    pub csv: Option<Vec<&'static str>>,
}

impl LineForm {
    /// `file` is given where there are several inputs.
    pub fn new(operation: &Operation, options: &StreamOptions, file: Option<String>, place: &'static str) -> Self {
        let csv = (options.answers() == AnswerFormat::Csv).then(|| {
            let mut columns = operation.fields();
            columns.push(if operation.gives_verdicts() { "reason" } else { "error" });
            columns.extend(file.is_some().then_some("file"));
            columns.extend([place, "tag"]);
            columns
        });
        LineForm { file, csv }
    }

    /// The header of CSV.
    pub fn header(&self) -> Option<Wiped> {
        let columns = self.csv.as_ref()?;
        Some(Wiped::new((columns.join(",") + "\n").into_bytes()))
    }
}

/// Lines, and what they say.
pub struct Written {
    pub text: Wiped,
    pub tally: Tally,
}

/// Buffers for lines that wait to be used again. Not wiped when they are dropped, which takes long: secrets were wiped
/// before.
#[derive(Default)]
pub struct Spares(Mutex<Vec<Vec<u8>>>);

impl Spares {
    /// A buffer without lines.
    pub fn empty(&self) -> Written {
        let text = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        Written { text: Zeroizing::new(text), tally: Tally::default() }
    }

    /// Takes a buffer back. Where answers are secret nothing of them stays in it.
    pub fn give_back(&self, mut text: Wiped, secret: bool) {
        if secret {
            text.as_mut_slice().zeroize();
        }
        text.clear();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(std::mem::take(&mut *text));
    }
}

/// How answers are made of the results of a batch, and put out.
pub trait Form: Sync {
    type Made: Send;
    /// Makes the answers.
    fn make(&self, batch: &Batch) -> Result<Self::Made, Failure>;
}

/// Where answers go.
pub trait Sink<M> {
    /// Puts answers out, and counts those that went out whole.
    fn put_out(&mut self, made: M, tally: &mut Tally) -> Result<(), Failure>;
}

/// Lines of text.
pub struct Lines<'a> {
    pub operation: &'a Operation,
    pub wanted: Wanted<'a>,
    pub spares: &'a Spares,
    /// The threads that write them.
    pub pool: &'a ThreadPool,
}

impl Form for Lines<'_> {
    type Made = Vec<Written>;

    fn make(&self, batch: &Batch) -> Result<Vec<Written>, Failure> {
        Ok(write_batch(self.operation, batch, self.wanted, self.spares, self.pool))
    }
}

/// Where lines go.
pub struct LineSink<'a> {
    pub output: &'a mut Output,
    pub spares: &'a Spares,
    /// Whether nothing of the lines may stay in memory.
    pub secret: bool,
}

impl Sink<Vec<Written>> for LineSink<'_> {
    fn put_out(&mut self, units: Vec<Written>, tally: &mut Tally) -> Result<(), Failure> {
        let (texts, tallies): (Vec<Wiped>, Vec<Tally>) = units.into_iter().map(|unit| (unit.text, unit.tally)).unzip();
        let Put { parts, whole, outcome } = self.output.write(texts);
        tallies[..whole].iter().for_each(|of_unit| tally.add(of_unit));
        parts.into_iter().for_each(|text| self.spares.give_back(text, self.secret));
        Ok(outcome?)
    }
}

/// Writes the answers of a batch, unit by unit, on the threads of a pool.
pub fn write_batch(
    operation: &Operation,
    batch: &Batch,
    wanted: Wanted,
    spares: &Spares,
    pool: &ThreadPool,
) -> Vec<Written> {
    let write = |(start, unit): (usize, &Origins)| {
        wiped_if(operation.gives_secrets(), || {
            let mut written = spares.empty();
            write_unit(operation, &batch.arena, start, unit, wanted, &mut written);
            written
        })
    };
    up_to_rejection(map(pool, placed(&batch.units), write), wanted)
}

/// Where the first rejection is the last answer, leaves out what comes after it.
pub fn up_to_rejection(mut written: Vec<Written>, wanted: Wanted) -> Vec<Written> {
    if wanted.check
        && let Some(last) = written.iter().position(|unit| unit.tally.rejected() > 0)
    {
        written.truncate(last + 1);
    }
    written
}

fn write_unit(
    operation: &Operation,
    arena: &Arena,
    start: usize,
    unit: &Origins,
    wanted: Wanted,
    written: &mut Written,
) {
    let mut faults = unit.faults.iter().peekable();
    for row in 0..unit.rows() {
        let fault = faults.next_if(|(at, _)| *at == row).map(|(_, reason)| reason.as_str());
        let (code, result) = arena.result(start + row);
        let outcome = match fault {
            Some(reason) => Outcome::Refused(reason),
            None if code == Verdict::VALID_CODE => Outcome::Passed(result),
            None => Outcome::Rejected(code),
        };
        write_answer(operation, outcome, unit.line(row), unit.tag(row), wanted, written);
        if wanted.check && written.tally.rejected() > 0 {
            return;
        }
    }
}

/// What became of an item.
#[derive(Clone, Copy)]
pub enum Outcome<'a> {
    /// Its result.
    Passed(&'a [u8]),
    /// By the engine, with this code.
    Rejected(u8),
    /// The engine was not asked, for this reason.
    Refused(&'a str),
}

/// Writes the answer to an item at a place of the input. The tag is JSON, or empty where there is none.
pub fn write_answer(
    operation: &Operation,
    outcome: Outcome,
    place: u64,
    tag: &[u8],
    wanted: Wanted,
    written: &mut Written,
) {
    let passed = matches!(outcome, Outcome::Passed(_));
    match outcome {
        Outcome::Passed(_) => written.tally.pass(1),
        Outcome::Rejected(code) => written.tally.reject(code, 1),
        Outcome::Refused(reason) => written.tally.refuse(reason, 1),
    }
    if passed && wanted.only_rejected {
        return;
    }
    let mut line = match wanted.csv {
        None => Line::begin(&mut written.text),
        Some(columns) => Line::begin_csv(&mut written.text, columns),
    };
    match outcome {
        Outcome::Passed(result) => operation.answer(result, &mut line),
        Outcome::Rejected(code) => reject(operation, &reason_of(code).to_string(), &mut line),
        Outcome::Refused(reason) => reject(operation, reason, &mut line),
    }
    if wanted.line || !passed {
        if let Some(file) = wanted.file {
            line.text("file", file);
        }
        line.number(wanted.place, place);
    }
    if !tag.is_empty() {
        line.json("tag", tag);
    }
    line.end();
}

fn reject(operation: &Operation, reason: &str, line: &mut Line) {
    let reason = serde_json::to_vec(reason).expect("every text has a JSON form");
    if operation.gives_verdicts() {
        line.json("valid", b"false");
        line.json("reason", &reason);
    } else {
        line.json("error", &reason);
    }
}

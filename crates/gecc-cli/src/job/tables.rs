//! The job over tables: Parquet and Arrow IPC, whose columns are read and written by `gecc-arrow`. Answers are lines as
//! for other inputs, or columns.

use super::columns::{Shared, format, wanted};
use super::limits::TableLimits;
use super::report::Tally;
use super::running::{End, Started};
use super::write::{LineSink, Outcome, Sink, Spares, Wanted, Written, up_to_rejection, write_answer};
use crate::flags::{Format, StreamOptions};
use crate::input::cut::MAX_ROWS;
use crate::input::open::{Input, PlainFile, is_standard_stream};
use crate::operation::{Operation, TableAnswers};
use crate::output::{Output, Progress, info};
use crate::secrets::wiped::wiped_if;
use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt8Type;
use gecc_arrow::{
    Answered, Answers, Counts, Error, Job, Mapping, Pool, Projection, ReadOptions, Reason, TransformOptions,
    answer_each, complete, transform,
};
use rayon::prelude::*;
use std::io;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use zeroize::Zeroizing;

/// Bytes that tell the formats apart.
const FIRST_BYTES: usize = 8;
/// What the number of an item's place is called.
const PLACE: &str = "row";
/// Batches that are computed at a time, so that the engine has the next while others are read and written.
const COMPUTING: usize = 3;

/// A table whose schema is known, and its bytes, where that is.
pub struct TableInput(gecc_arrow::Input, Option<u64>);

/// Whether the input is a table.
pub enum Opened {
    Table(TableInput),
    Other(Input),
}

/// Opens an input whose content or options say that it is a table. Files are told by their content; a pipe has to be
/// named as Arrow.
pub fn open(input: Input, path: &Path, options: &StreamOptions) -> Result<Opened, String> {
    let is_named = matches!(options.format, Some(Format::Parquet | Format::Arrow));
    let length = input.length();
    let table = match input {
        Input::File(file) if is_named || (options.format.is_none() && begins_as_table(&file)) => {
            open_file(&file, path, options)
        }
        Input::Stream(_) if options.format == Some(Format::Parquet) => {
            return Err("Parquet is read from files that are not compressed as a whole, and not from pipes".to_owned());
        }
        Input::Stream(source) if is_named => gecc_arrow::open_stream(source, read_options(options)),
        other => return Ok(Opened::Other(other)),
    };
    let table = table.map_err(|problem| problem.to_string())?;
    let is_parquet = table.format() == gecc_arrow::Format::Parquet;
    match options.format {
        Some(Format::Parquet) if !is_parquet => Err("the file is Arrow IPC, not Parquet".to_owned()),
        Some(Format::Arrow) if is_parquet => Err("the file is Parquet, not Arrow IPC".to_owned()),
        _ => Ok(Opened::Table(TableInput(table, length))),
    }
}

/// A file that cannot be read is left to those who read it next.
fn begins_as_table(file: &PlainFile) -> bool {
    let mut first = [0; FIRST_BYTES];
    let length = file.read_at(&mut first, file.start).unwrap_or(0);
    gecc_arrow::Format::of(&first[..length]).is_some()
}

fn open_file(file: &PlainFile, path: &Path, options: &StreamOptions) -> Result<gecc_arrow::Input, Error> {
    if file.start > 0 {
        return Err(Error::Malformed("a table is read from the beginning of its file".to_owned()));
    }
    let path = if is_standard_stream(path) { Path::new("/dev/stdin") } else { path };
    gecc_arrow::open(path, read_options(options))
}

fn read_options(options: &StreamOptions) -> ReadOptions {
    let default = ReadOptions::default();
    let threads = options.engine.threads.unwrap_or(default.threads);
    let Some(limit) = options.engine.max_memory else { return ReadOptions { threads, ..default } };
    let TableLimits { bytes, rows } = TableLimits::within(limit);
    let max_memory = bytes as u64;
    ReadOptions { rows: rows.min(default.rows), threads, max_memory, max_page: default.max_page.min(max_memory) }
}

/// A table that fits an operation.
pub struct ReadyTable {
    input: gecc_arrow::Input,
    length: Option<u64>,
    operation: gecc_arrow::Operation,
    mapping: Mapping,
}

/// Finds the columns, and fails where the operation cannot work on them.
pub fn ready(
    operation: &Operation,
    TableInput(input, length): TableInput,
    options: &StreamOptions,
    started: &Started,
) -> Result<ReadyTable, String> {
    let answers = if options.answers().is_lines() { TableAnswers::Lines } else { TableAnswers::Columns };
    let table_operation = operation.over_tables(answers);
    let mapping = complete(options.mapping(), input.schema(), &table_operation).map_err(said)?;
    table_operation.check(&started.engine, input.schema(), &mapping).map_err(said)?;
    info(|| {
        let columns: Vec<String> = mapping.columns().map(|(field, column)| format!("{column} is {field}")).collect();
        format!("{:?}: {}", input.format(), columns.join(", "))
    });
    Ok(ReadyTable { input, length, operation: table_operation, mapping })
}

/// Answers all rows.
#[expect(clippy::too_many_arguments, reason = "what one input needs of the whole")]
pub fn answer(
    operation: &Operation,
    table: ReadyTable,
    options: &StreamOptions,
    started: &Started,
    wanted: Wanted,
    path: &Path,
    output: Output,
    tally: &mut Tally,
) -> (End, Output) {
    let ReadyTable { input, length, operation: of_table, mapping } = table;
    let pool = Pool::of(Arc::clone(&started.pool));
    let job = Job { engine: &started.engine, operation: &of_table, mapping: &mapping, pool: &pool };
    let (progress, of_input) = (Progress::new(length, options.said.quiet), input.progress());
    let done = || (of_input.bytes(), format!("{} items", of_input.rows()));
    let ended = progress.follow(done, || {
        if options.answers().is_lines() {
            write_lines(operation, &job, input, started, wanted, path, output, tally)
        } else {
            write_columns(&job, input, options, started, path, output, tally)
        }
    });
    progress.end();
    ended
}

/// What an error says without the name of the input.
fn said(problem: Error) -> String {
    problem.to_string()
}

/// How an error ends the job.
fn end_of(problem: Error, path: &Path) -> End {
    match problem {
        Error::Stream(problem) if problem.kind() == io::ErrorKind::BrokenPipe => End::ClosedPipe,
        Error::Engine(problem) => End::Failed(problem.into()),
        problem => End::Failed(format!("{}: {problem}", path.display()).into()),
    }
}

/// Writes a line for each row.
#[expect(clippy::too_many_arguments, reason = "what one input needs of the whole")]
fn write_lines(
    operation: &Operation,
    job: &Job,
    input: gecc_arrow::Input,
    started: &Started,
    wanted: Wanted,
    path: &Path,
    mut output: Output,
    tally: &mut Tally,
) -> (End, Output) {
    let spares = Spares::default();
    let lines = Lines { operation, wanted, spares: &spares };
    let make = |answered: Answered| Ok(started.pool.install(|| lines.of_batch(answered.first, &answered.answers)));
    let mut sink = LineSink { output: &mut output, spares: &spares, secret: operation.gives_secrets() };
    let put_out = |units: Vec<Written>| {
        let is_interrupted = || started.interrupted.load(Ordering::Relaxed);
        if is_interrupted() {
            return ControlFlow::Break(End::Interrupted);
        }
        if let Err(failure) = sink.put_out(units, tally) {
            return ControlFlow::Break(if is_interrupted() { End::Interrupted } else { End::of(failure) });
        }
        if wanted.check && tally.rejected() > 0 {
            ControlFlow::Break(End::Rejection)
        } else {
            ControlFlow::Continue(())
        }
    };
    let batches =
        job.operation.columns(input.schema(), job.mapping).and_then(|places| input.batches(&Projection::Only(places)));
    let ended = batches.and_then(|batches| answer_each(job, batches, COMPUTING, started.interrupted, make, put_out));
    let end = match ended {
        Ok(Some(end)) => end,
        Ok(None) => end_of_input(started),
        Err(problem) => end_of(problem, path),
    };
    (end, output)
}

fn end_of_input(started: &Started) -> End {
    if started.interrupted.load(Ordering::Relaxed) { End::Interrupted } else { End::Input }
}

/// Makes lines of answers.
struct Lines<'a> {
    operation: &'a Operation,
    wanted: Wanted<'a>,
    spares: &'a Spares,
}

impl Lines<'_> {
    /// The answers of a batch whose first row has this number, counted from 0.
    fn of_batch(&self, first: u64, answers: &Answers) -> Vec<Written> {
        let columns: Vec<_> = answers.results().iter().map(|(_, column)| column).collect();
        let units = (0..answers.len()).into_par_iter().step_by(MAX_ROWS);
        let write = |start: usize| {
            wiped_if(self.operation.gives_secrets(), || {
                let mut written = self.spares.empty();
                self.of_rows(start..answers.len().min(start + MAX_ROWS), first, answers, &columns, &mut written);
                written
            })
        };
        up_to_rejection(units.map(write).collect(), self.wanted)
    }

    fn of_rows(&self, rows: Range<usize>, first: u64, answers: &Answers, columns: &[&ArrayRef], written: &mut Written) {
        // Results may be secret.
        let mut result = Zeroizing::new(Vec::with_capacity(self.operation.width()));
        for row in rows {
            let place = first + row as u64 + 1;
            let code = answers.codes()[row];
            let mut write = |outcome| write_answer(self.operation, outcome, place, &[], self.wanted, written);
            match answers.reason(row) {
                None => {
                    result.clear();
                    columns.iter().for_each(|column| result.extend_from_slice(cell(column, row)));
                    write(Outcome::Passed(&result));
                }
                Some(Reason::Rejected(_)) => write(Outcome::Rejected(code)),
                Some(reason) => write(Outcome::Refused(&reason.to_string())),
            }
            if self.wanted.check && written.tally.rejected() > 0 {
                return;
            }
        }
    }
}

/// A result: bytes, or a small number as one byte.
fn cell(column: &ArrayRef, row: usize) -> &[u8] {
    match column.as_fixed_size_binary_opt() {
        Some(column) => column.value(row),
        None => std::slice::from_ref(&column.as_primitive::<UInt8Type>().values()[row]),
    }
}

/// Writes the answers as columns, alone or beside those of the input.
fn write_columns(
    job: &Job,
    input: gecc_arrow::Input,
    options: &StreamOptions,
    started: &Started,
    path: &Path,
    output: Output,
    tally: &mut Tally,
) -> (End, Output) {
    let shared = Shared::new(output);
    let (format, wanted) = (format(options), wanted(options, PLACE, false));
    let with = TransformOptions { beside: options.beside, format, wanted, computing: COMPUTING, ..Default::default() };
    let end = match transform(job, input, shared.writer(), &with, started.interrupted) {
        Err(problem) => end_of(problem, path),
        Ok(outcome) => {
            count(&outcome.counts, tally);
            match outcome.problem {
                // An output that takes nothing is not waited for any more.
                Some(problem) if !started.interrupted.load(Ordering::Relaxed) => end_of(problem, path),
                None if options.check && tally.rejected() > 0 => End::Rejection,
                _ => end_of_input(started),
            }
        }
    };
    (end, shared.into_output())
}

fn count(counts: &Counts, tally: &mut Tally) {
    tally.pass(counts.passed);
    for (reason, rows) in counts.rejected() {
        match reason {
            Reason::Rejected(_) => tally.reject(reason.code(), rows),
            reason => tally.refuse(&reason.to_string(), rows),
        }
    }
}

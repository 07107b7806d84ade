//! The job over tables: Parquet and Arrow IPC, whose columns are read and written by `gecc-arrow`.
//! Answers are lines, as for other inputs, or columns.

use super::columns::{SharedOutput, format, wanted};
use super::limits::of_tables;
use super::lines::{FormattedLines, ItemOutcome, LineFormatter, LineSelection, LineSink};
use super::stages::{end_of_input, is_set, put_out};
use super::state::{JobEnd, StartedJob};
use super::tally::Tally;
use crate::flags::{Format, StreamOptions};
use crate::input::open::{Input, PlainFile, is_standard_stream};
use crate::input::splitter::MAX_ROWS;
use crate::operation::TableAnswers;
use crate::output::{Output, Progress, info, shown_path};
use crate::secrets::buffers::Spares;
use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt8Type;
use gecc_arrow::{
    AnsweredBatch, BatchJob, Batches, Counts, Error, Mapping, Pool, Projection, ReadOptions,
    Reason, TransformOptions, answer_batches, complete, detects_encoding, transform,
};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use zeroize::Zeroizing;

/// The number of first bytes that identify a format.
const FIRST_BYTES: usize = 8;
/// The name of an item's position.
const PLACE: &str = "row";
/// The number of batches that are computed at a time, so that the engine always has the next one
/// while others are read and written.
const COMPUTING: usize = 3;
/// The maximum size in bytes of files that are read as one table: opening each takes longer than
/// processing its rows.
const SMALL: u64 = 1 << 20;
/// The largest buffer of answers in bytes that is kept for reuse: larger than those of a unit.
const MOST_KEPT: usize = 4 << 20;
/// The maximum number of files that are read as one table, since all of them are open at the same
/// time.
const MOST_AS_ONE: usize = 128;

/// A table whose schema is known, with its size in bytes if known.
pub struct TableInput(gecc_arrow::Input, Option<u64>);

/// The result of opening an input that may be a table.
pub enum Opened {
    Table(TableInput),
    Other(Input),
}

/// Opens an input that is a table by its content or the options. Files are recognised by content;
/// for a pipe, Arrow has to be requested.
pub fn open(input: Input, path: &Path, options: &StreamOptions) -> Result<Opened, String> {
    let is_named = matches!(options.format, Some(Format::Parquet | Format::Arrow));
    let length = input.length();
    let table = match input {
        Input::File(file) if is_named || (options.format.is_none() && begins_as_table(&file)) => {
            open_file(&file, path, options)
        }
        Input::Stream(_) if options.format == Some(Format::Parquet) => {
            return Err(
                "Parquet is read from files that are not compressed as a whole, and not from pipes"
                    .to_owned(),
            );
        }
        Input::Stream(source) if is_named => gecc_arrow::open_stream(source, read_options(options)),
        other => return Ok(Opened::Other(other)),
    };
    let table = table.map_err(|problem| problem.to_string())?;
    let is_parquet = table.format() == gecc_arrow::Format::Parquet;
    match options.format {
        Some(Format::Parquet) if !is_parquet => {
            Err("the file is Arrow IPC, not Parquet".to_owned())
        }
        Some(Format::Arrow) if is_parquet => Err("the file is Parquet, not Arrow IPC".to_owned()),
        _ => Ok(Opened::Table(TableInput(table, length))),
    }
}

/// Returns whether a file begins like a table. Read errors are ignored here, and are reported by
/// the next read.
fn begins_as_table(file: &PlainFile) -> bool {
    let mut first = [0; FIRST_BYTES];
    let length = file.read_at(&mut first, file.start).unwrap_or(0);
    gecc_arrow::Format::of(&first[..length]).is_some()
}

fn open_file(
    file: &PlainFile,
    path: &Path,
    options: &StreamOptions,
) -> Result<gecc_arrow::Input, Error> {
    if file.start > 0 {
        return Err(Error::Malformed(
            "a table is read from the beginning of its file".to_owned(),
        ));
    }
    let path = if is_standard_stream(path) {
        Path::new("/dev/stdin")
    } else {
        path
    };
    let mut read = read_options(options);
    if file.end <= SMALL {
        // Decoding its rows takes less time than starting threads.
        read.threads = 0;
    }
    gecc_arrow::open(path, read)
}

fn read_options(options: &StreamOptions) -> ReadOptions {
    let default = ReadOptions::default();
    let threads = options.engine.threads.unwrap_or(default.threads);
    let (max_memory, rows) = match options.engine.max_memory.map(of_tables) {
        Some((bytes, rows)) => (bytes as u64, rows.min(default.rows)),
        None => (default.max_memory, default.rows),
    };
    ReadOptions {
        rows,
        threads,
        max_memory,
        max_page: max_memory,
    }
}

/// A table that suits an operation, alone or combined with others.
pub struct ReadyTable {
    inputs: Vec<gecc_arrow::Input>,
    files: TableFiles,
    length: Option<u64>,
    operation: gecc_arrow::TableOperation,
    mapping: Mapping,
    /// True if other tables may be appended.
    takes_more: bool,
}

/// The names of files, each with the number of its first row, counted from 0.
struct TableFiles(Vec<(Arc<str>, u64)>);

impl TableFiles {
    /// Returns the name of a row's file, and the number of the row in it, counted from 1.
    fn place(&self, row: u64) -> (&str, u64) {
        let (name, first) = &self.0[self.0.partition_point(|(_, first)| *first <= row) - 1];
        (name, row - first + 1)
    }
}

impl TableInput {
    fn is_small(&self) -> bool {
        self.0.rows().is_some() && self.1.is_some_and(|length| length <= SMALL)
    }
}

impl ReadyTable {
    /// Returns whether another table is read together with this one.
    pub fn takes(&self, other: &TableInput) -> bool {
        let has_room = self.takes_more && self.inputs.len() < MOST_AS_ONE;
        has_room
            && other.is_small()
            && other.0.schema().fields() == self.inputs[0].schema().fields()
    }

    /// Appends a table that this one accepts.
    pub fn add(&mut self, name: Arc<str>, TableInput(input, length): TableInput) {
        let rows = self
            .inputs
            .last()
            .and_then(gecc_arrow::Input::rows)
            .expect("files that are read as one have rows");
        let first = self.files.0.last().map_or(0, |(_, first)| *first) + rows;
        self.files.0.push((name, first));
        self.length = self.length.zip(length).map(|(sum, length)| sum + length);
        self.inputs.push(input);
    }
}

/// Finds the columns, and returns an error if the operation cannot use them.
pub fn ready(
    started: &StartedJob,
    name: Arc<str>,
    table: TableInput,
) -> Result<ReadyTable, String> {
    let is_small = table.is_small();
    let TableInput(input, length) = table;
    let options = started.options;
    let answers = if options.answers().is_lines() {
        TableAnswers::Lines
    } else {
        TableAnswers::Columns
    };
    let operation = started.operation.over_tables(answers);
    let mapping = complete(options.mapping(), input.schema(), &operation)
        .map_err(|problem| problem.to_string())?;
    operation
        .check(&started.engine, input.schema(), &mapping)
        .map_err(|problem| problem.to_string())?;
    info(|| {
        let columns: Vec<String> = mapping
            .columns()
            .map(|(field, column)| format!("{column} is {field}"))
            .collect();
        format!("{:?}: {}", input.format(), columns.join(", "))
    });
    let by_first_rows = detects_encoding(&operation, &mapping, input.schema());
    let takes_more = is_small && !by_first_rows && options.answers().is_lines();
    let inputs = vec![input];
    let files = TableFiles(vec![(name, 0)]);
    Ok(ReadyTable {
        inputs,
        files,
        length,
        operation,
        mapping,
        takes_more,
    })
}

/// Answers all rows.
pub fn answer(
    started: &StartedJob,
    table: ReadyTable,
    wanted: &LineSelection,
    output: Output,
    tally: &mut Tally,
) -> (JobEnd, Output) {
    let ReadyTable {
        mut inputs,
        files,
        length,
        operation,
        mapping,
        ..
    } = table;
    let pool = Pool::of(Arc::clone(&started.pool));
    let job = BatchJob {
        engine: &started.engine,
        operation: &operation,
        mapping: &mapping,
        pool: &pool,
    };
    let progress = Progress::new(length, started.options.messages.quiet);
    let of_input = inputs[0].progress();
    let ended = progress.follow(
        || (of_input.bytes(), format!("{} items", of_input.rows())),
        || match started.options.answers().is_lines() {
            true => write_lines(started, &job, (inputs, &files), wanted, output, tally),
            false => {
                let input = inputs.pop().expect("answers in columns are to one input");
                write_columns(started, &job, input, &files.0[0].0, output, tally)
            }
        },
    );
    progress.end();
    ended
}

/// Converts an error to the end of the job.
fn end_of(problem: Error, name: &str) -> JobEnd {
    match problem {
        Error::Stream(problem) if problem.kind() == io::ErrorKind::BrokenPipe => JobEnd::ClosedPipe,
        Error::Engine(problem) => JobEnd::Failed(problem.to_string()),
        problem => JobEnd::Failed(format!("{}: {problem}", shown_path(Path::new(name)))),
    }
}

/// Writes a line for each row.
fn write_lines(
    started: &StartedJob,
    job: &BatchJob,
    (inputs, files): (Vec<gecc_arrow::Input>, &TableFiles),
    wanted: &LineSelection,
    mut output: Output,
    tally: &mut Tally,
) -> (JobEnd, Output) {
    let operation = started.operation;
    let spares = &Spares::new(operation.gives_secrets(), MOST_KEPT);
    let lines = LineFormatter {
        operation,
        wanted,
        spares,
        pool: &started.pool,
    };
    let mut sink = LineSink {
        output: &mut output,
        spares,
    };
    let current = Arc::new(AtomicUsize::new(0));
    let places = job.operation.columns(inputs[0].schema(), job.mapping);
    let batches = places.and_then(|places| {
        Batches::concatenated(inputs, &Projection::Only(places), Arc::clone(&current))
    });
    let ended = batches.and_then(|batches| {
        answer_batches(
            job,
            batches,
            COMPUTING,
            started.interrupted,
            |answered| Ok(lines_of(&lines, files, &answered)),
            |units| put_out(units, &mut sink, tally, started.interrupted, wanted.check),
        )
    });
    let end = match ended {
        Ok(Some(end)) => end,
        Ok(None) => end_of_input(started.interrupted),
        Err(_) if is_set(started.interrupted) => JobEnd::Interrupted,
        Err(problem) => end_of(problem, &files.0[current.load(Ordering::Relaxed)].0),
    };
    (end, output)
}

/// Formats the lines of a batch.
fn lines_of(
    lines: &LineFormatter,
    files: &TableFiles,
    AnsweredBatch { first, answers, .. }: &AnsweredBatch,
) -> Vec<FormattedLines> {
    let columns: Vec<_> = answers.results().iter().map(|(_, column)| column).collect();
    lines.units((0..answers.len()).step_by(MAX_ROWS), |start, written| {
        // Results may be secret.
        let mut result = Zeroizing::new(Vec::with_capacity(lines.operation.width()));
        for row in start..answers.len().min(start + MAX_ROWS) {
            let refusal;
            let outcome = match answers.reason(row) {
                None => {
                    result.clear();
                    columns
                        .iter()
                        .for_each(|column| result.extend_from_slice(cell(column, row)));
                    ItemOutcome::Passed(&result)
                }
                Some(Reason::Rejected(_)) => ItemOutcome::Rejected(answers.codes()[row]),
                Some(reason) => {
                    refusal = reason.to_string();
                    ItemOutcome::Refused(&refusal)
                }
            };
            lines.write_answer(outcome, files.place(first + row as u64), &[], written);
            if lines.is_last(written) {
                return;
            }
        }
    })
}

/// Returns the result in a row: bytes, or a small number as one byte.
fn cell(column: &ArrayRef, row: usize) -> &[u8] {
    match column.as_fixed_size_binary_opt() {
        Some(column) => column.value(row),
        None => std::slice::from_ref(&column.as_primitive::<UInt8Type>().values()[row]),
    }
}

/// Writes the answers as columns, alone or next to those of the input.
fn write_columns(
    started: &StartedJob,
    job: &BatchJob,
    input: gecc_arrow::Input,
    name: &str,
    output: Output,
    tally: &mut Tally,
) -> (JobEnd, Output) {
    let options = started.options;
    let shared = SharedOutput::new(output);
    let format = format(options);
    let wanted = wanted(options, PLACE, false);
    let with = TransformOptions {
        beside: options.beside,
        format,
        wanted,
        concurrent_batches: COMPUTING,
        ..Default::default()
    };
    let mut has_end = true;
    let end = match transform(job, input, shared.writer(), &with, started.interrupted) {
        Err(problem) => end_of(problem, name),
        Ok(outcome) => {
            has_end = outcome.has_end;
            count(&outcome.counts, tally);
            match outcome.problem {
                // After an interruption, an output that accepts nothing is not waited for.
                Some(problem) if !is_set(started.interrupted) => end_of(problem, name),
                None if options.check && tally.rejected() > 0 => JobEnd::Rejection,
                _ => end_of_input(started.interrupted),
            }
        }
    };
    (end, shared.into_output(has_end))
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

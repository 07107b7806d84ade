//! Converts results for items of text to Parquet or Arrow columns.

use super::arena::Arena;
use super::batch::Batch;
use super::lines::{BatchFormatter, BatchSink};
use super::parser::{Origins, placed};
use super::stages::TextInputs;
use super::state::{Job, JobEnd};
use super::tally::Tally;
use crate::failure::written;
use crate::flags::{AnswerFormat, StreamOptions};
use crate::input::open::is_standard_stream;
use crate::operation::{CommandOperation, TableAnswers};
use crate::output::{Failure, Output, Progress};
use arrow_array::{ArrayRef, StringArray};
use arrow_schema::{DataType, Field, Schema};
use gecc::{Verdict, stack};
use gecc_arrow::{
    AnswerColumns, AnswerSelection, Answers, Compression, Format, Places, Pool, PreparedAnswers,
    Writer,
};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Selects the answers to write. `place` is the name of the column with an item's position.
pub fn wanted(options: &StreamOptions, place: &str, plain_reasons: bool) -> AnswerSelection {
    // Nothing else states where a rejected item was if the other items are omitted.
    let has_place = options.line || options.only_rejected;
    let place = has_place.then(|| place.to_owned());
    AnswerSelection {
        place,
        only_rejected: options.only_rejected,
        check: options.check,
        plain_reasons,
    }
}

/// Returns the column format of the output, if it has one.
pub fn format(options: &StreamOptions) -> Format {
    format_of(options.answers(), options.output.as_deref())
}

/// Returns the column format for an output of this name.
pub fn format_of(answers: AnswerFormat, output: Option<&Path>) -> Format {
    let is_file = output.is_some_and(|path| !is_standard_stream(path));
    match answers {
        AnswerFormat::Arrow if is_file => Format::ArrowFile,
        AnswerFormat::Arrow => Format::ArrowStream,
        _ => Format::Parquet,
    }
}

/// An output shared with a writer of columns, and ended by the code that opened it.
pub struct SharedOutput(Arc<Mutex<Output>>);

impl SharedOutput {
    pub fn new(output: Output) -> Self {
        SharedOutput(Arc::new(Mutex::new(output)))
    }

    /// Returns the output for a writer.
    pub fn writer(&self) -> gecc_arrow::Destination {
        gecc_arrow::Destination::Stream(Box::new(SharedOutput(Arc::clone(&self.0))))
    }

    /// Returns the output once its writer has ended. `has_end` states whether the writer has
    /// written the end of the file.
    pub fn into_output(self, has_end: bool) -> Output {
        let output = Arc::into_inner(self.0).expect("the writer has ended");
        let mut output = output.into_inner().unwrap_or_else(PoisonError::into_inner);
        if !has_end {
            output.set_lacks_end();
        }
        output
    }
}

impl Write for SharedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let appended = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .append(bytes);
        match appended {
            Ok(()) => Ok(bytes.len()),
            // Described, so that it is not taken for an error of reading.
            Err(problem) => Err(io::Error::new(problem.kind(), written(&problem))),
        }
    }

    /// Marks everything written so far as to be kept if later writes fail.
    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).keep();
        Ok(())
    }
}

/// Answers all items in columns. Returns the output, to which nothing more is written.
pub fn answer_all(
    job: &Job,
    inputs: TextInputs,
    output: Output,
    progress: &Progress,
    tally: &mut Tally,
) -> (JobEnd, Output) {
    let shared = SharedOutput::new(output);
    let wanted = wanted(job.options, "line", true);
    let operation = job.operation.over_tables(TableAnswers::Columns);
    let schema = wanted.schema(&tag_schema(), &operation);
    let format = format(job.options);
    let compression = Compression::default();
    let writer = match job.options.engine.max_memory {
        None => Writer::create(shared.writer(), format, compression, &schema),
        Some(_) => {
            let bytes = job.limits.long_rows as u64;
            Writer::create_within(bytes, shared.writer(), format, compression, &schema)
        }
    };
    let mut has_end = true;
    let end = match writer {
        Err(problem) => JobEnd::of(failure(problem)),
        Ok(mut writer) => {
            let maker = AnswerColumns::new(&writer, schema, wanted);
            let form = ColumnFormatter {
                operation: job.operation,
                maker,
                pool: Pool::of(Arc::clone(job.pool)),
            };
            let end = job.answer_all(inputs, &form, &mut writer, progress, tally);
            let (can_be_read, finished) = writer.finish_readable();
            has_end = can_be_read;
            match (end, finished.map_err(failure)) {
                (JobEnd::Input | JobEnd::Rejection, Err(failure)) => JobEnd::of(failure),
                (end, _) => end,
            }
        }
    };
    (end, shared.into_output(has_end))
}

/// Converts an error of the output to the command's.
pub fn failure(problem: gecc_arrow::Error) -> Failure {
    match problem {
        gecc_arrow::Error::Stream(problem) if problem.kind() == io::ErrorKind::BrokenPipe => {
            Failure::ClosedPipe
        }
        problem => Failure::Problem(problem.to_string()),
    }
}

/// Returns the schema of the column next to the answers: the tags, as JSON.
fn tag_schema() -> Schema {
    Schema::new(vec![Field::new("tag", DataType::Utf8, true)])
}

/// Formats answers as columns.
struct ColumnFormatter<'a> {
    operation: &'a CommandOperation,
    maker: AnswerColumns,
    pool: Pool,
}

impl BatchFormatter for ColumnFormatter<'_> {
    type Made = (PreparedAnswers, Tally);

    fn make(&self, batch: &Batch) -> Result<Self::Made, Failure> {
        // Shared secrets are on the stack during the work.
        stack::wiped(|| {
            let answers = self.answers(&batch.arena, &batch.units, batch.rows);
            let tags: Vec<ArrayRef> = vec![Arc::new(tags(&batch.units))];
            let lines: Vec<u64> = batch
                .units
                .iter()
                .flat_map(|unit| (0..unit.rows()).map(move |row| unit.line(row)))
                .collect();
            let made = self
                .maker
                .make(tags, &answers, Places::Each(&lines), &self.pool)
                .map_err(failure)?;
            let tally = tally(&batch.units, &answers.codes()[..made.rows]);
            Ok((made, tally))
        })
    }
}

impl ColumnFormatter<'_> {
    fn answers(&self, arena: &Arena, units: &[Origins], rows: usize) -> Answers {
        let (codes, results) = arena.computed(rows);
        let mut codes = codes.to_vec();
        let mut texts = Vec::new();
        for (row, reason) in faults(units) {
            codes[row] = NO_CODE;
            texts.push((row, reason.to_owned()));
        }
        self.operation
            .columns(results, Answers::new(codes))
            .with_reasons(texts)
    }
}

/// The code of an item that was not passed to the engine.
const NO_CODE: u8 = 0;

/// Returns the rows of a batch that cannot be used, with the reasons, in order.
fn faults(units: &[Origins]) -> impl Iterator<Item = (usize, &str)> {
    placed(units).flat_map(|(start, unit)| {
        unit.faults
            .iter()
            .map(move |(row, reason)| (start + row, reason.as_str()))
    })
}

fn tags(units: &[Origins]) -> StringArray {
    let tags = units
        .iter()
        .flat_map(|unit| (0..unit.rows()).map(move |row| unit.tag(row)));
    let tags = tags.map(|tag| std::str::from_utf8(tag).unwrap_or_default());
    tags.map(|tag| (!tag.is_empty()).then_some(tag)).collect()
}

/// Counts the outcomes of the first items of a batch.
fn tally(units: &[Origins], codes: &[u8]) -> Tally {
    let mut tally = Tally::default();
    let mut faults = faults(units).peekable();
    for (row, code) in codes.iter().enumerate() {
        match faults.next_if(|(of, _)| *of == row) {
            Some((_, reason)) => tally.refuse(reason, 1),
            None if *code == Verdict::VALID_CODE => tally.pass(1),
            None => tally.reject(*code, 1),
        }
    }
    tally
}

impl BatchSink<(PreparedAnswers, Tally)> for Writer {
    fn put_out(
        &mut self,
        (made, of_batch): (PreparedAnswers, Tally),
        tally: &mut Tally,
    ) -> Result<(), Failure> {
        made.write(self).map_err(failure)?;
        tally.add(&of_batch);
        Ok(())
    }
}

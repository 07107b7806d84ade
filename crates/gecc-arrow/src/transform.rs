//! Transforms a file into a file of answers, reading, computing and writing concurrently.

use crate::answer_columns::{AnswerColumns, AnswerSelection, Places, PreparedAnswers};
use crate::answers::Counts;
use crate::error::Error;
use crate::mapping::column_of;
use crate::pipeline::{AnsweredBatch, BatchJob, answer_batches};
use crate::read::{Format, Input, Projection};
use crate::write::{Compression, Destination, Writer, WriterEnd};
use arrow_schema::Schema;
use gecc::fields::{Field, Mapping};
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

/// Options for the output.
#[derive(Clone, Debug)]
pub struct TransformOptions {
    /// True to add the answers to the columns of the input. The column mapped as `secret_key` is
    /// omitted. An answer whose name is taken gets the prefix `gecc_`.
    pub beside: bool,
    /// The format of the output.
    pub format: Format,
    /// The compression of the output.
    pub compression: Compression,
    /// The answers to write. A `place` is the number of the row, counted from 1.
    pub wanted: AnswerSelection,
    /// The number of batches computed concurrently. The default is 3, so that the engine has
    /// another batch while others are converted and encoded.
    pub concurrent_batches: usize,
}

impl Default for TransformOptions {
    fn default() -> Self {
        let format = Format::Parquet;
        let compression = Compression::default();
        let wanted = AnswerSelection::default();
        TransformOptions {
            beside: false,
            format,
            compression,
            wanted,
            concurrent_batches: 3,
        }
    }
}

/// The outcome of a transformation.
#[derive(Debug)]
pub struct TransformOutcome {
    /// The rows whose answers were written.
    pub counts: Counts,
    /// The reason why processing ended early; `None` if all rows were read, if a rejection was to
    /// be the last answer, or if a stop was requested. The output contains all answers of `counts`
    /// unless this is a write error.
    pub problem: Option<Error>,
    /// True if the output was ended properly. Otherwise Parquet and Arrow files cannot be read.
    pub has_end: bool,
}

/// Computes and writes the answers for all rows of an input, in order. If `stop` becomes true, it
/// ends after the batches that are being computed.
///
/// Shared secrets are copied into the output and its buffers, which are not wiped.
///
/// # Errors
/// Errors before the start, after which nothing is written: the same as for
/// [`crate::TableOperation::check`], [`Input::batches`] and [`Writer::create`].
pub fn transform(
    job: &BatchJob,
    input: Input,
    output: Destination,
    options: &TransformOptions,
    stop: &AtomicBool,
) -> Result<TransformOutcome, Error> {
    job.operation
        .check(job.engine, input.schema(), job.mapping)?;
    let (read, kept) = match options.beside {
        true => (
            Projection::All,
            columns_beside(input.schema(), job.mapping)?,
        ),
        false => (
            Projection::Only(job.operation.columns(input.schema(), job.mapping)?),
            Vec::new(),
        ),
    };
    // Arrow IPC is written in its in-memory form.
    let columns = match options.format {
        Format::Parquet => input.written_schema(),
        Format::ArrowFile | Format::ArrowStream => input.schema(),
    };
    let schema = options
        .wanted
        .schema(&columns.project(&kept)?, job.operation);
    let batches = input.batches(&read)?;
    let replaces = matches!(output, Destination::File(_));
    let mut writer = Writer::create(output, options.format, options.compression, &schema)?;
    let maker = AnswerColumns::new(&writer, schema, options.wanted.clone());
    let mut counts = Counts::default();
    let answered = answer_batches(
        job,
        batches,
        options.concurrent_batches,
        stop,
        |AnsweredBatch {
             first,
             batch,
             answers,
         }| {
            let columns = kept
                .iter()
                .map(|position| batch.column(*position).clone())
                .collect();
            maker.make(columns, &answers, Places::From(first + 1), job.pool)
        },
        |made| append(&mut writer, made, &mut counts),
    );
    let problem = answered.map_or_else(Some, Option::flatten);
    // If the input could not be read, an existing file is not replaced by an empty one. Streams
    // already have a beginning, and are ended so that they can be read.
    if replaces && counts.rows == 0 && problem.is_some() {
        return Ok(TransformOutcome {
            counts,
            problem,
            has_end: false,
        });
    }
    let WriterEnd { has_end, outcome } = writer.end();
    Ok(TransformOutcome {
        counts,
        problem: problem.or(outcome.err()),
        has_end,
    })
}

/// Writes the answers for a batch, and counts them. Breaks after an error, or if they are the last.
fn append(
    writer: &mut Writer,
    made: PreparedAnswers,
    counts: &mut Counts,
) -> ControlFlow<Option<Error>> {
    let of_batch = made.counts.clone();
    let is_last = made.is_last;
    if let Err(problem) = made.write(writer) {
        return ControlFlow::Break(Some(problem));
    }
    counts.add(&of_batch);
    if is_last {
        ControlFlow::Break(None)
    } else {
        ControlFlow::Continue(())
    }
}

/// Returns the positions of the columns that are written in addition to the answers: all except the
/// one that is mapped as `secret_key`, and those that have one of its names, or a part with such a
/// name in structs and lists.
///
/// # Errors
/// The same as for [`column_of`].
pub fn columns_beside(schema: &Schema, mapping: &Mapping) -> Result<Vec<usize>, Error> {
    let secret = column_of(mapping, Field::SecretKey, schema)?;
    let positions = 0..schema.fields().len();
    Ok(positions
        .filter(|position| Some(*position) != secret && !has_secret_name(schema, *position))
        .collect())
}

/// Returns whether a column, or a part of it, has a name of `secret_key`.
fn has_secret_name(schema: &Schema, position: usize) -> bool {
    let column = Schema::new(vec![schema.fields()[position].clone()]);
    column
        .flattened_fields()
        .iter()
        .any(|part| Field::named(part.name()) == Some(Field::SecretKey))
}

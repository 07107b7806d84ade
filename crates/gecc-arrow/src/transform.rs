//! From a file to answers in a file: reading, computing and writing at the same time.

use crate::answers::Counts;
use crate::each::{Answered, answer_each};
use crate::error::Error;
use crate::mapping::{self, Mapping};
use crate::operation::Operation;
use crate::pool::Pool;
use crate::read::{Batches, Columns, Format, Input};
use crate::write::{Compression, Encoded, Encoder, Output, Writer};
use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema, SchemaRef};
use gecc::{CurveId, Engine};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What is computed, and with what.
pub struct Job<'a> {
    /// The engine.
    pub engine: &'a Engine,
    /// The curve.
    pub curve: CurveId,
    /// What is done with each row.
    pub operation: &'a Operation,
    /// Which columns it reads.
    pub mapping: &'a Mapping,
    /// The threads that read cells and encode columns.
    pub pool: &'a Pool,
}

/// What is written, and how.
#[derive(Clone, Debug)]
pub struct TransformOptions {
    /// Whether the answers stand beside the columns of the input, and not alone. The column that is mapped as
    /// `secret_key` is left out. An answer whose name the input has goes by that name with `gecc_` in front.
    pub beside: bool,
    /// The format of the output.
    pub format: Format,
    /// Its compression.
    pub compression: Compression,
    /// Batches that are computed at a time: 3 by default, so that the engine has the next while others are converted
    /// and encoded.
    pub computing: usize,
}

impl Default for TransformOptions {
    fn default() -> Self {
        TransformOptions { beside: false, format: Format::Parquet, compression: Compression::default(), computing: 3 }
    }
}

/// How far a transformation came.
#[derive(Debug)]
pub struct Outcome {
    /// The rows whose answers were written.
    pub counts: Counts,
    /// Why there are not more; `None` where all rows were read, or where it was asked to stop. The output holds all
    /// answers of `counts` unless this is an error of writing.
    pub problem: Option<Error>,
}

/// Computes and writes the answers for all rows of an input, in order. Where `stop` becomes true it ends after the
/// batches that are being computed.
///
/// Shared secrets are copied into the output and its buffers, which nobody wipes.
///
/// # Errors
/// Whatever makes it impossible to begin: as for [`Operation::check`], [`Input::batches`] and [`Writer::create`].
/// Nothing is written then.
pub fn transform(
    job: &Job,
    input: Input,
    output: Output,
    options: &TransformOptions,
    stop: &AtomicBool,
) -> Result<Outcome, Error> {
    job.operation.check(job.engine, job.curve, input.schema(), job.mapping)?;
    let (read, kept) = match options.beside {
        true => (Columns::All, kept_columns(input.schema(), job.mapping)?),
        false => (Columns::Only(job.operation.columns(input.schema(), job.mapping)?), Vec::new()),
    };
    let schema = output_schema(&input, &kept, job.operation, options.format)?;
    let batches = input.batches(&read)?;
    let replaces = matches!(output, Output::File(_));
    let mut writer = Writer::create(output, options.format, options.compression, &schema)?;
    let maker = Maker { pool: job.pool, encoder: writer.encoder(), schema, kept };
    let Outcome { counts, problem } = run(job, &maker, batches, &mut writer, options.computing, stop);
    // A file is not replaced by nothing, where the input could not be read. Streams have a beginning already, and are
    // ended so that they can be read.
    if replaces && counts.rows == 0 && problem.is_some() {
        return Ok(Outcome { counts, problem });
    }
    let finished = writer.finish();
    Ok(Outcome { counts, problem: problem.or(finished.err()) })
}

/// The places of the columns that stand beside the answers.
fn kept_columns(schema: &Schema, mapping: &Mapping) -> Result<Vec<usize>, Error> {
    let secret = mapping.index(mapping::Field::SecretKey, schema)?;
    Ok((0..schema.fields().len()).filter(|place| Some(*place) != secret).collect())
}

/// The columns of the input that are kept, and those of the answers.
fn output_schema(input: &Input, kept: &[usize], operation: &Operation, format: Format) -> Result<SchemaRef, Error> {
    // Arrow IPC is written as it is in memory.
    let columns = match format {
        Format::Parquet => input.written_schema(),
        Format::ArrowFile | Format::ArrowStream => input.schema(),
    };
    let columns = columns.project(kept)?;
    let mut fields = columns.fields().to_vec();
    for field in operation.schema().fields() {
        let mut name = field.name().clone();
        while columns.fields().iter().any(|column| *column.name() == name) {
            name.insert_str(0, "gecc_");
        }
        fields.push(Arc::new(Field::clone(field).with_name(name)));
    }
    Ok(Arc::new(Schema::new_with_metadata(fields, columns.metadata().clone())))
}

/// A batch with its answers, ready to be written.
struct Done {
    counts: Counts,
    encoded: Encoded,
}

/// Writes the answers for all batches, without the end of the output.
fn run(
    job: &Job,
    maker: &Maker,
    batches: Batches,
    writer: &mut Writer,
    computing: usize,
    stop: &AtomicBool,
) -> Outcome {
    let mut counts = Counts::default();
    let append = |done: Done| match writer.append(done.encoded) {
        Ok(()) => {
            counts.add(&done.counts);
            ControlFlow::Continue(())
        }
        Err(problem) => ControlFlow::Break(problem),
    };
    let end = answer_each(job, batches, computing, stop, |answered| maker.make(answered), append);
    let problem = end.unwrap_or_else(Some);
    Outcome { counts, problem }
}

/// Makes what is written of a batch.
struct Maker<'a> {
    pool: &'a Pool,
    encoder: Encoder,
    schema: SchemaRef,
    /// The places of the batch's columns that are written.
    kept: Vec<usize>,
}

impl Maker<'_> {
    fn make(&self, Answered { batch, answers, .. }: Answered) -> Result<Done, Error> {
        let mut columns: Vec<_> = self.kept.iter().map(|place| batch.column(*place).clone()).collect();
        columns.extend_from_slice(answers.to_columns()?.columns());
        // Views are written as what the file calls them, so that the batch has types of its own.
        let fields = self.schema.fields().iter().zip(&columns);
        let fields = fields.map(|(field, column)| Field::clone(field).with_data_type(column.data_type().clone()));
        let schema = Schema::new(fields.collect::<Vec<_>>());
        let encoded = self.encoder.encode(&RecordBatch::try_new(Arc::new(schema), columns)?, self.pool)?;
        Ok(Done { counts: answers.counts(), encoded })
    }
}

//! Answers as columns of Parquet or Arrow.

use super::AnswerRow;
use crate::flags::ChainOptions;
use crate::job::columns::{SharedOutput, failure, format_of};
use crate::output::{Failure, Output};
use arrow_array::{ArrayRef, BooleanArray, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::concat::concat_batches;
use gecc_arrow::{Compression, EncodedBatch, Encoder, Pool, Writer};
use rayon::ThreadPool;
use std::sync::Arc;

/// Converts rows to columns, on any thread.
pub struct ColumnEncoder {
    schema: SchemaRef,
    encoder: Encoder,
    pool: Pool,
}

/// A table that is being written.
pub struct AnswerTable {
    shared: SharedOutput,
    writer: Writer,
}

impl AnswerTable {
    /// Makes a table, and the encoder of its columns.
    pub fn new<R: AnswerRow>(
        options: &ChainOptions,
        output: Output,
        pool: Arc<ThreadPool>,
    ) -> Result<(Self, ColumnEncoder), Failure> {
        let shared = SharedOutput::new(output);
        let mut fields: Vec<_> = R::FIELDS.iter().map(|field| field.column_type()).collect();
        fields.push(Field::new("valid", DataType::Boolean, true));
        fields.push(Field::new("reason", DataType::Utf8, true));
        let schema = Arc::new(Schema::new(fields));
        let format = format_of(options.answers(), options.output.as_deref());
        let writer = Writer::create(shared.writer(), format, Compression::default(), &schema)
            .map_err(failure)?;
        let maker = ColumnEncoder {
            schema,
            encoder: writer.encoder(),
            pool: Pool::of(pool),
        };
        Ok((AnswerTable { shared, writer }, maker))
    }

    /// Appends rows. `None` stands for no rows.
    pub fn put(
        &mut self,
        encoded: Result<Option<EncodedBatch>, gecc_arrow::Error>,
    ) -> Result<(), Failure> {
        let appended = encoded
            .and_then(|encoded| encoded.map_or(Ok(()), |encoded| self.writer.append(encoded)));
        appended.map_err(failure)
    }

    pub fn end(self) -> (Output, Result<(), Failure>) {
        let (can_be_read, finished) = self.writer.finish_readable();
        (
            self.shared.into_output(can_be_read),
            finished.map_err(failure),
        )
    }
}

impl ColumnEncoder {
    /// Converts rows to columns.
    pub fn columns<R: AnswerRow>(&self, rows: &[&R]) -> RecordBatch {
        let valid: BooleanArray = rows.iter().map(|row| row.valid()).collect();
        let reasons: StringArray = rows.iter().map(|row| row.reason()).collect();
        let mut columns: Vec<ArrayRef> = R::FIELDS.iter().map(|field| field.column(rows)).collect();
        columns.extend([Arc::new(valid) as ArrayRef, Arc::new(reasons)]);
        RecordBatch::try_new(Arc::clone(&self.schema), columns).expect("columns match the schema")
    }

    /// Concatenates rows and encodes them for writing.
    pub fn encode(&self, parts: &[RecordBatch]) -> Result<Option<EncodedBatch>, gecc_arrow::Error> {
        if parts.iter().all(|part| part.num_rows() == 0) {
            return Ok(None);
        }
        let all = concat_batches(&self.schema, parts).expect("all batches match the schema");
        self.encoder.encode(&all, &self.pool).map(Some)
    }
}

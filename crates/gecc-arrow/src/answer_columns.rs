//! Builds output columns from answers: the selected answers, and other columns next to them.

use crate::answers::{Answers, Counts};
use crate::error::Error;
use crate::operation::TableOperation;
use crate::pool::Pool;
use crate::write::{EncodedBatch, Encoder, Writer};
use arrow_array::{ArrayRef, BooleanArray, RecordBatch, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::filter::filter_record_batch;
use gecc::Verdict;
use std::sync::Arc;

/// Selects the answers to write and their columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerSelection {
    /// The name of a column (UInt64) with the position of each item, before the answers.
    pub place: Option<String>,
    /// True if answers of rows that passed are omitted.
    pub only_rejected: bool,
    /// True if the first rejection is the last answer.
    pub check: bool,
    /// True if reasons are plain text, as [`Answers::with_reasons`] produces them, instead of a
    /// dictionary.
    pub plain_reasons: bool,
}

/// The positions of a batch's rows.
#[derive(Clone, Copy, Debug)]
pub enum Places<'a> {
    /// Consecutive positions, starting here.
    From(u64),
    /// The position of each row.
    Each(&'a [u64]),
}

/// Prepares the answers for a batch for a [`Writer`].
#[derive(Clone)]
pub struct AnswerColumns {
    encoder: Encoder,
    schema: SchemaRef,
    wanted: AnswerSelection,
}

/// The answers for a batch, ready to be written.
pub struct PreparedAnswers {
    /// The number of rows that have an answer or are omitted as requested: all except those after
    /// the last answer.
    pub rows: usize,
    /// The outcomes of these rows, by code.
    pub counts: Counts,
    /// True if nothing follows.
    pub is_last: bool,
    encoded: Option<EncodedBatch>,
}

impl AnswerSelection {
    /// Returns the schema of the output: the columns of `input`, followed by the answers of an
    /// operation. An answer whose name is taken gets the prefix `gecc_`.
    pub fn schema(&self, input: &Schema, operation: &TableOperation) -> SchemaRef {
        let answers = operation.schema_with(self.plain_reasons);
        let place = self
            .place
            .iter()
            .map(|name| Arc::new(Field::new(name, DataType::UInt64, false)));
        let mut fields = input.fields().to_vec();
        for field in place.chain(answers.fields().iter().cloned()) {
            let mut name = field.name().clone();
            while input.fields().iter().any(|column| *column.name() == name) {
                name.insert_str(0, "gecc_");
            }
            fields.push(Arc::new(Field::clone(&field).with_name(name)));
        }
        Arc::new(Schema::new_with_metadata(fields, input.metadata().clone()))
    }
}

impl AnswerColumns {
    /// Creates the builder for a writer of a schema from [`AnswerSelection::schema`].
    pub fn new(writer: &Writer, schema: SchemaRef, wanted: AnswerSelection) -> Self {
        AnswerColumns {
            encoder: writer.encoder(),
            schema,
            wanted,
        }
    }

    /// Prepares a batch for output: `columns`, followed by its answers.
    ///
    /// # Errors
    /// [`Error::Malformed`] if a column does not match its type.
    pub fn make(
        &self,
        mut columns: Vec<ArrayRef>,
        answers: &Answers,
        places: Places,
        pool: &Pool,
    ) -> Result<PreparedAnswers, Error> {
        // If a rejection is to be the last answer, the rows up to the first one.
        let rejected = answers
            .codes()
            .iter()
            .position(|code| *code != Verdict::VALID_CODE);
        let rows = rejected
            .filter(|_| self.wanted.check)
            .map_or(answers.len(), |last| last + 1);
        if self.wanted.place.is_some() {
            columns.push(Arc::new(match places {
                Places::From(first) => {
                    UInt64Array::from_iter_values(first..first + answers.len() as u64)
                }
                Places::Each(places) => UInt64Array::from_iter_values(places.iter().copied()),
            }));
        }
        columns.extend_from_slice(answers.to_columns()?.columns());
        // Views are written with the type in the file, so the batch has types of its own.
        let fields = self.schema.fields().iter().zip(&columns);
        let fields = fields
            .map(|(field, column)| Field::clone(field).with_data_type(column.data_type().clone()));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let mut batch = RecordBatch::try_new(schema, columns)?.slice(0, rows);
        if self.wanted.only_rejected {
            let rejected = answers.codes()[..rows]
                .iter()
                .map(|code| Some(*code != Verdict::VALID_CODE));
            batch = filter_record_batch(&batch, &rejected.collect::<BooleanArray>())?;
        }
        let encoded = if batch.num_rows() > 0 {
            Some(self.encoder.encode(&batch, pool)?)
        } else {
            None
        };
        let counts = answers.counts_of(rows);
        Ok(PreparedAnswers {
            rows,
            is_last: self.wanted.check && counts.passed < counts.rows,
            counts,
            encoded,
        })
    }
}

impl PreparedAnswers {
    /// Appends the answers to a writer's output.
    ///
    /// # Errors
    /// The same as for [`Writer::append`].
    pub fn write(self, writer: &mut Writer) -> Result<(), Error> {
        self.encoded
            .map_or(Ok(()), |encoded| writer.append(encoded))
    }
}

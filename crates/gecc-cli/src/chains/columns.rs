//! Answers as columns of Parquet or Arrow.

use super::Row;
use crate::flags::ChainOptions;
use crate::job::columns::{Shared, failure, format_of};
use crate::output::{Failure, Output};
use arrow_array::{ArrayRef, BooleanArray, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use gecc_arrow::{Compression, Pool, Writer};
use rayon::ThreadPool;
use std::sync::Arc;

/// A table that is being written.
pub struct Table {
    shared: Shared,
    writer: Writer,
    schema: SchemaRef,
    pool: Pool,
}

impl Table {
    pub fn new<R: Row>(options: &ChainOptions, output: Output, pool: Arc<ThreadPool>) -> Result<Self, Failure> {
        let shared = Shared::new(output);
        let mut fields: Vec<_> = R::schema().fields().iter().cloned().collect();
        fields.push(Arc::new(Field::new("valid", DataType::Boolean, true)));
        fields.push(Arc::new(Field::new("reason", DataType::Utf8, true)));
        let schema = Arc::new(Schema::new(fields));
        let format = format_of(options.answers(), options.output.as_deref());
        let writer = Writer::create(shared.writer(), format, Compression::default(), &schema).map_err(failure)?;
        Ok(Table { shared, writer, schema, pool: Pool::of(pool) })
    }

    /// Appends rows. None are no part of the table.
    pub fn put<R: Row>(&mut self, rows: &[&R]) -> Result<(), Failure> {
        if rows.is_empty() {
            return Ok(());
        }
        let valid: BooleanArray = rows.iter().map(|row| row.valid()).collect();
        let reasons: StringArray = rows.iter().map(|row| row.reason()).collect();
        let mut columns = R::columns(rows);
        columns.extend([Arc::new(valid) as ArrayRef, Arc::new(reasons)]);
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns).expect("columns are as the schema says");
        self.writer.write(&batch, &self.pool).map_err(failure)
    }

    pub fn end(self) -> (Output, Result<(), Failure>) {
        let finished = self.writer.finish().map_err(failure);
        (self.shared.into_output(), finished)
    }
}

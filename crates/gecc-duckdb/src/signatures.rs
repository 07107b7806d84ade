//! Verification and recovery of signatures, and addresses of keys: the functions of [`gecc_arrow::sql`].

use crate::engine::service;
use crate::scalar::{Call, Scalar};
use crate::vector::{ANY, BLOB, BOOLEAN, Integer, LogicalType, Results, Type, VARCHAR, Vector};
use arrow_array::builder::{GenericBinaryBuilder, GenericStringBuilder};
use arrow_array::{Array, FixedSizeBinaryArray};
use arrow_array::{ArrayRef, BooleanArray, Int64Array, RecordBatch, RecordBatchOptions, UInt64Array, new_null_array};
use arrow_schema::{DataType, Field, Schema};
use gecc::Verdict;
use gecc_arrow::Answers;
use gecc_arrow::sql::{FunctionKind, Gives, Task};
use std::sync::Arc;

/// One of these functions.
pub struct OfSignatures {
    kind: FunctionKind,
    gives: Gives,
}

impl OfSignatures {
    pub fn all() -> impl Iterator<Item = Self> {
        let both = |kind| [Gives::Result, Gives::Reason].map(|gives| OfSignatures { kind, gives });
        FunctionKind::ALL.into_iter().flat_map(both)
    }

    /// Arguments before the fields.
    fn names(&self) -> usize {
        self.kind.names().len()
    }

    fn write(&self, answers: &Answers, first: usize, results: &mut Results) {
        for (row, code) in answers.codes().iter().enumerate() {
            let is_valid = *code == Verdict::VALID_CODE;
            match (self.gives, answers.results()) {
                (Gives::Reason, _) => match answers.reason(row) {
                    Some(reason) => results.set_bytes(first + row, reason.to_string().as_bytes()),
                    None => results.set_null(first + row),
                },
                (Gives::Result, []) => results.set_boolean(first + row, is_valid),
                (Gives::Result, [(_, rows), ..]) if is_valid => {
                    let rows = rows.as_any().downcast_ref::<FixedSizeBinaryArray>().expect("keys and addresses");
                    results.set_bytes(first + row, rows.value(row));
                }
                (Gives::Result, _) => results.set_null(first + row),
            }
        }
    }
}

impl Scalar for OfSignatures {
    type Bound = Task;
    type Local = ();

    fn name(&self) -> String {
        self.kind.name(self.gives)
    }

    fn overloads(&self) -> Vec<Vec<LogicalType>> {
        let (names, fields) = (self.names(), self.kind.fields().len());
        let any = |count| (0..count).map(|_| LogicalType::simple(ANY));
        let overload = |fields| (0..names).map(|_| LogicalType::simple(VARCHAR)).chain(any(fields)).collect();
        (fields - self.kind.optional()..=fields).map(overload).collect()
    }

    fn result(&self) -> LogicalType {
        LogicalType::simple(match (self.gives, self.kind.result()) {
            (Gives::Reason, _) => VARCHAR,
            (Gives::Result, DataType::Boolean) => BOOLEAN,
            (Gives::Result, _) => BLOB,
        })
    }

    fn bind(&self, call: &Call) -> Result<Task, String> {
        let named: Vec<Option<String>> = (0..self.names()).map(|argument| call.constant(argument)).collect();
        let named: Vec<Option<&str>> = named.iter().map(Option::as_deref).collect();
        let task = self.kind.task(&named, Default::default())?;
        let types = (self.names()..call.arguments()).map(|argument| call.type_of(argument).type_of());
        for (field, of) in self.kind.fields().iter().zip(types) {
            match data_type(of) {
                None if of == Type::Null => {}
                None => return Err(format!("`{field}` is neither a BLOB, a VARCHAR nor an integer")),
                Some(of) => self.kind.require(*field, &of)?,
            }
        }
        Ok(task)
    }

    fn compute(&self, task: &Task, _: &mut (), arguments: &[Vector], results: &mut Results) -> Result<(), String> {
        let fields = self.kind.fields().iter().zip(&arguments[self.names()..]);
        let (mut columns, mut names) = (Vec::new(), Vec::new());
        for (field, vector) in fields {
            let column = column(*vector, *field);
            names.push(Field::new(field.to_string(), column.data_type().clone(), true));
            columns.push(column);
        }
        let rows = arguments[0].rows();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::new(Schema::new(names)), columns, &options);
        let batch = batch.map_err(|problem| problem.to_string())?;
        let parts = service()?.answers(self.kind, *task, &batch);
        let mut first = 0;
        for answers in parts.map_err(|problem| problem.to_string())? {
            self.write(&answers, first, results);
            first += answers.len();
        }
        Ok(())
    }
}

/// What a type is to Arrow; `None` where it is none of those that are read here.
fn data_type(of: Type) -> Option<DataType> {
    match of {
        Type::Blob => Some(DataType::LargeBinary),
        Type::Varchar => Some(DataType::LargeUtf8),
        Type::Boolean => Some(DataType::Boolean),
        Type::Integer(Integer::U64) => Some(DataType::UInt64),
        Type::Integer(_) => Some(DataType::Int64),
        Type::List | Type::Null | Type::Other => None,
    }
}

/// A vector as an array. Copies it, which costs little beside what is computed.
fn column(vector: Vector, field: gecc_arrow::Field) -> ArrayRef {
    let rows = 0..vector.rows();
    match data_type(vector.type_of()) {
        Some(DataType::LargeBinary) => {
            let mut cells = GenericBinaryBuilder::<i64>::new();
            rows.for_each(|row| cells.append_option(vector.bytes(row)));
            Arc::new(cells.finish())
        }
        Some(DataType::LargeUtf8) => {
            let mut cells = GenericStringBuilder::<i64>::new();
            // A text of DuckDB's is UTF-8; what were not would be no hexadecimal text either.
            rows.for_each(|row| cells.append_option(vector.bytes(row).map(String::from_utf8_lossy)));
            Arc::new(cells.finish())
        }
        Some(DataType::Boolean) => Arc::new(rows.map(|row| vector.boolean(row)).collect::<BooleanArray>()),
        Some(DataType::UInt64) => {
            Arc::new(rows.map(|row| vector.integer(row).map(|value| value as u64)).collect::<UInt64Array>())
        }
        Some(_) => Arc::new(rows.map(|row| vector.integer(row).map(|value| value as i64)).collect::<Int64Array>()),
        None if field == gecc_arrow::Field::RecoveryId => new_null_array(&DataType::UInt8, vector.rows()),
        None => new_null_array(&DataType::LargeBinary, vector.rows()),
    }
}

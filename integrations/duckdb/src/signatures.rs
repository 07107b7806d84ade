//! Verification and recovery of signatures, addresses of keys, and masks: the functions of
//! [`gecc_arrow::sql`].

use crate::engine::service;
use crate::mask_key;
use crate::scalar::{BoundCall, ScalarFunction};
use crate::vector::{
    ANY, BLOB, BOOLEAN, LogicalType, Results, SQLNULL, TINYINT, Type, UBIGINT, UINTEGER, VARCHAR,
    Vector,
};
use arrow_array::builder::{GenericBinaryBuilder, GenericStringBuilder};
use arrow_array::{Array, FixedSizeBinaryArray};
use arrow_array::{ArrayRef, BooleanArray, Int64Array, RecordBatch, UInt64Array, new_null_array};
use arrow_schema::DataType;
use gecc::{SecretKey, Verdict};
use gecc_arrow::sql::{FunctionKind, ResultKind, Task};
use gecc_arrow::{Answers, Field};
use std::iter;
use std::sync::Arc;

/// One of these functions.
pub struct SignatureFunction {
    kind: FunctionKind,
    gives: ResultKind,
}

impl SignatureFunction {
    pub fn all() -> impl Iterator<Item = Self> {
        let kinds = FunctionKind::ALL.into_iter();
        kinds.flat_map(|kind| {
            [ResultKind::Result, ResultKind::Reason].map(|gives| SignatureFunction { kind, gives })
        })
    }

    /// Returns the number of arguments before the fields.
    fn names(&self) -> usize {
        self.kind.names().len()
    }

    /// Checks whether a field may have this type.
    fn require(&self, field: Field, of: Type) -> Result<(), String> {
        match data_type(of) {
            None if of == SQLNULL => Ok(()),
            None => Err(format!(
                "`{field}` is neither a BLOB, a VARCHAR nor an integer"
            )),
            Some(of) => self.kind.require(field, &of),
        }
    }

    fn write(&self, answers: &Answers, first: usize, results: &mut Results) {
        for (row, code) in answers.codes().iter().enumerate() {
            let is_valid = *code == Verdict::VALID_CODE;
            match (self.gives, answers.results()) {
                (ResultKind::Reason, _) => match answers.reason(row) {
                    Some(reason) => results.set_bytes(first + row, reason.to_string().as_bytes()),
                    None => results.set_null(first + row),
                },
                (ResultKind::Result, []) => results.set_boolean(first + row, is_valid),
                (ResultKind::Result, [(_, rows), ..]) if is_valid => {
                    let rows = rows
                        .as_any()
                        .downcast_ref::<FixedSizeBinaryArray>()
                        .expect("keys, addresses and masks");
                    results.set_bytes(first + row, rows.value(row));
                }
                (ResultKind::Result, _) => results.set_null(first + row),
            }
        }
    }
}

/// The data of a statement.
pub struct BoundFunction {
    task: Task,
    /// The private key, for functions that take one.
    key: Option<SecretKey>,
}

impl ScalarFunction for SignatureFunction {
    type Bound = BoundFunction;
    type Local = ();

    fn name(&self) -> String {
        self.kind.name(self.gives)
    }

    fn overloads(&self) -> Vec<Vec<LogicalType>> {
        let names = self.names();
        let fields = self.kind.fields().len();
        let mut overloads = Vec::new();
        for count in fields - self.kind.optional()..=fields {
            let types = iter::repeat_n(VARCHAR, names).chain(iter::repeat_n(ANY, count));
            overloads.push(types.map(LogicalType::simple).collect());
        }
        overloads
    }

    fn result(&self) -> LogicalType {
        LogicalType::simple(match (self.gives, self.kind.result()) {
            (ResultKind::Reason, _) => VARCHAR,
            (ResultKind::Result, DataType::Boolean) => BOOLEAN,
            (ResultKind::Result, _) => BLOB,
        })
    }

    fn bind(&self, call: &BoundCall) -> Result<BoundFunction, String> {
        let named: Vec<Option<String>> = (0..self.names())
            .map(|argument| call.constant(argument))
            .collect();
        let named: Vec<Option<&str>> = named.iter().map(Option::as_deref).collect();
        // The types of the fields are checked with their vectors: DuckDB does not provide that of a
        // subquery here.
        let task = self.kind.task(&named, Default::default())?;
        let key = task
            .curve_of_key()
            .map(|curve| mask_key::read(call, curve))
            .transpose()?;
        Ok(BoundFunction { task, key })
    }

    fn compute(
        &self,
        bound: &BoundFunction,
        _: &mut (),
        arguments: &[Vector],
        results: &mut Results,
    ) -> Result<(), String> {
        let fields = self.kind.fields().iter().zip(&arguments[self.names()..]);
        fields
            .clone()
            .try_for_each(|(field, vector)| self.require(*field, vector.type_of()))?;
        let columns =
            fields.map(|(field, vector)| (field.to_string(), column(*vector, *field), true));
        let batch = RecordBatch::try_from_iter_with_nullable(columns)
            .map_err(|problem| problem.to_string())?;
        let parts = service()?.answers(self.kind, bound.task, bound.key.as_ref(), &batch);
        let mut first = 0;
        for answers in parts.map_err(|problem| problem.to_string())? {
            self.write(&answers, first, results);
            first += answers.len();
        }
        Ok(())
    }
}

/// Returns the Arrow type of a type; `None` if it is not supported.
fn data_type(of: Type) -> Option<DataType> {
    match of {
        BLOB => Some(DataType::LargeBinary),
        VARCHAR => Some(DataType::LargeUtf8),
        BOOLEAN => Some(DataType::Boolean),
        TINYINT..=UINTEGER => Some(DataType::Int64),
        UBIGINT => Some(DataType::UInt64),
        _ => None,
    }
}

/// Converts a vector to an array. The copy is cheap compared with the computation.
fn column(vector: Vector, field: Field) -> ArrayRef {
    let rows = 0..vector.rows();
    match data_type(vector.type_of()) {
        Some(DataType::LargeBinary) => {
            let mut cells = GenericBinaryBuilder::<i64>::new();
            rows.for_each(|row| cells.append_option(vector.bytes(row)));
            Arc::new(cells.finish())
        }
        Some(DataType::LargeUtf8) => {
            let mut cells = GenericStringBuilder::<i64>::new();
            // DuckDB's strings are UTF-8; others would not be hexadecimal either.
            rows.for_each(|row| {
                cells.append_option(vector.bytes(row).map(String::from_utf8_lossy))
            });
            Arc::new(cells.finish())
        }
        Some(DataType::Boolean) => Arc::new(
            rows.map(|row| vector.boolean(row))
                .collect::<BooleanArray>(),
        ),
        Some(DataType::UInt64) => Arc::new(
            rows.map(|row| vector.integer(row).map(|value| value as u64))
                .collect::<UInt64Array>(),
        ),
        Some(_) => Arc::new(
            rows.map(|row| vector.integer(row).map(|value| value as i64))
                .collect::<Int64Array>(),
        ),
        None if field == Field::RecoveryId => new_null_array(&DataType::UInt8, vector.rows()),
        None => new_null_array(&DataType::LargeBinary, vector.rows()),
    }
}

//! Arguments of a call as a record batch.

use datafusion::arrow::array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, new_null_array};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::{ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs};
use gecc::ecdsa::Policy;
use gecc_arrow::sql::{FunctionKind, Task};
use std::sync::Arc;

/// The computation of a call and its arguments.
pub struct Arguments {
    pub task: Task,
    /// A column for each given field, with the field's name.
    pub batch: RecordBatch,
    /// True if all arguments are constants. There is then one row.
    pub is_constant: bool,
}

impl Arguments {
    /// Converts the arguments of a call.
    pub fn of(kind: FunctionKind, policy: Policy, args: ScalarFunctionArgs) -> Result<Self> {
        let (named, values) = split(kind, &args.args);
        let named = named.iter().map(|name| match name {
            ColumnarValue::Scalar(name) => Some(name),
            ColumnarValue::Array(_) => None,
        });
        let task = task(kind, policy, named)?;
        let is_constant = values
            .iter()
            .all(|value| matches!(value, ColumnarValue::Scalar(_)));
        let rows = if is_constant { 1 } else { args.number_rows };
        let columns = values
            .iter()
            .map(|value| value.to_array(rows))
            .collect::<Result<Vec<_>>>()?;
        Ok(Arguments {
            task,
            batch: batch(kind, columns, rows)?,
            is_constant,
        })
    }

    /// Creates the arguments without rows, when a statement is planned.
    ///
    /// # Errors
    /// A problem of the types or of the named arguments.
    pub fn planned(kind: FunctionKind, policy: Policy, args: &ReturnFieldArgs) -> Result<Self> {
        let (named, _) = split(kind, args.scalar_arguments);
        let task = task(kind, policy, named.iter().copied())?;
        let (_, types) = split(kind, args.arg_fields);
        for (field, given) in kind.fields().iter().zip(types) {
            let found = given.data_type();
            if *found != DataType::Null {
                kind.require(*field, found).map_err(DataFusionError::Plan)?;
            }
        }
        let columns = types
            .iter()
            .map(|given| new_null_array(given.data_type(), 0))
            .collect();
        Ok(Arguments {
            task,
            batch: batch(kind, columns, 0)?,
            is_constant: false,
        })
    }
}

/// Splits the arguments into named ones, such as a curve or a rule, and the others.
fn split<T>(kind: FunctionKind, arguments: &[T]) -> (&[T], &[T]) {
    arguments.split_at(kind.names().len().min(arguments.len()))
}

fn task<'a>(
    kind: FunctionKind,
    policy: Policy,
    named: impl Iterator<Item = Option<&'a ScalarValue>>,
) -> Result<Task> {
    let named: Vec<Option<&str>> = named
        .map(|name| name.and_then(|name| name.try_as_str().flatten()))
        .collect();
    kind.task(&named, policy).map_err(DataFusionError::Plan)
}

fn batch(kind: FunctionKind, columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch> {
    let columns: Vec<ArrayRef> = kind
        .fields()
        .iter()
        .zip(columns)
        .map(|(field, column)| typed(*field, column))
        .collect();
    let fields = kind.fields().iter().zip(&columns);
    let fields: Vec<Field> = fields
        .map(|(field, column)| Field::new(field.to_string(), column.data_type().clone(), true))
        .collect();
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(
        Arc::new(Schema::new(fields)),
        columns,
        &options,
    )?)
}

/// ResultKind NULL literals, which have a type of their own, a type that the field can have.
fn typed(field: gecc_arrow::Field, column: ArrayRef) -> ArrayRef {
    match (column.data_type(), field) {
        (DataType::Null, gecc_arrow::Field::RecoveryId) => {
            new_null_array(&DataType::UInt8, column.len())
        }
        (DataType::Null, _) => new_null_array(&DataType::Binary, column.len()),
        _ => column,
    }
}

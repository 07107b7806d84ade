//! Operations on Arrow record batches: those of the command, which finds its columns by name.

use crate::calls::operations::{hash_of, operation};
use crate::engine::{self, Engine};
use crate::errors::batch_exception;
use crate::pieces::{self, Length};
use crate::{capsules, choices};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, StructArray};
use arrow_schema::{DataType, Field as ArrowField, Schema};
use arrow_select::concat::concat_batches;
use gecc::CurveId;
use gecc::call::{Operation, Options};
use gecc::fields::UnclearColumns;
use gecc::x25519::AllZero;
use gecc_arrow::{
    AnswerSelection, Cells, Error, Field, KeyForm, Mapping, Pool, TableOperation, check_imported,
    column_of, columns_beside, complete,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::Arc;

/// An operation on each row of a batch, with the options of the command.
#[pyclass(frozen, module = "gecc")]
pub struct BatchOperation(TableOperation);

#[pymethods]
impl BatchOperation {
    /// Creates an operation by its name in `run`. `together` is true for an engine with batch
    /// verification.
    #[new]
    #[pyo3(signature = (
        name, *, curve = "secp256k1", low_s = false, rule = "", context = None, prehashed = false, batch_verification = false,
        additional = None, compressed = false, der = false
    ))]
    fn new(
        name: &str,
        curve: &str,
        low_s: bool,
        rule: &str,
        context: Option<&[u8]>,
        prehashed: bool,
        batch_verification: bool,
        additional: Option<[u8; 32]>,
        compressed: bool,
        der: bool,
    ) -> PyResult<Self> {
        let all_zero = AllZero::default();
        let operation = match operation(name, curve, low_s, "curve_default", rule, all_zero)? {
            Operation::EcdsaVerify(curve, policy) if batch_verification => {
                Operation::EcdsaVerifyRecoverable(curve, policy)
            }
            operation => operation,
        };
        match operation {
            Operation::EcdsaRecover(CurveId::Sm2)
            | Operation::EcdsaSignRecoverable(CurveId::Sm2, _) => Err(PyValueError::new_err(
                "SM2 has no recovery ids, and no recovery of public keys",
            )),
            Operation::Ed25519Verify(rule) if batch_verification && !rule.is_cofactored() => {
                let text =
                    format!("batch_verification: for rules with the cofactor, and {rule} has none");
                Err(PyValueError::new_err(text))
            }
            Operation::Sm2Verify if batch_verification => Err(PyValueError::new_err(
                "batch_verification: for ECDSA; SM2 has none",
            )),
            _ => {
                let key_form = if compressed {
                    KeyForm::Compressed
                } else {
                    KeyForm::Uncompressed
                };
                let options = Options {
                    variant: choices::ed25519_variant(context, prehashed)?,
                    additional,
                    ..Options::default()
                };
                Ok(BatchOperation(TableOperation {
                    options,
                    key_form,
                    der,
                    ..operation.into()
                }))
            }
        }
    }

    /// Returns the answers for batches of one schema, one batch for each. They are computed
    /// together unless they contain private keys, which would be copied.
    #[pyo3(signature = (engine, columns, hash, user_id, signature_form, decimal, beside, plain, batches))]
    fn apply<'py>(
        &self,
        py: Python<'py>,
        engine: Option<&Engine>,
        columns: Option<&str>,
        hash: Option<&str>,
        user_id: Option<Vec<u8>>,
        signature_form: &str,
        decimal: bool,
        beside: bool,
        plain: bool,
        batches: Vec<Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let batches = batches
            .iter()
            .map(taken)
            .collect::<PyResult<Vec<RecordBatch>>>()?;
        let Some(first) = batches.first() else {
            return Ok(Vec::new());
        };
        let schema = first.schema();
        // Batches that are computed together must have the same columns in the same positions.
        if let Some(place) = batches
            .iter()
            .position(|batch| batch.schema_ref().fields() != schema.fields())
        {
            let text = format!("batch {place} has other columns, or other types, than batch 0");
            return Err(batch_exception(Error::Columns(text)));
        }
        let specified = columns.map_or_else(|| Ok(Mapping::new()), str::parse);
        let mut specified = specified
            .map_err(|problem: UnclearColumns| PyValueError::new_err(problem.to_string()))?;
        let operation = TableOperation {
            options: Options {
                hash: hash_of(self.0.operation, hash)?,
                ..self.0.options
            },
            ..self.0.clone()
        };
        specified.user_id = user_id;
        specified.signature_form =
            choices::signature_reader(operation.operation, signature_form)?.form();
        specified.decimal = decimal;
        let mapping = complete(specified, &schema, &operation).map_err(batch_exception)?;
        let read = operation
            .columns(&schema, &mapping)
            .map_err(batch_exception)?;
        let messages = column_of(&mapping, Field::Message, &schema).map_err(batch_exception)?;
        let job = BatchJob {
            engine: engine::of(py, engine)?,
            operation: &operation,
            messages: messages
                .and_then(|messages| read.iter().position(|place| *place == messages)),
            read,
            mapping,
            plain,
        };
        let answers = job.answers(py, &schema, &batches)?;
        let kept = if beside {
            columns_beside(&schema, &job.mapping).map_err(batch_exception)?
        } else {
            Vec::new()
        };
        let wanted = AnswerSelection {
            plain_reasons: plain,
            ..AnswerSelection::default()
        };
        let names = wanted.schema(&schema.project(&kept).map_err(batch_exception)?, &operation);
        let made = batches.iter().zip(answers).map(|(batch, answers)| {
            let mut columns: Vec<ArrayRef> = kept
                .iter()
                .map(|place| batch.column(*place).clone())
                .collect();
            columns.extend_from_slice(answers.columns());
            let batch = RecordBatch::try_new(names.clone(), columns).map_err(batch_exception)?;
            py.import("pyarrow")?
                .call_method1("record_batch", (ExportedBatch(batch),))
        });
        made.collect()
    }
}

/// Imports a pyarrow batch through Arrow's C interface.
fn taken(batch: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    let (array, field) = capsules::array("batch", &batch.call_method0("__arrow_c_array__")?)?;
    let DataType::Struct(fields) = field.data_type() else {
        return Err(PyValueError::new_err(format!(
            "batch: an array of {}, not a batch",
            field.data_type()
        )));
    };
    let rows = array.as_struct();
    let schema = Arc::new(Schema::new_with_metadata(
        fields.clone(),
        field.metadata().clone(),
    ));
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    let batch = RecordBatch::try_new_with_options(schema, rows.columns().to_vec(), &options);
    batch.map_err(batch_exception)
}

/// A batch for pyarrow, which imports it through Arrow's C interface.
#[pyclass(frozen)]
struct ExportedBatch(RecordBatch);

#[pymethods]
impl ExportedBatch {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        let schema = self.0.schema_ref();
        let field = ArrowField::new_struct("", schema.fields().clone(), false);
        capsules::pair(
            py,
            &StructArray::from(self.0.clone()),
            &field.with_metadata(schema.metadata().clone()),
        )
    }
}

/// A computation, its parameters and columns.
struct BatchJob<'a> {
    engine: gecc::Engine,
    operation: &'a TableOperation,
    mapping: Mapping,
    read: Vec<usize>,
    /// The position of messages among the columns that are read, if any.
    messages: Option<usize>,
    plain: bool,
}

impl BatchJob<'_> {
    /// Returns the columns of answers for each batch.
    fn answers(
        &self,
        py: Python<'_>,
        schema: &Schema,
        batches: &[RecordBatch],
    ) -> PyResult<Vec<RecordBatch>> {
        let secret = column_of(&self.mapping, Field::SecretKey, schema).map_err(batch_exception)?;
        if secret.is_some_and(|place| self.read.contains(&place)) || batches.len() == 1 {
            return batches
                .iter()
                .map(|batch| self.answers_of(py, &self.project(batch)?))
                .collect();
        }
        let read: Vec<RecordBatch> = batches
            .iter()
            .map(|batch| self.project(batch))
            .collect::<PyResult<_>>()?;
        // 32-bit offsets are limited to 2 GiB.
        let Ok(combined) = py.detach(|| concat_batches(read[0].schema_ref(), &read)) else {
            return read
                .iter()
                .map(|batch| self.answers_of(py, batch))
                .collect();
        };
        let answers = self.answers_of(py, &combined)?;
        let mut start = 0;
        let mut parts = Vec::with_capacity(batches.len());
        for batch in batches {
            parts.push(answers.slice(start, batch.num_rows()));
            start += batch.num_rows();
        }
        Ok(parts)
    }

    /// Returns the columns that are read, after checking that they are within their memory.
    fn project(&self, batch: &RecordBatch) -> PyResult<RecordBatch> {
        let read = batch.project(&self.read).map_err(batch_exception)?;
        read.columns()
            .iter()
            .try_for_each(|column| check_imported(column.as_ref()))
            .map_err(batch_exception)?;
        Ok(read)
    }

    fn answers_of_piece(&self, piece: &RecordBatch) -> Result<RecordBatch, Error> {
        let answers = self
            .operation
            .apply(&self.engine, piece, &self.mapping, &Pool::default())?;
        let answers = if self.plain {
            answers.with_reasons(Vec::new())
        } else {
            answers
        };
        answers.to_columns()
    }

    /// Returns the columns of answers for one batch, computed in pieces.
    fn answers_of(&self, py: Python<'_>, batch: &RecordBatch) -> PyResult<RecordBatch> {
        let mut answers = Vec::new();
        let messages = self
            .messages
            .map(|position| Cells::of(batch.column(position)));
        let lengths = messages
            .as_ref()
            .map(|messages| move |row| messages.len(row).unwrap_or(0));
        let length = lengths.as_ref().map(|length| length as Length<'_>);
        pieces::run_or(
            py,
            &self.engine,
            batch.num_rows(),
            length,
            batch_exception,
            |range| {
                answers.push(self.answers_of_piece(&batch.slice(range.start, range.len()))?);
                Ok::<(), Error>(())
            },
        )?;
        match &answers[..] {
            [all] => Ok(all.clone()),
            several => concat_batches(several[0].schema_ref(), several).map_err(batch_exception),
        }
    }
}

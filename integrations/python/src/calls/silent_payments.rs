//! Silent payments (BIP 352), on secp256k1.

use crate::arrow_output;
use crate::engine::{self, Engine};
use crate::input::{ArrayLibrary, Call, OutputColumn, argument};
use crate::output::{AnswerOptions, ResultColumn, RowFormat, answer, answer_rows, secret_buffer};
use crate::pieces;
use arrow_array::{ArrayRef, FixedSizeBinaryArray, Int64Array, UInt32Array, UInt64Array};
use gecc::silent_payments::{self, Match};
use gecc::{CurveId, SecretKey, stack};
use gecc_arrow::Field;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::Arc;

/// A receiver: a scan key, a spend public key, and the labels in use.
#[pyclass(frozen, module = "gecc.silent_payments")]
pub struct Receiver(silent_payments::Receiver);

#[pymethods]
impl Receiver {
    #[new]
    #[pyo3(signature = (scan_key, spend_key, labels = Vec::new()))]
    fn new(
        py: Python<'_>,
        scan_key: &Bound<'_, PyAny>,
        spend_key: &Bound<'_, PyAny>,
        labels: Vec<u32>,
    ) -> PyResult<Self> {
        let mut call = Call::for_keys(py, CurveId::Secp256k1);
        let scan_key = call.rows(argument("scan_key", Field::SecretKey), 32, scan_key)?;
        let spend_key = call.keys(argument("spend_key", Field::PublicKey), spend_key)?;
        if call.items() != 1 || call.problems.is_some() {
            return Err(PyValueError::new_err(
                "a receiver has one scan key and one spend key",
            ));
        }
        let receiver = stack::wiped(|| {
            let secret = SecretKey::from_bytes(*scan_key.rows::<32>(0..1).get(0));
            silent_payments::Receiver::new(secret, &spend_key.sec1_of_first(), &labels)
        });
        receiver.map(Receiver).map_err(|reason| {
            PyValueError::new_err(format!(
                "a receiver cannot have these keys or labels: {reason}"
            ))
        })
    }

    /// The spend public keys in addresses, 64 bytes `x || y` each: without a label, and with each
    /// label in the given order.
    #[getter]
    fn spend_keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rows: Vec<Vec<u8>> = self
            .0
            .spend_keys()
            .iter()
            .map(|key| key.as_bytes()[1..].to_vec())
            .collect();
        Ok(PyArray2::from_vec2(py, &rows)?.into_any())
    }

    /// The public key of the scan key, as in addresses: 64 bytes `x || y`.
    #[getter]
    fn scan_public_key<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        PyArray1::from_slice(py, &self.0.scan_public_key().as_bytes()[1..]).into_any()
    }

    /// Omits the keys.
    fn __repr__(&self) -> String {
        format!(
            "<gecc.silent_payments.Receiver: {} labels>",
            self.0.spend_keys().len() - 1
        )
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a Receiver has a secret key, and cannot be pickled",
        ))
    }
}

/// Finds the outputs that are paid to receivers: returns columns of matches, and the verdicts of
/// rows.
#[pyfunction]
pub fn scan_silent_payments<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    receivers: Vec<PyRef<'py, Receiver>>,
    tweak_points: &Bound<'py, PyAny>,
    outputs: &Bound<'py, PyAny>,
    offsets: Option<&Bound<'py, PyAny>>,
    reasons: bool,
) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyAny>)> {
    let receivers: Vec<silent_payments::Receiver> = stack::wiped(|| {
        receivers
            .iter()
            .map(|receiver| receiver.0.clone())
            .collect()
    });
    let engine = engine::of(py, engine)?;
    let mut call = Call::for_keys(py, CurveId::Secp256k1);
    let points = call.keys(argument("tweak_points", Field::PublicKey), tweak_points)?;
    let column = OutputColumn::of(py, outputs, offsets)?;
    let outputs = column.outputs(points.items().unwrap_or(1))?;
    // Matches of pieces are not moved, because moving would leave copies of their tweaks behind.
    let mut verdicts = ResultColumn::of(&call, RowFormat::number())?;
    let mut found_in = Vec::new();
    let codes = verdicts.bytes();
    let items = call.items();
    pieces::run(py, &engine, items, |range| {
        let keys = points.part(range.clone());
        let outputs = outputs.slice(range.clone());
        let mut found = silent_payments::scan(&engine, &receivers, keys, outputs)?;
        codes[range.clone()].copy_from_slice(&found.codes);
        found
            .matches
            .iter_mut()
            .for_each(|found| found.row += range.start);
        found_in.push(found.matches);
        Ok(())
    })?;
    // Rows that could not be read have no matches.
    let mut matches: Vec<&Match> = found_in.iter().flatten().collect();
    if let Some(problems) = &call.problems {
        matches.retain(|found| problems[found.row] == 0);
    }
    let columns = match &call.form {
        ArrayLibrary::Arrow(argument) => arrow_columns(argument, &matches)?,
        _ => numpy_columns(py, &matches)?,
    };
    Ok((
        PyTuple::new(py, columns)?,
        answer(call, Vec::new(), verdicts, reasons)?,
    ))
}

/// Returns the columns row, receiver, output, k, label and tweak.
fn numpy_columns<'py>(py: Python<'py>, matches: &[&Match]) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let tweaks = PyArray2::<u8>::zeros(py, [matches.len(), 32], false);
    for (found, row) in matches.iter().zip(
        tweaks
            .try_readwrite()?
            .as_slice_mut()?
            .as_chunks_mut::<32>()
            .0,
    ) {
        row.copy_from_slice(found.tweak.expose_bytes());
    }
    let matches = matches.iter();
    Ok(vec![
        PyArray1::from_iter(py, matches.clone().map(|found| found.row as u64)).into_any(),
        PyArray1::from_iter(py, matches.clone().map(|found| found.receiver as u32)).into_any(),
        PyArray1::from_iter(py, matches.clone().map(|found| found.output as u64)).into_any(),
        PyArray1::from_iter(py, matches.clone().map(|found| found.k)).into_any(),
        PyArray1::from_iter(py, matches.map(|found| found.label.map_or(-1, i64::from))).into_any(),
        tweaks.into_any(),
    ])
}

/// Returns Arrow columns, with null where there is no label.
fn arrow_columns<'py>(
    argument: &Bound<'py, PyAny>,
    matches: &[&Match],
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut tweaks = Vec::with_capacity(32 * matches.len());
    matches
        .iter()
        .for_each(|found| tweaks.extend_from_slice(found.tweak.expose_bytes()));
    let matches = matches.iter();
    let labels: Int64Array = matches
        .clone()
        .map(|found| found.label.map(i64::from))
        .collect();
    let columns: [ArrayRef; 6] = [
        Arc::new(UInt64Array::from_iter_values(
            matches.clone().map(|found| found.row as u64),
        )),
        Arc::new(UInt32Array::from_iter_values(
            matches.clone().map(|found| found.receiver as u32),
        )),
        Arc::new(UInt64Array::from_iter_values(
            matches.clone().map(|found| found.output as u64),
        )),
        Arc::new(UInt32Array::from_iter_values(matches.map(|found| found.k))),
        Arc::new(labels),
        Arc::new(FixedSizeBinaryArray::new(32, secret_buffer(tweaks), None)),
    ];
    columns
        .into_iter()
        .map(|column| arrow_output::like(argument, column))
        .collect()
}

/// Computes the tweak point of each transaction.
#[pyfunction]
pub fn index_silent_payments<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    outpoints: &Bound<'py, PyAny>,
    input_keys: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let engine = engine::of(py, engine)?;
    let mut call = Call::for_keys(py, CurveId::Secp256k1);
    let outpoints = call.rows(argument("outpoints", Field::Digest), 36, outpoints)?;
    let keys = call.keys(argument("input_keys", Field::PublicKey), input_keys)?;
    answer_rows(
        call,
        &engine,
        RowFormat::public,
        AnswerOptions { out, reasons },
        |range, rows, codes| {
            silent_payments::index_into(
                &engine,
                outpoints.rows::<36>(range.clone()),
                keys.part(range),
                rows,
                codes,
            )
        },
    )
}

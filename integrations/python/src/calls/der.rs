//! Signatures in DER.

use crate::input::{Call, argument};
use crate::output::{ResultColumn, RowFormat, answer};
use crate::pieces;
use gecc::{CurveId, Verdict, signature_from_der, signature_to_der};
use gecc_arrow::Field;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

/// Converts signatures in DER to rows of 64 bytes.
#[pyfunction]
pub fn signatures_from_der<'py>(
    py: Python<'py>,
    signatures: &Bound<'py, PyAny>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let mut call = Call::for_keys(py, CurveId::Secp256k1);
    let der = call.strings(argument("signatures", Field::Der), signatures)?;
    let mut rows = ResultColumn::of(&call, RowFormat::public(64))?;
    let mut output = ResultColumn::of(&call, RowFormat::number())?;
    for (item, (row, code)) in rows.rows::<64>().iter_mut().zip(output.bytes()).enumerate() {
        pieces::look_at_signals(py, item)?;
        // An unreadable value has a code that takes precedence over this one.
        match signature_from_der(der.get(item).unwrap_or_default()) {
            Ok(signature) => (*row, *code) = (signature, Verdict::VALID_CODE),
            Err(reason) => *code = reason.code(),
        }
    }
    answer(call, vec![rows], output, reasons)
}

/// Converts rows of 64 bytes to a list of signatures in DER.
#[pyfunction]
pub fn signatures_to_der<'py>(
    py: Python<'py>,
    signatures: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyList>> {
    let mut call = Call::for_keys(py, CurveId::Secp256k1);
    let column = call.rows(argument("signatures", Field::Signature), 64, signatures)?;
    if let Some(item) = call
        .problems
        .as_ref()
        .and_then(|problems| problems.iter().position(|code| *code != 0))
    {
        return Err(PyValueError::new_err(format!(
            "signatures: item {item} is not a signature of 64 bytes"
        )));
    }
    let items = call.items();
    let rows = column.rows::<64>(0..items);
    let list = PyList::empty(py);
    for item in 0..items {
        pieces::look_at_signals(py, item)?;
        list.append(PyBytes::new(py, &signature_to_der(rows.get(item))))?;
    }
    Ok(list)
}

//! Outputs of transactions, which are scanned for silent payments: lists of them, or a column with
//! offsets.

use super::{Argument, Call, RowColumn, argument, arrow};
use crate::errors::batch_exception;
use gecc::CurveId;
use gecc::silent_payments::Outputs;
use gecc_arrow::{Field, OutputLists};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// The outputs of rows.
pub enum OutputColumn {
    /// An Arrow column of lists.
    Lists(OutputLists),
    /// x-only keys, and the offset of each row's first key.
    Keys(Vec<u64>, RowColumn),
    /// The first eight bytes of keys, with the same offsets.
    Prefixes(Vec<u64>, Vec<u64>),
}

impl OutputColumn {
    /// Reads an Arrow column of lists; or, with offsets, rows of 32 bytes or an array of numbers.
    pub fn of(
        py: Python<'_>,
        value: &Bound<'_, PyAny>,
        offsets: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let outputs = argument("outputs", Field::Digest);
        let Some(offsets) = offsets else {
            return Self::of_lists(outputs, value);
        };
        let offsets = numbers(argument("offsets", Field::Digest), offsets)?;
        if let Ok(prefixes) = numbers(outputs, value) {
            return Ok(OutputColumn::Prefixes(offsets, prefixes));
        }
        let mut call = Call::for_keys(py, CurveId::Secp256k1);
        let keys = call.rows(outputs, 32, value)?;
        if call.problems.is_some() || keys.items().is_none() {
            return Err(PyValueError::new_err(
                "outputs: one is null, or has not 32 bytes",
            ));
        }
        Ok(OutputColumn::Keys(offsets, keys))
    }

    fn of_lists(argument: Argument, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Some((pieces, field)) = arrow::pieces(argument, value)? else {
            let text = "outputs: not an Arrow column of lists: give offsets with other arrays";
            return Err(PyTypeError::new_err(text));
        };
        let pieces: Vec<&dyn arrow_array::Array> =
            pieces.iter().map(|piece| piece.as_ref()).collect();
        let whole = match &pieces[..] {
            [] => arrow_array::new_empty_array(field.data_type()),
            pieces => arrow_select::concat::concat(pieces).map_err(batch_exception)?,
        };
        let lists = OutputLists::of(whole.as_ref()).map_err(batch_exception)?;
        if let Some(row) = (0..whole.len()).find(|row| lists.is_null(*row)) {
            let text = format!(
                "outputs: the list of row {row} is null; that of a row without outputs is empty"
            );
            return Err(PyValueError::new_err(text));
        }
        Ok(OutputColumn::Lists(lists))
    }

    /// Returns the outputs of `rows` rows.
    pub fn outputs(&self, rows: usize) -> PyResult<Outputs<'_>> {
        let outputs = match self {
            OutputColumn::Lists(lists) => lists.outputs(),
            OutputColumn::Keys(offsets, keys) => {
                Outputs::x_only(offsets, keys.rows::<32>(0..keys.items().unwrap_or(0)))
            }
            OutputColumn::Prefixes(offsets, prefixes) => Outputs::prefixes(offsets, prefixes),
        };
        let outputs =
            outputs.map_err(|problem| PyValueError::new_err(format!("outputs: {problem}")))?;
        if outputs.rows() != rows {
            let text = format!(
                "outputs: those of {} rows, where tweak_points has {rows}",
                outputs.rows()
            );
            return Err(PyValueError::new_err(text));
        }
        Ok(outputs)
    }
}

/// Reads the numbers of a numpy array. Negative ones are converted to their two's complement.
fn numbers(argument: Argument, value: &Bound<'_, PyAny>) -> PyResult<Vec<u64>> {
    if let Ok(array) = value.cast::<PyArray1<u64>>() {
        return Ok(array.try_readonly()?.as_array().to_vec());
    }
    if let Ok(array) = value.cast::<PyArray1<i64>>() {
        return Ok(array
            .try_readonly()?
            .as_array()
            .iter()
            .map(|number| number.cast_unsigned())
            .collect());
    }
    Err(PyTypeError::new_err(format!(
        "{}: not an array of uint64 or int64",
        argument.name
    )))
}

//! Recovery ids: integers, one byte each. They are ids, or v as in Ethereum.

use super::arrow::{self, Chunks};
use super::{Argument, ReadResult, RowColumn, array, some_problems};
use crate::memory::{self, MemoryOwner};
use crate::pieces;
use gecc::fields::SignatureReader;
use gecc_arrow::{CellProblem, Integers};
use numpy::{Element, PyArray1, PyArrayMethods, PyReadonlyArray1, PyUntypedArray};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyFloat;
use zeroize::Zeroizing;

/// The contents of [`ReadResult`].
type RowsAndProblems = (RowColumn, Option<Vec<u8>>);

/// The value for a missing id, which the engine rejects.
pub const NO_ID: u8 = u8::MAX;

/// Returns the id that a number represents.
fn id(number: impl TryInto<u128>, reader: SignatureReader) -> u8 {
    let v = number.try_into().ok();
    v.and_then(|v| reader.recovery_id_of_v(&v.to_be_bytes()))
        .unwrap_or(NO_ID)
}

/// Returns the id that each byte represents.
fn ids_of_bytes(reader: SignatureReader) -> [u8; 256] {
    std::array::from_fn(|byte| id(byte as u8, reader))
}

/// Creates one number for all items.
pub fn of_one(number: i128, reader: SignatureReader) -> RowColumn {
    RowColumn::of_copy(1, None, Zeroizing::new(vec![id(number, reader)]))
}

/// Reads a list of integers, or of `None`, which is null. A float with an integer value is
/// accepted, and NaN is null, as in pandas.
pub fn of_list(
    argument: Argument,
    items: &[Bound<'_, PyAny>],
    reader: SignatureReader,
) -> ReadResult<RowColumn> {
    let mut problems = memory::zeros(items.len(), 1)?;
    let mut ids = Zeroizing::new(memory::zeros(items.len(), 1)?);
    for (index, item) in items.iter().enumerate() {
        pieces::look_at_signals(item.py(), index)?;
        if item.is_none() {
            problems[index] = argument.role.code(CellProblem::Null);
            continue;
        }
        if let Ok(float) = item.cast::<PyFloat>() {
            match integer_of(float.value()) {
                Some(number) => ids[index] = id(number, reader),
                None => problems[index] = argument.role.code(CellProblem::Null),
            }
            continue;
        }
        let number = item.call_method0("__index__").map_err(|_| {
            PyTypeError::new_err(format!("{}[{index}]: not an integer", argument.name))
        })?;
        // A number that does not fit in an i128 is out of range, too.
        ids[index] = number
            .extract::<i128>()
            .map_or(NO_ID, |number| id(number, reader));
    }
    Ok((
        RowColumn::of_copy(1, Some(items.len()), ids),
        some_problems(problems),
    ))
}

/// Reads integers or booleans of an Arrow array.
pub fn of_arrow(
    argument: Argument,
    chunks: &Chunks,
    reader: SignatureReader,
) -> ReadResult<RowColumn> {
    if !Integers::are_of(&chunks.data_type) {
        let text = format!(
            "{}: an Arrow array of {}, not of integers or booleans",
            argument.name, chunks.data_type
        );
        return Err(PyTypeError::new_err(text));
    }
    let items = arrow::items(chunks);
    let mut ids = Zeroizing::new(memory::room(items)?);
    for piece in &chunks.pieces {
        let integers = Integers::of(piece.as_ref());
        ids.extend(
            (0..piece.len())
                .map(|row| integers.get(row).map_or(NO_ID, |number| id(number, reader))),
        );
    }
    Ok((
        RowColumn::of_copy(1, Some(items), ids),
        arrow::nulls(argument, chunks)?,
    ))
}

/// Reads the bytes of an array: borrowed if all of them are ids, otherwise copied.
pub fn of_array(
    argument: Argument,
    bytes: &array::Bytes<'_>,
    reader: SignatureReader,
) -> PyResult<RowColumn> {
    let column = RowColumn::of_array(argument, 1, bytes)?;
    let rows = column.rows::<1>(0..column.different());
    let ids = ids_of_bytes(reader);
    let are_ids = (0..column.different()).all(|item| {
        let [byte] = *rows.get(item);
        byte == ids[usize::from(byte)]
    });
    if are_ids {
        Ok(column)
    } else {
        of_bytes(&column, reader)
    }
}

/// Copies bytes, converted to ids.
fn of_bytes(column: &RowColumn, reader: SignatureReader) -> PyResult<RowColumn> {
    let rows = column.rows::<1>(0..column.different());
    let of_bytes = ids_of_bytes(reader);
    let mut ids = Zeroizing::new(memory::room(column.different())?);
    ids.extend((0..column.different()).map(|item| of_bytes[usize::from(rows.get(item)[0])]));
    let rows = array::Rows {
        data: ids.as_ptr(),
        stride: column.stride().min(1),
        keep: MemoryOwner::Copy(ids),
    };
    Ok(RowColumn::of_rows(1, column.items(), rows))
}

/// Reads integers or booleans of a numpy array; `None` if the value is not such an array, or has
/// bytes.
pub fn of_integers(
    argument: Argument,
    value: &Bound<'_, PyAny>,
    reader: SignatureReader,
) -> PyResult<Option<RowColumn>> {
    // Values hidden by a mask must not be read.
    if !value.is_instance_of::<PyUntypedArray>() || value.hasattr("mask")? {
        return Ok(None);
    }
    let read = [
        of_kind::<i64>,
        of_kind::<i32>,
        of_kind::<i16>,
        of_kind::<i8>,
    ];
    let more = [
        of_kind::<u64>,
        of_kind::<u32>,
        of_kind::<u16>,
        of_kind::<bool>,
    ];
    read.into_iter()
        .chain(more)
        .find_map(|read| read(argument, value, reader).transpose())
        .transpose()
}

/// Reads floating-point numbers of an array that are integers, as pandas stores them if other
/// values of the column are missing; NaN is null.
pub fn of_floats(
    argument: Argument,
    value: &Bound<'_, PyAny>,
    reader: SignatureReader,
) -> PyResult<Option<RowsAndProblems>> {
    if !value.is_instance_of::<PyUntypedArray>() || value.hasattr("mask")? {
        return Ok(None);
    }
    let Ok(array) = value.cast::<PyArray1<f64>>() else {
        return Ok(None);
    };
    let array = read_only(argument, array)?;
    let numbers = array.as_array();
    let mut ids = Zeroizing::new(memory::room(numbers.len())?);
    let mut problems = memory::zeros(numbers.len(), 1)?;
    for (number, problem) in numbers.iter().zip(&mut problems) {
        match integer_of(*number) {
            Some(number) => ids.push(id(number, reader)),
            None => {
                ids.push(NO_ID);
                *problem = argument.role.code(CellProblem::Null);
            }
        }
    }
    Ok(Some((
        RowColumn::of_copy(1, Some(numbers.len()), ids),
        some_problems(problems),
    )))
}

/// Converts a float to an integer: one that is not a valid v if it has a fraction, or is so large
/// that the next integer has the same representation. `None` for NaN.
fn integer_of(float: f64) -> Option<i128> {
    const EXACT: f64 = (1_u64 << 53) as f64;
    let is_integer = float.fract() == 0.0 && float.abs() < EXACT;
    (!float.is_nan()).then_some(if is_integer { float as i128 } else { -1 })
}

/// Borrows an array.
///
/// # Errors
/// `ValueError` if it is being written to.
fn read_only<'py, T: Element>(
    argument: Argument,
    array: &Bound<'py, PyArray1<T>>,
) -> PyResult<PyReadonlyArray1<'py, T>> {
    array
        .try_readonly()
        .map_err(|problem| PyValueError::new_err(format!("{}: {problem}", argument.name)))
}

fn of_kind<T: Element + Copy + TryInto<u128>>(
    argument: Argument,
    value: &Bound<'_, PyAny>,
    reader: SignatureReader,
) -> PyResult<Option<RowColumn>> {
    let Ok(array) = value.cast::<PyArray1<T>>() else {
        return Ok(None);
    };
    let array = read_only(argument, array)?;
    let numbers = array.as_array();
    let mut ids = Zeroizing::new(memory::room(numbers.len())?);
    ids.extend(numbers.iter().map(|number| id(*number, reader)));
    Ok(Some(RowColumn::of_copy(1, Some(numbers.len()), ids)))
}

//! Recovery ids: integers, one byte each. They are ids, or v as Ethereum has it.

use super::arrow::{self, Chunks};
use super::keep::Keep;
use super::{Argument, Column, Read, array, some_problems};
use crate::{memory, pieces};
use gecc::ecdsa::recovery_id_of_v;
use gecc_arrow::{CellProblem, Integers, holds_integers};
use numpy::{Element, PyArray1, PyArrayMethods, PyUntypedArray};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use zeroize::Zeroizing;

/// In place of an id where there is none: the engine rejects it.
pub const NO_ID: u8 = u8::MAX;

/// The id that a number stands for.
pub fn id(number: impl TryInto<u128>) -> u8 {
    let v = number.try_into().ok();
    v.and_then(|v| recovery_id_of_v(&v.to_be_bytes())).unwrap_or(NO_ID)
}

/// The ids that bytes stand for.
fn ids_of_bytes() -> [u8; 256] {
    std::array::from_fn(|byte| id(byte as u8))
}

/// One number for all items.
pub fn of_one(number: i128) -> Column {
    Column::of_copy(1, None, Zeroizing::new(vec![id(number)]))
}

/// Integers of a list, or `None`, which is null.
pub fn of_list(argument: Argument, items: &[Bound<'_, PyAny>]) -> Read<Column> {
    let mut problems = memory::zeros(items.len(), 1)?;
    let mut ids = Zeroizing::new(memory::zeros(items.len(), 1)?);
    for (index, item) in items.iter().enumerate() {
        pieces::look_at_signals(item.py(), index)?;
        if item.is_none() {
            problems[index] = argument.role.code(CellProblem::Null);
            continue;
        }
        let number = item
            .call_method0("__index__")
            .map_err(|_| PyTypeError::new_err(format!("{}[{index}]: not an integer", argument.name)))?;
        // One that no i128 holds is out of range, too.
        ids[index] = number.extract::<i128>().map_or(NO_ID, id);
    }
    Ok((Column::of_copy(1, Some(items.len()), ids), some_problems(problems)))
}

/// Integers or booleans of an Arrow array.
pub fn of_arrow(argument: Argument, chunks: &Chunks) -> Read<Column> {
    if !holds_integers(&chunks.data_type) {
        let text = format!("{}: an Arrow array of {}, not of integers or booleans", argument.name, chunks.data_type);
        return Err(PyTypeError::new_err(text));
    }
    let items = arrow::items(chunks);
    let mut ids = Zeroizing::new(memory::room(items)?);
    for piece in &chunks.pieces {
        let integers = Integers::of(piece.as_ref());
        ids.extend((0..piece.len()).map(|row| integers.get(row).map_or(NO_ID, id)));
    }
    Ok((Column::of_copy(1, Some(items), ids), arrow::nulls(argument, chunks)?))
}

/// Bytes of an array: borrowed where all of them are ids, else copied.
pub fn of_array(argument: Argument, bytes: &array::Bytes<'_>) -> PyResult<Column> {
    let column = Column::of_array(argument, 1, bytes)?;
    let rows = column.rows::<1>(0..column.different());
    let ids = ids_of_bytes();
    let is_id = |item| rows.get(item)[0] == ids[usize::from(rows.get(item)[0])];
    if (0..column.different()).all(is_id) { Ok(column) } else { of_last_bytes::<1>(&column) }
}

/// Copies of the last byte of each row: of signatures of 65 bytes what is behind them.
pub fn of_last_bytes<const W: usize>(column: &Column) -> PyResult<Column> {
    let (rows, of_bytes) = (column.rows::<W>(0..column.different()), ids_of_bytes());
    let mut ids = Zeroizing::new(memory::room(column.different())?);
    ids.extend((0..column.different()).map(|item| of_bytes[usize::from(rows.get(item)[W - 1])]));
    let rows = array::Rows { data: ids.as_ptr(), stride: column.stride().min(1), keep: Keep::Copy(ids) };
    Ok(Column::of_rows(1, column.items(), rows))
}

/// Integers of an array of numpy, or its truth values; `None` for what is no such array, or has bytes.
pub fn of_integers(argument: Argument, value: &Bound<'_, PyAny>) -> PyResult<Option<Column>> {
    // What a mask hides must not be read.
    if !value.is_instance_of::<PyUntypedArray>() || value.hasattr("mask")? {
        return Ok(None);
    }
    let read = [of_kind::<i64>, of_kind::<i32>, of_kind::<i16>, of_kind::<i8>];
    let more = [of_kind::<u64>, of_kind::<u32>, of_kind::<u16>, of_kind::<bool>];
    read.into_iter().chain(more).find_map(|read| read(argument, value).transpose()).transpose()
}

fn of_kind<T: Element + Copy + TryInto<u128>>(
    argument: Argument,
    value: &Bound<'_, PyAny>,
) -> PyResult<Option<Column>> {
    let Ok(array) = value.cast::<PyArray1<T>>() else { return Ok(None) };
    let wrong = |problem| PyValueError::new_err(format!("{}: {problem}", argument.name));
    let array = array.try_readonly().map_err(wrong)?;
    let numbers = array.as_array();
    let mut ids = Zeroizing::new(memory::room(numbers.len())?);
    ids.extend(numbers.iter().map(|number| id(*number)));
    Ok(Some(Column::of_copy(1, Some(numbers.len()), ids)))
}

//! Classification of an argument before it is read as a column.

use super::strings::hexadecimal;
use super::{Argument, array, arrow, named_key};
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};
use zeroize::Zeroizing;

/// A Python value.
pub enum ArgumentValue<'py> {
    /// One or more pieces of an Arrow array.
    Arrow(arrow::Chunks),
    /// A list or tuple, with an object for each item.
    List(Vec<Bound<'py, PyAny>>),
    /// Bytes in one, two or more dimensions.
    Array(array::Bytes<'py>),
    /// One row for all items, from a hexadecimal string or a key in a format that states its curve.
    Row(Zeroizing<Vec<u8>>),
}

impl<'py> ArgumentValue<'py> {
    pub fn of(argument: Argument, value: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Some(chunks) = arrow::chunks(argument, value)? {
            return Ok(ArgumentValue::Arrow(chunks));
        }
        if let Some(key) = named_key::of_one(argument, value)? {
            return Ok(ArgumentValue::Row(key));
        }
        if let Ok(text) = value.cast::<PyString>() {
            let Some(row) = text.to_cow().ok().and_then(|text| hexadecimal(&text).ok()) else {
                return Err(PyValueError::new_err(format!(
                    "{}: a text that is not hexadecimal",
                    argument.name
                )));
            };
            return Ok(ArgumentValue::Row(row));
        }
        let list = match value.cast::<PyUntypedArray>() {
            Ok(array) => list_of(argument, array)?,
            Err(_) => value.clone(),
        };
        if list.is_instance_of::<PyList>() || list.is_instance_of::<PyTuple>() {
            return Ok(ArgumentValue::List(
                list.try_iter()?.collect::<PyResult<_>>()?,
            ));
        }
        Ok(ArgumentValue::Array(array::Bytes::of(argument, value)?))
    }
}

/// Converts an array of objects or strings to a list. Other arrays are returned unchanged.
fn list_of<'py>(
    argument: Argument,
    array: &Bound<'py, PyUntypedArray>,
) -> PyResult<Bound<'py, PyAny>> {
    // numpy's byte strings drop zeros at their end.
    if array.dtype().kind() == b'S' {
        let text = "an array of numpy's byte strings, which drop zeros at their end: take dtype=object, uint8, or a list";
        return Err(PyTypeError::new_err(format!("{}: {text}", argument.name)));
    }
    let holds_items = matches!(array.dtype().kind(), b'O' | b'U') && array.ndim() == 1;
    // Values hidden by a mask must not be read.
    if holds_items && !array.hasattr("mask")? {
        array.call_method0("tolist")
    } else {
        Ok(array.clone().into_any())
    }
}

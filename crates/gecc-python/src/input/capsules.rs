//! Arrow's C interface as Python has it: capsules, of which each gives what it has once.

use super::Argument;
use arrow_array::ArrayRef;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_schema::FieldRef;
use gecc_arrow::check_imported;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use pyo3_arrow::input::AnyArray;
use pyo3_arrow::{PyArray, PyArrayReader};
use std::ffi::CStr;

/// The pieces of an array, and its type; `None` of an object without the interface.
///
/// # Errors
/// `ValueError` where it gives what is used up, or what leads out of its own memory.
pub fn pieces(argument: Argument, value: &Bound<'_, PyAny>) -> PyResult<Option<(Vec<ArrayRef>, FieldRef)>> {
    let value = &with_buffers(value)?;
    let array = if let Some(method) = value.getattr_opt("__arrow_c_array__")? {
        AnyArray::Array(array(argument, &method.call0()?)?)
    } else if let Some(method) = value.getattr_opt("__arrow_c_stream__")? {
        AnyArray::Stream(stream(argument, &method.call0()?)?)
    } else {
        return Ok(None);
    };
    let (pieces, field) = array.into_chunked_array()?.into_inner();
    let checked = value.py().detach(|| pieces.iter().try_for_each(|piece| check_imported(piece.as_ref())));
    checked.map_err(|problem| PyValueError::new_err(format!("{}: {problem}", argument.name)))?;
    Ok(Some((pieces, field)))
}

/// What is of pyarrow, of which pyarrow has compared lengths with its buffers, whose own lengths the interface does not
/// pass on. pyarrow does so when it is asked, not when it reads a file. Others as they are.
fn with_buffers<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if !value.get_type().module()?.to_string().starts_with("pyarrow") {
        return Ok(value.clone());
    }
    let read = value.getattr_opt("read_all")?.map_or_else(|| Ok(value.clone()), |read_all| read_all.call0())?;
    if let Some(validate) = read.getattr_opt("validate")? {
        validate.call0()?;
    }
    Ok(read)
}

fn array(argument: Argument, given: &Bound<'_, PyAny>) -> PyResult<PyArray> {
    let pair = given.cast::<PyTuple>().ok().filter(|pair| pair.len() == 2);
    let item = |place| pair?.get_item(place).ok()?.cast_into::<PyCapsule>().ok();
    let (Some(schema), Some(array)) = (item(0), item(1)) else { return Err(wrong(argument, "two capsules")) };
    let is_used = held(&schema, c"arrow_schema", |schema: &FFI_ArrowSchema| schema.release.is_none())?
        || held(&array, c"arrow_array", FFI_ArrowArray::is_released)?;
    require_unused(argument, is_used)?;
    PyArray::from_arrow_pycapsule(&schema, &array)
}

fn stream(argument: Argument, given: &Bound<'_, PyAny>) -> PyResult<PyArrayReader> {
    let stream = given.cast::<PyCapsule>().map_err(|_| wrong(argument, "a capsule"))?;
    let is_used = |stream: &FFI_ArrowArrayStream| stream.release.is_none();
    require_unused(argument, held(stream, c"arrow_array_stream", is_used)?)?;
    PyArrayReader::from_arrow_pycapsule(stream)
}

/// What is asked of the struct that a capsule of this name holds.
fn held<T>(capsule: &Bound<'_, PyCapsule>, name: &CStr, ask: impl FnOnce(&T) -> bool) -> PyResult<bool> {
    let held = capsule.pointer_checked(Some(name))?.cast::<T>();
    // SAFETY: by the interface's convention a capsule of this name holds such a struct, as long as the capsule lives.
    Ok(ask(unsafe { held.as_ref() }))
}

fn require_unused(argument: Argument, is_used: bool) -> PyResult<()> {
    if is_used {
        let text = "the object gives a capsule of Arrow again that has been used, and is empty";
        return Err(PyValueError::new_err(format!("{}: {text}", argument.name)));
    }
    Ok(())
}

fn wrong(argument: Argument, expected: &str) -> PyErr {
    PyTypeError::new_err(format!(
        "{}: the object's method for Arrow's C interface does not give {expected}",
        argument.name
    ))
}

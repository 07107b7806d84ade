//! Arrow's C interface in Python: capsules that contain its structs, each of which can be consumed
//! once.

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, make_array};
use arrow_schema::{ArrowError, Field};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use std::ffi::{CStr, c_int};
use std::ptr::NonNull;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// A struct of the interface.
trait CapsuleContents {
    /// The name of its capsules.
    const CAPSULE: &CStr;

    /// Returns whether the contents have been moved out.
    fn is_used(&self) -> bool;
}

impl CapsuleContents for FFI_ArrowSchema {
    const CAPSULE: &CStr = SCHEMA;

    fn is_used(&self) -> bool {
        self.release.is_none()
    }
}

impl CapsuleContents for FFI_ArrowArray {
    const CAPSULE: &CStr = ARRAY;

    fn is_used(&self) -> bool {
        self.is_released()
    }
}

impl CapsuleContents for FFI_ArrowArrayStream {
    const CAPSULE: &CStr = STREAM;

    fn is_used(&self) -> bool {
        self.release.is_none()
    }
}

/// Imports the array that an object's `__arrow_c_array__` returned for an argument, and its type.
/// References into its memory are not checked.
///
/// # Errors
/// `ValueError` if it was consumed before, `TypeError` if such a method cannot return this.
pub fn array(argument: &str, given: &Bound<'_, PyAny>) -> PyResult<(ArrayRef, Field)> {
    let Ok((schema, array)) = given.extract::<(Bound<'_, PyCapsule>, Bound<'_, PyCapsule>)>()
    else {
        return Err(other_than(argument, "two capsules"));
    };
    let schema_at = held::<FFI_ArrowSchema>(argument, &schema)?;
    let array_at = held(argument, &array)?;
    // SAFETY: both capsules are alive, and `held` has checked their contents. The array is moved
    // out, so that it is not released twice.
    let (schema, array) = unsafe {
        (
            schema_at.as_ref(),
            FFI_ArrowArray::from_raw(array_at.as_ptr()),
        )
    };
    let field = Field::try_from(schema).map_err(|problem| unreadable(argument, &problem))?;
    let array = imported(array, &field).map_err(|problem| unreadable(argument, &problem))?;
    Ok((array, field))
}

/// Imports the arrays of the stream that an object's `__arrow_c_stream__` returned, and their type.
/// Errors are as for [`array`].
pub fn stream(argument: &str, given: &Bound<'_, PyAny>) -> PyResult<(Vec<ArrayRef>, Field)> {
    let capsule = given
        .cast::<PyCapsule>()
        .map_err(|_| other_than(argument, "a capsule"))?;
    let held = held(argument, capsule)?;
    // SAFETY: the capsule is alive, and `held` has checked its contents. The stream is moved out,
    // so that it is not released twice.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(held.as_ptr()) };
    // The producer of batches may run Python in other threads, and wait for them.
    given
        .py()
        .detach(|| read(stream))
        .map_err(|problem| unreadable(argument, &problem))
}

/// Returns the capsules of an array and of its type, like `__arrow_c_array__`. Its memory is not
/// copied.
pub fn pair<'py>(
    py: Python<'py>,
    array: &dyn Array,
    field: &Field,
) -> PyResult<Bound<'py, PyTuple>> {
    let schema = FFI_ArrowSchema::try_from(field)
        .map_err(|problem| PyValueError::new_err(problem.to_string()))?;
    let schema = PyCapsule::new_with_value(py, schema, SCHEMA)?;
    let array = PyCapsule::new_with_value(py, FFI_ArrowArray::new(&array.to_data()), ARRAY)?;
    PyTuple::new(py, [schema, array])
}

/// Returns the contents of a capsule that was not consumed before.
fn held<T: CapsuleContents>(
    argument: &str,
    capsule: &Bound<'_, PyCapsule>,
) -> PyResult<NonNull<T>> {
    let held = capsule.pointer_checked(Some(T::CAPSULE))?.cast::<T>();
    // SAFETY: by the interface's convention, a capsule of this name contains such a struct as long
    // as it is alive.
    if unsafe { held.as_ref() }.is_used() {
        let text = "the object gives a capsule of Arrow again that has been used, and is empty";
        return Err(PyValueError::new_err(format!("{argument}: {text}")));
    }
    Ok(held)
}

fn read(mut stream: FFI_ArrowArrayStream) -> Result<(Vec<ArrayRef>, Field), ArrowError> {
    let (Some(get_schema), Some(get_next)) = (stream.get_schema, stream.get_next) else {
        return Err(ArrowError::CDataInterface(
            "a stream without its functions".to_owned(),
        ));
    };
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the functions belong to the stream, which is not released; they write the requested
    // struct or fail.
    let code = unsafe { get_schema(&mut stream, &mut schema) };
    succeeded(&mut stream, code)?;
    let field = Field::try_from(&schema)?;
    let mut arrays = Vec::new();
    loop {
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: as above.
        let code = unsafe { get_next(&mut stream, &mut array) };
        succeeded(&mut stream, code)?;
        // A stream marks its end with a released array.
        if array.is_released() {
            return Ok((arrays, field));
        }
        arrays.push(imported(array, &field)?);
    }
}

/// Returns the stream's error message if its function returned a code other than 0.
fn succeeded(stream: &mut FFI_ArrowArrayStream, code: c_int) -> Result<(), ArrowError> {
    if code == 0 {
        return Ok(());
    }
    // SAFETY: the function belongs to the stream, whose last call failed. It returns null or a
    // zero-terminated string.
    let words = stream.get_last_error.and_then(|get_last_error| unsafe {
        let words = get_last_error(stream);
        (!words.is_null()).then(|| CStr::from_ptr(words).to_string_lossy().into_owned())
    });
    Err(ArrowError::CDataInterface(words.unwrap_or_else(|| {
        format!("the stream fails with error {code}")
    })))
}

fn imported(array: FFI_ArrowArray, field: &Field) -> Result<ArrayRef, ArrowError> {
    // SAFETY: the interface requires that arrays have the layout of their type. References outside
    // their memory are detected by `gecc_arrow::check_imported`, before anything is read.
    unsafe { from_ffi_and_data_type(array, field.data_type().clone()) }.map(make_array)
}

fn other_than(argument: &str, expected: &str) -> PyErr {
    PyTypeError::new_err(format!(
        "{argument}: the object's method for Arrow's C interface does not give {expected}"
    ))
}

fn unreadable(argument: &str, problem: &ArrowError) -> PyErr {
    PyValueError::new_err(format!("{argument}: {problem}"))
}

//! numpy arrays in page-locked memory for GPUs.

use crate::errors::exception;
use crate::memory;
use gecc::{Engine, Error, PageLocked};
use numpy::PyArray2;
use numpy::ndarray::ArrayView2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use zeroize::Zeroize;

/// The owner of an array's memory. It is wiped at the end, because it may have held secrets.
#[pyclass(frozen)]
struct Memory(PageLocked<u8>);

impl Drop for Memory {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// Returns an array of zeros, which is page-locked if there is a GPU and the driver permits it.
pub fn zeros<'py>(
    py: Python<'py>,
    engine: &Engine,
    (rows, width): (usize, usize),
) -> PyResult<Bound<'py, PyArray2<u8>>> {
    let bytes = rows
        .checked_mul(width)
        .ok_or_else(|| memory::too_large(rows, width))?;
    // An array without elements still has a length in its other dimension.
    if isize::try_from(rows.max(width)).is_err() {
        return Err(PyValueError::new_err(format!(
            "shape: no array has {rows} rows of {width} bytes"
        )));
    }
    let memory = py.detach(|| engine.page_locked_zeros(bytes));
    let mut memory = memory.map_err(|error| match error {
        Error::OutOfMemory { .. } => memory::too_large(rows, width),
        error => exception(error),
    })?;
    let start = memory.as_mut_ptr();
    let owner = Bound::new(py, Memory(memory))?.into_any();
    // SAFETY: the vector has this number of bytes, and is neither modified nor reallocated before
    // the owner is dropped. The view ends here, and the array keeps the owner.
    Ok(unsafe {
        PyArray2::borrow_from_array(&ArrayView2::from_shape_ptr((rows, width), start), owner)
    })
}

//! Owners of arguments' memory, and allocation of memory whose size depends on arguments. If there
//! is not enough, an error is returned, where `Vec` would abort the process.

use arrow_array::ArrayRef;
use pyo3::PyErr;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use std::alloc::{self, Layout};
use zeroize::Zeroizing;

/// An owner of memory, which does not move as long as this lives.
#[allow(dead_code, reason = "an owner is there to be dropped")]
pub enum MemoryOwner {
    /// A numpy array or `bytes`. The caller guarantees that no one writes to it while a call runs.
    Python(Py<PyAny>),
    Arrow(ArrayRef),
    /// A copy, which is wiped because it may contain secrets.
    Copy(Zeroizing<Vec<u8>>),
}

pub fn too_large(items: usize, width: usize) -> PyErr {
    PyMemoryError::new_err(format!("no memory for {items} items of {width} bytes"))
}

/// Allocates rows of zeros. The system provides the memory when it is first written to.
pub fn zeros(items: usize, width: usize) -> PyResult<Vec<u8>> {
    let layout = items
        .checked_mul(width)
        .and_then(|bytes| Layout::array::<u8>(bytes).ok());
    let layout = layout.ok_or_else(|| too_large(items, width))?;
    if layout.size() == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: the size is not zero.
    let start = unsafe { alloc::alloc_zeroed(layout) };
    if start.is_null() {
        return Err(too_large(items, width));
    }
    // SAFETY: the global allocator returned this number of bytes, which are zeros.
    Ok(unsafe { Vec::from_raw_parts(start, layout.size(), layout.size()) })
}

/// Creates a vector with capacity for one value per item.
pub fn room<T>(items: usize) -> PyResult<Vec<T>> {
    let mut vector = Vec::new();
    vector
        .try_reserve_exact(items)
        .map_err(|_| too_large(items, size_of::<T>()))?;
    Ok(vector)
}

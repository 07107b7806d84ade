//! Arrays of bytes: those of numpy, and objects with the buffer protocol, which numpy reads.

use super::Argument;
use crate::memory::{self, MemoryOwner};
use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::slice;
use zeroize::Zeroizing;

/// An array of bytes in any number of dimensions.
pub struct Bytes<'py>(Bound<'py, PyArrayDyn<u8>>);

/// Rows in an array: borrowed if the bytes of each row are contiguous.
pub struct Rows {
    pub data: *const u8,
    /// 0 if all rows are the same memory.
    pub stride: usize,
    pub keep: MemoryOwner,
}

impl<'py> Bytes<'py> {
    /// Reads an array, or bytes with the buffer protocol.
    pub fn of(argument: Argument, value: &Bound<'py, PyAny>) -> PyResult<Self> {
        let py = value.py();
        let array = if value.is_instance_of::<PyUntypedArray>() {
            value.clone()
        } else {
            let view = py
                .import("builtins")?
                .getattr("memoryview")?
                .call1((value,))
                .map_err(|_| argument.kind(value))?;
            py.import("numpy")?
                .call_method1("asarray", (view,))
                .map_err(|_| argument.kind(value))?
        };
        // Values hidden by a mask must not be read.
        if array.hasattr("mask")? {
            return Err(argument.kind(value));
        }
        match array.cast::<PyArrayDyn<u8>>() {
            Ok(bytes) => Ok(Bytes(bytes.clone())),
            Err(_) => {
                let found = array.getattr("dtype")?;
                Err(PyTypeError::new_err(format!(
                    "{}: an array of {found}, not of uint8",
                    argument.name
                )))
            }
        }
    }

    pub fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    /// Returns the shape in Python's notation, for errors.
    pub fn shape_text(&self) -> String {
        let lengths: Vec<String> = self.shape().iter().map(usize::to_string).collect();
        let comma = if lengths.len() == 1 { "," } else { "" };
        format!("an array of shape ({}{comma})", lengths.join(", "))
    }

    /// Returns the array's rows of `width` bytes, from two dimensions or from one that contains all
    /// rows. Its shape has been checked.
    ///
    /// # Errors
    /// `MemoryError` if rows have to be copied and there is not enough memory, `ValueError` if
    /// strides exceed the address space.
    pub fn rows(&self, argument: Argument, items: usize, width: usize) -> PyResult<Rows> {
        let data = self.0.data().cast_const();
        let (row_stride, byte_stride) = match *self.0.strides() {
            [rows, bytes] => (rows, bytes),
            [bytes] => (bytes.saturating_mul(width as isize), bytes),
            _ => unreachable!("one dimension or two"),
        };
        require_within_memory(argument, [(items, row_stride), (width, byte_stride)])?;
        let bytes_are_together = byte_stride == 1 || width == 1;
        // For one row, numpy's stride may have any value.
        let row_stride = if items == 1 {
            width as isize
        } else {
            row_stride
        };
        match usize::try_from(row_stride) {
            Ok(stride) if bytes_are_together && (stride >= width || stride == 0) => Ok(Rows {
                data,
                stride,
                keep: MemoryOwner::Python(self.0.clone().into_any().unbind()),
            }),
            _ => copied(data, items, width, row_stride, byte_stride),
        }
    }

    /// Returns the bytes of a one-dimensional array, if they are contiguous.
    pub fn as_slice(&self) -> Option<&[u8]> {
        if self.shape() == [0] {
            return Some(&[]);
        }
        let is_flat = self.shape().len() == 1 && (self.0.strides() == [1] || self.shape()[0] == 1);
        // SAFETY: the array has this number of contiguous bytes. The caller guarantees that no one
        // writes to them meanwhile.
        is_flat.then(|| unsafe { slice::from_raw_parts(self.0.data(), self.shape()[0]) })
    }
}

/// Checks that the offset of every byte is representable, for these numbers and lengths of steps.
fn require_within_memory(argument: Argument, steps: [(usize, isize); 2]) -> PyResult<()> {
    let [rows, bytes] =
        steps.map(|(count, stride)| count.saturating_sub(1).checked_mul(stride.unsigned_abs()));
    let span = rows
        .zip(bytes)
        .and_then(|(rows, bytes)| rows.checked_add(bytes));
    if span.is_none_or(|span| span >= isize::MAX as usize) {
        return Err(PyValueError::new_err(format!(
            "{}: an array whose strides lead out of memory",
            argument.name
        )));
    }
    Ok(())
}

/// Copies rows with any strides into contiguous rows.
fn copied(
    data: *const u8,
    items: usize,
    width: usize,
    row_stride: isize,
    byte_stride: isize,
) -> PyResult<Rows> {
    let mut copy = Zeroizing::new(memory::zeros(items, width)?);
    for (row, bytes) in copy.chunks_exact_mut(width).enumerate() {
        for (place, byte) in bytes.iter_mut().enumerate() {
            let offset = row as isize * row_stride + place as isize * byte_stride;
            // SAFETY: the array has an element there, according to its shape and strides.
            *byte = unsafe { data.offset(offset).read() };
        }
    }
    Ok(Rows {
        data: copy.as_ptr(),
        stride: width,
        keep: MemoryOwner::Copy(copy),
    })
}

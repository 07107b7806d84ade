//! Results: memory that the engine writes, and arrays made of it.

use crate::arrow_output;
use crate::input::Call;
use arrow_array::{ArrayRef, BooleanArray, FixedSizeBinaryArray, UInt8Array};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use gecc::Verdict;
use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::ptr::NonNull;
use std::slice;
use std::sync::Arc;
use zeroize::{Zeroize, Zeroizing};

/// What results are: rows of some width, which may be secrets.
#[derive(Clone, Copy)]
pub struct Kind {
    pub width: usize,
    pub is_secret: bool,
}

impl Kind {
    pub fn public(width: usize) -> Self {
        Kind { width, is_secret: false }
    }

    pub fn secret(width: usize) -> Self {
        Kind { width, is_secret: true }
    }
}

/// A column of results that a call writes.
pub struct Output<'py> {
    kind: Kind,
    memory: Memory<'py>,
}

enum Memory<'py> {
    /// An array that nobody else has seen so far.
    Numpy(Bound<'py, PyArrayDyn<u8>>),
    /// What becomes an Arrow array, wiped if it does not.
    Arrow(Zeroizing<Vec<u8>>),
}

/// Memory of zeros in an array of numpy.
pub fn zeros<'py>(py: Python<'py>, items: usize, width: usize) -> PyResult<Bound<'py, PyArrayDyn<u8>>> {
    let zeros = py.import("numpy")?.getattr("zeros")?;
    let array = if width == 1 { zeros.call1((items, "uint8")) } else { zeros.call1(((items, width), "uint8")) }?;
    Ok(array.cast_into::<PyArrayDyn<u8>>()?)
}

/// Bytes of an array that `zeros` has made and nobody else has seen.
pub fn bytes_of<'a>(array: &'a mut Bound<'_, PyArrayDyn<u8>>) -> &'a mut [u8] {
    // SAFETY: all elements of such an array lie one after the other, and there is no other reference to it.
    unsafe { slice::from_raw_parts_mut(array.data(), PyUntypedArrayMethods::len(array)) }
}

impl<'py> Output<'py> {
    /// Memory for the results of a call, of Arrow where an argument is.
    pub fn of(call: &Call<'py>, kind: Kind) -> PyResult<Self> {
        let items = call.items();
        let memory = match call.arrow {
            None => Memory::Numpy(zeros(call.py, items, kind.width)?),
            Some(_) => Memory::Arrow(Zeroizing::new(vec![0; items * kind.width])),
        };
        Ok(Output { kind, memory })
    }

    pub fn bytes(&mut self) -> &mut [u8] {
        match &mut self.memory {
            Memory::Numpy(array) => bytes_of(array),
            Memory::Arrow(bytes) => bytes,
        }
    }

    /// # Panics
    /// When results have another width.
    pub fn rows<const W: usize>(&mut self) -> &mut [[u8; W]] {
        assert_eq!(self.kind.width, W, "rows of this width");
        self.bytes().as_chunks_mut().0
    }

    /// Makes the rows of rejected items zeros.
    fn clear_rejected(&mut self, codes: &[u8]) {
        let width = self.kind.width;
        for (row, code) in self.bytes().chunks_exact_mut(width).zip(codes) {
            if *code != Verdict::VALID_CODE {
                row.zeroize();
            }
        }
    }
}

/// A column of Arrow, null where an item is rejected. The memory of secrets is wiped when the last array that holds it is dropped.
fn arrow_rows(kind: Kind, mut bytes: Zeroizing<Vec<u8>>, nulls: Option<NullBuffer>) -> ArrayRef {
    if kind.width == 1 {
        return Arc::new(UInt8Array::new(std::mem::take(&mut *bytes).into(), nulls));
    }
    let buffer = if kind.is_secret {
        let (start, length) = (NonNull::from(bytes.as_slice()).cast::<u8>(), bytes.len());
        // SAFETY: the owner holds the vector, whose memory stays where it is until the owner is dropped, and nothing changes it
        // meanwhile.
        unsafe { Buffer::from_custom_allocation(start, length, Arc::new(bytes)) }
    } else {
        Buffer::from_vec(std::mem::take(&mut *bytes))
    };
    Arc::new(FixedSizeBinaryArray::new(kind.width as i32, buffer, nulls))
}

/// Bits that say which items passed.
fn passed(codes: &[u8]) -> BooleanBuffer {
    BooleanBuffer::collect_bool(codes.len(), |item| codes[item] == Verdict::VALID_CODE)
}

/// The answer of a call: its columns of results, and then the codes, or with `reasons` false which items passed. A call without
/// columns has that alone.
pub fn answer<'py>(
    call: Call<'py>,
    mut columns: Vec<Output<'py>>,
    mut codes: Output<'py>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some(problems) = &call.problems {
        for (code, problem) in codes.bytes().iter_mut().zip(problems).filter(|(_, problem)| **problem != 0) {
            *code = *problem;
        }
    }
    if codes.bytes().iter().any(|code| *code != Verdict::VALID_CODE) {
        columns.iter_mut().for_each(|column| column.clear_rejected(codes.bytes()));
    }
    let mut answer = Vec::with_capacity(columns.len() + 1);
    for column in columns {
        answer.push(match (column.memory, &call.arrow) {
            (Memory::Arrow(bytes), Some(argument)) => {
                let passed = passed(codes.bytes());
                let nulls = (passed.count_set_bits() < passed.len()).then(|| NullBuffer::new(passed));
                arrow_output::like(argument, arrow_rows(column.kind, bytes, nulls))?
            }
            (Memory::Arrow(_), None) => unreachable!("memory for Arrow is taken where an argument is of Arrow"),
            (Memory::Numpy(array), _) => array.into_any(),
        });
    }
    answer.push(verdicts(&call, codes, reasons)?);
    if answer.len() > 1 {
        return Ok(PyTuple::new(call.py, answer)?.into_any());
    }
    Ok(answer.remove(0))
}

fn verdicts<'py>(call: &Call<'py>, codes: Output<'py>, reasons: bool) -> PyResult<Bound<'py, PyAny>> {
    match (codes.memory, &call.arrow) {
        (Memory::Arrow(codes), Some(argument)) => {
            let array: ArrayRef = match reasons {
                true => Arc::new(UInt8Array::from(codes.to_vec())),
                false => Arc::new(BooleanArray::new(passed(&codes), None)),
            };
            arrow_output::like(argument, array)
        }
        (Memory::Arrow(_), None) => unreachable!("memory for Arrow is taken where an argument is of Arrow"),
        (Memory::Numpy(array), _) if reasons => Ok(array.into_any()),
        (Memory::Numpy(mut array), _) => {
            for code in bytes_of(&mut array) {
                *code = u8::from(*code == Verdict::VALID_CODE);
            }
            // All bytes are 0 or 1 now, as numpy has truth values.
            array.call_method1("view", ("bool",))
        }
    }
}

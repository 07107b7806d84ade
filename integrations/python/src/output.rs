//! Results: memory that the engine writes, and arrays made from it.

use crate::arrow_output;
use crate::input::{ArrayLibrary, Call, pandas};
use crate::memory;
use crate::pieces;
use crate::reasons::{VALID, code_of};
use arrow_array::{ArrayRef, BooleanArray, FixedSizeBinaryArray, UInt8Array};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use gecc::{Engine, Error, Verdict};
use numpy::{PyArrayDyn, PyArrayMethods, PyReadwriteArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::types::PyTuple;
use std::ops::Range;
use std::ptr::NonNull;
use std::slice;
use std::sync::Arc;
use zeroize::{Zeroize, Zeroizing};

/// The format of a row of results.
#[derive(Clone, Copy)]
pub struct RowFormat {
    pub width: usize,
    pub is_secret: bool,
    /// True for a row of one byte that is a number, such as a code. Columns of numbers have one
    /// dimension.
    pub is_number: bool,
}

impl RowFormat {
    pub fn public(width: usize) -> Self {
        RowFormat {
            width,
            is_secret: false,
            is_number: false,
        }
    }

    pub fn secret(width: usize) -> Self {
        RowFormat {
            is_secret: true,
            ..Self::public(width)
        }
    }

    /// Returns the format of numbers of one byte.
    pub fn number() -> Self {
        RowFormat {
            is_number: true,
            ..Self::public(1)
        }
    }
}

/// A column of results that a call writes. Secrets are wiped if they are not converted to an array.
pub struct ResultColumn<'py> {
    row: RowFormat,
    /// `None` once it was converted to an array.
    memory: Option<ResultMemory<'py>>,
}

enum ResultMemory<'py> {
    /// The caller's array, which the numpy crate has registered as mutably borrowed.
    Caller(PyReadwriteArrayDyn<'py, u8>),
    /// An array that no other code has seen so far.
    Numpy(Bound<'py, PyArrayDyn<u8>>),
    /// Memory that becomes an Arrow array.
    Arrow(Vec<u8>),
}

/// Requests huge pages: for hundreds of megabytes of results, page faults cost more than copying
/// with pages of 4 KiB. numpy does this itself.
#[cfg(target_os = "linux")]
fn ask_for_huge_pages(memory: &mut [u8]) {
    use rustix::mm::{Advice, madvise};
    const HUGE_PAGE: usize = 2 << 20;
    let before = memory.as_ptr().align_offset(HUGE_PAGE);
    let whole = memory.len().saturating_sub(before) / HUGE_PAGE * HUGE_PAGE;
    if whole > 0 {
        // SAFETY: the range is within the slice, and this advice does not change its contents.
        let _ = unsafe {
            madvise(
                memory[before..].as_mut_ptr().cast(),
                whole,
                Advice::LinuxHugepage,
            )
        };
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_huge_pages(_memory: &mut [u8]) {}

/// Creates a numpy array of zeros.
fn zeros<'py>(
    py: Python<'py>,
    items: usize,
    row: RowFormat,
) -> PyResult<Bound<'py, PyArrayDyn<u8>>> {
    let zeros = py.import("numpy")?.getattr("zeros")?;
    let array = if row.is_number {
        zeros.call1((items, "uint8"))
    } else {
        zeros.call1(((items, row.width), "uint8"))
    }?;
    Ok(array.cast_into::<PyArrayDyn<u8>>()?)
}

/// Returns the bytes of an array that `zeros` created and no other code has seen.
fn bytes_of<'a>(array: &'a mut Bound<'_, PyArrayDyn<u8>>) -> &'a mut [u8] {
    // SAFETY: the elements of such an array are contiguous, and there is no other reference to it.
    unsafe { slice::from_raw_parts_mut(array.data(), PyUntypedArrayMethods::len(array)) }
}

impl<'py> ResultColumn<'py> {
    /// Allocates memory for the results of a call, for Arrow if an argument is an Arrow array.
    pub fn of(call: &Call<'py>, row: RowFormat) -> PyResult<Self> {
        let items = call.items();
        if !matches!(call.form, ArrayLibrary::Arrow(_)) {
            return Self::of_numpy(call.py, items, row);
        }
        let mut bytes = memory::zeros(items, row.width)?;
        ask_for_huge_pages(&mut bytes);
        Ok(ResultColumn {
            row,
            memory: Some(ResultMemory::Arrow(bytes)),
        })
    }

    /// Uses the caller's array, or allocates memory like `of`.
    ///
    /// # Errors
    /// If results are not numpy arrays, or if the array has another shape or shares memory with an
    /// argument.
    pub fn of_caller(
        call: &Call<'py>,
        row: RowFormat,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let Some(out) = out else {
            return Self::of(call, row);
        };
        let Ok(array) = out.cast::<PyArrayDyn<u8>>() else {
            return Err(PyTypeError::new_err("out: not an array of uint8"));
        };
        if let ArrayLibrary::Arrow(_) = call.form {
            return Err(PyValueError::new_err(
                "out: results are of Arrow, as an argument is",
            ));
        }
        let expected = [call.items(), row.width];
        if array.shape() != expected || !array.is_c_contiguous() {
            return Err(PyValueError::new_err(format!(
                "out: an array of shape {:?}, not of {expected:?} with rows one after the other",
                array.shape()
            )));
        }
        let start = array.data().addr();
        if let Some(name) = call.reads_in(&(start..start + expected[0] * expected[1])) {
            return Err(PyValueError::new_err(format!(
                "out: it shares memory with {name}"
            )));
        }
        let memory = array
            .try_readwrite()
            .map_err(|problem| PyValueError::new_err(format!("out: {problem}")))?;
        Ok(ResultColumn {
            row,
            memory: Some(ResultMemory::Caller(memory)),
        })
    }

    /// Allocates memory of numpy.
    pub fn of_numpy(py: Python<'py>, items: usize, row: RowFormat) -> PyResult<Self> {
        Ok(ResultColumn {
            row,
            memory: Some(ResultMemory::Numpy(zeros(py, items, row)?)),
        })
    }

    pub fn bytes(&mut self) -> &mut [u8] {
        match &mut self.memory {
            Some(ResultMemory::Caller(array)) => {
                array.as_slice_mut().expect("rows one after the other")
            }
            Some(ResultMemory::Numpy(array)) => bytes_of(array),
            Some(ResultMemory::Arrow(bytes)) => bytes,
            None => &mut [],
        }
    }

    /// Converts the memory to a numpy array.
    ///
    /// # Panics
    /// If the memory is for Arrow.
    pub fn into_numpy(mut self) -> Bound<'py, PyAny> {
        match self.memory.take() {
            Some(ResultMemory::Caller(array)) => array.as_any().clone(),
            Some(ResultMemory::Numpy(array)) => array.into_any(),
            _ => panic!("memory of numpy"),
        }
    }

    /// Returns the memory as rows.
    ///
    /// # Panics
    /// If results have another width.
    pub fn rows<const W: usize>(&mut self) -> &mut [[u8; W]] {
        assert_eq!(self.row.width, W, "rows of this width");
        self.bytes().as_chunks_mut().0
    }

    /// Converts the memory to an Arrow column. The memory of secrets is wiped when the last array
    /// that refers to it is dropped.
    ///
    /// # Panics
    /// If the memory is for numpy.
    fn into_arrow(mut self, nulls: Option<NullBuffer>) -> ArrayRef {
        let Some(ResultMemory::Arrow(bytes)) = self.memory.take() else {
            panic!("memory for Arrow")
        };
        if self.row.is_number {
            return Arc::new(UInt8Array::new(bytes.into(), nulls));
        }
        let buffer = if self.row.is_secret {
            secret_buffer(bytes)
        } else {
            Buffer::from_vec(bytes)
        };
        Arc::new(FixedSizeBinaryArray::new(
            self.row.width as i32,
            buffer,
            nulls,
        ))
    }

    /// Converts the engine's codes to those of Python.
    fn make_codes_of_python(&mut self) {
        self.bytes()
            .iter_mut()
            .for_each(|code| *code = code_of(*code));
    }

    /// Sets the rows of rejected items to zero.
    fn clear_rejected(&mut self, codes: &[u8]) {
        /// Number of codes that are compared at once, since most items pass.
        const BLOCK: usize = 64;
        let width = self.row.width;
        for (rows, codes) in self
            .bytes()
            .chunks_mut(BLOCK * width)
            .zip(codes.chunks(BLOCK))
        {
            if codes
                .iter()
                .fold(0, |all, code| all | (code ^ Verdict::VALID_CODE))
                == 0
            {
                continue;
            }
            for (row, _) in rows
                .chunks_exact_mut(width)
                .zip(codes)
                .filter(|(_, code)| **code != Verdict::VALID_CODE)
            {
                row.zeroize();
            }
        }
    }
}

/// Creates a buffer of secrets, which is wiped when the last array that refers to it is dropped.
pub fn secret_buffer(bytes: Vec<u8>) -> Buffer {
    let bytes = Zeroizing::new(bytes);
    let start = NonNull::from(bytes.as_slice()).cast::<u8>();
    let length = bytes.len();
    // SAFETY: the owner keeps the vector, whose memory is neither moved nor modified until the
    // owner is dropped.
    unsafe { Buffer::from_custom_allocation(start, length, Arc::new(bytes)) }
}

impl Drop for ResultColumn<'_> {
    fn drop(&mut self) {
        if self.row.is_secret {
            self.bytes().zeroize();
        }
    }
}

/// Returns a bitmap of the items that passed.
fn passed(codes: &[u8]) -> BooleanBuffer {
    let (whole, rest) = codes.as_chunks::<8>();
    let mut bits: Vec<u8> = whole.iter().map(|codes| bits_of(*codes)).collect();
    if !rest.is_empty() {
        let mut last = [!Verdict::VALID_CODE; 8];
        last[..rest.len()].copy_from_slice(rest);
        bits.push(bits_of(last));
    }
    BooleanBuffer::new(Buffer::from_vec(bits), 0, codes.len())
}

/// Returns a bit for each of eight codes, computed at once, in a third of the time of one by one.
fn bits_of(codes: [u8; 8]) -> u8 {
    const ONES: u64 = u64::MAX / 255;
    const ALL_BUT_TOP: u64 = 0x7f * ONES;
    // The highest byte of the product with this has as bit i the byte i of a number whose bytes are
    // 0 or 1.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let difference = u64::from_le_bytes(codes) ^ (ONES * u64::from(Verdict::VALID_CODE));
    // The top bit of a byte is set if the byte is not zero; no carry leaves a byte.
    let differs = ((difference & ALL_BUT_TOP) + ALL_BUT_TOP) | difference;
    let equals = (!differs >> 7) & ONES;
    (equals.wrapping_mul(GATHER) >> 56) as u8
}

/// Returns the answer of a call: its columns of results, followed by the codes or, if `reasons` is
/// false, by booleans. A call without columns returns only these.
pub fn answer<'py>(
    call: Call<'py>,
    mut columns: Vec<ResultColumn<'py>>,
    mut codes: ResultColumn<'py>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some(problems) = &call.problems {
        for (code, problem) in codes
            .bytes()
            .iter_mut()
            .zip(problems)
            .filter(|(_, problem)| **problem != 0)
        {
            *code = *problem;
        }
    }
    columns
        .iter_mut()
        .for_each(|column| column.clear_rejected(codes.bytes()));
    let mut answer = match call.form {
        ArrayLibrary::Numpy => numpy_answer(columns, codes, reasons),
        ArrayLibrary::Pandas(index) => pandas_answer(&index, columns, codes, reasons),
        ArrayLibrary::Arrow(argument) => arrow_answer(&argument, columns, codes, reasons),
    }?;
    if answer.len() == 1 {
        return Ok(answer.remove(0));
    }
    call.py
        .import("gecc._answer")?
        .getattr("Answer")?
        .call1((PyTuple::new(call.py, answer)?,))
}

/// The requested form of results: in an array of the caller, and with reasons instead of booleans.
#[derive(Clone, Copy)]
pub struct AnswerOptions<'a, 'py> {
    pub out: Option<&'a Bound<'py, PyAny>>,
    pub reasons: bool,
}

/// Computes a row of `W` bytes and a code for each item, range by range.
pub fn answer_rows<'py, const W: usize>(
    call: Call<'py>,
    engine: &Engine,
    row: fn(usize) -> RowFormat,
    form: AnswerOptions<'_, 'py>,
    mut write: impl FnMut(Range<usize>, &mut [[u8; W]], &mut [u8]) -> Result<(), Error> + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let mut column = ResultColumn::of_caller(&call, row(W), form.out)?;
    let mut output = ResultColumn::of(&call, RowFormat::number())?;
    let rows = column.rows();
    let codes = output.bytes();
    pieces::run(call.py, engine, call.items(), |range| {
        write(range.clone(), &mut rows[range.clone()], &mut codes[range])
    })?;
    answer(call, vec![column], output, form.reasons)
}

/// Columns and verdicts.
type AnswerColumns<'py> = PyResult<Vec<Bound<'py, PyAny>>>;

fn numpy_answer<'py>(
    columns: Vec<ResultColumn<'py>>,
    codes: ResultColumn<'py>,
    reasons: bool,
) -> AnswerColumns<'py> {
    let mut answer: Vec<_> = columns.into_iter().map(ResultColumn::into_numpy).collect();
    answer.push(numpy_verdicts(codes, reasons)?);
    Ok(answer)
}

/// Converts to Series, except the caller's own array, which is a numpy array.
fn pandas_answer<'py>(
    index: &Bound<'py, PyAny>,
    columns: Vec<ResultColumn<'py>>,
    codes: ResultColumn<'py>,
    reasons: bool,
) -> AnswerColumns<'py> {
    let verdicts = numpy_verdicts(codes, reasons)?;
    let passed = if reasons {
        verdicts.rich_compare(VALID, CompareOp::Eq)?
    } else {
        verdicts.clone()
    };
    // Secrets are copied to the Series, and wiped here.
    let mut answer = Vec::with_capacity(columns.len() + 1);
    for column in columns {
        answer.push(match &column.memory {
            Some(ResultMemory::Numpy(array)) => {
                pandas::series(array.as_any(), Some(&passed), index)?
            }
            _ => column.into_numpy(),
        });
    }
    answer.push(pandas::series(&verdicts, None, index)?);
    Ok(answer)
}

fn arrow_answer<'py>(
    argument: &Bound<'py, PyAny>,
    columns: Vec<ResultColumn<'py>>,
    mut codes: ResultColumn<'py>,
    reasons: bool,
) -> AnswerColumns<'py> {
    let passed = passed(codes.bytes());
    let nulls = (passed.count_set_bits() < passed.len()).then(|| NullBuffer::new(passed.clone()));
    let mut answer = Vec::with_capacity(columns.len() + 1);
    for column in columns {
        answer.push(arrow_output::like(
            argument,
            column.into_arrow(nulls.clone()),
        )?);
    }
    let verdicts: ArrayRef = if reasons {
        codes.make_codes_of_python();
        codes.into_arrow(None)
    } else {
        Arc::new(BooleanArray::new(passed, None))
    };
    answer.push(arrow_output::like(argument, verdicts)?);
    Ok(answer)
}

fn numpy_verdicts<'py>(mut codes: ResultColumn<'py>, reasons: bool) -> PyResult<Bound<'py, PyAny>> {
    if reasons {
        codes.make_codes_of_python();
        return Ok(codes.into_numpy());
    }
    for code in codes.bytes() {
        *code = u8::from(*code == Verdict::VALID_CODE);
    }
    // All bytes are 0 or 1 now, numpy's representation of booleans.
    codes.into_numpy().call_method1("view", ("bool",))
}

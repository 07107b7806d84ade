//! What `benches/rates.py` needs beside the calls: the library's own calls on the same arrays, timed.

use crate::arrow_output::ArrowArray;
use crate::choices;
use crate::engine::{self, Engine};
use crate::errors::exception;
use crate::input::{Call, argument};
use arrow_array::cast::AsArray;
use arrow_array::{BooleanArray, FixedSizeBinaryArray};
use arrow_buffer::Buffer;
use gecc::{Verdict, any, ecdsa};
use gecc_arrow::Field;
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;
use std::time::Instant;

/// Seconds of each of `repeats` calls that write to the same codes, and how many items passed the last one.
fn timed(
    py: Python<'_>,
    items: usize,
    repeats: usize,
    mut call: impl FnMut(&mut [u8]) -> Result<(), gecc::Error> + Send,
) -> PyResult<(Vec<f64>, usize)> {
    let mut codes = vec![u8::MAX; items];
    let mut once = || {
        let start = Instant::now();
        call(&mut codes)?;
        Ok(start.elapsed().as_secs_f64())
    };
    let seconds = py.detach(|| (0..repeats).map(|_| once()).collect::<Result<Vec<f64>, _>>()).map_err(exception)?;
    Ok((seconds, codes.iter().filter(|code| **code == Verdict::VALID_CODE).count()))
}

/// Memory for the rows of each call: one that all calls write to, and that has been written to before, or a fresh one for each.
struct Memory {
    items: usize,
    used: Option<Vec<[u8; 64]>>,
}

impl Memory {
    fn new(items: usize, is_fresh: bool) -> Self {
        Memory { items, used: (!is_fresh).then(|| vec![[1; 64]; items]) }
    }

    fn with<T>(&mut self, call: impl FnOnce(&mut [[u8; 64]]) -> T) -> T {
        match &mut self.used {
            Some(rows) => call(rows),
            None => call(&mut vec![[0; 64]; self.items]),
        }
    }
}

/// Times `ecdsa::verify_into`.
#[pyfunction]
pub fn time_verify<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    curve: &str,
    digests: &Bound<'py, PyAny>,
    signatures: &Bound<'py, PyAny>,
    public_keys: &Bound<'py, PyAny>,
    repeats: usize,
) -> PyResult<(Vec<f64>, usize)> {
    let (curve, engine, mut call) = (choices::curve(curve)?, engine::of(py, engine)?, Call::new(py));
    let digests = call.rows(argument("digests", Field::Digest), 32, digests)?;
    let signatures = call.signatures(signatures)?;
    let keys = call.keys(argument("public_keys", Field::PublicKey), public_keys)?;
    let items = call.items();
    timed(py, items, repeats, |codes| {
        let (digests, signatures, part) = (digests.rows(0..items), signatures.rows(0..items), keys.part(0..items));
        any::ecdsa::verify_into(&engine, curve, digests, signatures, part, Default::default(), codes)
    })
}

/// Times `ecdsa::recover_into`, with `is_fresh` into memory that each call takes for itself.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "columns and options of a call are its parameters")]
pub fn time_recover<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    curve: &str,
    digests: &Bound<'py, PyAny>,
    signatures: &Bound<'py, PyAny>,
    recovery_ids: &Bound<'py, PyAny>,
    repeats: usize,
    is_fresh: bool,
) -> PyResult<(Vec<f64>, usize)> {
    let (curve, engine, mut call) = (choices::curve(curve)?, engine::of(py, engine)?, Call::new(py));
    let digests = call.rows(argument("digests", Field::Digest), 32, digests)?;
    let signatures = call.signatures(signatures)?;
    let ids = call.recovery_ids(recovery_ids)?;
    let items = call.items();
    let mut memory = Memory::new(items, is_fresh);
    timed(py, items, repeats, |codes| {
        let (digests, signatures, ids) = (digests.rows(0..items), signatures.rows(0..items), ids.rows(0..items));
        memory.with(|keys| any::ecdsa::recover_into(&engine, curve, digests, signatures, ids, keys, codes))
    })
}

/// Times `ecdsa::sign_into`, with `is_fresh` into memory that each call takes for itself.
#[pyfunction]
pub fn time_sign<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    curve: &str,
    digests: &Bound<'py, PyAny>,
    secret_keys: &Bound<'py, PyAny>,
    repeats: usize,
    is_fresh: bool,
) -> PyResult<(Vec<f64>, usize)> {
    let (curve, engine, mut call) = (choices::curve(curve)?, engine::of(py, engine)?, Call::new(py));
    let digests = call.rows(argument("digests", Field::Digest), 32, digests)?;
    let keys = call.rows(argument("secret_keys", Field::SecretKey), 32, secret_keys)?;
    let items = call.items();
    let mut memory = Memory::new(items, is_fresh);
    timed(py, items, repeats, |codes| {
        let (digests, keys) = (digests.rows(0..items), keys.secret_keys(0..items));
        let form = ecdsa::SForm::default();
        memory.with(|signatures| any::ecdsa::sign_into(&engine, curve, digests, keys.into(), form, signatures, codes))
    })
}

/// Rows as an Arrow array, for a machine without a library for Arrow. They are copied.
#[pyfunction]
pub fn to_arrow(rows: PyReadonlyArray2<'_, u8>) -> PyResult<ArrowArray> {
    let bytes = Buffer::from_vec(rows.as_slice()?.to_vec());
    let array = FixedSizeBinaryArray::try_new(rows.shape()[1] as i32, bytes, None);
    Ok(ArrowArray(Arc::new(array.map_err(|problem| PyValueError::new_err(problem.to_string()))?)))
}

/// How many truth values of an Arrow array are true.
#[pyfunction]
pub fn count_true(array: &ArrowArray) -> PyResult<usize> {
    let values = array.0.as_boolean_opt();
    values.map(BooleanArray::true_count).ok_or_else(|| PyValueError::new_err("these are no truth values"))
}

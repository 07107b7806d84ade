//! Writing results: the engine computes them in pieces, and they become the answer.

use crate::input::Call;
use crate::output::{Output, Row, answer};
use crate::pieces;
use gecc::{Engine, Error};
use pyo3::prelude::*;
use std::ops::Range;

/// The requested form of results: in an array of the caller, and with reasons instead of booleans.
#[derive(Clone, Copy)]
pub struct Wanted<'a, 'py> {
    pub out: Option<&'a Bound<'py, PyAny>>,
    pub reasons: bool,
}

/// Computes a row of `W` bytes and a code for each item, range by range.
pub fn of_rows<'py, const W: usize>(
    call: Call<'py>,
    engine: &Engine,
    row: fn(usize) -> Row,
    wanted: Wanted<'_, 'py>,
    mut write: impl FnMut(Range<usize>, &mut [[u8; W]], &mut [u8]) -> Result<(), Error> + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let (mut column, mut output) = (Output::of_caller(&call, row(W), wanted.out)?, Output::of(&call, Row::public(1))?);
    let (rows, codes) = (column.rows(), output.bytes());
    let write = |range: Range<usize>| write(range.clone(), &mut rows[range.clone()], &mut codes[range]);
    pieces::run(call.py, engine, call.items(), write)?;
    answer(call, vec![column], output, wanted.reasons)
}

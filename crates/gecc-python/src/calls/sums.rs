//! Sums of all public points or products of a call.

use super::points::{point_argument, scalars_argument};
use crate::choices;
use crate::engine::{self, Engine};
use crate::errors::exception;
use crate::input::Call;
use crate::output::{Output, Row};
use crate::pieces;
use crate::reasons::VALID;
use gecc::{CurveId, Error, Point, Rejection, point};
use pyo3::prelude::*;
use std::ops::Range;

/// 64 bytes, and `VALID`; or 64 zeros, and the code and number of the first item that has no scalar or no point.
type Total<'py> = (Bound<'py, PyAny>, u8, usize);

/// The sum of all points.
#[pyfunction]
pub fn sum<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    curve: &str,
    points: &Bound<'py, PyAny>,
) -> PyResult<Total<'py>> {
    let curve = choices::curve(curve)?;
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, curve));
    let points = call.keys(point_argument("points"), points)?;
    total(&call, &engine, curve, |range| point::sum_columns(&engine, curve, range.len(), points.part(range)))
}

/// The sum of each public scalar times its point.
#[pyfunction]
pub fn msm<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    curve: &str,
    scalars: &Bound<'py, PyAny>,
    points: &Bound<'py, PyAny>,
) -> PyResult<Total<'py>> {
    let curve = choices::curve(curve)?;
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, curve));
    let scalars = call.rows(scalars_argument(), 32, scalars)?;
    let points = call.keys(point_argument("points"), points)?;
    total(&call, &engine, curve, |range| {
        let (items, scalars, points) = (range.len(), scalars.rows(range.clone()), points.part(range));
        point::msm_columns(&engine, curve, items, scalars, points)
    })
}

/// The sum of what `sum_of` gives for the pieces of a call, which it numbers from their first item.
fn total<'py>(
    call: &Call<'py>,
    engine: &gecc::Engine,
    curve: CurveId,
    mut sum_of: impl FnMut(Range<usize>) -> Result<Result<Point, (usize, Rejection)>, Error> + Send,
) -> PyResult<Total<'py>> {
    let (mut sums, mut bad) = (Vec::new(), None);
    pieces::run(call.py, engine, call.items(), |range| {
        let start = range.start;
        if bad.is_none() {
            match sum_of(range)? {
                Ok(sum) => sums.push(sum),
                Err((item, reason)) => bad = Some((start + item, reason.code())),
            }
        }
        Ok(())
    })?;
    let mut codes = call.problems.iter().flatten().copied().enumerate();
    let unread = codes.find(|(_, code)| *code != 0);
    // Of an item with both, that a value cannot be read says more.
    let bad = [unread, bad].into_iter().flatten().min_by_key(|(item, _)| *item);
    let sum = match bad {
        Some(bad) => Err(bad),
        None => call
            .py
            .detach(|| point::sum(engine, curve, &sums))
            .map_err(exception)?
            .map_err(|(item, reason)| (item, reason.code())),
    };
    let mut row = Output::of_numpy(call.py, 64, Row::public(1))?;
    let (code, item) = match sum {
        Ok(sum) => {
            row.bytes().copy_from_slice(&sum.as_bytes()[1..]);
            (VALID, call.items())
        }
        Err((item, code)) => (code, item),
    };
    Ok((row.into_numpy(), code, item))
}

//! Sums of all public points or products of a call.

use super::points::{point_argument, scalars_argument};
use crate::choices;
use crate::engine::{self, Engine};
use crate::errors::exception;
use crate::input::Call;
use crate::output::{ResultColumn, RowFormat};
use crate::pieces;
use crate::reasons::VALID;
use gecc::point;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// 64 bytes, and `VALID`; or 64 zeros, and the code and index of the first item without a valid
/// scalar or point.
type SumOrBadItem<'py> = (Bound<'py, PyAny>, u8, usize);

/// Computes the sum of all points, or of all products of a public scalar and its point: the columns
/// are points, or scalars and points.
#[pyfunction]
pub fn total<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    curve: &str,
    columns: Vec<Bound<'py, PyAny>>,
) -> PyResult<SumOrBadItem<'py>> {
    let (scalars, points) = match &columns[..] {
        [points] => (None, points),
        [scalars, points] => (Some(scalars), points),
        _ => {
            return Err(PyValueError::new_err(format!(
                "{} columns, not points, or scalars and points",
                columns.len()
            )));
        }
    };
    let curve = choices::curve(curve)?;
    let engine = engine::of(py, engine)?;
    let mut call = Call::for_keys(py, curve);
    let scalars = scalars
        .map(|scalars| call.rows(scalars_argument(), 32, scalars))
        .transpose()?;
    let points = call.keys(point_argument("points"), points)?;
    let mut sums = Vec::new();
    let mut bad = None;
    pieces::run(py, &engine, call.items(), |range| {
        if bad.is_some() {
            return Ok(());
        }
        let start = range.start;
        let items = range.len();
        let points = points.part(range.clone());
        let sum = match &scalars {
            Some(scalars) => {
                point::msm_columns(&engine, curve, items, scalars.rows(range), points)?
            }
            None => point::sum_columns(&engine, curve, items, points)?,
        };
        match sum {
            Ok(sum) => sums.push(sum),
            Err((item, reason)) => bad = Some((start + item, reason.code())),
        }
        Ok(())
    })?;
    let mut codes = call.problems.iter().flatten().copied().enumerate();
    let unread = codes.find(|(_, code)| *code != 0);
    // For an item with both problems, the unreadable value is more informative.
    let bad = [unread, bad]
        .into_iter()
        .flatten()
        .min_by_key(|(item, _)| *item);
    let sum = match bad {
        Some(bad) => Err(bad),
        None => py
            .detach(|| point::sum(&engine, curve, &sums))
            .map_err(exception)?
            .map_err(|(item, reason)| (item, reason.code())),
    };
    let mut row = ResultColumn::of_numpy(py, 64, RowFormat::number())?;
    let (code, item) = match sum {
        Ok(sum) => {
            row.bytes().copy_from_slice(&sum.as_bytes()[1..]);
            (VALID, call.items())
        }
        Err((item, code)) => (code, item),
    };
    Ok((row.into_numpy(), code, item))
}

//! Operations on public points.

use crate::calls::results::{self, Wanted};
use crate::choices;
use crate::engine::{self, Engine};
use crate::errors::exception;
use crate::input::{Argument, Call, Keys};
use crate::output::{Kind, Output};
use crate::pieces;
use crate::reasons::Role;
use gecc::{CurveId, Point, PublicKeys, Rows, Verdict, any};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::ops::Range;

fn scalars_argument() -> Argument {
    Argument { name: "scalars", role: Role::Scalar }
}

fn point_argument(name: &'static str) -> Argument {
    Argument { name, role: Role::Point }
}

/// Each public scalar times G.
#[pyfunction]
pub fn mul_base<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    curve: &str,
    scalars: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let curve = choices::curve(curve)?;
    let (engine, mut call) = (engine::of(py, engine)?, Call::new(py));
    let scalars = call.rows(scalars_argument(), 32, scalars)?;
    results::of_rows(call, &engine, Kind::public, Wanted { out, reasons }, |range, rows, codes| {
        any::point::mul_base_into(&engine, curve, scalars.rows(range), rows, codes)
    })
}

/// Each public scalar times its point.
#[pyfunction]
pub fn mul<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    curve: &str,
    scalars: &Bound<'py, PyAny>,
    points: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let curve = choices::curve(curve)?;
    let (engine, mut call) = (engine::of(py, engine)?, Call::new(py));
    let scalars = call.rows(scalars_argument(), 32, scalars)?;
    let points = call.keys(point_argument("points"), points)?;
    results::of_rows(call, &engine, Kind::public, Wanted { out, reasons }, |range, rows, codes| {
        let (scalars, points) = (scalars.rows(range.clone()), points.part(range));
        any::point::mul_into(&engine, curve, scalars, points.keys(), rows, codes)
    })
}

/// The sum of two points an item.
#[pyfunction]
pub fn add<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    curve: &str,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let curve = choices::curve(curve)?;
    let (engine, mut call) = (engine::of(py, engine)?, Call::new(py));
    let (a, b) = (call.keys(point_argument("a"), a)?, call.keys(point_argument("b"), b)?);
    results::of_rows(call, &engine, Kind::public, Wanted { out, reasons }, |range, rows, codes| {
        let (a, b) = (a.part(range.clone()), b.part(range));
        any::point::add_into(&engine, curve, a.keys(), b.keys(), rows, codes)
    })
}

/// Twice each point.
#[pyfunction]
pub fn double<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    curve: &str,
    points: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let curve = choices::curve(curve)?;
    let (engine, mut call) = (engine::of(py, engine)?, Call::new(py));
    let points = call.keys(point_argument("points"), points)?;
    results::of_rows(call, &engine, Kind::public, Wanted { out, reasons }, |range, rows, codes| {
        any::point::double_into(&engine, curve, points.part(range).keys(), rows, codes)
    })
}

/// The sum of all points: 64 bytes. A point that is none is an error, as there is no sum then.
#[pyfunction]
pub fn sum<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    curve: &str,
    points: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let curve = choices::curve(curve)?;
    let (engine, mut call) = (engine::of(py, engine)?, Call::new(py));
    let points = call.keys(point_argument("points"), points)?;
    let items = call.items();
    let mut sums = Vec::new();
    // A point that is none, by its number.
    let mut wrong = call.problems.as_ref().and_then(|problems| problems.iter().position(|code| *code != 0));
    pieces::run(py, &engine, items, |range| {
        let start = range.start;
        if wrong.is_none() {
            match sum_of(&engine, curve, &points, range)? {
                Ok(sum) => sums.push(sum),
                Err(item) => wrong = Some(start + item),
            }
        }
        Ok(())
    })?;
    if let Some(item) = wrong {
        return Err(PyValueError::new_err(format!("points: item {item} is no point of the curve")));
    }
    let sum = py.detach(|| any::point::sum(&engine, curve, &sums)).map_err(exception)?;
    let sum = sum.map_err(|(_, reason)| PyValueError::new_err(format!("points: {reason}")))?;
    let mut bytes = Output::of_numpy(py, 64, Kind::public(1))?;
    bytes.bytes().copy_from_slice(&sum.as_bytes()[1..]);
    Ok(bytes.into_numpy())
}

/// The sum of the points of some items, or the number of one that is no point.
///
/// The library sums points of its own type. Others are added to the identity first, which decodes and checks them.
fn sum_of(
    engine: &gecc::Engine,
    curve: CurveId,
    points: &Keys,
    range: Range<usize>,
) -> Result<Result<Point, usize>, gecc::Error> {
    let part = points.part(range.clone());
    let (mut rows, mut codes) = (vec![[0; 64]; range.len()], vec![0; range.len()]);
    let identity = PublicKeys::raw(Rows::all(&[0; 64]));
    any::point::add_into(engine, curve, part.keys(), identity, &mut rows, &mut codes)?;
    if let Some(item) = codes.iter().position(|code| *code != Verdict::VALID_CODE) {
        return Ok(Err(item));
    }
    let points: Vec<Point> =
        rows.iter().map(|row| if *row == [0; 64] { Point::IDENTITY } else { Point::from_raw(row) }).collect();
    Ok(any::point::sum(engine, curve, &points)?.map_err(|(item, _)| item))
}

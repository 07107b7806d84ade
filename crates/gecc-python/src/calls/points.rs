//! Operations on public points.

use crate::calls::results::{self, Wanted};
use crate::choices;
use crate::engine::{self, Engine};
use crate::input::{Argument, Call};
use crate::output::Row;
use crate::reasons::Role;
use gecc::point;
use pyo3::prelude::*;

pub fn scalars_argument() -> Argument {
    Argument { name: "scalars", role: Role::Scalar, kind: None }
}

pub fn point_argument(name: &'static str) -> Argument {
    Argument { name, role: Role::Point, kind: None }
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
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, curve));
    let scalars = call.rows(scalars_argument(), 32, scalars)?;
    results::of_rows(call, &engine, Row::public, Wanted { out, reasons }, |range, rows, codes| {
        point::mul_base_into(&engine, curve, scalars.rows(range), rows, codes)
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
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, curve));
    let scalars = call.rows(scalars_argument(), 32, scalars)?;
    let points = call.keys(point_argument("points"), points)?;
    results::of_rows(call, &engine, Row::public, Wanted { out, reasons }, |range, rows, codes| {
        let (scalars, points) = (scalars.rows(range.clone()), points.part(range));
        point::mul_into(&engine, curve, scalars, points, rows, codes)
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
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, curve));
    let (a, b) = (call.keys(point_argument("a"), a)?, call.keys(point_argument("b"), b)?);
    results::of_rows(call, &engine, Row::public, Wanted { out, reasons }, |range, rows, codes| {
        let (a, b) = (a.part(range.clone()), b.part(range));
        point::add_into(&engine, curve, a, b, rows, codes)
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
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, curve));
    let points = call.keys(point_argument("points"), points)?;
    results::of_rows(call, &engine, Row::public, Wanted { out, reasons }, |range, rows, codes| {
        point::double_into(&engine, curve, points.part(range), rows, codes)
    })
}

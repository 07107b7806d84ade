//! Operations on points, and Taproot outputs. All inputs are public, except those of `ecdh_points`.

use crate::choices;
use crate::engine::{self, Engine};
use crate::input::{Argument, Call, argument};
use crate::output::{AnswerOptions, RowFormat, answer_rows};
use crate::reasons::ArgumentRole;
use gecc::{CurveId, PublicKeys, ecdh, point, tweak};
use gecc_arrow::Field;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

pub fn scalars_argument() -> Argument {
    Argument {
        name: "scalars",
        role: ArgumentRole::Scalar,
        kind: None,
    }
}

pub fn point_argument(name: &'static str) -> Argument {
    Argument {
        name,
        role: ArgumentRole::Point,
        kind: None,
    }
}

/// Runs the operation with this name in `gecc._api` over its columns.
#[pyfunction]
#[pyo3(signature = (engine, name, curve, columns, *, out = None, reasons = false))]
pub fn run_on_points<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    name: &str,
    curve: &str,
    columns: Vec<Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyAny>>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let curve = choices::curve(curve)?;
    let engine = engine::of(py, engine)?;
    let mut call = Call::for_keys(py, curve);
    let form = AnswerOptions { out, reasons };
    match (name, &columns[..]) {
        ("mul_base", [scalars]) => {
            let scalars = call.rows(scalars_argument(), 32, scalars)?;
            answer_rows(
                call,
                &engine,
                RowFormat::public,
                form,
                |range, rows, codes| {
                    point::mul_base_into(&engine, curve, scalars.rows(range), rows, codes)
                },
            )
        }
        ("mul", [scalars, points]) => {
            let scalars = call.rows(scalars_argument(), 32, scalars)?;
            let points = call.keys(point_argument("points"), points)?;
            answer_rows(
                call,
                &engine,
                RowFormat::public,
                form,
                |range, rows, codes| {
                    point::mul_into(
                        &engine,
                        curve,
                        scalars.rows(range.clone()),
                        points.part(range),
                        rows,
                        codes,
                    )
                },
            )
        }
        ("add", [a, b]) => {
            let a = call.keys(point_argument("a"), a)?;
            let b = call.keys(point_argument("b"), b)?;
            answer_rows(
                call,
                &engine,
                RowFormat::public,
                form,
                |range, rows, codes| {
                    point::add_into(
                        &engine,
                        curve,
                        a.part(range.clone()),
                        b.part(range),
                        rows,
                        codes,
                    )
                },
            )
        }
        ("double", [points]) => {
            let points = call.keys(point_argument("points"), points)?;
            answer_rows(
                call,
                &engine,
                RowFormat::public,
                form,
                |range, rows, codes| {
                    point::double_into(&engine, curve, points.part(range), rows, codes)
                },
            )
        }
        ("decompress", [keys]) => {
            let keys = call.keys(argument("public_keys", Field::PublicKey), keys)?;
            answer_rows(
                call,
                &engine,
                RowFormat::public,
                form,
                |range, rows, codes| {
                    point::decode_keys_into(&engine, curve, keys.part(range), rows, codes)
                },
            )
        }
        ("ecdh_points", [keys, peers]) => {
            let keys = call.rows(argument("secret_keys", Field::SecretKey), 32, keys)?;
            let peers = call.keys(argument("public_keys", Field::PublicKey), peers)?;
            answer_rows(
                call,
                &engine,
                RowFormat::secret,
                form,
                |range, rows, codes| {
                    let keys = keys.secret_keys(range.clone());
                    let peers = peers.part(range);
                    ecdh::shared_points_into(&engine, curve, keys, peers, rows, codes)
                },
            )
        }
        _ => Err(PyValueError::new_err(format!(
            "{name:?} is not an operation on points with {} columns",
            columns.len()
        ))),
    }
}

/// Computes the output key of each internal key.
#[pyfunction]
pub fn taproot<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    internal_keys: &Bound<'py, PyAny>,
    roots: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyAny>>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let engine = engine::of(py, engine)?;
    let mut call = Call::for_keys(py, CurveId::Secp256k1);
    let keys = call.rows(
        argument("internal_keys", Field::PublicKey),
        32,
        internal_keys,
    )?;
    let roots = roots
        .map(|rows| call.rows(argument("roots", Field::Digest), 32, rows))
        .transpose()?;
    answer_rows(
        call,
        &engine,
        RowFormat::public,
        AnswerOptions { out, reasons },
        |range, rows, codes| {
            let keys = PublicKeys::x_only(keys.rows::<32>(range.clone()));
            tweak::taproot_into(
                &engine,
                keys,
                roots.as_ref().map(|roots| roots.rows::<32>(range)),
                rows,
                codes,
            )
        },
    )
}

//! Taproot outputs, on secp256k1. Public keys are x-only.

use crate::calls::results::{self, Wanted};
use crate::engine::{self, Engine};
use crate::input::{Call, argument};
use crate::output::Row;
use gecc::{CurveId, PublicKeys, tweak};
use gecc_arrow::Field;
use pyo3::prelude::*;

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
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, CurveId::Secp256k1));
    let keys = call.rows(argument("internal_keys", Field::PublicKey), 32, internal_keys)?;
    let roots = roots.map(|rows| call.rows(argument("roots", Field::Digest), 32, rows)).transpose()?;
    results::of_rows(call, &engine, Row::public, Wanted { out, reasons }, |range, rows, codes| {
        let keys = PublicKeys::x_only(keys.rows::<32>(range.clone()));
        tweak::taproot_into(&engine, keys, roots.as_ref().map(|roots| roots.rows::<32>(range)), rows, codes)
    })
}

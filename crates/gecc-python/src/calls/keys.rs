//! Fresh key pairs.

use crate::choices;
use crate::engine::{self, Engine};
use crate::output::{Output, Row};
use crate::pieces;
use gecc::keys;
use pyo3::prelude::*;

/// Generates key pairs: private keys and public keys.
#[pyfunction]
pub fn generate_keys<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    curve: &str,
    count: usize,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let (curve, engine) = (choices::curve(curve)?, engine::of(py, engine)?);
    let mut secrets = Output::of_numpy(py, count, Row::secret(32))?;
    let mut publics = Output::of_numpy(py, count, Row::public(64))?;
    let (secret_rows, public_rows) = (secrets.rows::<32>(), publics.rows::<64>());
    pieces::run(py, &engine, count, |range| {
        let (drawn, points) = keys::generate(&engine, curve, range.len())?;
        for (item, (secret, point)) in range.zip(drawn.iter().zip(points)) {
            secret_rows[item].copy_from_slice(secret.expose_bytes());
            public_rows[item].copy_from_slice(&point.as_bytes()[1..]);
        }
        Ok(())
    })?;
    Ok((secrets.into_numpy(), publics.into_numpy()))
}

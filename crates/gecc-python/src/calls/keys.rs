//! Operations on private keys other than signing, and decoding of public keys.

use crate::calls::results::{self, Wanted};
use crate::choices;
use crate::engine::{self, Engine};
use crate::input::{Call, argument};
use crate::output::{Output, Row};
use crate::pieces;
use gecc::{keys, point};
use gecc_arrow::Field;
use pyo3::prelude::*;

/// Fresh key pairs: private keys and public keys.
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

/// Each private key times its peer.
#[pyfunction]
pub fn ecdh_points<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    curve: &str,
    secret_keys: &Bound<'py, PyAny>,
    public_keys: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let curve = choices::curve(curve)?;
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, curve));
    let keys = call.rows(argument("secret_keys", Field::SecretKey), 32, secret_keys)?;
    let peers = call.keys(argument("public_keys", Field::PublicKey), public_keys)?;
    results::of_rows(call, &engine, Row::secret, Wanted { out, reasons }, |range, rows, codes| {
        let (keys, peers) = (keys.secret_keys(range.clone()), peers.part(range));
        gecc::ecdh::shared_points_into(&engine, curve, keys, peers, rows, codes)
    })
}

/// The coordinates of public keys: compressed ones are decompressed, others checked.
#[pyfunction]
pub fn decompress<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    curve: &str,
    public_keys: &Bound<'py, PyAny>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let curve = choices::curve(curve)?;
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, curve));
    let keys = call.keys(argument("public_keys", Field::PublicKey), public_keys)?;
    results::of_rows(call, &engine, Row::public, Wanted { out: None, reasons }, |range, rows, codes| {
        point::decode_keys_into(&engine, curve, keys.part(range), rows, codes)
    })
}

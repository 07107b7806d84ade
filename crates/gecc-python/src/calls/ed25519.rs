//! Ed25519 signatures (RFC 8032).

use crate::calls::results::{self, Wanted};
use crate::choices;
use crate::engine::{self, Engine};
use crate::input::{Call, argument};
use crate::output::Kind;
use gecc::ed25519::{self, Variant};
use gecc::{PublicKeys, Verdict};
use gecc_arrow::Field;
use pyo3::prelude::*;

/// Verifies one signature an item over its message of any length, by a rule.
#[pyfunction]
pub fn ed25519_verify<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    messages: &Bound<'py, PyAny>,
    signatures: &Bound<'py, PyAny>,
    public_keys: &Bound<'py, PyAny>,
    rule: &str,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let rule = choices::ed25519_rule(rule)?;
    let (engine, mut call) = (engine::of(py, engine)?, Call::new(py, None));
    let messages = call.strings(argument("messages", Field::Message), messages)?;
    let signatures = call.rows(argument("signatures", Field::Signature), 64, signatures)?;
    let keys = call.rows(argument("public_keys", Field::PublicKey), 32, public_keys)?;
    results::of_codes(call, &engine, Some(&messages), reasons, |range, codes| {
        let (messages, signatures) = (messages.slices(range.clone()), signatures.rows::<64>(range.clone()));
        let keys = PublicKeys::ed25519(keys.rows::<32>(range));
        ed25519::verify_into(&engine, &messages, signatures, keys, Variant::PURE, rule, codes)
    })
}

/// Signs one message of any length an item.
#[pyfunction]
pub fn ed25519_sign<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    messages: &Bound<'py, PyAny>,
    seeds: &Bound<'py, PyAny>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (engine, mut call) = (engine::of(py, engine)?, Call::new(py, None));
    let messages = call.strings(argument("messages", Field::Message), messages)?;
    let seeds = call.rows(argument("seeds", Field::SecretKey), 32, seeds)?;
    let wanted = Wanted { out: None, reasons };
    results::of_rows(call, &engine, Some(&messages), Kind::public, wanted, |range, rows, codes| {
        let (messages, seeds) = (messages.slices(range.clone()), seeds.secret_keys(range));
        ed25519::sign_into(&engine, &messages, seeds, Variant::PURE, rows, codes)
    })
}

/// The public key of each seed.
#[pyfunction]
pub fn ed25519_public_keys<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    seeds: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (engine, mut call) = (engine::of(py, engine)?, Call::new(py, None));
    let seeds = call.rows(argument("seeds", Field::SecretKey), 32, seeds)?;
    results::of_rows(call, &engine, None, Kind::public, Wanted { out, reasons }, |range, rows, codes| {
        ed25519::public_keys_into(&engine, seeds.secret_keys(range), rows)?;
        // Every seed is a key.
        codes.fill(Verdict::VALID_CODE);
        Ok(())
    })
}

//! Ed25519 signatures (RFC 8032).

use crate::calls::results::{self, Wanted};
use crate::choices;
use crate::engine::{self, Engine};
use crate::input::{Call, argument};
use crate::output::Kind;
use gecc::Verdict;
use gecc::ed25519;
use gecc_arrow::Field;
use gecc_keys::KeyKind;
use pyo3::prelude::*;

/// Verifies one signature an item over its message of any length, by a rule.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "those of the function in Python")]
pub fn ed25519_verify<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    messages: &Bound<'py, PyAny>,
    signatures: &Bound<'py, PyAny>,
    public_keys: &Bound<'py, PyAny>,
    rule: &str,
    context: Option<&[u8]>,
    prehashed: bool,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (rule, variant) = (choices::ed25519_rule(rule)?, choices::ed25519_variant(context, prehashed)?);
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, KeyKind::Ed25519));
    let messages = call.strings(argument("messages", Field::Message), messages)?;
    let signatures = call.rows(argument("signatures", Field::Signature), 64, signatures)?;
    let keys = call.keys(argument("public_keys", Field::PublicKey), public_keys)?;
    results::of_codes(call, &engine, Some(&messages), reasons, |range, codes| {
        let (messages, signatures) = (messages.slices(range.clone()), signatures.rows::<64>(range.clone()));
        ed25519::verify_into(&engine, &messages, signatures, keys.part(range), variant, rule, codes)
    })
}

/// Signs one message of any length an item.
#[pyfunction]
pub fn ed25519_sign<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    messages: &Bound<'py, PyAny>,
    seeds: &Bound<'py, PyAny>,
    context: Option<&[u8]>,
    prehashed: bool,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let variant = choices::ed25519_variant(context, prehashed)?;
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, KeyKind::Ed25519));
    let messages = call.strings(argument("messages", Field::Message), messages)?;
    let seeds = call.rows(argument("seeds", Field::SecretKey), 32, seeds)?;
    let wanted = Wanted { out: None, reasons };
    results::of_rows(call, &engine, Some(&messages), Kind::public, wanted, |range, rows, codes| {
        let (messages, seeds) = (messages.slices(range.clone()), seeds.secret_keys(range));
        ed25519::sign_into(&engine, &messages, seeds, variant, rows, codes)
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
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, KeyKind::Ed25519));
    let seeds = call.rows(argument("seeds", Field::SecretKey), 32, seeds)?;
    results::of_rows(call, &engine, None, Kind::public, Wanted { out, reasons }, |range, rows, codes| {
        ed25519::public_keys_into(&engine, seeds.secret_keys(range), rows)?;
        // Every seed is a key.
        codes.fill(Verdict::VALID_CODE);
        Ok(())
    })
}

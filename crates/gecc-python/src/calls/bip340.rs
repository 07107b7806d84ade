//! Schnorr signatures of BIP 340, and outputs of Taproot, on secp256k1. Public keys are x-only.

use crate::calls::results::{self, Wanted};
use crate::engine::{self, Engine};
use crate::input::{Call, argument};
use crate::output::Kind;
use gecc::bip340::{self, Auxiliary};
use gecc::{CurveId, PublicKeys, tweak};
use gecc_arrow::Field;
use pyo3::prelude::*;

/// Verifies one signature an item over its message of 32 bytes.
#[pyfunction]
pub fn bip340_verify<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    messages: &Bound<'py, PyAny>,
    signatures: &Bound<'py, PyAny>,
    public_keys: &Bound<'py, PyAny>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, CurveId::Secp256k1));
    let messages = call.rows(argument("messages", Field::Digest), 32, messages)?;
    let signatures = call.rows(argument("signatures", Field::Signature), 64, signatures)?;
    let keys = call.rows(argument("public_keys", Field::PublicKey), 32, public_keys)?;
    results::of_codes(call, &engine, None, reasons, |range, codes| {
        let (messages, signatures) = (messages.rows::<32>(range.clone()), signatures.rows::<64>(range.clone()));
        bip340::verify_into(&engine, messages, signatures, PublicKeys::x_only(keys.rows::<32>(range)), codes)
    })
}

/// Verifies one signature an item over its message of any length.
#[pyfunction]
pub fn bip340_verify_messages<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    messages: &Bound<'py, PyAny>,
    signatures: &Bound<'py, PyAny>,
    public_keys: &Bound<'py, PyAny>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, CurveId::Secp256k1));
    let messages = call.strings(argument("messages", Field::Message), messages)?;
    let signatures = call.rows(argument("signatures", Field::Signature), 64, signatures)?;
    let keys = call.rows(argument("public_keys", Field::PublicKey), 32, public_keys)?;
    results::of_codes(call, &engine, Some(&messages), reasons, |range, codes| {
        let (messages, signatures) = (messages.slices(range.clone()), signatures.rows::<64>(range.clone()));
        let keys = PublicKeys::x_only(keys.rows::<32>(range));
        bip340::verify_messages_into(&engine, &messages, signatures, keys, codes)
    })
}

/// Signs one message of 32 bytes an item.
#[pyfunction]
pub fn bip340_sign<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    messages: &Bound<'py, PyAny>,
    secret_keys: &Bound<'py, PyAny>,
    auxiliary: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyAny>>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, CurveId::Secp256k1));
    let messages = call.rows(argument("messages", Field::Digest), 32, messages)?;
    let keys = call.rows(argument("secret_keys", Field::SecretKey), 32, secret_keys)?;
    let auxiliary = auxiliary.map(|rows| call.rows(argument("auxiliary", Field::SecretKey), 32, rows)).transpose()?;
    results::of_rows(call, &engine, None, Kind::public, Wanted { out, reasons }, |range, rows, codes| {
        let (messages, keys) = (messages.rows::<32>(range.clone()), keys.secret_keys(range.clone()));
        let given = auxiliary.as_ref().map(|auxiliary| Auxiliary::given(auxiliary.rows::<32>(range)));
        bip340::sign_into(&engine, messages, keys, given.unwrap_or_default(), rows, codes)
    })
}

/// Signs one message of any length an item.
#[pyfunction]
pub fn bip340_sign_messages<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    messages: &Bound<'py, PyAny>,
    secret_keys: &Bound<'py, PyAny>,
    auxiliary: Option<&Bound<'py, PyAny>>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, CurveId::Secp256k1));
    let messages = call.strings(argument("messages", Field::Message), messages)?;
    let keys = call.rows(argument("secret_keys", Field::SecretKey), 32, secret_keys)?;
    let auxiliary = auxiliary.map(|rows| call.rows(argument("auxiliary", Field::SecretKey), 32, rows)).transpose()?;
    results::of_rows(
        call,
        &engine,
        Some(&messages),
        Kind::public,
        Wanted { out: None, reasons },
        |range, rows, codes| {
            let (messages, keys) = (messages.slices(range.clone()), keys.secret_keys(range.clone()));
            let given = auxiliary.as_ref().map(|auxiliary| Auxiliary::given(auxiliary.rows::<32>(range)));
            bip340::sign_messages_into(&engine, &messages, keys, given.unwrap_or_default(), rows, codes)
        },
    )
}

/// The output key of each internal key.
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
    results::of_rows(call, &engine, None, Kind::public, Wanted { out, reasons }, |range, rows, codes| {
        let keys = PublicKeys::x_only(keys.rows::<32>(range.clone()));
        tweak::taproot_into(&engine, keys, roots.as_ref().map(|roots| roots.rows::<32>(range)), rows, codes)
    })
}

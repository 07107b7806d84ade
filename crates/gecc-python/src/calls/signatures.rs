//! Signatures over digests: ECDSA, and SM2 on its curve.

use crate::calls::results::{self, Wanted};
use crate::choices;
use crate::engine::{self, Engine};
use crate::input::{Call, Column, Keys, Signatures, argument};
use crate::output::{Kind, Output, answer};
use crate::pieces;
use gecc::{CurveId, ecdsa, sm2};
use gecc_arrow::Field;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Verifies one signature an item over its digest. SM2's digest is e.
#[pyfunction]
pub fn verify<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    curve: &str,
    digests: &Bound<'py, PyAny>,
    signatures: &Bound<'py, PyAny>,
    public_keys: &Bound<'py, PyAny>,
    low_s: bool,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (curve, policy) = (choices::curve(curve)?, choices::policy(low_s));
    choices::require_no_low_s(curve, !low_s)?;
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, curve));
    let digests = call.rows(argument("digests", Field::Digest), 32, digests)?;
    let signatures = call.signatures(signatures)?;
    let keys = call.keys(argument("public_keys", Field::PublicKey), public_keys)?;
    results::of_codes(call, &engine, None, reasons, |range, codes| {
        let (digests, signatures) = (digests.rows(range.clone()), signatures.rows(range.clone()));
        let keys = keys.part(range);
        match curve {
            CurveId::Sm2 => sm2::verify_into(&engine, digests, signatures, keys, codes),
            curve => ecdsa::verify_into(&engine, curve, digests, signatures, keys, policy, codes),
        }
    })
}

/// Verifies like `verify` with ECDSA, by fewer operations where the engine verifies in groups.
#[pyfunction]
pub fn verify_recoverable<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    curve: &str,
    digests: &Bound<'py, PyAny>,
    signatures: &Bound<'py, PyAny>,
    recovery_ids: Option<&Bound<'py, PyAny>>,
    public_keys: &Bound<'py, PyAny>,
    low_s: bool,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (curve, policy) = (choices::curve(curve)?, choices::policy(low_s));
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, curve));
    let digests = call.rows(argument("digests", Field::Digest), 32, digests)?;
    let mut signatures = call.signatures(signatures)?;
    let ids = call.hints(|call| ids_of(call, recovery_ids, &mut signatures))?;
    let keys = call.keys(argument("public_keys", Field::PublicKey), public_keys)?;
    results::of_codes(call, &engine, None, reasons, |range, codes| {
        let (digests, signatures) = (digests.rows(range.clone()), signatures.rows(range.clone()));
        let (ids, keys) = (ids.rows(range.clone()), keys.part(range));
        ecdsa::verify_recoverable_into(&engine, curve, digests, signatures, ids, keys, policy, codes)
    })
}

/// Signs one digest an item. SM2's digest is e.
#[pyfunction]
pub fn sign<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    curve: &str,
    digests: &Bound<'py, PyAny>,
    secret_keys: &Bound<'py, PyAny>,
    additional_data: Option<&Bound<'py, PyAny>>,
    s_form: &str,
    out: Option<&Bound<'py, PyAny>>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (curve, form) = (choices::curve(curve)?, choices::s_form(s_form)?);
    choices::require_no_low_s(curve, form == Default::default())?;
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, curve));
    let digests = call.rows(argument("digests", Field::Digest), 32, digests)?;
    let keys = call.rows(argument("secret_keys", Field::SecretKey), 32, secret_keys)?;
    let data = additional_of(&mut call, additional_data)?;
    results::of_rows(call, &engine, None, Kind::public, Wanted { out, reasons }, |range, rows, codes| {
        let (digests, signers) = (digests.rows(range.clone()), keys.signers(data.as_ref(), range));
        match curve {
            CurveId::Sm2 => sm2::sign_into(&engine, digests, signers, rows, codes),
            curve => ecdsa::sign_into(&engine, curve, digests, signers, form, rows, codes),
        }
    })
}

/// Signs like `sign` with ECDSA, and gives recovery ids besides.
#[pyfunction]
pub fn sign_recoverable<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    curve: &str,
    digests: &Bound<'py, PyAny>,
    secret_keys: &Bound<'py, PyAny>,
    additional_data: Option<&Bound<'py, PyAny>>,
    s_form: &str,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (curve, form) = (choices::curve(curve)?, choices::s_form(s_form)?);
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, curve));
    let digests = call.rows(argument("digests", Field::Digest), 32, digests)?;
    let keys = call.rows(argument("secret_keys", Field::SecretKey), 32, secret_keys)?;
    let data = additional_of(&mut call, additional_data)?;
    let (mut signatures, mut ids) = (Output::of(&call, Kind::public(64))?, Output::of(&call, Kind::public(1))?);
    let mut output = Output::of(&call, Kind::public(1))?;
    let (rows, numbers, codes) = (signatures.rows(), ids.bytes(), output.bytes());
    pieces::run(py, &engine, call.items(), |range| {
        let (digests, signers) = (digests.rows(range.clone()), keys.signers(data.as_ref(), range.clone()));
        let (rows, numbers, codes) = (&mut rows[range.clone()], &mut numbers[range.clone()], &mut codes[range]);
        ecdsa::sign_recoverable_into(&engine, curve, digests, signers, form, rows, numbers, codes)
    })?;
    answer(call, vec![signatures, ids], output, reasons)
}

/// The recovery ids of a call: given, or behind the signatures.
fn ids_of<'py>(
    call: &mut Call<'py>,
    given: Option<&Bound<'py, PyAny>>,
    signatures: &mut Signatures,
) -> PyResult<Column> {
    match (given, signatures.ids.take()) {
        (Some(given), None) => call.recovery_ids(given),
        (None, Some(behind)) => Ok(behind),
        (Some(_), Some(_)) => Err(PyValueError::new_err("recovery_ids: given twice, as signatures of 65 bytes have v")),
        (None, None) => Err(PyValueError::new_err("recovery_ids: not given, and signatures of 64 bytes have no v")),
    }
}

/// Additional data of nonces, where the caller has some.
pub fn additional_of<'py>(call: &mut Call<'py>, data: Option<&Bound<'py, PyAny>>) -> PyResult<Option<Column>> {
    data.map(|data| call.rows(argument("additional_data", Field::SecretKey), 32, data)).transpose()
}

/// Keys that may be those which are recovered, where the caller has some.
fn candidates_of<'py>(call: &mut Call<'py>, candidates: Option<&Bound<'py, PyAny>>) -> PyResult<Option<Keys>> {
    let read = |given| call.hints(|call| call.keys(argument("candidates", Field::PublicKey), given));
    candidates.map(read).transpose()
}

/// The public key that made each ECDSA signature.
#[pyfunction]
pub fn recover<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    curve: &str,
    digests: &Bound<'py, PyAny>,
    signatures: &Bound<'py, PyAny>,
    recovery_ids: Option<&Bound<'py, PyAny>>,
    candidates: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyAny>>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let curve = choices::curve(curve)?;
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, curve));
    let digests = call.rows(argument("digests", Field::Digest), 32, digests)?;
    let mut signatures = call.signatures(signatures)?;
    let ids = ids_of(&mut call, recovery_ids, &mut signatures)?;
    let candidates = candidates_of(&mut call, candidates)?;
    results::of_rows(call, &engine, None, Kind::public, Wanted { out, reasons }, |range, rows, codes| {
        let (digests, signatures) = (digests.rows(range.clone()), signatures.rows(range.clone()));
        let (ids, engine) = (ids.rows(range.clone()), &engine);
        let Some(candidates) = &candidates else {
            return ecdsa::recover_into(engine, curve, digests, signatures, ids, rows, codes);
        };
        let part = candidates.part(range);
        ecdsa::recover_with_candidates_into(engine, curve, digests, signatures, ids, part, rows, codes)
    })
}

/// The Ethereum address of the key that made each signature on secp256k1.
#[pyfunction]
pub fn recover_addresses<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    curve: &str,
    digests: &Bound<'py, PyAny>,
    signatures: &Bound<'py, PyAny>,
    recovery_ids: Option<&Bound<'py, PyAny>>,
    candidates: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyAny>>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let curve = choices::curve(curve)?;
    if curve != CurveId::Secp256k1 {
        return Err(PyValueError::new_err("curve: addresses are of Ethereum, on secp256k1"));
    }
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, curve));
    let digests = call.rows(argument("digests", Field::Digest), 32, digests)?;
    let mut signatures = call.signatures(signatures)?;
    let ids = ids_of(&mut call, recovery_ids, &mut signatures)?;
    let candidates = candidates_of(&mut call, candidates)?;
    results::of_rows(call, &engine, None, Kind::public, Wanted { out, reasons }, |range, rows, codes| {
        let (digests, signatures) = (digests.rows::<32>(range.clone()), signatures.rows(range.clone()));
        let (ids, engine) = (ids.rows::<1>(range.clone()), &engine);
        let Some(candidates) = &candidates else {
            return ecdsa::recover_addresses_into(engine, digests, signatures, ids, rows, codes);
        };
        let part = candidates.part(range);
        ecdsa::recover_addresses_with_candidates_into(engine, digests, signatures, ids, part, rows, codes)
    })
}

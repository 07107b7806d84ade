//! Signatures over messages: ECDSA over their SHA-256, SM2 over the SM3 of Z_A and the message.

use crate::choices;
use crate::engine::{self, Engine};
use crate::input::{Call, Strings, argument};
use crate::output::{Kind, Output, answer};
use crate::pieces;
use gecc::ecdsa::{Policy, SForm};
use gecc::sm2::{self, UserIds};
use gecc::{BrainpoolP256r1, CurveId, Error, P256, PublicKeys, Rejection, Secp256k1, SecretKeys, Verdict, ecdsa};
use gecc_arrow::Field;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::ops::Range;

/// The ids of a call: of every item, one for all, or the default one.
fn ids_of<'py>(call: &mut Call<'py>, curve: CurveId, ids: Option<&Bound<'py, PyAny>>) -> PyResult<Option<Strings>> {
    match ids {
        Some(_) if curve != CurveId::Sm2 => Err(PyValueError::new_err("user_ids: only SM2 has user ids")),
        Some(ids) => call.ids(argument("user_ids", Field::Id), ids).map(Some),
        None => Ok(None),
    }
}

/// The ids of some items, as slices and as the library takes them.
struct Ids<'a> {
    slices: Vec<&'a [u8]>,
    is_one_for_all: bool,
}

impl<'a> Ids<'a> {
    fn of(ids: Option<&'a Strings>, range: Range<usize>) -> Option<Self> {
        let ids = ids?;
        let is_one_for_all = ids.is_one_for_all();
        Some(Ids { slices: ids.slices(if is_one_for_all { 0..1 } else { range }), is_one_for_all })
    }

    fn user_ids(ids: &Option<Self>) -> UserIds<'_> {
        match ids {
            None => UserIds::default(),
            Some(Ids { slices, is_one_for_all: true }) => UserIds::all(slices[0]),
            Some(Ids { slices, .. }) => UserIds::each(slices),
        }
    }
}

fn verify_on(
    engine: &gecc::Engine,
    curve: CurveId,
    messages: &[&[u8]],
    ids: UserIds<'_>,
    signatures: &[[u8; 64]],
    keys: PublicKeys<'_>,
    policy: Policy,
) -> Result<gecc::Verdicts, Error> {
    match curve {
        CurveId::Secp256k1 => ecdsa::verify_messages::<Secp256k1, _>(engine, messages, signatures, keys, policy),
        CurveId::P256 => ecdsa::verify_messages::<P256, _>(engine, messages, signatures, keys, policy),
        CurveId::BrainpoolP256r1 => {
            ecdsa::verify_messages::<BrainpoolP256r1, _>(engine, messages, signatures, keys, policy)
        }
        CurveId::Sm2 => sm2::verify_messages(engine, messages, ids, signatures, keys),
        other => Err(Error::NoScheme { scheme: "signature of messages", curve: other.name() }),
    }
}

fn sign_on(
    engine: &gecc::Engine,
    curve: CurveId,
    messages: &[&[u8]],
    ids: UserIds<'_>,
    keys: SecretKeys<'_>,
    form: SForm,
) -> Result<Vec<Result<[u8; 64], Rejection>>, Error> {
    match curve {
        CurveId::Secp256k1 => ecdsa::sign_messages::<Secp256k1, _>(engine, messages, keys, form),
        CurveId::P256 => ecdsa::sign_messages::<P256, _>(engine, messages, keys, form),
        CurveId::BrainpoolP256r1 => ecdsa::sign_messages::<BrainpoolP256r1, _>(engine, messages, keys, form),
        CurveId::Sm2 => sm2::sign_messages(engine, messages, ids, keys),
        other => Err(Error::NoScheme { scheme: "signature of messages", curve: other.name() }),
    }
}

/// Verifies one signature an item over its message.
#[pyfunction]
pub fn verify_messages<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    curve: &str,
    messages: &Bound<'py, PyAny>,
    signatures: &Bound<'py, PyAny>,
    public_keys: &Bound<'py, PyAny>,
    user_ids: Option<&Bound<'py, PyAny>>,
    low_s: bool,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (curve, policy) = (choices::curve(curve)?, choices::policy(low_s));
    choices::require_no_low_s(curve, !low_s)?;
    let (engine, mut call) = (engine::of(py, engine)?, Call::new(py));
    let messages = call.strings(argument("messages", Field::Message), messages)?;
    let signatures = call.rows(argument("signatures", Field::Signature), 64, signatures)?;
    let keys = call.keys(argument("public_keys", Field::PublicKey), public_keys)?;
    let ids = ids_of(&mut call, curve, user_ids)?;
    let mut output = Output::of(&call, Kind::public(1))?;
    let codes = output.bytes();
    pieces::run(py, &engine, call.items(), |range| {
        let (messages, signatures) = (messages.slices(range.clone()), signatures.to_vec(range.clone()));
        let (ids, part) = (Ids::of(ids.as_ref(), range.clone()), keys.part(range.clone()));
        let ids = Ids::user_ids(&ids);
        let verdicts = verify_on(&engine, curve, &messages, ids, &signatures, part.keys(), policy)?;
        codes[range].iter_mut().zip(verdicts).for_each(|(code, verdict)| *code = verdict.code());
        Ok(())
    })?;
    answer(call, Vec::new(), output, reasons)
}

/// Signs one message an item.
#[pyfunction]
pub fn sign_messages<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    curve: &str,
    messages: &Bound<'py, PyAny>,
    secret_keys: &Bound<'py, PyAny>,
    user_ids: Option<&Bound<'py, PyAny>>,
    s_form: &str,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (curve, form) = (choices::curve(curve)?, choices::s_form(s_form)?);
    choices::require_no_low_s(curve, form == Default::default())?;
    let (engine, mut call) = (engine::of(py, engine)?, Call::new(py));
    let messages = call.strings(argument("messages", Field::Message), messages)?;
    let keys = call.rows(argument("secret_keys", Field::SecretKey), 32, secret_keys)?;
    let ids = ids_of(&mut call, curve, user_ids)?;
    let (mut signatures, mut output) = (Output::of(&call, Kind::public(64))?, Output::of(&call, Kind::public(1))?);
    let (rows, codes) = (signatures.rows::<64>(), output.bytes());
    pieces::run(py, &engine, call.items(), |range| {
        let (messages, keys) = (messages.slices(range.clone()), keys.secret_keys(range.clone()));
        let ids = Ids::of(ids.as_ref(), range.clone());
        let signed = sign_on(&engine, curve, &messages, Ids::user_ids(&ids), keys, form)?;
        for (item, signed) in range.zip(signed) {
            match signed {
                Ok(signature) => (rows[item], codes[item]) = (signature, Verdict::VALID_CODE),
                Err(reason) => codes[item] = reason.code(),
            }
        }
        Ok(())
    })?;
    answer(call, vec![signatures], output, reasons)
}

//! Signatures over messages: ECDSA over their SHA-256, SM2 over the SM3 of Z_A and the message.

use crate::calls::results::{self, Wanted};
use crate::calls::signatures::additional_of;
use crate::choices;
use crate::engine::{self, Engine};
use crate::input::{Call, Strings, argument};
use crate::output::Kind;
use gecc::CurveId;
use gecc::ecdsa;
use gecc::sm2::{self, UserIds};
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
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, curve));
    let messages = call.strings(argument("messages", Field::Message), messages)?;
    let signatures = call.signatures(signatures)?;
    let keys = call.keys(argument("public_keys", Field::PublicKey), public_keys)?;
    let ids = ids_of(&mut call, curve, user_ids)?;
    results::of_codes(call, &engine, Some(&messages), reasons, |range, codes| {
        let (messages, signatures) = (messages.slices(range.clone()), signatures.rows(range.clone()));
        let (ids, keys) = (Ids::of(ids.as_ref(), range.clone()), keys.part(range));
        match curve {
            CurveId::Sm2 => {
                let ids = Ids::user_ids(&ids);
                sm2::verify_messages_into(&engine, &messages, ids, signatures, keys, codes)
            }
            _ => ecdsa::verify_messages_into(&engine, curve, &messages, signatures, keys, policy, codes),
        }
    })
}

/// Signs one message an item.
#[pyfunction]
pub fn sign_messages<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    curve: &str,
    messages: &Bound<'py, PyAny>,
    secret_keys: &Bound<'py, PyAny>,
    additional_data: Option<&Bound<'py, PyAny>>,
    user_ids: Option<&Bound<'py, PyAny>>,
    s_form: &str,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (curve, form) = (choices::curve(curve)?, choices::s_form(s_form)?);
    choices::require_no_low_s(curve, form == Default::default())?;
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, curve));
    let messages = call.strings(argument("messages", Field::Message), messages)?;
    let keys = call.rows(argument("secret_keys", Field::SecretKey), 32, secret_keys)?;
    let data = additional_of(&mut call, additional_data)?;
    let ids = ids_of(&mut call, curve, user_ids)?;
    results::of_rows(
        call,
        &engine,
        Some(&messages),
        Kind::public,
        Wanted { out: None, reasons },
        |range, rows, codes| {
            let messages = messages.slices(range.clone());
            let (ids, signers) = (Ids::of(ids.as_ref(), range.clone()), keys.signers(data.as_ref(), range));
            match curve {
                CurveId::Sm2 => sm2::sign_messages_into(&engine, &messages, Ids::user_ids(&ids), signers, rows, codes),
                _ => ecdsa::sign_messages_into(&engine, curve, &messages, signers, form, rows, codes),
            }
        },
    )
}

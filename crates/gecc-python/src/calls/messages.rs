//! Signatures over messages: ECDSA over their hash, SM2 over the SM3 of Z_A and the message.

use crate::calls::results::{self, Wanted};
use crate::calls::signatures::additional_of;
use crate::choices;
use crate::engine::{self, Engine};
use crate::input::{Call, Column, Strings, argument};
use crate::output::Kind;
use gecc::fields::Hash;
use gecc::sm2::{self, UserIds};
use gecc::{CurveId, Error, Rows, Verdict, ecdsa, hash};
use gecc_arrow::Field;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::ops::Range;

/// What is signed: messages, or where nothing hashes them digests.
enum Contents {
    Messages(Strings, Hash),
    Digests(Column),
}

impl Contents {
    fn of<'py>(call: &mut Call<'py>, messages: &Bound<'py, PyAny>, hash: Hash) -> PyResult<Self> {
        Ok(match hash {
            Hash::None => Contents::Digests(call.rows(argument("messages", Field::Digest), 32, messages)?),
            hash => Contents::Messages(call.strings(argument("messages", Field::Message), messages)?, hash),
        })
    }

    fn strings(&self) -> Option<&Strings> {
        match self {
            Contents::Messages(messages, _) => Some(messages),
            Contents::Digests(_) => None,
        }
    }

    /// What ECDSA signs of some items.
    fn digests(&self, engine: &gecc::Engine, range: Range<usize>) -> Result<Vec<[u8; 32]>, Error> {
        match self {
            Contents::Messages(messages, hash) => hash::digests(engine, *hash, &messages.slices(range)),
            Contents::Digests(column) => {
                let (items, rows) = (range.len(), column.rows::<32>(range));
                Ok((0..items).map(|item| *rows.get(item)).collect())
            }
        }
    }
}

/// The hash of a call, where the curve leaves one to be chosen.
fn hash_of(curve: CurveId, name: &str) -> PyResult<Hash> {
    match choices::hash(name)? {
        hash if curve == CurveId::Sm2 && hash != Hash::default() => {
            Err(PyValueError::new_err("hash: SM2 has a hash of its own"))
        }
        hash => Ok(hash),
    }
}

/// What ECDSA signs of each message.
#[pyfunction]
pub fn message_digests<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    messages: &Bound<'py, PyAny>,
    hash: &str,
    out: Option<&Bound<'py, PyAny>>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let hash = choices::hash(hash)?;
    let (engine, mut call) = (engine::of(py, engine)?, Call::new(py));
    let contents = Contents::of(&mut call, messages, hash)?;
    let wanted = Wanted { out, reasons };
    results::of_rows(call, &engine, contents.strings(), Kind::public, wanted, |range, rows: &mut [[u8; 32]], codes| {
        rows.copy_from_slice(&contents.digests(&engine, range)?);
        codes.fill(Verdict::VALID_CODE);
        Ok(())
    })
}

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
    hash: &str,
    user_ids: Option<&Bound<'py, PyAny>>,
    low_s: bool,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (curve, policy) = (choices::curve(curve)?, choices::policy(low_s));
    choices::require_no_low_s(curve, !low_s)?;
    let hash = hash_of(curve, hash)?;
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, curve));
    let contents = Contents::of(&mut call, messages, hash)?;
    let signatures = call.signatures(signatures)?;
    let keys = call.keys(argument("public_keys", Field::PublicKey), public_keys)?;
    let ids = ids_of(&mut call, curve, user_ids)?;
    results::of_codes(call, &engine, contents.strings(), reasons, |range, codes| {
        let (signatures, keys) = (signatures.rows(range.clone()), keys.part(range.clone()));
        match (curve, &contents) {
            (CurveId::Sm2, Contents::Messages(messages, _)) => {
                let (ids, messages) = (Ids::of(ids.as_ref(), range.clone()), messages.slices(range));
                sm2::verify_messages_into(&engine, &messages, Ids::user_ids(&ids), signatures, keys, codes)
            }
            (curve, contents) => {
                let digests = contents.digests(&engine, range)?;
                ecdsa::verify_into(&engine, curve, Rows::new(&digests), signatures, keys, policy, codes)
            }
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
    hash: &str,
    user_ids: Option<&Bound<'py, PyAny>>,
    s_form: &str,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (curve, form) = (choices::curve(curve)?, choices::s_form(s_form)?);
    choices::require_no_low_s(curve, form == Default::default())?;
    let hash = hash_of(curve, hash)?;
    let (engine, mut call) = (engine::of(py, engine)?, Call::for_keys(py, curve));
    let contents = Contents::of(&mut call, messages, hash)?;
    let keys = call.rows(argument("secret_keys", Field::SecretKey), 32, secret_keys)?;
    let data = additional_of(&mut call, additional_data)?;
    let ids = ids_of(&mut call, curve, user_ids)?;
    let wanted = Wanted { out: None, reasons };
    results::of_rows(call, &engine, contents.strings(), Kind::public, wanted, |range, rows, codes| {
        let signers = keys.signers(data.as_ref(), range.clone());
        match (curve, &contents) {
            (CurveId::Sm2, Contents::Messages(messages, _)) => {
                let (ids, messages) = (Ids::of(ids.as_ref(), range.clone()), messages.slices(range));
                sm2::sign_messages_into(&engine, &messages, Ids::user_ids(&ids), signers, rows, codes)
            }
            (curve, contents) => {
                let digests = contents.digests(&engine, range)?;
                ecdsa::sign_into(&engine, curve, Rows::new(&digests), signers, form, rows, codes)
            }
        }
    })
}

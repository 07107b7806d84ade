//! Parsing of strings with which a caller chooses an option.

use gecc::call::Operation;
use gecc::ecdsa::{Policy, SForm};
use gecc::ed25519::{Rule, UnknownRule, Variant};
use gecc::fields::{Hash, SignatureReader, UnknownHash, UnknownSignatureForm};
use gecc::hash_to_curve::{Suite, UnknownSuite};
use gecc::mask::{Form, UnknownForm};
use gecc::{Backend, CurveId};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBool;
use std::fmt::Display;

/// Returns the value with this name.
fn chosen<T: Copy>(what: &str, name: &str, values: &[(&str, T)]) -> PyResult<T> {
    let found = values.iter().find(|(other, _)| *other == name);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
        PyValueError::new_err(format!(
            "{what}: {:?} is not one of {}",
            gecc::fields::shown(name),
            names.join(", ")
        ))
    })
}

pub fn curve(name: &str) -> PyResult<CurveId> {
    name.parse()
        .map_err(|problem: gecc::UnknownCurve| PyValueError::new_err(format!("curve: {problem}")))
}

pub fn suite(name: &str) -> PyResult<Suite> {
    name.parse()
        .map_err(|problem: UnknownSuite| PyValueError::new_err(format!("suite: {problem}")))
}

/// Returns the form of masked points: by name, or as the number of bytes of x.
pub fn mask_form(form: Option<&Bound<'_, PyAny>>) -> PyResult<Form> {
    let unclear = || PyTypeError::new_err("form: neither a name nor a number of bytes");
    let form = form.ok_or_else(unclear)?;
    if let Ok(name) = form.extract::<String>() {
        let form: Result<Form, UnknownForm> = name.parse();
        return form.map_err(|problem| PyValueError::new_err(format!("form: {problem}")));
    }
    // A boolean is an integer in Python.
    if form.is_instance_of::<PyBool>() {
        return Err(unclear());
    }
    match form.extract::<i64>() {
        Ok(bytes @ 1..=32) => Ok(Form::Truncated(bytes as u8)),
        Ok(bytes) => Err(PyValueError::new_err(format!(
            "form: x has 1 to 32 bytes, not {bytes}"
        ))),
        Err(_) => Err(unclear()),
    }
}

pub fn backend(name: &str) -> PyResult<Backend> {
    chosen(
        "backend",
        name,
        &[
            ("auto", Backend::Auto),
            ("cpu", Backend::Cpu),
            ("gpu", Backend::Gpu),
        ],
    )
}

pub fn s_form(name: &str) -> PyResult<SForm> {
    let forms = [
        ("curve_default", SForm::CurveDefault),
        ("low", SForm::Low),
        ("as_computed", SForm::AsComputed),
    ];
    chosen("s_form", name, &forms)
}

pub fn ed25519_rule(name: &str) -> PyResult<Rule> {
    name.parse()
        .map_err(|problem: UnknownRule| PyValueError::new_err(format!("rule: {problem}")))
}

/// Returns pure Ed25519 if there is neither a context nor prehashing.
pub fn ed25519_variant(context: Option<&[u8]>, prehashed: bool) -> PyResult<Variant> {
    let variant = match (context, prehashed) {
        (None, false) => Ok(Variant::PURE),
        (Some(context), false) => Variant::context(context),
        (context, true) => Variant::prehashed(context.unwrap_or_default()),
    };
    variant.map_err(|problem| PyValueError::new_err(format!("context: {problem}")))
}

pub fn hash(name: &str) -> PyResult<Hash> {
    name.parse()
        .map_err(|problem: UnknownHash| PyValueError::new_err(format!("hash: {problem}")))
}

/// Returns a reader of signatures in this form for an operation.
pub fn signature_reader(operation: Operation, form: &str) -> PyResult<SignatureReader> {
    let form = form
        .parse()
        .map_err(|unknown: UnknownSignatureForm| unusable_signature_form(&unknown))?;
    operation
        .signature_reader(form)
        .map_err(|problem| unusable_signature_form(&problem))
}

fn unusable_signature_form(problem: &dyn Display) -> PyErr {
    PyValueError::new_err(format!("signature_form: {problem}"))
}

pub fn policy(low_s: bool) -> Policy {
    if low_s {
        Policy::low_s()
    } else {
        Policy::default()
    }
}

/// Requires the default for SM2, which has only one form of s.
pub fn require_no_low_s(curve: CurveId, is_default: bool) -> PyResult<()> {
    if curve == CurveId::Sm2 && !is_default {
        return Err(PyValueError::new_err("SM2 has no low s"));
    }
    Ok(())
}

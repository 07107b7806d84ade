//! One-byte reasons of items: the engine's codes, and those of values that cannot be read.

use gecc::{Rejection, Verdict};
use gecc_arrow::{CellProblem, Field, Reason};
use pyo3::prelude::*;

/// Python's code of what passed. All others are true, so that `codes.any()` says whether something was rejected.
pub const VALID: u8 = 0;

/// The code that Python has for an engine's. An item that nobody wrote a code for counts as a mismatch.
pub fn code_of(engines: u8) -> u8 {
    match engines {
        Verdict::VALID_CODE => VALID,
        0 => Rejection::Mismatch.code(),
        code => code,
    }
}

/// The role of an argument, for the codes of its values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// One that files have too, and their codes.
    Field(Field),
    /// A point that is no public key.
    Point,
    /// A public scalar.
    Scalar,
}

impl Role {
    /// The code of an item of which this argument has no value that can be read.
    pub fn code(self, problem: CellProblem) -> u8 {
        match (self, problem) {
            (Role::Point, _) | (Role::Field(Field::PublicKey), CellProblem::WrongLength) => {
                Rejection::MalformedPoint.code()
            }
            (Role::Field(Field::Der), CellProblem::WrongLength) => Rejection::MalformedSignature.code(),
            (Role::Scalar, _) => Rejection::ScalarOutOfRange.code(),
            (Role::Field(field), problem) => Reason::Cell(field, problem).code(),
        }
    }

    /// Returns whether values are private keys.
    pub fn is_secret(self) -> bool {
        self == Role::Field(Field::SecretKey)
    }
}

/// Codes with their names and texts: `VALID` first, then why items are rejected.
#[pyfunction]
pub fn reason_texts() -> Vec<(u8, String, String)> {
    let valid = (VALID, "VALID".to_owned(), Verdict::Valid.to_string());
    let reasons = (0..=u8::MAX).filter_map(Reason::from_code);
    let reasons = reasons.map(|reason| (reason.code(), name(reason), reason.to_string()));
    [valid].into_iter().chain(reasons).collect()
}

/// Returns the name of a Python constant: `SOutOfRange` becomes `S_OUT_OF_RANGE`.
fn name(reason: Reason) -> String {
    let name = match reason {
        Reason::Rejected(rejection) => format!("{rejection:?}"),
        Reason::Cell(field, problem) => format!("{field:?}{problem:?}"),
        Reason::NoKey | Reason::UnusableKey => format!("{reason:?}"),
    };
    let mut constant = String::new();
    for (place, letter) in name.char_indices() {
        if place > 0 && letter.is_ascii_uppercase() {
            constant.push('_');
        }
        constant.push(letter.to_ascii_uppercase());
    }
    constant
}

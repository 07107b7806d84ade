//! One-byte reasons of items: the engine's codes, and those of unreadable values.

use gecc::{Rejection, Verdict};
use gecc_arrow::{CellProblem, Field, Reason};
use pyo3::prelude::*;

/// Python's code of an item that passed. All others are nonzero, so that `codes.any()` is true if
/// an item was rejected.
pub const VALID: u8 = 0;

/// Converts an engine's code to that of Python. An item without a code counts as a mismatch.
pub fn code_of(engines: u8) -> u8 {
    match engines {
        Verdict::VALID_CODE => VALID,
        0 => Rejection::Mismatch.code(),
        code => code,
    }
}

/// The role of an argument, for the codes of its values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ArgumentRole {
    /// A field that files have too, with its codes.
    Field(Field),
    /// A point that is not a public key.
    Point,
    /// A public scalar.
    Scalar,
}

impl ArgumentRole {
    /// Returns the code of an item for which this argument has no readable value.
    pub fn code(self, problem: CellProblem) -> u8 {
        match (self, problem) {
            (ArgumentRole::Point, _)
            | (ArgumentRole::Field(Field::PublicKey), CellProblem::WrongLength) => {
                Rejection::MalformedPoint.code()
            }
            (ArgumentRole::Field(Field::Der), CellProblem::WrongLength) => {
                Rejection::MalformedSignature.code()
            }
            (ArgumentRole::Scalar, _) => Rejection::ScalarOutOfRange.code(),
            (ArgumentRole::Field(field), problem) => Reason::Cell(field, problem).code(),
        }
    }

    /// Returns whether values are private keys.
    pub fn is_secret(self) -> bool {
        self == ArgumentRole::Field(Field::SecretKey)
    }
}

/// Returns codes with their names and texts: `VALID` first, then the reasons of rejections.
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

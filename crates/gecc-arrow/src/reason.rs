//! Reasons why a row is rejected: by the engine, or because of a malformed cell.

use arrow_array::StringArray;
use gecc::fields::{Field, SignatureProblem};
use gecc::{Rejection, Verdict};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A defect of one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum CellProblem {
    /// The cell is null.
    Null,
    /// Text that is not hexadecimal, or has an odd number of digits.
    NotHexadecimal,
    /// A length that the field cannot have.
    WrongLength,
    /// Text that is not base64, although the other cells of the table are.
    NotBase64,
    /// See [`SignatureProblem::UndefinedV`] and [`SignatureProblem::UndefinedHeader`].
    UndefinedV,
    /// See [`SignatureProblem::LooksHeaderFirst`].
    LooksHeaderFirst,
    /// See [`SignatureProblem::Ambiguous`].
    Ambiguous,
    /// See [`SignatureProblem::TrailingByte`].
    TrailingByte,
    /// The field contradicts a part of the signature: its v or header, or s and the parity of
    /// `y_parity_and_s`.
    DiffersFromSignature,
    /// The field contradicts `recovery_id`.
    DiffersFromRecoveryId,
    /// The field contradicts `v`.
    DiffersFromV,
    /// Text that is not a decimal number of at most 32 bytes, in a column of decimal numbers.
    NotDecimal,
}

impl CellProblem {
    const ALL: [CellProblem; 12] = [
        CellProblem::Null,
        CellProblem::NotHexadecimal,
        CellProblem::WrongLength,
        CellProblem::NotBase64,
        CellProblem::UndefinedV,
        CellProblem::LooksHeaderFirst,
        CellProblem::Ambiguous,
        CellProblem::TrailingByte,
        CellProblem::DiffersFromSignature,
        CellProblem::DiffersFromRecoveryId,
        CellProblem::DiffersFromV,
        CellProblem::NotDecimal,
    ];

    /// Returns whether a cell of the field can have the problem.
    fn is_of(self, field: Field) -> bool {
        match self {
            CellProblem::Null
            | CellProblem::NotHexadecimal
            | CellProblem::WrongLength
            | CellProblem::NotBase64 => true,
            CellProblem::UndefinedV | CellProblem::LooksHeaderFirst | CellProblem::Ambiguous => {
                field == Field::Signature
            }
            CellProblem::TrailingByte => matches!(field, Field::Signature | Field::Der),
            CellProblem::DiffersFromSignature => {
                field == Field::S || Field::RECOVERY_IDS.contains(&field)
            }
            CellProblem::DiffersFromRecoveryId => matches!(field, Field::V | Field::YParity),
            CellProblem::DiffersFromV => field == Field::YParity,
            CellProblem::NotDecimal => matches!(field, Field::R | Field::S),
        }
    }
}

impl fmt::Display for CellProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CellProblem::Null => "is null",
            CellProblem::NotHexadecimal => "is not hexadecimal",
            CellProblem::WrongLength => "has the wrong length",
            CellProblem::NotBase64 => "is not base64",
            CellProblem::UndefinedV => {
                "ends with a byte that is not a v (0 to 3, or 27 to 30), or does not begin with a header of 27 to 42"
            }
            CellProblem::LooksHeaderFirst => return SignatureProblem::LooksHeaderFirst.fmt(f),
            CellProblem::Ambiguous => return SignatureProblem::Ambiguous.fmt(f),
            CellProblem::TrailingByte => return SignatureProblem::TrailingByte.fmt(f),
            CellProblem::DiffersFromSignature => "contradicts the v, the header or the parity in the signature",
            CellProblem::DiffersFromRecoveryId => "contradicts `recovery_id`",
            CellProblem::DiffersFromV => "contradicts `v`",
            CellProblem::NotDecimal => "is not a decimal number of at most 32 bytes",
        })
    }
}

/// The reason why a row has no result, or its signature is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The engine computed the item and rejects it.
    Rejected(Rejection),
    /// A cell of the row cannot be read. The reason is that of the first such cell in the order of
    /// [`Field::ALL`].
    Cell(Field, CellProblem),
    /// There are fewer private keys than rows ([`crate::Key::Each`]).
    NoKey,
    /// The private key of the row, in PEM, DER or as a JSON Web Key, cannot be used.
    UnusableKey,
}

/// The first code of cell problems. Lower codes are those of the engine.
const CELL_CODES: u8 = 64;

/// The distance between the first codes of two consecutive problems.
const FIELDS: u8 = 16;

/// The code of [`Reason::NoKey`].
const NO_KEY: u8 = u8::MAX;

/// The code of [`Reason::UnusableKey`].
const UNUSABLE_KEY: u8 = NO_KEY - 1;

const _: () = assert!(Field::ALL.len() <= FIELDS as usize);
const _: () = assert!(
    CELL_CODES as usize + FIELDS as usize * (CellProblem::ALL.len() - 1) + Field::ALL.len()
        <= UNUSABLE_KEY as usize
);

impl Reason {
    /// Returns the stable one-byte form: the code of a [`Rejection`], 64 and up for cells, or 254
    /// and 255 for private keys. It is never 1, the code of a row that passed.
    pub fn code(self) -> u8 {
        match self {
            Reason::Rejected(rejection) => rejection.code(),
            Reason::Cell(field, problem) => CELL_CODES + FIELDS * problem as u8 + field as u8,
            Reason::NoKey => NO_KEY,
            Reason::UnusableKey => UNUSABLE_KEY,
        }
    }

    /// Returns the reason with this code; `None` for the code of a row that passed, and for
    /// undefined codes.
    pub fn from_code(code: u8) -> Option<Self> {
        match code {
            NO_KEY => Some(Reason::NoKey),
            UNUSABLE_KEY => Some(Reason::UnusableKey),
            CELL_CODES.. => {
                let cell = usize::from(code - CELL_CODES);
                let problem = cell / usize::from(FIELDS);
                let field = cell % usize::from(FIELDS);
                let field = *Field::ALL.get(field)?;
                let problem = *CellProblem::ALL.get(problem)?;
                problem.is_of(field).then_some(Reason::Cell(field, problem))
            }
            _ => Rejection::from_code(code).map(Reason::Rejected),
        }
    }
}

impl From<(Field, CellProblem)> for Reason {
    fn from((field, problem): (Field, CellProblem)) -> Self {
        Reason::Cell(field, problem)
    }
}

impl From<(Field, SignatureProblem)> for Reason {
    fn from((field, problem): (Field, SignatureProblem)) -> Self {
        let problem = match problem {
            SignatureProblem::UndefinedV | SignatureProblem::UndefinedHeader => {
                CellProblem::UndefinedV
            }
            SignatureProblem::LooksHeaderFirst => CellProblem::LooksHeaderFirst,
            SignatureProblem::Ambiguous => CellProblem::Ambiguous,
            SignatureProblem::TrailingByte => CellProblem::TrailingByte,
            SignatureProblem::Rejected(rejection) => return Reason::Rejected(rejection),
            _ => CellProblem::WrongLength,
        };
        Reason::Cell(field, problem)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Rejected(rejection) => rejection.fmt(f),
            Reason::Cell(field, problem) => write!(f, "`{field}` {problem}"),
            Reason::NoKey => f.write_str("there is no private key for this row"),
            Reason::UnusableKey => {
                f.write_str("`secret_key` is encrypted, damaged, several keys, or of another curve")
            }
        }
    }
}

/// The texts of all reasons, and the index of each code's text. They are the same for all batches,
/// because an Arrow IPC file has one dictionary per column.
pub(crate) struct ReasonTexts {
    pub array: Arc<StringArray>,
    keys: [Option<i8>; 256],
}

impl ReasonTexts {
    pub fn get() -> &'static ReasonTexts {
        static TEXTS: OnceLock<ReasonTexts> = OnceLock::new();
        TEXTS.get_or_init(|| {
            let mut keys = [None; 256];
            let mut texts = Vec::new();
            for code in 0..=u8::MAX {
                if let Some(reason) = Reason::from_code(code) {
                    keys[usize::from(code)] =
                        Some(i8::try_from(texts.len()).expect("fewer reasons than 128"));
                    texts.push(reason.to_string());
                }
            }
            ReasonTexts {
                array: Arc::new(StringArray::from(texts)),
                keys,
            }
        })
    }

    /// Returns the index of a code's text; `None` for a row that passed. A code that was never
    /// written counts as a mismatch.
    pub fn key(&self, code: u8) -> Option<i8> {
        match code {
            Verdict::VALID_CODE => None,
            code => {
                self.keys[usize::from(code)].or(self.keys[usize::from(Rejection::Mismatch.code())])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_reasons_are_one_to_one() {
        let mut found = 0;
        for code in 0..=u8::MAX {
            if let Some(reason) = Reason::from_code(code) {
                assert_eq!(reason.code(), code);
                found += 1;
            }
        }
        let rejections = (0..=u8::MAX).filter_map(Rejection::from_code).count();
        let of_cells = Field::ALL.iter().flat_map(|field| {
            CellProblem::ALL
                .iter()
                .filter(|problem| problem.is_of(*field))
        });
        assert_eq!(found, rejections + of_cells.count() + 2);
        assert_eq!(Reason::from_code(Verdict::VALID_CODE), None);
    }

    #[test]
    fn codes_of_rejections_are_below_those_of_cells() {
        assert!((CELL_CODES..=u8::MAX).all(|code| Rejection::from_code(code).is_none()));
    }

    #[test]
    fn every_reason_has_its_own_text() {
        let texts = ReasonTexts::get();
        for code in 0..=u8::MAX {
            let text = texts
                .key(code)
                .map(|key| texts.array.value(key as usize).to_owned());
            let reason = Reason::from_code(code).unwrap_or(Reason::Rejected(Rejection::Mismatch));
            assert_eq!(
                text,
                (code != Verdict::VALID_CODE).then(|| reason.to_string())
            );
        }
    }
}

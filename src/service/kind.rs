//! What can be asked for: the columns of an operation, and the call that computes them.

use crate::curve::CurveId;
use crate::engine::Engine;
use crate::op::Worth;
use crate::ops::{ecdh, keys};
use crate::schemes::ecdsa::ECDSA;
use crate::schemes::sm2::SM2;
use crate::schemes::{bip340, ecdsa, sm2};
use crate::types::{ByteRows, Error, POINT_ROW, Policy, PublicKeys, Rows, SForm, SecretKeys, Signers, require_lengths};

/// Requests of one kind share batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    EcdsaVerify(CurveId, Policy),
    EcdsaRecover(CurveId),
    EcdsaSign(CurveId, SForm, Nonces),
    Bip340Verify,
    Sm2Verify,
    Sm2Sign(Nonces),
    SharedSecrets(CurveId),
    PublicKeys(CurveId),
}

/// Whether nonces have additional data, in the last column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nonces {
    OfKeyAndDigest,
    WithData,
}

impl Nonces {
    pub fn of(signers: &Signers) -> Self {
        if signers.additional.is_some() { Nonces::WithData } else { Nonces::OfKeyAndDigest }
    }

    fn width(self) -> usize {
        if self == Nonces::WithData { 32 } else { 0 }
    }

    fn signers<'a>(self, keys: &'a [u8], data: &'a [u8]) -> Signers<'a> {
        let keys = SecretKeys::rows(rows_of(keys));
        match self {
            Nonces::OfKeyAndDigest => keys.into(),
            Nonces::WithData => Signers::with_additional_data(keys, rows_of(data)),
        }
    }
}

/// Columns of an operation.
pub const COLUMNS: usize = 3;

/// What the columns of a kind are.
#[derive(Clone, Copy)]
pub struct Shape {
    /// Bytes of an item in each input; 0 where there is no such column.
    pub inputs: [usize; COLUMNS],
    /// The input that is secret.
    pub secret_input: Option<usize>,
    /// Bytes of an item's result beside its code.
    pub result: usize,
    pub has_secret_results: bool,
}

impl Kind {
    pub fn shape(self) -> Shape {
        let public = |inputs, result| Shape { inputs, secret_input: None, result, has_secret_results: false };
        match self {
            Kind::EcdsaVerify(..) | Kind::Bip340Verify | Kind::Sm2Verify => public([32, 64, POINT_ROW], 0),
            Kind::EcdsaRecover(_) => public([32, 64, 1], 64),
            Kind::EcdsaSign(.., nonces) | Kind::Sm2Sign(nonces) => {
                Shape { secret_input: Some(1), ..public([32, 32, nonces.width()], 64) }
            }
            Kind::SharedSecrets(_) => {
                Shape { secret_input: Some(0), has_secret_results: true, ..public([32, POINT_ROW, 0], 32) }
            }
            Kind::PublicKeys(_) => Shape { secret_input: Some(0), ..public([32, 0, 0], 64) },
        }
    }

    /// # Errors
    /// [`Error::NoScheme`] where the curve does not have the scheme.
    pub fn require_scheme(self) -> Result<(), Error> {
        match self {
            Kind::EcdsaVerify(curve, _) | Kind::EcdsaRecover(curve) | Kind::EcdsaSign(curve, ..) => {
                ECDSA.require(curve)
            }
            Kind::Bip340Verify | Kind::Sm2Verify | Kind::Sm2Sign(_) | Kind::SharedSecrets(_) | Kind::PublicKeys(_) => {
                Ok(())
            }
        }
    }

    /// From which size a GPU pays, before anything was measured.
    pub fn worth(self) -> Worth {
        match self {
            Kind::EcdsaVerify(..) => ECDSA.verify_worth,
            Kind::EcdsaRecover(_) => ecdsa::recover::WORTH,
            Kind::EcdsaSign(..) => ECDSA.sign_worth,
            Kind::Bip340Verify => bip340::VERIFY_WORTH,
            Kind::Sm2Verify => SM2.verify_worth,
            Kind::Sm2Sign(_) => SM2.sign_worth,
            Kind::SharedSecrets(_) => ecdh::WORTH,
            Kind::PublicKeys(_) => keys::WORTH,
        }
    }

    /// The results of a batch, from columns that `write` has filled into a code and a row for each item.
    pub fn compute(
        self,
        engine: &Engine,
        columns: [&[u8]; COLUMNS],
        codes: &mut [u8],
        rows: &mut [u8],
    ) -> Result<(), Error> {
        let [first, second, third] = columns;
        match self {
            Kind::EcdsaVerify(curve, policy) => {
                let (digests, signatures, keys) = (rows_of(first), rows_of(second), PublicKeys::mixed(rows_of(third)));
                ecdsa::verify_into(engine, curve, digests, signatures, keys, policy, codes)
            }
            Kind::Bip340Verify => {
                let (messages, signatures, keys) = (rows_of(first), rows_of(second), PublicKeys::mixed(rows_of(third)));
                bip340::verify_into(engine, messages, signatures, keys, codes)
            }
            Kind::Sm2Verify => {
                let (digests, signatures, keys) = (rows_of(first), rows_of(second), PublicKeys::mixed(rows_of(third)));
                sm2::verify_into(engine, digests, signatures, keys, codes)
            }
            Kind::EcdsaRecover(curve) => {
                let (digests, signatures, ids) = (rows_of(first), rows_of(second), rows_of(third));
                ecdsa::recover_into(engine, curve, digests, signatures, ids, rows.as_chunks_mut().0, codes)
            }
            Kind::EcdsaSign(curve, s_form, nonces) => {
                let (digests, signers) = (rows_of(first), nonces.signers(second, third));
                ecdsa::sign_into(engine, curve, digests, signers, s_form, rows.as_chunks_mut().0, codes)
            }
            Kind::Sm2Sign(nonces) => {
                let signers = nonces.signers(second, third);
                sm2::sign_into(engine, rows_of(first), signers, rows.as_chunks_mut().0, codes)
            }
            Kind::SharedSecrets(curve) => {
                let (keys, peers) = (SecretKeys::rows(rows_of(first)), PublicKeys::mixed(rows_of(second)));
                ecdh::shared_secrets_into(engine, curve, keys, peers, rows.as_chunks_mut().0, codes)
            }
            Kind::PublicKeys(curve) => {
                let keys = SecretKeys::rows(rows_of(first));
                keys::public_keys_into(engine, curve, keys, rows.as_chunks_mut().0, codes)
            }
        }
    }
}

fn rows_of<const W: usize>(column: &[u8]) -> Rows<'_, W> {
    Rows::new(column.as_chunks().0)
}

/// An input of a request.
#[derive(Clone, Copy)]
pub enum Column<'a> {
    None,
    Rows(ByteRows<'a>),
    Keys(PublicKeys<'a>),
}

impl<'a> Column<'a> {
    pub fn rows<const W: usize>(rows: Rows<'a, W>) -> Self {
        Column::Rows(rows.bytes())
    }

    pub fn secret_keys(keys: SecretKeys<'a>) -> Self {
        Column::rows(keys.expose_column())
    }

    /// Items; `None` where it fits any number of them.
    fn items(&self) -> Option<usize> {
        match self {
            Column::None => None,
            Column::Rows(rows) => Some(rows.items()).filter(|_| !rows.is_one_for_all()),
            Column::Keys(keys) => keys.len(),
        }
    }

    /// Writes the rows of all items there is room for.
    fn write(&self, to: &mut [u8]) {
        match self {
            Column::None => {}
            Column::Rows(rows) => rows.copy(0, to),
            Column::Keys(keys) => keys.write_mixed_rows(0, to),
        }
    }
}

/// The inputs of a request, in the order of the kind's columns.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    columns: [Column<'a>; COLUMNS],
    items: usize,
}

impl<'a> Inputs<'a> {
    /// A request has as many items as its first column with a row for each, and one where there is no such column.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] with the name of a column that has another number of rows.
    pub fn new(columns: [(&'static str, Column<'a>); COLUMNS]) -> Result<Self, Error> {
        let items = columns.iter().find_map(|(_, column)| column.items()).unwrap_or(1);
        let lengths = columns.map(|(name, column)| (name, column.items().unwrap_or(items)));
        require_lengths(items, &lengths)?;
        Ok(Inputs { columns: columns.map(|(_, column)| column), items })
    }

    pub fn items(&self) -> usize {
        self.items
    }

    /// Writes the rows of one column.
    pub fn write(&self, column: usize, to: &mut [u8]) {
        self.columns[column].write(to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_column_with_rows_tells_the_number_of_items() {
        let (three, two, one) = ([[1; 32]; 3], [[2; 64]; 2], [3; 32]);
        let columns = |a, b| Inputs::new([("a", a), ("b", b), ("c", Column::None)]);
        let rows = || Column::rows(Rows::new(&three));
        let all = || Column::rows(Rows::all(&one));
        assert_eq!(columns(rows(), all()).ok().map(|inputs| inputs.items()), Some(3));
        assert_eq!(columns(all(), rows()).ok().map(|inputs| inputs.items()), Some(3));
        assert_eq!(columns(all(), all()).ok().map(|inputs| inputs.items()), Some(1));
        let wrong = columns(rows(), Column::rows(Rows::new(&two)));
        assert!(matches!(wrong.err(), Some(Error::LengthMismatch { what: "b", expected: 3, found: 2 })));
    }

    #[test]
    fn a_row_for_all_is_written_for_each() {
        let row = [7; 32];
        let inputs = Inputs::new([
            ("a", Column::rows(Rows::new(&[[1; 64], [2; 64]]))),
            ("b", Column::rows(Rows::all(&row))),
            ("c", Column::None),
        ])
        .unwrap();
        let mut written = [0; 64];
        inputs.write(1, &mut written);
        assert_eq!(written, [7; 64]);
    }
}

//! The operation that is applied to each row.

use gecc::SecretKey;
use gecc::call::{self, Options};
use gecc::fields::Field;
use std::sync::Arc;

/// An operation of the library together with its options, private keys and the form of its results
/// in tables.
///
/// The columns that it reads are named in [`call::Reads`]; the results have the names in
/// [`call::Operation::results`]. The answer of a verification is `valid`. Contents are `digest` or
/// `message`; signatures are `signature`, `r` and `s`, `r` and `y_parity_and_s`, or `der`; those of
/// BIP 340 and Ed25519 are always 64 bytes. Recovery ids are those of signatures of 65 bytes,
/// `recovery_id`, `v` and `y_parity`, which must agree. If they are optional, a row without one is
/// verified individually.
#[derive(Clone, Debug)]
pub struct TableOperation {
    /// The computation and its curve.
    pub operation: call::Operation,
    /// The source of private keys, if the operation reads any.
    pub key: Key,
    /// The options of the computation. A hash is an error if it is not used: with another scheme
    /// than ECDSA, and if there are no messages. Other options that do not apply are ignored.
    pub options: Options,
    /// The output encoding of public keys. Those of Ed25519 and X25519 always have 32 bytes.
    pub key_form: KeyForm,
    /// True to write signatures in DER, as `der`, instead of `signature`.
    pub der: bool,
}

impl From<call::Operation> for TableOperation {
    /// Creates an operation that reads private keys from a column, and has the default options and
    /// forms of results.
    fn from(operation: call::Operation) -> Self {
        let key = Key::default();
        let key_form = KeyForm::default();
        TableOperation {
            operation,
            key,
            options: Options::default(),
            key_form,
            der: false,
        }
    }
}

/// The output encoding of public keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyForm {
    /// 65 bytes: `04 || x || y`.
    #[default]
    Uncompressed,
    /// 33 bytes: `02 || x` or `03 || x`.
    Compressed,
    /// 64 bytes: `x || y`.
    Raw,
}

/// The source of private keys.
#[derive(Clone, Debug, Default)]
pub enum Key {
    /// The column `secret_key`.
    #[default]
    Column,
    /// One key for all rows.
    All(SecretKey),
    /// Key i for row i. Rows after the last key are rejected with [`crate::Reason::NoKey`].
    Each(Arc<Vec<SecretKey>>),
}

impl TableOperation {
    /// Returns whether the operation reads a field.
    pub(crate) fn reads(&self, field: Field) -> bool {
        let is_column = field != Field::SecretKey || matches!(self.key, Key::Column);
        self.operation.reads().includes(field) && is_column
    }
}

impl KeyForm {
    pub(crate) fn width(self) -> i32 {
        match self {
            KeyForm::Uncompressed => 65,
            KeyForm::Compressed => 33,
            KeyForm::Raw => 64,
        }
    }
}

//! The operation that is applied to each row.

use gecc::SecretKey;
use gecc::call::{self, RecoveryIds};
use gecc::ed25519::Variant;
use gecc::fields::Field;
use std::sync::Arc;

/// An operation of the library together with the options of tables.
///
/// What it reads are columns of the names in [`call::Reads`]; results have the names in
/// [`call::Operation::results`]. The answer of a verification is `valid`. Contents are `digest` or
/// `message`; signatures `signature`, `r` and `s`, `r` and `y_parity_and_s`, or `der`; those of BIP
/// 340 and Ed25519 are 64 bytes alone. Recovery ids are those of signatures of 65 bytes,
/// `recovery_id`, `v` and `y_parity`, which have to agree. Where they are optional, a row that has
/// none is verified by itself.
#[derive(Clone, Debug)]
pub struct Operation {
    /// The computation and its curve.
    pub call: call::Operation,
    /// The origin of private keys, if the operation reads any.
    pub key: Key,
    /// Additional data for the nonces of all rows, if there are any: see [`gecc::Signers`]. Of BIP 340 the auxiliary
    /// random data of all rows; where there are none, fresh ones of the operating system for each row. Ed25519
    /// reads none.
    pub additional: Option<[u8; 32]>,
    /// The Ed25519 variant of the signatures. Ignored by other schemes.
    pub variant: Variant,
    /// The output encoding of public keys. Those of Ed25519 have 32 bytes.
    pub key_form: KeyForm,
    /// True if signatures are written in DER, as `der`, instead of `signature`.
    pub der: bool,
}

impl From<call::Operation> for Operation {
    /// Makes an operation that reads private keys from a column, derives nonces without additional
    /// data, uses Ed25519 itself, and writes results in their first form.
    fn from(call: call::Operation) -> Self {
        let (key, key_form) = (Key::default(), KeyForm::default());
        Operation { call, key, additional: None, variant: Variant::PURE, key_form, der: false }
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

/// The origin of private keys.
#[derive(Clone, Debug, Default)]
pub enum Key {
    /// The column `secret_key`.
    #[default]
    Column,
    /// One key for all rows.
    All(SecretKey),
    /// Row i has key i. Rows behind the last key are rejected with [`crate::Reason::NoKey`].
    Each(Arc<Vec<SecretKey>>),
}

impl Operation {
    /// Returns whether the operation reads a field.
    pub(crate) fn reads(&self, field: Field) -> bool {
        let reads = self.call.reads();
        match field {
            Field::Digest | Field::Message => reads.contents,
            Field::Id => reads.user_ids,
            Field::Signature => reads.signatures,
            Field::R | Field::S | Field::YParityAndS | Field::Der => reads.signatures && !reads.bare_signatures,
            Field::RecoveryId | Field::V | Field::YParity => reads.recovery_ids != RecoveryIds::No,
            Field::PublicKey => reads.public_keys,
            Field::SecretKey => reads.secret_keys && matches!(self.key, Key::Column),
        }
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

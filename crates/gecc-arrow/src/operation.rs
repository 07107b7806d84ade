//! The operations over one record batch.

use crate::answers::{Answers, answer_schema};
use crate::calls::Call;
use crate::columns::Inputs;
use crate::error::Error;
use crate::mapping::column_of;
use crate::pool::Pool;
use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema, SchemaRef};
use gecc::ecdsa::{Policy, SForm};
use gecc::fields::{Field, Mapping};
use gecc::{CurveId, Engine, Rows, SecretKey, SecretKeys, Signers};
use std::sync::Arc;

/// What is done with each row.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Operation {
    /// Verifies `signature`, `r` and `s`, or `der` over `digest` or `message` with `public_key`. SM2 on its curve, else
    /// ECDSA. The answer is `valid`.
    Verify(Policy),
    /// The same of ECDSA, with the recovery ids of the rows that have one: `recovery_id`, or the last byte of a signature of 65
    /// bytes. They decide nothing: with them an engine with batch equations verifies rows in groups
    /// ([`gecc::ecdsa::verify_recoverable`]). A row whose id is null or none is verified by itself.
    VerifyRecoverable(Policy),
    /// Verifies `signature`, or `r` and `s`, of BIP 340 over `digest`, which is a message of 32 bytes, or `message`, with
    /// `public_key`, of 32 bytes or in another encoding of a point with this x. On secp256k1. The answer is `valid`.
    VerifyBip340,
    /// Finds who signed (ECDSA). Needs `recovery_id`, or signatures of 65 bytes.
    Recover(Signer),
    /// Signs `digest` or `message`. The result is `signature`, 64 bytes `r || s`, or `der`.
    Sign(Signing),
    /// Signs `digest`, which is a message of 32 bytes, or `message` by BIP 340, on secp256k1. The result is `signature`, 64 bytes.
    SignBip340(Bip340Signing),
    /// The x-coordinate of `secret_key` times `public_key`, 32 bytes. The result is `shared_secret`.
    Ecdh(Key),
    /// The public key of `secret_key`. The result is `public_key`.
    PublicKeys(KeyForm),
}

/// What recovery gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signer {
    /// Public keys, as `public_key`.
    PublicKey(KeyForm),
    /// Ethereum addresses, 20 bytes, as `address`. For secp256k1 alone.
    Address,
}

/// How public keys are written.
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

/// How to sign.
#[derive(Clone, Debug, Default)]
pub struct Signing {
    /// The keys.
    pub key: Key,
    /// Additional data for the nonces of all rows, if there are any: see [`gecc::Signers`].
    pub additional_data: Option<[u8; 32]>,
    /// Which of two values s has (ECDSA; SM2 has one).
    pub s_form: SForm,
    /// Whether `recovery_id` (UInt8) is a second result (ECDSA).
    pub recovery_id: bool,
    /// Whether the result is `der`, the signature in DER, instead of `signature`.
    pub der: bool,
}

impl Signing {
    pub(crate) fn signers<'a>(&'a self, keys: SecretKeys<'a>) -> Signers<'a> {
        match &self.additional_data {
            None => keys.into(),
            Some(data) => Signers::with_additional_data(keys, Rows::all(data)),
        }
    }
}

/// How to sign by BIP 340.
#[derive(Clone, Debug, Default)]
pub struct Bip340Signing {
    /// The keys.
    pub key: Key,
    /// The auxiliary random data of all rows; where there are none, fresh ones of the operating system for each row.
    pub auxiliary: Option<[u8; 32]>,
}

/// Where the private keys come from.
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
    /// The answers for all rows of a batch.
    ///
    /// A null or malformed cell rejects its row alone. The batch goes through one call of the engine. Secret keys and what is made of
    /// them are computed in constant time; reading them from hexadecimal text is not constant-time.
    ///
    /// # Errors
    /// [`Error::Columns`] when a column that is needed is missing or has a wrong type, [`Error::Options`] when the
    /// operation does not exist on the curve, and [`Error::Engine`].
    pub fn apply(
        &self,
        engine: &Engine,
        curve: CurveId,
        batch: &RecordBatch,
        mapping: &Mapping,
        pool: &Pool,
    ) -> Result<Answers, Error> {
        self.apply_at(engine, curve, 0, batch, mapping, pool)
    }

    /// The same for a batch whose first row has a number of its own, counted from 0, by which keys are found ([`Key::Each`]).
    ///
    /// # Errors
    /// As for [`Operation::apply`].
    pub fn apply_at(
        &self,
        engine: &Engine,
        curve: CurveId,
        first: u64,
        batch: &RecordBatch,
        mapping: &Mapping,
        pool: &Pool,
    ) -> Result<Answers, Error> {
        self.require(curve)?;
        let call = Call { engine, curve, first };
        let inputs = Inputs::new(batch, mapping, pool);
        match self {
            Operation::Verify(policy) => call.verify(inputs, *policy),
            Operation::VerifyRecoverable(policy) => call.verify_recoverable(inputs, *policy),
            Operation::VerifyBip340 => call.verify_bip340(inputs),
            Operation::Recover(signer) => call.recover(inputs, *signer),
            Operation::Sign(signing) => call.sign(inputs, signing),
            Operation::SignBip340(signing) => call.sign_bip340(inputs, signing),
            Operation::Ecdh(key) => call.ecdh(inputs, key),
            Operation::PublicKeys(form) => call.public_keys(inputs, *form),
        }
    }

    /// Whether a batch of this schema can be worked on, before there is one.
    ///
    /// # Errors
    /// As for [`Operation::apply`], but for the engine's.
    pub fn check(&self, engine: &Engine, curve: CurveId, schema: &SchemaRef, mapping: &Mapping) -> Result<(), Error> {
        self.apply(engine, curve, &RecordBatch::new_empty(schema.clone()), mapping, &Pool::default()).map(drop)
    }

    /// The columns that the operation reads, of those that the mapping has.
    ///
    /// # Errors
    /// As for [`column_of`].
    pub fn columns(&self, schema: &Schema, mapping: &Mapping) -> Result<Vec<usize>, Error> {
        let read = Field::ALL.into_iter().filter(|field| self.reads(*field));
        read.filter_map(|field| column_of(mapping, field, schema).transpose()).collect()
    }

    /// Whether it reads a field on a curve: user ids are of SM2 alone.
    pub(crate) fn reads_on(&self, field: Field, curve: CurveId) -> bool {
        self.reads(field) && (field != Field::Id || curve == CurveId::Sm2)
    }

    fn reads(&self, field: Field) -> bool {
        use Field::{Der, Digest, Id, Message, PublicKey, R, RecoveryId, S, SecretKey, Signature};
        match self {
            Operation::Verify(_) => matches!(field, Digest | Message | Id | Signature | R | S | Der | PublicKey),
            Operation::VerifyRecoverable(_) => {
                matches!(field, Digest | Message | Id | Signature | R | S | Der | RecoveryId | PublicKey)
            }
            Operation::VerifyBip340 => matches!(field, Digest | Message | Signature | R | S | PublicKey),
            Operation::SignBip340(Bip340Signing { key: Key::Column, .. }) => {
                matches!(field, Digest | Message | SecretKey)
            }
            Operation::SignBip340(_) => matches!(field, Digest | Message),
            Operation::Recover(_) => matches!(field, Digest | Message | Id | Signature | R | S | Der | RecoveryId),
            Operation::Sign(Signing { key: Key::Column, .. }) => matches!(field, Digest | Message | Id | SecretKey),
            Operation::Sign(_) => matches!(field, Digest | Message | Id),
            Operation::Ecdh(Key::Column) => matches!(field, PublicKey | SecretKey),
            Operation::Ecdh(_) => matches!(field, PublicKey),
            Operation::PublicKeys(_) => matches!(field, SecretKey),
        }
    }

    /// The schema of [`Answers::to_columns`].
    pub fn schema(&self) -> SchemaRef {
        let bytes = DataType::FixedSizeBinary;
        match self {
            Operation::Verify(_) | Operation::VerifyRecoverable(_) | Operation::VerifyBip340 => answer_schema(&[]),
            Operation::SignBip340(_) => answer_schema(&[("signature", bytes(64))]),
            Operation::Recover(Signer::Address) => answer_schema(&[("address", bytes(20))]),
            Operation::Recover(Signer::PublicKey(form)) | Operation::PublicKeys(form) => {
                answer_schema(&[("public_key", bytes(form.width()))])
            }
            Operation::Sign(Signing { recovery_id, der, .. }) => {
                let signature = if *der { ("der", DataType::Binary) } else { ("signature", bytes(64)) };
                let id = recovery_id.then_some(("recovery_id", DataType::UInt8));
                answer_schema(&[signature].into_iter().chain(id).collect::<Vec<_>>())
            }
            Operation::Ecdh(_) => answer_schema(&[("shared_secret", bytes(32))]),
        }
    }

    fn require(&self, curve: CurveId) -> Result<(), Error> {
        let problem = match self {
            Operation::VerifyBip340 | Operation::SignBip340(_) if !curve.has_bip340() => "BIP 340 is for secp256k1",
            Operation::Recover(Signer::Address) if curve != CurveId::Secp256k1 => {
                "addresses are for secp256k1, the curve of Ethereum's accounts"
            }
            Operation::Recover(_) if curve == CurveId::Sm2 => "SM2 has no recovery of public keys",
            Operation::Verify(policy) if curve == CurveId::Sm2 && policy.low_s => "SM2 has no low s",
            Operation::VerifyRecoverable(_) | Operation::Sign(Signing { recovery_id: true, .. })
                if curve == CurveId::Sm2 =>
            {
                "SM2 has no recovery ids"
            }
            _ => return Ok(()),
        };
        Err(Error::Options(problem.to_owned()))
    }
}

impl KeyForm {
    fn width(self) -> i32 {
        match self {
            KeyForm::Uncompressed => 65,
            KeyForm::Compressed => 33,
            KeyForm::Raw => 64,
        }
    }
}

//! What is done with each row.

use crate::error::Error;
use gecc::ecdsa::{Policy, SForm};
use gecc::fields::Field;
use gecc::{CurveId, Rows, SecretKey, SecretKeys, Signers};
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
    /// Whether it reads a field on a curve: user ids are of SM2 alone.
    pub(crate) fn reads_on(&self, field: Field, curve: CurveId) -> bool {
        self.reads(field) && (field != Field::Id || curve == CurveId::Sm2)
    }

    pub(crate) fn reads(&self, field: Field) -> bool {
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

    pub(crate) fn require(&self, curve: CurveId) -> Result<(), Error> {
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
    pub(crate) fn width(self) -> i32 {
        match self {
            KeyForm::Uncompressed => 65,
            KeyForm::Compressed => 33,
            KeyForm::Raw => 64,
        }
    }
}

//! What is done with each row.

use crate::error::Error;
use gecc::call::{self, RecoveryIds};
use gecc::ecdsa::{Policy, SForm};
use gecc::ed25519::Rule;
use gecc::fields::Field;
use gecc::{CurveId, SecretKey};
use std::sync::Arc;

/// What is done with each row.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Operation {
    /// Verifies `signature`, `r` and `s`, or `der` over `digest` or `message` with `public_key`. SM2 on its curve, else
    /// ECDSA. The answer is `valid`.
    Verify(Policy),
    /// The same of ECDSA, with the recovery ids of the rows that have one: `recovery_id`, or the last byte of a
    /// signature of 65 bytes. They decide nothing: with them an engine with batch equations verifies rows in groups
    /// ([`gecc::ecdsa::verify_recoverable`]). A row whose id is null or none is verified by itself.
    VerifyRecoverable(Policy),
    /// Verifies `signature`, or `r` and `s`, of BIP 340 over `digest`, which is a message of 32 bytes, or `message`,
    /// with `public_key`, of 32 bytes or in another encoding of a point with this x. On secp256k1. The answer is
    /// `valid`.
    VerifyBip340,
    /// Verifies `signature`, or `r` and `s`, of Ed25519 over `digest`, which is a message of 32 bytes, or `message`,
    /// with `public_key`, of 32 bytes, by a rule. The curve that is given with it does not matter. The answer is
    /// `valid`.
    VerifyEd25519(Rule),
    /// Finds who signed (ECDSA). Needs `recovery_id`, or signatures of 65 bytes.
    Recover(Signer),
    /// Signs `digest` or `message`. The result is `signature`, 64 bytes `r || s`, or `der`.
    Sign(Signing),
    /// Signs `digest`, which is a message of 32 bytes, or `message` by BIP 340, on secp256k1. The result is
    /// `signature`, 64 bytes.
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
    /// What the library computes, on a curve.
    ///
    /// # Errors
    /// [`Error::Options`] when the operation does not exist on the curve.
    pub fn call(&self, curve: CurveId) -> Result<call::Operation, Error> {
        let is_sm2 = curve == CurveId::Sm2;
        let problem = match self {
            Operation::VerifyBip340 | Operation::SignBip340(_) if !curve.has_bip340() => "BIP 340 is for secp256k1",
            Operation::Recover(Signer::Address) if curve != CurveId::Secp256k1 => {
                "addresses are for secp256k1, the curve of Ethereum's accounts"
            }
            Operation::Recover(_) if is_sm2 => "SM2 has no recovery of public keys",
            Operation::Verify(policy) if is_sm2 && policy.low_s => "SM2 has no low s",
            Operation::VerifyRecoverable(_) | Operation::Sign(Signing { recovery_id: true, .. }) if is_sm2 => {
                "SM2 has no recovery ids"
            }
            _ => return Ok(self.call_unchecked(curve)),
        };
        Err(Error::Options(problem.to_owned()))
    }

    fn call_unchecked(&self, curve: CurveId) -> call::Operation {
        let is_sm2 = curve == CurveId::Sm2;
        match self {
            Operation::Verify(_) if is_sm2 => call::Operation::Sm2Verify,
            Operation::Verify(policy) => call::Operation::EcdsaVerify(curve, *policy),
            Operation::VerifyRecoverable(policy) => call::Operation::EcdsaVerifyRecoverable(curve, *policy),
            Operation::VerifyBip340 => call::Operation::Bip340Verify,
            Operation::VerifyEd25519(rule) => call::Operation::Ed25519Verify(*rule),
            Operation::Recover(Signer::Address) => call::Operation::EcdsaRecoverAddresses,
            Operation::Recover(Signer::PublicKey(_)) => call::Operation::EcdsaRecover(curve),
            Operation::Sign(_) if is_sm2 => call::Operation::Sm2Sign,
            Operation::Sign(Signing { s_form, recovery_id: true, .. }) => {
                call::Operation::EcdsaSignRecoverable(curve, *s_form)
            }
            Operation::Sign(Signing { s_form, .. }) => call::Operation::EcdsaSign(curve, *s_form),
            Operation::SignBip340(_) => call::Operation::Bip340Sign,
            Operation::Ecdh(_) => call::Operation::SharedSecrets(curve),
            Operation::PublicKeys(_) => call::Operation::PublicKeys(curve),
        }
    }

    /// The names and widths of results, which are the same on all curves.
    pub(crate) fn results(&self) -> &'static [call::Column] {
        self.call_unchecked(CurveId::Secp256k1).results()
    }

    /// Where private keys come from.
    pub(crate) fn key(&self) -> &Key {
        match self {
            Operation::Sign(Signing { key, .. }) | Operation::SignBip340(Bip340Signing { key, .. }) => key,
            Operation::Ecdh(key) => key,
            _ => &Key::Column,
        }
    }

    /// Additional data of all nonces, or the auxiliary random data of all signatures.
    pub(crate) fn additional(&self) -> Option<&[u8; 32]> {
        match self {
            Operation::Sign(Signing { additional_data, .. }) => additional_data.as_ref(),
            Operation::SignBip340(Bip340Signing { auxiliary, .. }) => auxiliary.as_ref(),
            _ => None,
        }
    }

    /// How public keys are written.
    pub(crate) fn key_form(&self) -> KeyForm {
        match self {
            Operation::Recover(Signer::PublicKey(form)) | Operation::PublicKeys(form) => *form,
            _ => KeyForm::default(),
        }
    }

    /// Whether signatures are written as `der`.
    pub(crate) fn is_der(&self) -> bool {
        matches!(self, Operation::Sign(Signing { der: true, .. }))
    }

    /// Whether it reads a field on a curve.
    pub(crate) fn reads(&self, field: Field, curve: CurveId) -> bool {
        let reads = self.call_unchecked(curve).reads();
        match field {
            Field::Digest | Field::Message => reads.contents,
            Field::Id => reads.user_ids,
            Field::Signature | Field::R | Field::S => reads.signatures,
            // Signatures of BIP 340 and Ed25519 have no DER.
            Field::Der => reads.signatures && !reads.x_only_keys,
            Field::RecoveryId => reads.recovery_ids != RecoveryIds::No,
            Field::PublicKey => reads.public_keys,
            Field::SecretKey => reads.secret_keys && matches!(self.key(), Key::Column),
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

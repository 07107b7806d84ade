//! Batch operations as values: the columns that an operation reads, its results, its options, its
//! curve, and the call that computes it. For programs that choose the operation at run time, such
//! as the command line, tables and databases.
//!
//! ```
//! use gecc::call::{Columns, Contents, Operation};
//! use gecc::{CurveId, Engine, PublicKeys, Rows, Verdict, ecdsa, keys};
//! let engine = Engine::new()?;
//! let (secret, public) = keys::generate(&engine, CurveId::P256, 2)?;
//! let digests = [[1; 32]; 2];
//! let mut signatures = [0; 128];
//! let mut codes = [0; 2];
//! let columns = Columns {
//!     contents: Contents::Digests(Rows::new(&digests)),
//!     secret_keys: (&secret).into(),
//!     ..Columns::default()
//! };
//! let sign = Operation::EcdsaSign(CurveId::P256, ecdsa::SForm::default());
//! sign.run(&engine, &columns, &mut signatures, &mut [], &mut codes)?;
//! assert_eq!(codes, [Verdict::VALID_CODE; 2]);
//! assert_eq!(sign.results()[0].name, "signature");
//! # Ok::<(), gecc::Error>(())
//! ```

use crate::curve::{Curve, CurveId, Secp256k1, Sm2};
use crate::engine::Engine;
use crate::fields::{Field, Hash, SignatureForm, SignatureReader, UnusableSignatureForm};
use crate::operation::GpuThreshold;
use crate::ops::hash_to_curve::{self, Dst, Suite};
use crate::ops::mask::{self, Form};
use crate::ops::x25519::{self, AllZero};
use crate::ops::{ecdh, hash, keys};
use crate::schemes::bip340::{self, Auxiliary};
use crate::schemes::ecdsa::{self, ECDSA};
use crate::schemes::ed25519::{self, Rule, Variant};
use crate::schemes::sm2::{self, SM2, UserIds};
use crate::types::{
    Address, Error, NonceHash, Policy, PublicKeys, Rows, SForm, SecretKeys, Signers, Verdict,
    require_lengths,
};
use std::fmt;

/// An operation on the items of a batch. [`Operation::reads`] states its inputs,
/// [`Operation::results`] its results, and `uses_…` which of the [`Options`] apply to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// [`ecdsa::verify`]: verifies signatures of digests or messages by public keys. A message is
    /// hashed with [`Options::hash`].
    EcdsaVerify(CurveId, Policy),
    /// [`ecdsa::verify_recoverable`], or [`ecdsa::verify`] if there are no recovery ids: reads the
    /// same columns as [`Operation::EcdsaVerify`], and recovery ids of the items that have them.
    /// Option: [`Options::hash`].
    EcdsaVerifyRecoverable(CurveId, Policy),
    /// [`ecdsa::recover`]: computes the public keys, `x || y`, that belong to signatures with
    /// recovery ids, of digests or messages. Option: [`Options::hash`].
    EcdsaRecover(CurveId),
    /// [`ecdsa::recover_addresses`], on secp256k1: reads the same columns as
    /// [`Operation::EcdsaRecover`], and computes addresses of 20 bytes. Option: [`Options::hash`].
    EcdsaRecoverAddresses,
    /// [`ecdsa::sign`]: signs digests or messages with private keys. Options: [`Options::hash`],
    /// also for nonces, and [`Options::additional`].
    EcdsaSign(CurveId, SForm),
    /// [`ecdsa::sign_recoverable`]: reads the same columns as [`Operation::EcdsaSign`], and
    /// computes signatures and recovery ids. Options: [`Options::hash`], also for nonces, and
    /// [`Options::additional`].
    EcdsaSignRecoverable(CurveId, SForm),
    /// [`bip340::verify`]: verifies signatures of messages of any length by public keys. Digests
    /// are messages of 32 bytes. No options.
    Bip340Verify,
    /// [`bip340::sign`]: signs messages of any length with private keys. Digests are messages of 32
    /// bytes. Option: [`Options::additional`], as auxiliary random data.
    Bip340Sign,
    /// [`ed25519::verify`]: verifies signatures of messages of any length by public keys of 32
    /// bytes. Digests are messages of 32 bytes. Option: [`Options::variant`].
    Ed25519Verify(Rule),
    /// [`ed25519::sign`]: signs messages of any length, with seeds as private keys. Digests are
    /// messages of 32 bytes. Option: [`Options::variant`].
    Ed25519Sign,
    /// [`ed25519::public_keys`]: computes the public keys of seeds, of 32 bytes each. No options.
    Ed25519PublicKeys,
    /// [`sm2::verify`], or [`sm2::verify_messages`]: verifies signatures of digests e, or of
    /// messages with user ids, by public keys. No options.
    Sm2Verify,
    /// [`sm2::sign`], or [`sm2::sign_messages`]: signs digests e, or messages with user ids, with
    /// private keys. Option: [`Options::additional`].
    Sm2Sign,
    /// [`ecdh::shared_secrets`]: computes the shared secrets, of 32 bytes, of private keys and
    /// public keys. No options.
    SharedSecrets(CurveId),
    /// [`keys::public_keys`]: computes the public keys, `x || y`, of private keys. No options.
    PublicKeys(CurveId),
    /// [`x25519::shared_secrets`]: computes the shared secrets, of 32 bytes, of private keys and
    /// public keys of 32 bytes. No options.
    X25519(AllZero),
    /// [`x25519::public_keys`]: computes the public keys of private keys, of 32 bytes each. No
    /// options.
    X25519PublicKeys,
    /// [`hash_to_curve::points`]: hashes messages of any length to points, `x || y`. Digests are
    /// messages of 32 bytes. Option: [`Options::dst`].
    HashToCurve(Suite),
    /// [`mask::items`]: hashes messages of any length to points and multiplies them by private
    /// keys. Digests are messages of 32 bytes. Option: [`Options::dst`].
    MaskItems(Suite, Form),
    /// [`mask::points`]: multiplies points, read as public keys, by private keys. No options.
    MaskPoints(CurveId, Form),
    /// [`mask::unmask`]: multiplies points, read as public keys, by the inverses of private keys.
    /// No options.
    UnmaskPoints(CurveId, Form),
}

/// The columns that an operation reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    /// Digests or messages.
    pub contents: bool,
    /// True if the scheme hashes messages itself. For other schemes messages are hashed with
    /// [`Options::hash`], or the caller has hashed them.
    pub messages: bool,
    /// User ids of messages.
    pub user_ids: bool,
    /// Signatures of 64 bytes.
    pub signatures: bool,
    /// True if a signature is only accepted as these 64 bytes, and not as separate r and s, as DER
    /// or followed by v.
    pub bare_signatures: bool,
    /// Recovery ids.
    pub recovery_ids: RecoveryIds,
    /// Public keys.
    pub public_keys: bool,
    /// True if a public key may be 32 bytes: an x-coordinate alone, or a key of Ed25519 or X25519.
    pub x_only_keys: bool,
    /// Private keys.
    pub secret_keys: bool,
}

impl Reads {
    /// Returns `true` if a field of an item is read: digests and messages with contents, and every
    /// form of signatures and recovery ids that is accepted.
    pub fn includes(&self, field: Field) -> bool {
        match field {
            Field::Digest | Field::Message => self.contents,
            Field::Id => self.user_ids,
            Field::Signature => self.signatures,
            Field::R | Field::S | Field::YParityAndS | Field::Der => {
                self.signatures && !self.bare_signatures
            }
            Field::RecoveryId | Field::V | Field::YParity => self.recovery_ids != RecoveryIds::No,
            Field::PublicKey => self.public_keys,
            Field::SecretKey => self.secret_keys,
        }
    }
}

/// The use that an operation makes of recovery ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecoveryIds {
    /// Recovery ids are not read.
    #[default]
    No,
    /// Recovery ids are read for the items that have them. Items without one get an id that is out
    /// of range.
    Optional,
    /// Every item needs a recovery id.
    Required,
}

/// A result column: one value per item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// The column's name in files and tables.
    pub name: &'static str,
    /// Bytes per item.
    pub width: usize,
}

/// The options of an operation, which are the same for all items of a batch. Options that do not
/// apply to the operation are ignored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The hash that ECDSA applies to messages; `None` is the default, SHA-256. Other schemes have
    /// a hash of their own. If it is SHA-384 or SHA-512, signing derives nonces with HMAC of that
    /// hash, as RFC 6979 specifies, also for digests; otherwise with HMAC-SHA-256. Kernels exist
    /// for SHA-256 only, so the CPU signs with the other two.
    pub hash: Option<Hash>,
    /// The variant of Ed25519, [`Variant::PURE`] by default.
    pub variant: Variant,
    /// Additional data for the nonces of all items, see [`Signers`]. For BIP 340 the auxiliary
    /// random data of all items; with `None`, fresh data from the operating system for each item.
    /// Ed25519 reads none. [`Columns::additional`] takes precedence.
    pub additional: Option<[u8; 32]>,
    /// The domain separation tag of hashing to a curve, [`Dst::NONE`] by default. Suites require
    /// one if [`Suite::takes_dst`], and refuse it otherwise.
    pub dst: Dst,
}

impl Default for Options {
    /// ECDSA with SHA-256, pure Ed25519, nonces without additional data, and no domain separation
    /// tag.
    fn default() -> Self {
        Options {
            hash: None,
            variant: Variant::PURE,
            additional: None,
            dst: Dst::NONE,
        }
    }
}

impl fmt::Debug for Options {
    /// Formats all options except the value of additional data, which may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("hash", &self.hash)
            .field("variant", &self.variant)
            .field("additional", &self.additional.map(|_| format_args!("..")))
            .field("dst", &self.dst)
            .finish()
    }
}

impl Options {
    /// Returns the hash of messages, which is SHA-256 if none is selected.
    pub fn message_hash(&self) -> Hash {
        self.hash.unwrap_or_default()
    }
}

/// The inputs of a batch. Columns that an operation does not read are ignored.
#[derive(Clone, Copy)]
pub struct Columns<'a> {
    /// The signed data.
    pub contents: Contents<'a>,
    /// `r || s`.
    pub signatures: Rows<'a, 64>,
    /// Recovery ids, 0 to 3.
    pub recovery_ids: Rows<'a, 1>,
    /// Public keys of signers, or of peers.
    pub public_keys: PublicKeys<'a>,
    /// Private keys of signers, or of this side of a key exchange.
    pub secret_keys: SecretKeys<'a>,
    /// Additional data for the nonces of each item, or its auxiliary random data for BIP 340, in
    /// place of [`Options::additional`].
    pub additional: Option<Rows<'a, 32>>,
    /// Candidate public keys for recovery, one per item. Right candidates make recovery faster, see
    /// [`ecdsa::recover_with_candidates`].
    pub candidates: Option<PublicKeys<'a>>,
    /// The options of the operation.
    pub options: Options,
}

impl Default for Columns<'_> {
    /// Columns without rows.
    fn default() -> Self {
        Columns {
            contents: Contents::Digests(Rows::new(&[])),
            signatures: Rows::new(&[]),
            recovery_ids: Rows::new(&[]),
            public_keys: PublicKeys::points(&[]),
            secret_keys: SecretKeys::each(&[]),
            additional: None,
            candidates: None,
            options: Options::default(),
        }
    }
}

impl Columns<'_> {
    /// Returns the additional data: the column, or the same for all items.
    fn additional_data(&self) -> Option<Rows<'_, 32>> {
        self.additional
            .or_else(|| self.options.additional.as_ref().map(Rows::all))
    }
}

/// The signed or hashed data of a batch: digests or messages.
#[derive(Clone, Copy, Debug)]
pub enum Contents<'a> {
    /// Digests. For BIP 340, Ed25519 and hashing to curves these are messages of 32 bytes, for SM2
    /// the values e.
    Digests(Rows<'a, 32>),
    /// Messages, with user ids if the operation reads them.
    Messages {
        /// One message per item.
        messages: &'a [&'a [u8]],
        /// User ids for SM2; ignored by other operations.
        user_ids: UserIds<'a>,
    },
}

impl Operation {
    /// Returns verification with the curve's own scheme: SM2 on the SM2 curve, ECDSA on the others.
    /// SM2 has no low-s rule: with a policy that requires low s, [`Operation::require`] rejects the
    /// returned operation.
    pub fn verify(curve: CurveId, policy: Policy) -> Self {
        let is_sm2 = curve == Sm2::ID && !policy.low_s;
        if is_sm2 {
            Operation::Sm2Verify
        } else {
            Operation::EcdsaVerify(curve, policy)
        }
    }

    /// Returns signing with the curve's own scheme. On the SM2 curve that is SM2 if `form` is the
    /// default.
    pub fn sign(curve: CurveId, form: SForm) -> Self {
        let is_sm2 = curve == Sm2::ID && form == SForm::default();
        if is_sm2 {
            Operation::Sm2Sign
        } else {
            Operation::EcdsaSign(curve, form)
        }
    }

    /// Returns the curve, or `None` for Ed25519 and X25519, whose curves are not a [`CurveId`].
    pub fn curve(self) -> Option<CurveId> {
        Some(match self {
            Operation::EcdsaVerify(curve, _)
            | Operation::EcdsaVerifyRecoverable(curve, _)
            | Operation::EcdsaRecover(curve)
            | Operation::EcdsaSign(curve, _)
            | Operation::EcdsaSignRecoverable(curve, _)
            | Operation::SharedSecrets(curve)
            | Operation::PublicKeys(curve)
            | Operation::MaskPoints(curve, _)
            | Operation::UnmaskPoints(curve, _) => curve,
            Operation::HashToCurve(suite) | Operation::MaskItems(suite, _) => suite.curve(),
            Operation::EcdsaRecoverAddresses | Operation::Bip340Verify | Operation::Bip340Sign => {
                Secp256k1::ID
            }
            Operation::Sm2Verify | Operation::Sm2Sign => Sm2::ID,
            Operation::Ed25519Verify(_)
            | Operation::Ed25519Sign
            | Operation::Ed25519PublicKeys
            | Operation::X25519(_)
            | Operation::X25519PublicKeys => return None,
        })
    }

    /// Returns the columns that the operation reads.
    pub fn reads(self) -> Reads {
        let none = Reads::default();
        let signing = Reads {
            contents: true,
            secret_keys: true,
            ..none
        };
        let verification = Reads {
            contents: true,
            signatures: true,
            public_keys: true,
            ..none
        };
        match self {
            Operation::EcdsaVerify(..) => verification,
            Operation::EcdsaVerifyRecoverable(..) => Reads {
                recovery_ids: RecoveryIds::Optional,
                ..verification
            },
            Operation::Bip340Verify | Operation::Ed25519Verify(_) => Reads {
                messages: true,
                x_only_keys: true,
                bare_signatures: true,
                ..verification
            },
            Operation::Sm2Verify => Reads {
                messages: true,
                user_ids: true,
                ..verification
            },
            Operation::EcdsaRecover(_) | Operation::EcdsaRecoverAddresses => Reads {
                public_keys: false,
                recovery_ids: RecoveryIds::Required,
                ..verification
            },
            Operation::EcdsaSign(..) | Operation::EcdsaSignRecoverable(..) => signing,
            Operation::Bip340Sign | Operation::Ed25519Sign => Reads {
                messages: true,
                ..signing
            },
            Operation::Sm2Sign => Reads {
                messages: true,
                user_ids: true,
                ..signing
            },
            Operation::SharedSecrets(_)
            | Operation::MaskPoints(..)
            | Operation::UnmaskPoints(..) => Reads {
                public_keys: true,
                secret_keys: true,
                ..none
            },
            Operation::X25519(_) => Reads {
                public_keys: true,
                x_only_keys: true,
                secret_keys: true,
                ..none
            },
            Operation::HashToCurve(_) => Reads {
                contents: true,
                messages: true,
                ..none
            },
            Operation::MaskItems(..) => Reads {
                messages: true,
                ..signing
            },
            Operation::PublicKeys(_)
            | Operation::Ed25519PublicKeys
            | Operation::X25519PublicKeys => Reads {
                secret_keys: true,
                ..none
            },
        }
    }

    /// Returns a reader of signatures in a given form, for operations with [`Reads::signatures`]
    /// and without [`Reads::bare_signatures`].
    ///
    /// # Errors
    /// [`UnusableSignatureForm`] if signatures of the operation cannot have the form: BIP 340 and
    /// Ed25519 have a single form, SM2 has no recovery ids, and hash types exist only in Bitcoin,
    /// on secp256k1.
    pub fn signature_reader(
        self,
        form: SignatureForm,
    ) -> Result<SignatureReader, UnusableSignatureForm> {
        let reads = self.reads();
        let has_recovery_ids =
            self.curve().is_some_and(CurveId::has_ecdsa) && !reads.bare_signatures;
        let obstacle = match form {
            SignatureForm::Auto => None,
            _ if !reads.signatures => Some("is for operations that read signatures"),
            _ if reads.bare_signatures => {
                Some("is for ECDSA and SM2: signatures of BIP 340 and Ed25519 have 64 bytes")
            }
            SignatureForm::Rsv | SignatureForm::HeaderFirst | SignatureForm::Eip2098
                if !has_recovery_ids =>
            {
                Some("has a recovery id, and SM2 has none")
            }
            SignatureForm::DerHashType if self.curve() != Some(Secp256k1::ID) => {
                Some("has a hash type of Bitcoin, which is on secp256k1")
            }
            _ => None,
        };
        match obstacle {
            Some(reason) => Err(UnusableSignatureForm(format!(
                "the signature form {form} {reason}"
            ))),
            None => Ok(SignatureReader::new(form, has_recovery_ids)),
        }
    }

    /// Returns the result columns in addition to the codes, at most two. Verification has none: the
    /// code is the verdict.
    pub fn results(self) -> &'static [Column] {
        const SIGNATURE: Column = Column {
            name: "signature",
            width: 64,
        };
        const PUBLIC_KEY: Column = Column {
            name: "public_key",
            width: 64,
        };
        match self {
            Operation::EcdsaVerify(..)
            | Operation::EcdsaVerifyRecoverable(..)
            | Operation::Bip340Verify
            | Operation::Ed25519Verify(_)
            | Operation::Sm2Verify => &[],
            Operation::EcdsaRecover(_) | Operation::PublicKeys(_) => &[PUBLIC_KEY],
            Operation::EcdsaRecoverAddresses => &[Column {
                name: "address",
                width: 20,
            }],
            Operation::Ed25519PublicKeys | Operation::X25519PublicKeys => &[Column {
                name: "public_key",
                width: 32,
            }],
            Operation::EcdsaSign(..)
            | Operation::Bip340Sign
            | Operation::Ed25519Sign
            | Operation::Sm2Sign => &[SIGNATURE],
            Operation::EcdsaSignRecoverable(..) => &[
                SIGNATURE,
                Column {
                    name: "recovery_id",
                    width: 1,
                },
            ],
            Operation::SharedSecrets(_) | Operation::X25519(_) => &[Column {
                name: "shared_secret",
                width: 32,
            }],
            Operation::HashToCurve(_) => &[Column {
                name: "point",
                width: 64,
            }],
            Operation::MaskItems(_, form)
            | Operation::MaskPoints(_, form)
            | Operation::UnmaskPoints(_, form) => masked_column(form),
        }
    }

    /// Returns `true` if [`Options::hash`] applies: to ECDSA on digests or messages, of which only
    /// messages are hashed. See also [`Operation::uses_hash_for_nonces`].
    pub fn uses_hash(self) -> bool {
        let reads = self.reads();
        reads.contents && !reads.messages
    }

    /// Returns `true` if nonces are derived with HMAC of `hash`, so that it has an effect even if
    /// contents are digests. ECDSA signs like this with SHA-384 and SHA-512.
    pub fn uses_hash_for_nonces(self, hash: Hash) -> bool {
        self.uses_hash() && self.reads().secret_keys && nonce_hash(hash) != NonceHash::OfScheme
    }

    /// Returns `true` if [`Options::variant`] applies: to signatures of Ed25519.
    pub fn uses_variant(self) -> bool {
        matches!(self, Operation::Ed25519Verify(_) | Operation::Ed25519Sign)
    }

    /// Returns `true` if [`Options::additional`] and [`Columns::additional`] apply: to signing,
    /// except with Ed25519.
    pub fn uses_additional(self) -> bool {
        let reads = self.reads();
        let is_mask = matches!(self, Operation::MaskItems(..));
        reads.contents && reads.secret_keys && !self.uses_variant() && !is_mask
    }

    /// Returns `true` if [`Options::dst`] applies, and is then required: to hashing to a curve with
    /// a suite that takes a domain separation tag.
    pub fn uses_dst(self) -> bool {
        match self {
            Operation::HashToCurve(suite) | Operation::MaskItems(suite, _) => suite.takes_dst(),
            _ => false,
        }
    }

    /// Returns `true` if the results are secret.
    pub fn has_secret_results(self) -> bool {
        matches!(self, Operation::SharedSecrets(_) | Operation::X25519(_))
    }

    /// Checks that the operation exists on its curve, and a form of masked points.
    ///
    /// # Errors
    /// [`Error::NoScheme`] if it does not; [`Error::InvalidForm`] if points are truncated to another
    /// length than 1 to 32 bytes.
    pub fn require(self) -> Result<(), Error> {
        match self {
            Operation::EcdsaVerify(curve, _)
            | Operation::EcdsaVerifyRecoverable(curve, _)
            | Operation::EcdsaRecover(curve)
            | Operation::EcdsaSign(curve, _)
            | Operation::EcdsaSignRecoverable(curve, _) => ECDSA.require(curve),
            Operation::MaskItems(_, form)
            | Operation::MaskPoints(_, form)
            | Operation::UnmaskPoints(_, form) => form.require(),
            _ => Ok(()),
        }
    }

    /// Returns the batch size above which a GPU is faster, as assumed before any measurement.
    pub(crate) fn gpu_threshold(self) -> GpuThreshold {
        match self {
            Operation::EcdsaVerify(..) | Operation::EcdsaVerifyRecoverable(..) => {
                ECDSA.verify_gpu_threshold
            }
            Operation::EcdsaRecover(_) | Operation::EcdsaRecoverAddresses => {
                ecdsa::recover::GPU_THRESHOLD
            }
            Operation::EcdsaSign(..) | Operation::EcdsaSignRecoverable(..) => {
                ECDSA.sign_gpu_threshold
            }
            Operation::Bip340Verify => bip340::VERIFY_GPU_THRESHOLD,
            Operation::Bip340Sign => bip340::SIGN_GPU_THRESHOLD,
            Operation::Ed25519Verify(_) => ed25519::VERIFY_GPU_THRESHOLD,
            Operation::Ed25519Sign | Operation::Ed25519PublicKeys => ed25519::SIGN_GPU_THRESHOLD,
            Operation::Sm2Verify => SM2.verify_gpu_threshold,
            Operation::Sm2Sign => SM2.sign_gpu_threshold,
            Operation::SharedSecrets(_) => ecdh::GPU_THRESHOLD,
            Operation::PublicKeys(_) => keys::GPU_THRESHOLD,
            Operation::X25519(_) | Operation::X25519PublicKeys => x25519::GPU_THRESHOLD,
            Operation::HashToCurve(suite) => hash_to_curve::gpu_threshold(suite),
            Operation::MaskItems(..) | Operation::MaskPoints(..) | Operation::UnmaskPoints(..) => {
                mask::GPU_THRESHOLD
            }
        }
    }

    /// Computes a batch of `codes.len()` items. `first` and `second` receive the rows of the two
    /// result columns, item by item. Constant-time in the same inputs as the operation's own
    /// function.
    ///
    /// # Errors
    /// The errors of the operation's own function; [`Error::LengthMismatch`] if an output has space
    /// for another number of results.
    pub fn run(
        self,
        engine: &Engine,
        columns: &Columns,
        first: &mut [u8],
        second: &mut [u8],
        codes: &mut [u8],
    ) -> Result<(), Error> {
        match columns.contents {
            Contents::Digests(digests) => {
                self.run_over_digests(engine, columns, digests, first, second, codes)
            }
            Contents::Messages { messages, user_ids } if self.reads().messages => {
                self.run_over_messages(engine, columns, messages, user_ids, first, codes)
            }
            Contents::Messages { messages, .. } => {
                self.require()?;
                let digests = hash::digests(engine, columns.options.message_hash(), messages)?;
                self.run_over_digests(engine, columns, Rows::new(&digests), first, second, codes)
            }
        }
    }

    /// Computes a batch of digests.
    fn run_over_digests(
        self,
        engine: &Engine,
        columns: &Columns,
        digests: Rows<32>,
        first: &mut [u8],
        second: &mut [u8],
        codes: &mut [u8],
    ) -> Result<(), Error> {
        let Columns {
            signatures,
            recovery_ids,
            public_keys,
            secret_keys,
            options,
            ..
        } = *columns;
        let additional = columns.additional_data();
        let signers = Signers {
            additional: additional.map(SecretKeys::rows),
            nonce_hash: nonce_hash(options.message_hash()),
            ..Signers::from(secret_keys)
        };
        match self {
            Operation::EcdsaVerifyRecoverable(curve, policy) if !recovery_ids.is_empty() => {
                let ids = recovery_ids;
                ecdsa::verify_recoverable_into(
                    engine,
                    curve,
                    digests,
                    signatures,
                    ids,
                    public_keys,
                    policy,
                    codes,
                )
            }
            Operation::EcdsaVerify(curve, policy)
            | Operation::EcdsaVerifyRecoverable(curve, policy) => ecdsa::verify_into(
                engine,
                curve,
                digests,
                signatures,
                public_keys,
                policy,
                codes,
            ),
            Operation::EcdsaRecover(curve) => {
                recover(engine, curve, columns, digests, rows(first), codes)
            }
            Operation::EcdsaRecoverAddresses => {
                recover_addresses(engine, columns, digests, rows(first), codes)
            }
            Operation::EcdsaSign(curve, form) => {
                ecdsa::sign_into(engine, curve, digests, signers, form, rows(first), codes)
            }
            Operation::EcdsaSignRecoverable(curve, form) => ecdsa::sign_recoverable_into(
                engine,
                curve,
                digests,
                signers,
                form,
                rows(first),
                second,
                codes,
            ),
            Operation::Bip340Verify => {
                bip340::verify_into(engine, digests, signatures, public_keys, codes)
            }
            Operation::Bip340Sign => bip340::sign_into(
                engine,
                digests,
                secret_keys,
                auxiliary(additional),
                rows(first),
                codes,
            ),
            Operation::Ed25519Verify(_)
            | Operation::Ed25519Sign
            | Operation::HashToCurve(_)
            | Operation::MaskItems(..) => {
                let items = digests.len_for(codes.len());
                let messages: Vec<&[u8]> = (0..items)
                    .map(|item| digests.get(item).as_slice())
                    .collect();
                self.run_over_messages(engine, columns, &messages, UserIds::default(), first, codes)
            }
            Operation::Ed25519PublicKeys => {
                let public = rows(first);
                require_lengths(codes.len(), &[("public keys", public.len())])?;
                ed25519::public_keys_into(engine, secret_keys, public)?;
                // Every seed is a valid key.
                codes.fill(Verdict::VALID_CODE);
                Ok(())
            }
            Operation::Sm2Verify => {
                sm2::verify_into(engine, digests, signatures, public_keys, codes)
            }
            Operation::Sm2Sign => {
                let signers = Signers {
                    nonce_hash: NonceHash::OfScheme,
                    ..signers
                };
                sm2::sign_into(engine, digests, signers, rows(first), codes)
            }
            Operation::SharedSecrets(curve) => ecdh::shared_secrets_into(
                engine,
                curve,
                secret_keys,
                public_keys,
                rows(first),
                codes,
            ),
            Operation::PublicKeys(curve) => {
                keys::public_keys_into(engine, curve, secret_keys, rows(first), codes)
            }
            Operation::X25519(all_zero) => x25519::shared_secrets_into(
                engine,
                secret_keys,
                public_keys,
                all_zero,
                rows(first),
                codes,
            ),
            Operation::X25519PublicKeys => {
                let public = rows(first);
                require_lengths(codes.len(), &[("public keys", public.len())])?;
                x25519::public_keys_into(engine, secret_keys, public)?;
                // Every 32 bytes are a valid key.
                codes.fill(Verdict::VALID_CODE);
                Ok(())
            }
            Operation::MaskPoints(curve, form) => {
                mask::points_into(engine, curve, secret_keys, public_keys, form, first, codes)
            }
            Operation::UnmaskPoints(curve, form) => {
                mask::unmask_into(engine, curve, secret_keys, public_keys, form, first, codes)
            }
        }
    }

    /// Computes a batch of messages that the scheme hashes itself.
    fn run_over_messages(
        self,
        engine: &Engine,
        columns: &Columns,
        messages: &[&[u8]],
        user_ids: UserIds,
        first: &mut [u8],
        codes: &mut [u8],
    ) -> Result<(), Error> {
        let Columns {
            signatures,
            public_keys,
            secret_keys,
            options: Options { variant, dst, .. },
            ..
        } = *columns;
        let additional = columns.additional_data();
        match self {
            Operation::Bip340Verify => {
                bip340::verify_messages_into(engine, messages, signatures, public_keys, codes)
            }
            Operation::Bip340Sign => bip340::sign_messages_into(
                engine,
                messages,
                secret_keys,
                auxiliary(additional),
                rows(first),
                codes,
            ),
            Operation::Ed25519Verify(rule) => ed25519::verify_into(
                engine,
                messages,
                signatures,
                public_keys,
                variant,
                rule,
                codes,
            ),
            Operation::Ed25519Sign => {
                ed25519::sign_into(engine, messages, secret_keys, variant, rows(first), codes)
            }
            Operation::Sm2Verify => sm2::verify_messages_into(
                engine,
                messages,
                user_ids,
                signatures,
                public_keys,
                codes,
            ),
            Operation::Sm2Sign => {
                let signers = Signers {
                    additional: additional.map(SecretKeys::rows),
                    ..Signers::from(secret_keys)
                };
                sm2::sign_messages_into(engine, messages, user_ids, signers, rows(first), codes)
            }
            Operation::HashToCurve(suite) => hash_to_curve::points_into(
                engine,
                suite,
                dst.as_bytes(),
                messages,
                rows(first),
                codes,
            ),
            Operation::MaskItems(suite, form) => mask::items_into(
                engine,
                suite,
                dst.as_bytes(),
                secret_keys,
                messages,
                form,
                first,
                codes,
            ),
            _ => unreachable!("the operation reads no messages"),
        }
    }
}

/// Returns the column of masked points in a form; none for a form that [`Operation::require`]
/// rejects.
fn masked_column(form: Form) -> &'static [Column] {
    const WIDEST: usize = Form::Uncompressed.width();
    /// A column of every width.
    static COLUMNS: [Column; WIDEST + 1] = {
        let mut columns = [Column {
            name: "masked",
            width: 0,
        }; WIDEST + 1];
        let mut width = 0;
        while width < columns.len() {
            columns[width].width = width;
            width += 1;
        }
        columns
    };
    let width = form.width();
    COLUMNS.get(width..=width).unwrap_or_default()
}

/// Recovers public keys, with the candidates if there are any.
fn recover(
    engine: &Engine,
    curve: CurveId,
    columns: &Columns,
    digests: Rows<32>,
    keys: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    let Columns {
        signatures,
        recovery_ids: ids,
        candidates,
        ..
    } = *columns;
    match candidates {
        None => ecdsa::recover_into(engine, curve, digests, signatures, ids, keys, codes),
        Some(candidates) => ecdsa::recover_with_candidates_into(
            engine, curve, digests, signatures, ids, candidates, keys, codes,
        ),
    }
}

/// Recovers addresses, with the candidates if there are any.
fn recover_addresses(
    engine: &Engine,
    columns: &Columns,
    digests: Rows<32>,
    addresses: &mut [Address],
    codes: &mut [u8],
) -> Result<(), Error> {
    let Columns {
        signatures,
        recovery_ids: ids,
        candidates,
        ..
    } = *columns;
    match candidates {
        None => ecdsa::recover_addresses_into(engine, digests, signatures, ids, addresses, codes),
        Some(candidates) => ecdsa::recover_addresses_with_candidates_into(
            engine, digests, signatures, ids, candidates, addresses, codes,
        ),
    }
}

/// Returns the HMAC hash for nonces of messages that are hashed with `hash`.
fn nonce_hash(hash: Hash) -> NonceHash {
    match hash {
        Hash::Sha384 => NonceHash::Sha384,
        Hash::Sha512 => NonceHash::Sha512,
        Hash::Sha256
        | Hash::Sha256d
        | Hash::Keccak256
        | Hash::Eip191
        | Hash::BitcoinMessage
        | Hash::None => NonceHash::OfScheme,
    }
}

fn auxiliary(given: Option<Rows<'_, 32>>) -> Auxiliary<'_> {
    given.map_or_else(Auxiliary::fresh, Auxiliary::given)
}

/// Splits a column into rows of `W` bytes. An incomplete row at the end is dropped, so that the
/// length check fails.
fn rows<const W: usize>(bytes: &mut [u8]) -> &mut [[u8; W]] {
    bytes.as_chunks_mut().0
}

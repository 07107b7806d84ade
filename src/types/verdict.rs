//! Results of items: [`Rejection`] for items that fail, and verdicts.
//!
//! An invalid item never causes an [`crate::Error`] and never affects other items.

use std::fmt;

/// The reason why an item of a batch is not valid. The numeric form ([`Rejection::code`]) is stable
/// and never 0 or 1.
// Other programs store these numbers: none is changed, and none is used again for another reason.
// `cuda/codes.cuh` has them for the device code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
#[repr(u8)]
pub enum Rejection {
    /// The encoding of the signature is malformed (only where a call takes DER).
    #[error("the signature is not strict DER of two integers of at most 32 bytes")]
    MalformedSignature = 2,
    /// r is 0 or not below the group order; of BIP 340: not below p; of Ed25519: R is not a
    /// canonical encoding.
    #[error("r is not in 1..n")]
    ROutOfRange = 3,
    /// s is 0 or not below the group order; of BIP 340 and Ed25519: not below that.
    #[error("s is not in 1..n")]
    SOutOfRange = 4,
    /// s is above n/2 and the policy asks for low s.
    #[error("s is above n/2, which the low-s policy forbids")]
    HighS = 5,
    /// SM2: r + s is 0 modulo n.
    #[error("r + s is 0 modulo n")]
    ZeroT = 6,
    /// The point's encoding has the wrong length or tag, or a coordinate that is not below p; of
    /// Ed25519: it is not canonical.
    #[error("the point's encoding is malformed")]
    MalformedPoint = 7,
    /// The encoding is well-formed, but no point of the curve has these coordinates.
    #[error("the point is not on the curve")]
    NotOnCurve = 8,
    /// The identity where a public key is needed.
    #[error("the public key is the identity")]
    IdentityKey = 9,
    /// The computation ends in the identity, which the standard rejects. Of X25519: the shared
    /// secret is zero, because the peer's key has small order.
    #[error("the resulting point is the identity")]
    IdentityResult = 10,
    /// The signature does not belong to this digest and key.
    #[error("the signature does not match")]
    Mismatch = 11,
    /// The recovery id is not in 0..=3.
    #[error("the recovery id is not in 0..=3")]
    RecoveryIdOutOfRange = 12,
    /// No point of the curve has the x-coordinate that r and the recovery id give; of Ed25519: R is
    /// not a point.
    #[error(
        "R is not a point of the curve; in recovery, r and the recovery id say its x-coordinate"
    )]
    NoSuchR = 13,
    /// A public scalar is not below the group order.
    #[error("the scalar is not below n")]
    ScalarOutOfRange = 14,
    /// A private key is 0 or not below the group order (SM2 signing also rejects n - 1).
    #[error("the private key is out of range")]
    SecretKeyOutOfRange = 15,
    /// An SM2 user id is longer than 8191 bytes.
    #[error("the user id is longer than 8191 bytes")]
    UserIdTooLong = 16,
    /// A value is not below the modulus.
    #[error("the value is not below the modulus")]
    ValueOutOfRange = 17,
    /// The signature that was computed does not verify, or its recovery id is wrong, at every
    /// attempt: the processor errs.
    /// Only where [`crate::EngineBuilder::check_signatures`] is on.
    #[error("the computed signature does not verify: the processor errs")]
    FaultySignature = 18,
    /// Ed25519: 8 times the public key is the identity, and the rule rejects that.
    #[error("the public key has small order")]
    SmallOrderKey = 19,
    /// Ed25519: 8 times R is the identity, and the rule rejects that.
    #[error("R has small order")]
    SmallOrderR = 20,
}

impl Rejection {
    /// Returns the rejection with this code, or `None` for [`Verdict::VALID_CODE`] and for
    /// bytes that are not codes.
    pub fn from_code(code: u8) -> Option<Self> {
        match code {
            2 => Some(Self::MalformedSignature),
            3 => Some(Self::ROutOfRange),
            4 => Some(Self::SOutOfRange),
            5 => Some(Self::HighS),
            6 => Some(Self::ZeroT),
            7 => Some(Self::MalformedPoint),
            8 => Some(Self::NotOnCurve),
            9 => Some(Self::IdentityKey),
            10 => Some(Self::IdentityResult),
            11 => Some(Self::Mismatch),
            12 => Some(Self::RecoveryIdOutOfRange),
            13 => Some(Self::NoSuchR),
            14 => Some(Self::ScalarOutOfRange),
            15 => Some(Self::SecretKeyOutOfRange),
            16 => Some(Self::UserIdTooLong),
            17 => Some(Self::ValueOutOfRange),
            18 => Some(Self::FaultySignature),
            19 => Some(Self::SmallOrderKey),
            20 => Some(Self::SmallOrderR),
            _ => None,
        }
    }
    /// Returns the stable numeric form: one byte, 2 or more ([`Verdict::VALID_CODE`] is 1; 0 is
    /// never used).
    pub fn code(self) -> u8 {
        self as u8
    }
}

/// The result of verifying one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Every check passed.
    Valid,
    /// The first check, in the order of the standard, that failed.
    Rejected(Rejection),
}

impl Verdict {
    /// The numeric form of [`Verdict::Valid`].
    pub const VALID_CODE: u8 = 1;

    /// Returns the numeric form: 1 for valid, the rejection's code otherwise.
    pub fn code(self) -> u8 {
        match self {
            Verdict::Valid => Self::VALID_CODE,
            Verdict::Rejected(reason) => reason.code(),
        }
    }

    /// Returns `true` if every check passed.
    pub fn is_valid(self) -> bool {
        self == Verdict::Valid
    }
}

impl From<Result<(), Rejection>> for Verdict {
    fn from(result: Result<(), Rejection>) -> Self {
        result.map_or_else(Verdict::Rejected, |()| Verdict::Valid)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Valid => f.write_str("valid"),
            Verdict::Rejected(reason) => reason.fmt(f),
        }
    }
}

/// The verdicts of a batch, one per item, in input order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "signatures are only verified if their verdicts are checked"]
pub struct Verdicts(Vec<Verdict>);

impl Verdicts {
    pub(crate) fn new(verdicts: Vec<Verdict>) -> Self {
        Verdicts(verdicts)
    }

    /// Returns `true` if every item is valid. True for an empty batch.
    pub fn all_valid(&self) -> bool {
        self.0.iter().all(|v| v.is_valid())
    }

    /// Returns the items that failed, each with its index in the batch and the reason.
    pub fn rejected(&self) -> impl Iterator<Item = (usize, Rejection)> + '_ {
        self.0
            .iter()
            .enumerate()
            .filter_map(|(index, verdict)| match verdict {
                Verdict::Valid => None,
                Verdict::Rejected(reason) => Some((index, *reason)),
            })
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns `true` if the batch was empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns all verdicts, in input order.
    pub fn as_slice(&self) -> &[Verdict] {
        &self.0
    }

    /// Iterates over all verdicts, in input order.
    pub fn iter(&self) -> std::slice::Iter<'_, Verdict> {
        self.0.iter()
    }
}

impl std::ops::Index<usize> for Verdicts {
    type Output = Verdict;
    fn index(&self, index: usize) -> &Verdict {
        &self.0[index]
    }
}

impl IntoIterator for Verdicts {
    type Item = Verdict;
    type IntoIter = std::vec::IntoIter<Verdict>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

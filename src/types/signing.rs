//! Common types of signature schemes.

use super::{Error, Rows, SecretKeys, require_lengths};
use std::ops::Range;

/// An Ethereum address: the last 20 bytes of the Keccak-256 of a public key's `x || y`.
pub type Address = [u8; 20];

/// Requirements of verification in addition to the standard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policy {
    /// Reject s above n/2 ([`crate::Rejection::HighS`]), as BIP 62 and EIP-2 require. Off by
    /// default, as in the standards.
    pub low_s: bool,
}

impl Policy {
    /// Returns the policy that rejects high s.
    pub fn low_s() -> Self {
        Policy { low_s: true }
    }
}

/// The choice between the two valid values of s when signing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SForm {
    /// The default of the curve's RustCrypto crate: low for secp256k1, as computed for P-256 and
    /// brainpoolP256r1.
    #[default]
    CurveDefault,
    /// The value that is at most n/2 (BIP 62, EIP-2); the recovery id is flipped to match.
    Low,
    /// The value computed by SEC 1.
    AsComputed,
}

/// The private keys of a batch of signatures, and optional additional input for their nonces.
///
/// Everything that converts into [`SecretKeys`] also converts into this, without additional data.
///
/// **Signing with one private key on two curves reveals the key.** RFC 6979 derives a nonce only
/// from the key and the digest: on secp256k1 and P-256, for example, it is the same number, so two
/// signatures of one digest determine the key. Use one key per curve, or at least different
/// additional data on each curve ([`Signers::with_additional_data`]).
#[derive(Clone, Copy, Debug)]
pub struct Signers<'a> {
    pub(crate) keys: SecretKeys<'a>,
    /// Wiped like keys when copied to a device.
    pub(crate) additional: Option<SecretKeys<'a>>,
    pub(crate) nonce_hash: NonceHash,
}

/// The HMAC hash with which RFC 6979 derives nonces of ECDSA. It is the hash of the message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NonceHash {
    /// SHA-256, also for digests made with hashes that RFC 6979 does not name. SM2 uses SM3
    /// instead.
    #[default]
    OfScheme,
    Sha384,
    Sha512,
}

impl<'a> Signers<'a> {
    /// Adds 32 bytes of additional data to each nonce (RFC 6979, section 3.6), one row per item or
    /// one for all. They are hashed with the key and the digest, and need to be neither secret nor
    /// random: a string that names the key's purpose separates its nonces from those of other uses,
    /// and fresh random data makes signatures unpredictable.
    ///
    /// ```
    /// use gecc::{Engine, P256, Rows, SecretKey, Signers, ecdsa};
    /// let engine = Engine::new()?;
    /// let key = SecretKey::from_bytes([7; 32]);
    /// let of_p256 = Signers::with_additional_data(&key, Rows::all(b"example.org/tokens/v1/nist-p256 "));
    /// let signed = ecdsa::sign(&engine, P256, &[[5; 32]], of_p256, Default::default())?;
    /// assert_ne!(signed, ecdsa::sign(&engine, P256, &[[5; 32]], &key, Default::default())?);
    /// # Ok::<(), gecc::Error>(())
    /// ```
    pub fn with_additional_data(
        keys: impl Into<SecretKeys<'a>>,
        data: impl Into<Rows<'a, 32>>,
    ) -> Self {
        Signers {
            additional: Some(SecretKeys::rows(data.into())),
            ..Signers::from(keys.into())
        }
    }

    /// # Errors
    /// [`Error::LengthMismatch`] if the number of keys or of rows differs from `items`.
    pub(crate) fn require(&self, items: usize) -> Result<(), Error> {
        let additional = self.additional.map_or(items, |data| data.len_for(items));
        require_lengths(
            items,
            &[
                ("secret keys", self.keys.len_for(items)),
                ("additional data", additional),
            ],
        )
    }

    /// Returns the signers of a range of items. Keys and data for all items are kept.
    ///
    /// # Panics
    /// If the range is out of bounds.
    pub fn slice(&self, items: Range<usize>) -> Self {
        let additional = self.additional.map(|data| data.slice(items.clone()));
        Signers {
            keys: self.keys.slice(items),
            additional,
            ..*self
        }
    }

    /// Returns the additional data of an item, or an empty slice.
    pub(crate) fn data(&self, item: usize) -> &'a [u8] {
        self.additional.map_or(&[], |data| data.expose(item))
    }
}

impl<'a, K: Into<SecretKeys<'a>>> From<K> for Signers<'a> {
    fn from(keys: K) -> Self {
        Signers {
            keys: keys.into(),
            additional: None,
            nonce_hash: NonceHash::default(),
        }
    }
}

/// The check of signatures before they are returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    Nothing,
    /// Each signature has to verify.
    Signatures,
    /// Each signature, with its recovery id, has to recover the signer's key. This includes
    /// verification.
    RecoveryIds,
}

/// A signature with the recovery id that recovery needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RecoverableSignature {
    /// `r || s`.
    pub signature: [u8; 64],
    /// 0 to 3: bit 0 is set if y(R) is odd, bit 1 if x(R) >= n (SEC 1, section 4.1.6).
    pub recovery_id: u8,
}

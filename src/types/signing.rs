//! Words of signature schemes.

use super::{Error, Rows, SecretKeys, require_lengths};
use std::ops::Range;

/// An Ethereum address: the last 20 bytes of the Keccak-256 of a public key's `x || y`.
pub type Address = [u8; 20];

/// What verification asks for beyond the standard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policy {
    /// Reject s above n/2 ([`crate::Rejection::HighS`]), as BIP 62 and EIP-2 do. Off by default, as in the standards.
    pub low_s: bool,
}

impl Policy {
    /// The policy that rejects high s.
    pub fn low_s() -> Self {
        Policy { low_s: true }
    }
}

/// Which of the two valid values of s signing gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SForm {
    /// As the curve's RustCrypto crate: low for secp256k1, as computed for P-256 and brainpoolP256r1.
    #[default]
    CurveDefault,
    /// The one that is at most n/2 (BIP 62, EIP-2); the recovery id is flipped to match.
    Low,
    /// As SEC 1 computes it.
    AsComputed,
}

/// The private keys that a batch is signed with, and what their nonces are made of besides.
///
/// What becomes this: everything that becomes [`SecretKeys`], without additional data.
///
/// **One private key with which ECDSA signs on two curves is given away.** RFC 6979 makes a nonce of the key and the
/// digest alone: on secp256k1 and P-256, say, it is the same number, so that two signatures of one digest determine
/// the key. Have a key for each curve, or at least additional data for each ([`Signers::with_additional_data`]).
#[derive(Clone, Copy, Debug)]
pub struct Signers<'a> {
    pub(crate) keys: SecretKeys<'a>,
    /// Wiped like keys on its way to a device.
    pub(crate) additional: Option<SecretKeys<'a>>,
    pub(crate) nonce_hash: NonceHash,
}

/// The hash of the HMAC by which RFC 6979 makes the nonces of ECDSA. It is the one that has hashed the message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NonceHash {
    /// SHA-256, also for digests by hashes that RFC 6979 does not name. SM2 has SM3 in its place.
    #[default]
    OfScheme,
    Sha384,
    Sha512,
}

impl<'a> Signers<'a> {
    /// With 32 bytes of additional data for each nonce (RFC 6979, section 3.6), a row for each item or one for all.
    /// They are hashed with the key and the digest, and need be neither secret nor random: a name of what the key is
    /// used for keeps its nonces apart from those of other uses, and fresh random data make signatures that nobody
    /// can foresee.
    ///
    /// ```
    /// use gecc::{Engine, P256, Rows, SecretKey, Signers, ecdsa};
    /// let (engine, key) = (Engine::new()?, SecretKey::from_bytes([7; 32]));
    /// let of_p256 = Signers::with_additional_data(&key, Rows::all(b"example.org/tokens/v1/nist-p256 "));
    /// let signed = ecdsa::sign(&engine, P256, &[[5; 32]], of_p256, Default::default())?;
    /// assert_ne!(signed, ecdsa::sign(&engine, P256, &[[5; 32]], &key, Default::default())?);
    /// # Ok::<(), gecc::Error>(())
    /// ```
    pub fn with_additional_data(keys: impl Into<SecretKeys<'a>>, data: impl Into<Rows<'a, 32>>) -> Self {
        Signers { additional: Some(SecretKeys::rows(data.into())), ..Signers::from(keys.into()) }
    }

    /// # Errors
    /// [`Error::LengthMismatch`] where there are not as many as items.
    pub(crate) fn require(&self, items: usize) -> Result<(), Error> {
        let additional = self.additional.map_or(items, |data| data.len_for(items));
        require_lengths(items, &[("secret keys", self.keys.len_for(items)), ("additional data", additional)])
    }

    /// Those of some items. What serves all serves these.
    ///
    /// # Panics
    /// When there are no such items.
    pub fn slice(&self, items: Range<usize>) -> Self {
        let additional = self.additional.map(|data| data.slice(items.clone()));
        Signers { keys: self.keys.slice(items), additional, ..*self }
    }

    /// The additional data of an item, if there are any.
    pub(crate) fn data(&self, item: usize) -> &'a [u8] {
        self.additional.map_or(&[], |data| data.expose(item))
    }
}

impl<'a, K: Into<SecretKeys<'a>>> From<K> for Signers<'a> {
    fn from(keys: K) -> Self {
        Signers { keys: keys.into(), additional: None, nonce_hash: NonceHash::default() }
    }
}

/// What is checked of signatures before they are returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    Nothing,
    /// That they verify.
    Signatures,
    /// That each, with its recovery id, gives the signer's key, which includes that it verifies.
    RecoveryIds,
}

/// A signature and what recovery needs besides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RecoverableSignature {
    /// `r || s`.
    pub signature: [u8; 64],
    /// 0..=3: bit 0 says that y(R) is odd, bit 1 that x(R) >= n (SEC 1, section 4.1.6).
    pub recovery_id: u8,
}

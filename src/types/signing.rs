//! Words of signature schemes.

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

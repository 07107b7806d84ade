//! The suites of RFC 9497, section 4: a group and a hash function.

use super::group::{Bytes, Group};
use super::p256::P256Group;
use super::ristretto255::Ristretto255Group;
use std::fmt::Debug;

/// A suite of the protocol. Sealed.
///
/// | suite | elements | outputs | scalars |
/// |---|---|---|---|
/// | [`P256Sha256`] | 33 bytes, compressed points: `02 \|\| x` or `03 \|\| x` | 32 bytes | big-endian |
/// | [`Ristretto255Sha512`] | 32 bytes, as in [`ristretto255`](crate::ristretto255) | 64 bytes | little-endian |
///
/// Scalars are keys, blinds and the halves of proofs, 32 bytes each. With [`Ristretto255Sha512`], the
/// calls that hash inputs and the sums of proofs compute on the CPU alone so far.
pub trait Suite: Copy + Debug + Eq + Send + Sync + 'static {
    /// The identifier of the suite in the RFC.
    const NAME: &'static str;

    /// An encoded element of the group other than the identity, an array of bytes.
    type Element: Bytes;

    /// An output of the function, an array of bytes.
    type Output: Bytes;

    #[doc(hidden)]
    type Group: Group<Element = Self::Element, Output = Self::Output>;
}

/// The suite P256-SHA256 (RFC 9497, section 4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct P256Sha256;

impl Suite for P256Sha256 {
    const NAME: &'static str = "P256-SHA256";
    type Element = [u8; 33];
    type Output = [u8; 32];
    type Group = P256Group;
}

/// The suite ristretto255-SHA512 (RFC 9497, section 4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ristretto255Sha512;

impl Suite for Ristretto255Sha512 {
    const NAME: &'static str = "ristretto255-SHA512";
    type Element = [u8; 32];
    type Output = [u8; 64];
    type Group = Ristretto255Group;
}

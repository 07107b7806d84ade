//! The suites: a curve, a hash function, and how a digest becomes a point.

use super::Dst;
use crate::curve::CurveId;
use crate::types::{Error, is_same_name};
use std::fmt;
use std::str::FromStr;

/// A way to map byte strings to points of a curve.
///
/// | suite | curve | constant time in the message | compatible with |
/// |---|---|---|---|
/// | [`P256SswuRo`](Suite::P256SswuRo), [`P256SswuNu`](Suite::P256SswuNu) | P-256 | yes | RFC 9380, and thereby RFC 9497 |
/// | [`Secp256k1SswuRo`](Suite::Secp256k1SswuRo), [`Secp256k1SswuNu`](Suite::Secp256k1SswuNu) | secp256k1 | yes | RFC 9380 |
/// | [`Sm2Rehash`](Suite::Sm2Rehash) | SM2 | no | YACL (SecretFlow) |
/// | [`Sm2Increment`](Suite::Sm2Increment) | SM2 | no | see there |
/// | [`P256Rehash`](Suite::P256Rehash) | P-256 | no | private-join-and-compute |
///
/// New protocols should use one of the RFC with `RO` in its name, which is indifferentiable from a
/// random oracle. The suites that are not constant-time try x-coordinates until the curve has a
/// point with one, two on average. The number of tries depends on the message: whoever can measure
/// the time of a single item learns something about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Suite {
    /// `P256_XMD:SHA-256_SSWU_RO_` of RFC 9380, section 8.2.
    P256SswuRo,
    /// `P256_XMD:SHA-256_SSWU_NU_` of RFC 9380, section 8.2. Twice as fast as
    /// [`Suite::P256SswuRo`], but its points are not uniformly distributed.
    P256SswuNu,
    /// `secp256k1_XMD:SHA-256_SSWU_RO_` of RFC 9380, section 8.7.
    Secp256k1SswuRo,
    /// `secp256k1_XMD:SHA-256_SSWU_NU_` of RFC 9380, section 8.7. Twice as fast as
    /// [`Suite::Secp256k1SswuRo`], but its points are not uniformly distributed.
    Secp256k1SswuNu,
    /// The strategy `TryAndRehash_SM` of YACL, the library of SecretFlow.
    ///
    /// The digest is SM3(message). x is the digest as a big-endian number, modulo p. If the curve
    /// has points with this x, the result is the one with an even y; otherwise the digest is
    /// replaced by its own SM3.
    Sm2Rehash,
    /// Try-and-increment with SM3, which PPCA 9-2023, "ECDH-PSI", the interoperability standard of
    /// Chinese privacy-computing platforms, requires (section 6.3.1).
    ///
    /// x is SM3(message) as a big-endian number, modulo p. While the curve has no point with this
    /// x, x is increased by one, modulo p. The result is the point with an even y. The standard
    /// refers to Icart (CRYPTO 2009) for this and specifies neither the byte order nor the root;
    /// this suite uses those of YACL's strategy for SM2. YACL itself has no try-and-increment on
    /// SM2. Compare a few points with the other party's before use.
    Sm2Increment,
    /// The hash to P-256 with SHA-256 of Google's private-join-and-compute
    /// (`ECGroup::GetPointByHashingToCurveSha256`).
    ///
    /// x is SHA-256(01 || message) || SHA-256(02 || message) as a big-endian number of 512 bits,
    /// modulo p. If the curve has points with this x, the result is the one with an even y;
    /// otherwise the message is replaced by x, big-endian and without leading zeros.
    P256Rehash,
}

impl Suite {
    /// All suites.
    pub const ALL: &'static [Suite] = &[
        Suite::P256SswuRo,
        Suite::P256SswuNu,
        Suite::Secp256k1SswuRo,
        Suite::Secp256k1SswuNu,
        Suite::Sm2Rehash,
        Suite::Sm2Increment,
        Suite::P256Rehash,
    ];

    /// Returns the name of the suite: its identifier in RFC 9380, section 8.10, or a name in the
    /// same style for a suite that is not in the RFC.
    pub const fn name(self) -> &'static str {
        match self {
            Suite::P256SswuRo => "P256_XMD:SHA-256_SSWU_RO_",
            Suite::P256SswuNu => "P256_XMD:SHA-256_SSWU_NU_",
            Suite::Secp256k1SswuRo => "secp256k1_XMD:SHA-256_SSWU_RO_",
            Suite::Secp256k1SswuNu => "secp256k1_XMD:SHA-256_SSWU_NU_",
            Suite::Sm2Rehash => "SM2_SM3_REHASH_",
            Suite::Sm2Increment => "SM2_SM3_INCREMENT_",
            Suite::P256Rehash => "P256_SHA-256_REHASH_",
        }
    }

    /// Returns the curve of the points.
    pub const fn curve(self) -> CurveId {
        match self {
            Suite::P256SswuRo | Suite::P256SswuNu | Suite::P256Rehash => CurveId::P256,
            Suite::Secp256k1SswuRo | Suite::Secp256k1SswuNu => CurveId::Secp256k1,
            Suite::Sm2Rehash | Suite::Sm2Increment => CurveId::Sm2,
        }
    }

    /// Returns `true` if the suite requires a domain separation tag. The others take none.
    pub const fn takes_dst(self) -> bool {
        self.is_constant_time()
    }

    /// Returns `true` if the time to compute a point depends only on the length of the message.
    pub const fn is_constant_time(self) -> bool {
        matches!(
            self,
            Suite::P256SswuRo | Suite::P256SswuNu | Suite::Secp256k1SswuRo | Suite::Secp256k1SswuNu
        )
    }

    /// Returns the number of field elements to which a message is hashed by the suites of RFC 9380:
    /// two points are added for `RO`.
    pub(crate) const fn field_elements(self) -> usize {
        match self {
            Suite::P256SswuRo | Suite::Secp256k1SswuRo => 2,
            _ => 1,
        }
    }

    /// Checks that there is a domain separation tag exactly if the suite requires one.
    pub(crate) fn require_dst(self, dst: &Dst) -> Result<(), Error> {
        let problem = match (self.takes_dst(), dst.is_empty()) {
            (true, true) => "requires a domain separation tag",
            (false, false) => "takes no domain separation tag",
            _ => return Ok(()),
        };
        Err(Error::DomainSeparation {
            suite: self.name(),
            problem,
        })
    }
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An unknown name of a suite. The message lists all suites.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no hash-to-curve suite is called `{}`; the suites are {}",
    crate::fields::shown(name),
    listed_names()
)]
pub struct UnknownSuite {
    name: String,
}

fn listed_names() -> String {
    let names: Vec<&str> = Suite::ALL.iter().map(|suite| suite.name()).collect();
    names.join(", ")
}

/// Parses [`Suite::name`]. Case, spaces, hyphens, underscores and dots are ignored.
///
/// ```
/// use gecc::hash_to_curve::Suite;
/// assert_eq!("P256_XMD:SHA-256_SSWU_RO_".parse(), Ok(Suite::P256SswuRo));
/// assert_eq!("sm2-sm3-rehash".parse(), Ok(Suite::Sm2Rehash));
/// assert!("P384_XMD:SHA-384_SSWU_RO_".parse::<Suite>().is_err());
/// ```
impl FromStr for Suite {
    type Err = UnknownSuite;

    fn from_str(name: &str) -> Result<Self, UnknownSuite> {
        let found = Suite::ALL
            .iter()
            .find(|suite| is_same_name(suite.name(), name));
        found.copied().ok_or_else(|| UnknownSuite {
            name: name.to_owned(),
        })
    }
}

//! Purposes of keys, and their names in key files.

use der::oid::ObjectIdentifier;
use gecc::call::Operation;
use gecc::{CurveId, PublicKeys};
use std::fmt;

/// The names of curves in RFC 7518, section 6.2.1.1, and RFC 8812, section 3.1, with the former
/// name of secp256k1 in Azure, and gematik's name of brainpoolP256r1. The other curves have no
/// registered name and use that of [`CurveId`].
const JWK_NAMES: [(&str, CurveId); 5] = [
    ("P-256", CurveId::P256),
    ("secp256k1", CurveId::Secp256k1),
    ("P-256K", CurveId::Secp256k1),
    ("K-256", CurveId::Secp256k1),
    ("BP-256", CurveId::BrainpoolP256r1),
];

/// The names of algorithms in RFC 8037, sections 3.1 and 3.2.
const OKP_JWK_NAMES: [(&str, KeyKind); 2] =
    [("Ed25519", KeyKind::Ed25519), ("X25519", KeyKind::X25519)];

/// JSON Web Key names of unsupported curves, which errors may show.
const OTHER_JWK_NAMES: [&str; 8] = [
    "P-192", "P-224", "P-384", "P-521", "BP-384", "BP-512", "X448", "Ed448",
];

/// `id-X25519` and `id-Ed25519` of RFC 8410, section 3.
const ALGORITHMS: [(ObjectIdentifier, KeyKind); 2] = [
    (ObjectIdentifier::new_unwrap("1.3.101.110"), KeyKind::X25519),
    (
        ObjectIdentifier::new_unwrap("1.3.101.112"),
        KeyKind::Ed25519,
    ),
];

/// The purpose of keys: a curve, Ed25519, or X25519. A key that states its purpose is never read
/// for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// A curve: private keys are numbers, and public keys points.
    Curve(CurveId),
    /// Ed25519: private keys are seeds, and public keys have 32 bytes.
    Ed25519,
    /// X25519: private and public keys have 32 bytes (RFC 7748, section 6.1).
    X25519,
}

impl From<CurveId> for KeyKind {
    fn from(curve: CurveId) -> Self {
        KeyKind::Curve(curve)
    }
}

impl From<Operation> for KeyKind {
    /// Returns the purpose of the keys that an operation reads.
    fn from(operation: Operation) -> Self {
        match operation {
            Operation::X25519(_) | Operation::X25519PublicKeys => KeyKind::X25519,
            other => other.curve().map_or(KeyKind::Ed25519, KeyKind::Curve),
        }
    }
}

impl fmt::Display for KeyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyKind::Curve(curve) => curve.fmt(f),
            KeyKind::Ed25519 => f.write_str("Ed25519"),
            KeyKind::X25519 => f.write_str("X25519"),
        }
    }
}

impl KeyKind {
    /// Returns whether public keys are points in the encodings of SEC 1. Those of Ed25519 and
    /// X25519 have 32 bytes.
    pub fn has_points(self) -> bool {
        matches!(self, KeyKind::Curve(_))
    }

    /// Encodes a key as a row for [`PublicKeys::mixed`]. Ed25519 and X25519 accept 32 bytes only; a
    /// curve accepts these too if `takes_x_only`.
    pub fn row(self, key: &[u8], takes_x_only: bool) -> [u8; 65] {
        match key.try_into() {
            Ok(x) if takes_x_only || !self.has_points() => PublicKeys::mixed_row_of_x(x),
            // A row of 33 bytes that begins with 2 would be taken for an x, but is not a key of 32
            // bytes.
            _ if !self.has_points() => PublicKeys::mixed_row(&[]),
            _ => PublicKeys::mixed_row(key),
        }
    }

    /// Returns the purpose of keys that an algorithm of RFC 8410 identifies.
    pub(crate) fn of_algorithm(identifier: ObjectIdentifier) -> Option<Self> {
        ALGORITHMS
            .iter()
            .find(|(known, _)| *known == identifier)
            .map(|(_, kind)| *kind)
    }

    /// Returns an error unless the identifier is that of this curve.
    pub(crate) fn require_identifier(self, found: ObjectIdentifier) -> Result<(), String> {
        match CurveId::ALL
            .iter()
            .find(|named| found == ObjectIdentifier::new_unwrap(named.oid()))
        {
            Some(named) => self.require(KeyKind::Curve(*named)),
            None => Err(format!(
                "the key is for the curve with the object identifier {found}, not for {self}"
            )),
        }
    }

    /// Returns an error unless `kty` of a JWK suits keys of this kind, according to RFC 7518,
    /// section 6.1, or RFC 8037, section 2.
    pub(crate) fn require_jwk_type(self, found: &str) -> Result<(), String> {
        match self {
            KeyKind::Curve(_) if !found.eq_ignore_ascii_case("EC") => {
                Err("`kty` is not EC: no elliptic-curve key".to_owned())
            }
            KeyKind::Ed25519 | KeyKind::X25519 if !found.eq_ignore_ascii_case("OKP") => {
                Err(format!("`kty` is not OKP: no key of {self}"))
            }
            _ => Ok(()),
        }
    }

    /// Returns an error unless `crv` of a JWK names this purpose. Errors show only names of curves.
    pub(crate) fn require_jwk_name(self, found: &str) -> Result<(), String> {
        if let Some((_, named)) = OKP_JWK_NAMES
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(found))
        {
            return self.require(*named);
        }
        let named = JWK_NAMES
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(found))
            .map(|(_, named)| *named);
        if let Some(named) =
            named.or_else(|| found.strip_prefix("NIST ").unwrap_or(found).parse().ok())
        {
            return self.require(KeyKind::Curve(named));
        }
        match OTHER_JWK_NAMES
            .iter()
            .find(|name| name.eq_ignore_ascii_case(found))
        {
            Some(other) => Err(format!("the key is for {other}, not for {self}")),
            None => Err(format!(
                "`crv` is not the name of a known curve, and the key must be for {self}"
            )),
        }
    }

    /// Returns an error unless a key for `found` is of this kind.
    pub(crate) fn require(self, found: KeyKind) -> Result<(), String> {
        if found == self {
            Ok(())
        } else {
            Err(format!("the key is for {found}, not for {self}"))
        }
    }
}

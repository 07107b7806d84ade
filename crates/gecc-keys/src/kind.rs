//! What keys are for, and the names that key files have for it.

use der::oid::ObjectIdentifier;
use gecc::call::Operation;
use gecc::{CurveId, PublicKeys};
use std::fmt;

/// RFC 7518, section 6.2.1.1, and RFC 8812, section 3.1. No name is registered for the other curves.
const JWK_NAMES: [(&str, CurveId); 2] = [("P-256", CurveId::P256), ("secp256k1", CurveId::Secp256k1)];

/// `id-Ed25519` of RFC 8410, section 3.
pub const ED25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");

/// What keys are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// A curve: private keys are numbers, and public keys points.
    Curve(CurveId),
    /// Ed25519: private keys are seeds, and public keys have 32 bytes.
    Ed25519,
}

impl From<CurveId> for KeyKind {
    fn from(curve: CurveId) -> Self {
        KeyKind::Curve(curve)
    }
}

impl From<Operation> for KeyKind {
    /// What the keys are for that an operation reads.
    fn from(operation: Operation) -> Self {
        operation.curve().map_or(KeyKind::Ed25519, KeyKind::Curve)
    }
}

impl fmt::Display for KeyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyKind::Curve(curve) => curve.fmt(f),
            KeyKind::Ed25519 => f.write_str("Ed25519"),
        }
    }
}

impl KeyKind {
    /// The row of a key in an encoding of points, for [`PublicKeys::mixed`]: of Ed25519 of 32 bytes alone, and of a
    /// curve also of those where `takes_x_only`.
    pub fn row(self, key: &[u8], takes_x_only: bool) -> [u8; 65] {
        match key.try_into() {
            Ok(x) if takes_x_only || self == KeyKind::Ed25519 => PublicKeys::mixed_row_of_x(x),
            // 33 bytes that begin with 2 are an x to rows, and no key of Ed25519.
            _ if self == KeyKind::Ed25519 => PublicKeys::mixed_row(&[]),
            _ => PublicKeys::mixed_row(key),
        }
    }

    /// Fails unless the identifier is that of this curve.
    pub(crate) fn require_identifier(self, found: ObjectIdentifier) -> Result<(), String> {
        match CurveId::ALL.iter().find(|named| found == ObjectIdentifier::new_unwrap(named.oid())) {
            Some(named) => self.require(KeyKind::Curve(*named)),
            None => Err(format!("the key is for the curve with the object identifier {found}, not for {self}")),
        }
    }

    /// Fails unless `kty` of a JWK is what keys of this kind have: of RFC 7518, section 6.1, or RFC 8037, section 2.
    pub(crate) fn require_jwk_type(self, found: &str) -> Result<(), String> {
        match self {
            KeyKind::Curve(_) if found != "EC" => Err("`kty` is not EC: no elliptic-curve key".to_owned()),
            KeyKind::Ed25519 if found != "OKP" => Err("`kty` is not OKP: no key of Ed25519".to_owned()),
            _ => Ok(()),
        }
    }

    /// Fails unless `crv` of a JWK names this. Only names of curves are shown.
    pub(crate) fn require_jwk_name(self, found: &str) -> Result<(), String> {
        let KeyKind::Curve(curve) = self else {
            return if found == "Ed25519" { Ok(()) } else { Err("`crv` is not Ed25519".to_owned()) };
        };
        if let Some((_, named)) = JWK_NAMES.iter().find(|(name, _)| *name == found) {
            return self.require(KeyKind::Curve(*named));
        }
        if JWK_NAMES.iter().all(|(_, named)| *named != curve) {
            return Err(format!("no JWK name is registered for {curve}: give the key as PEM or DER"));
        }
        Err("`crv` is neither P-256 nor secp256k1".to_owned())
    }

    /// Fails unless a key that is for `found` is of this kind.
    pub(crate) fn require(self, found: KeyKind) -> Result<(), String> {
        if found == self { Ok(()) } else { Err(format!("the key is for {found}, not for {self}")) }
    }
}

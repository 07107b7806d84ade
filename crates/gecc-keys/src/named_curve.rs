//! The names that key files have for curves.

use der::oid::ObjectIdentifier;
use gecc::CurveId;

/// RFC 7518, section 6.2.1.1, and RFC 8812, section 3.1. No name is registered for the other curves.
const JWK_NAMES: [(&str, CurveId); 2] = [("P-256", CurveId::P256), ("secp256k1", CurveId::Secp256k1)];

/// Fails unless the identifier is that of this curve.
pub fn require_identifier(found: ObjectIdentifier, curve: CurveId) -> Result<(), String> {
    match CurveId::ALL.iter().find(|named| found == ObjectIdentifier::new_unwrap(named.oid())) {
        Some(named) => require(*named, curve),
        None => Err(format!("the key is for the curve with the object identifier {found}, not for {curve}")),
    }
}

/// Fails unless `crv` of a JWK names this curve. Only names of curves are shown.
pub fn require_jwk_name(found: &str, curve: CurveId) -> Result<(), String> {
    if let Some((_, named)) = JWK_NAMES.iter().find(|(name, _)| *name == found) {
        return require(*named, curve);
    }
    if JWK_NAMES.iter().all(|(_, named)| *named != curve) {
        return Err(format!("no JWK name is registered for {curve}: give the key as PEM or DER"));
    }
    Err("`crv` is neither P-256 nor secp256k1".to_owned())
}

fn require(named: CurveId, curve: CurveId) -> Result<(), String> {
    if named == curve { Ok(()) } else { Err(format!("the key is for {named}, not for {curve}")) }
}

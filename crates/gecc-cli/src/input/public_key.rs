//! Public keys in forms that name their curve: SubjectPublicKeyInfo (RFC 5480) in DER or PEM, and JSON Web Keys.

use super::keys::named_curve::{require_identifier, require_jwk_name};
use base64ct::{Base64UrlUnpadded, Encoding};
use der::Decode;
use gecc::CurveId;
use pkcs8::spki::SubjectPublicKeyInfoRef;
use sec1::EcParameters;
use serde::Deserialize;
use std::borrow::Cow;

/// Whether a text is a public key in such a form. Hexadecimal digits of SEC 1 are none.
pub fn is_named(text: &str) -> bool {
    /// Digits of the shortest and longest DER of a key on a curve of 256 bits, whose curve may be written out.
    const DER: std::ops::RangeInclusive<usize> = 2 * 50..=2 * 500;
    text.starts_with(['-', '{'])
        || text.starts_with("30") && DER.contains(&text.len()) && !matches!(text.len(), 128 | 130)
}

/// The hexadecimal digits of the point in SEC 1.
pub fn sec1_digits(text: &str, curve: CurveId) -> Result<String, String> {
    let bytes = match text.as_bytes().first() {
        Some(b'{') => of_jwk(text, curve)?,
        Some(b'-') => of_spki(&of_pem(text)?, curve)?,
        _ => {
            let der = const_hex::decode(text).map_err(|_| "`public_key` is not hexadecimal".to_owned())?;
            of_spki(&der, curve)?
        }
    };
    Ok(const_hex::encode(bytes))
}

fn of_pem(text: &str) -> Result<Vec<u8>, String> {
    // In a cell line ends are often written as two characters.
    let text = if text.contains("\\n") { Cow::Owned(text.replace("\\n", "\n")) } else { Cow::Borrowed(text) };
    let (label, der) =
        pem_rfc7468::decode_vec(text.as_bytes()).map_err(|_| "`public_key` is not valid PEM".to_owned())?;
    match label {
        "PUBLIC KEY" => Ok(der),
        label => Err(format!("`public_key` is PEM of a {label}, and not of a PUBLIC KEY")),
    }
}

fn of_spki(der: &[u8], curve: CurveId) -> Result<Vec<u8>, String> {
    let malformed = || "`public_key` is no key of an elliptic curve with a name (RFC 5480)".to_owned();
    let info = SubjectPublicKeyInfoRef::from_der(der).map_err(|_| malformed())?;
    let named = info.algorithm.parameters.and_then(|parameters| parameters.decode_as().ok());
    let EcParameters::NamedCurve(named) = named.ok_or_else(malformed)?;
    require_identifier(named, curve)?;
    info.subject_public_key.as_bytes().map(<[u8]>::to_vec).ok_or_else(malformed)
}

#[derive(Deserialize)]
struct Jwk<'a> {
    kty: &'a str,
    crv: &'a str,
    x: &'a str,
    y: &'a str,
}

fn of_jwk(text: &str, curve: CurveId) -> Result<Vec<u8>, String> {
    let malformed = || "`public_key` is no JSON Web Key with `kty` EC, `crv`, `x` and `y`".to_owned();
    let jwk: Jwk = serde_json::from_str(text).map_err(|_| malformed())?;
    if jwk.kty != "EC" {
        return Err(malformed());
    }
    require_jwk_name(jwk.crv, curve)?;
    let mut bytes = vec![4];
    for coordinate in [jwk.x, jwk.y] {
        let coordinate = Base64UrlUnpadded::decode_vec(coordinate).ok().filter(|coordinate| coordinate.len() == 32);
        bytes.extend(coordinate.ok_or_else(malformed)?);
    }
    Ok(bytes)
}

//! Public keys in forms that name their curve: SubjectPublicKeyInfo (RFC 5480) in DER or PEM, and JSON Web Keys.

use crate::named_curve::{require_identifier, require_jwk_name};
use crate::without_mark;
use base64ct::{Base64UrlUnpadded, Encoding};
use der::Decode;
use gecc::{CurveId, PublicKeys};
use pkcs8::spki::SubjectPublicKeyInfoRef;
use sec1::EcParameters;
use serde::Deserialize;
use std::borrow::Cow;

/// The SEC 1 octet string of a public key in PEM, DER or JWK, which has to name this curve. Whether it is a point of
/// the curve is not checked. `None` for what is in no such form: octet strings of SEC 1 and `x || y` are none, and no
/// text of digits.
///
/// # Errors
/// A text for the user.
pub fn public_key(key: &[u8], curve: CurveId) -> Option<Result<Vec<u8>, String>> {
    /// Bytes of the shortest and longest DER of a key on a curve of 256 bits, whose curve may be written out.
    const DER: std::ops::RangeInclusive<usize> = 50..=500;
    let text = without_mark(key).trim_ascii_start();
    match text.first()? {
        // Coordinates may begin with any bytes, but no key of 64 is text by chance.
        b'{' if std::str::from_utf8(text).is_ok() => Some(of_jwk(text, curve)),
        b'-' if text.starts_with(b"-----BEGIN") => Some(of_pem(text).and_then(|der| of_spki(&der, curve))),
        _ if key[0] == 0x30 && DER.contains(&key.len()) && !matches!(key.len(), 64 | 65) => Some(of_spki(key, curve)),
        _ => None,
    }
}

fn of_pem(text: &[u8]) -> Result<Vec<u8>, String> {
    // In a cell line ends are often written as two characters.
    let text = String::from_utf8_lossy(text);
    let text = if text.contains("\\n") { Cow::Owned(text.replace("\\n", "\n")) } else { text };
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

fn of_jwk(text: &[u8], curve: CurveId) -> Result<Vec<u8>, String> {
    let malformed = || "`public_key` is no JSON Web Key with `kty` EC, `crv`, `x` and `y`".to_owned();
    let jwk: Jwk = serde_json::from_slice(text).map_err(|_| malformed())?;
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

/// Reads a column of public keys in any form, as rows for [`PublicKeys::mixed`].
///
/// A key that cannot be read is a row that calls reject. Where that is so of every key in a form that names its curve,
/// the column is a wrong one, and none of bad keys: [`Reader::finish`] says why.
pub struct Reader {
    curve: CurveId,
    /// Why the first key could not be read, while none could.
    problem: Option<String>,
    some_are_read: bool,
}

impl Reader {
    /// For keys that have to be of this curve.
    pub fn new(curve: CurveId) -> Self {
        Reader { curve, problem: None, some_are_read: false }
    }

    /// The row of a key: PEM, DER, JWK, a SEC 1 octet string, or `x || y`.
    pub fn row(&mut self, key: &[u8]) -> [u8; 65] {
        match public_key(key, self.curve) {
            None => PublicKeys::mixed_row(key),
            Some(Ok(key)) => {
                self.some_are_read = true;
                PublicKeys::mixed_row(&key)
            }
            Some(Err(problem)) => {
                self.problem.get_or_insert(problem);
                PublicKeys::mixed_row(&[])
            }
        }
    }

    /// # Errors
    /// Why the first key cannot be read, where that is so of all that name a curve.
    pub fn finish(self) -> Result<(), String> {
        self.problem.filter(|_| !self.some_are_read).map_or(Ok(()), Err)
    }
}

//! Public keys in forms that name their curve: SubjectPublicKeyInfo (RFC 5480) and X.509 certificates (RFC 5280) in DER
//! or PEM, and JSON Web Keys.

use crate::named_curve::{require_identifier, require_jwk_name};
use crate::without_mark;
use base64ct::{Base64UrlUnpadded, Encoding};
use der::asn1::AnyRef;
use der::{Decode, Header, Reader as _, SliceReader, Tag, Tagged};
use gecc::{CurveId, PublicKeys};
use pkcs8::spki::SubjectPublicKeyInfoRef;
use sec1::EcParameters;
use serde::Deserialize;
use std::borrow::Cow;

/// The SEC 1 octet string of a public key in PEM, DER or JWK, which has to name this curve. Of a certificate it is that
/// of its subject; nothing else of a certificate is checked, neither its signature nor its dates. Whether the key is a
/// point of the curve is not checked. `None` for what is in no such form: octet strings of SEC 1 and `x || y` are none,
/// and no text of digits.
///
/// # Errors
/// A text for the user.
pub fn public_key(key: &[u8], curve: CurveId) -> Option<Result<Vec<u8>, String>> {
    let text = without_mark(key).trim_ascii_start();
    match text.first()? {
        // Coordinates may begin with any bytes, but no key of 64 is text by chance.
        b'{' if std::str::from_utf8(text).is_ok() => Some(of_jwk(text, curve)),
        b'-' if text.starts_with(b"-----BEGIN") => Some(of_pem(text, curve)),
        _ if is_der(key) => Some(of_der(key, curve)),
        _ => None,
    }
}

/// Whether bytes are a sequence that begins with a sequence, and are no point: those of `x || y` may be anything.
fn is_der(key: &[u8]) -> bool {
    let inside = |reader: &mut SliceReader| {
        let outside = Header::decode(reader)?;
        let is_whole = outside.tag() == Tag::Sequence && outside.length() == reader.remaining_len();
        Ok::<_, der::Error>(is_whole && Header::decode(reader)?.tag() == Tag::Sequence)
    };
    key[0] == 0x30
        && !matches!(key.len(), 64 | 65)
        && SliceReader::new(key).and_then(|mut reader| inside(&mut reader)).unwrap_or(false)
}

fn of_pem(text: &[u8], curve: CurveId) -> Result<Vec<u8>, String> {
    // In a cell line ends are often written as two characters.
    let text = String::from_utf8_lossy(text);
    let text = if text.contains("\\n") { Cow::Owned(text.replace("\\n", "\n")) } else { text };
    let (label, der) =
        pem_rfc7468::decode_vec(text.as_bytes()).map_err(|_| "`public_key` is not valid PEM".to_owned())?;
    match label {
        // RFC 7468, sections 13 and 5, of which the last is the old name.
        "PUBLIC KEY" | "CERTIFICATE" | "X509 CERTIFICATE" => of_der(&der, curve),
        label => Err(format!("`public_key` is PEM of a {label}, and not of a PUBLIC KEY or CERTIFICATE")),
    }
}

/// The key of a SubjectPublicKeyInfo or a certificate.
fn of_der(der: &[u8], curve: CurveId) -> Result<Vec<u8>, String> {
    let malformed = || "`public_key` is no key of an elliptic curve with a name (RFC 5480)".to_owned();
    let info = SubjectPublicKeyInfoRef::from_der(der).or_else(|_| of_certificate(der)).map_err(|_| malformed())?;
    let named = info.algorithm.parameters.and_then(|parameters| parameters.decode_as().ok());
    let EcParameters::NamedCurve(named) = named.ok_or_else(malformed)?;
    require_identifier(named, curve)?;
    info.subject_public_key.as_bytes().map(<[u8]>::to_vec).ok_or_else(malformed)
}

/// RFC 5280, section 4.1: a sequence that begins with a sequence of the version, which may be left out, the serial
/// number, the algorithm, the issuer, the dates, the subject, and its key.
fn of_certificate(der: &[u8]) -> der::Result<SubjectPublicKeyInfoRef<'_>> {
    let signed = AnyRef::decode(&mut SliceReader::new(AnyRef::from_der(der)?.value())?)?;
    let mut fields = SliceReader::new(signed.value())?;
    let has_version = AnyRef::decode(&mut fields)?.tag() != Tag::Integer;
    for _ in 0..if has_version { 5 } else { 4 } {
        AnyRef::decode(&mut fields)?;
    }
    SubjectPublicKeyInfoRef::decode(&mut fields)
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

    /// The row of a key: PEM, DER or JWK, a certificate's, a SEC 1 octet string, or `x || y`.
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

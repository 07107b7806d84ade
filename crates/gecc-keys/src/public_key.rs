//! Public keys in forms that say what they are for: SubjectPublicKeyInfo (RFC 5480, RFC 8410) and X.509 certificates
//! (RFC 5280) in DER or PEM, JSON Web Keys, and lines of OpenSSH with keys of Ed25519.

use crate::der::ELLIPTIC_CURVE;
use crate::kind::{ED25519, KeyKind};
use crate::{openssh, without_mark};
use base64ct::{Base64UrlUnpadded, Encoding};
use der::asn1::{AnyRef, ObjectIdentifier};
use der::{Decode, Header, Reader as _, SliceReader, Tag, Tagged};
use gecc::CurveId;
use gecc::fields::pem_in_base64;
use pem_rfc7468::Decoder;
use pkcs8::spki::SubjectPublicKeyInfoRef;
use sec1::EcParameters;
use serde::Deserialize;
use std::borrow::Cow;

/// The SEC 1 octet string of a public key in PEM, DER or JWK, or the 32 bytes of one of Ed25519, also in a line of
/// OpenSSH. It has to be for this curve, or for Ed25519. Of a certificate it is that of its subject; nothing else of a
/// certificate is checked, neither its signature nor its dates. Whether the key is a point is not checked. `None` for
/// what is in no such form: octet strings of SEC 1, `x || y` and 32 bytes are none, and no text of digits.
///
/// # Errors
/// A text for the user.
pub fn public_key(key: &[u8], kind: impl Into<KeyKind>) -> Option<Result<Vec<u8>, String>> {
    let (kind, text) = (kind.into(), without_mark(key).trim_ascii_start());
    match text.first()? {
        // Coordinates may begin with any bytes, but no key of 64 is text by chance.
        b'{' if std::str::from_utf8(text).is_ok() => Some(of_jwk(text, kind)),
        b'-' if text.starts_with(b"-----BEGIN") => Some(of_pem(text, kind)),
        // As transparency logs have keys.
        b'L' if let Some(pem) = std::str::from_utf8(text).ok().and_then(pem_in_base64) => {
            Some(of_pem(pem.as_bytes(), kind))
        }
        _ if openssh::is_public(text) => Some(of_openssh(text, kind)),
        _ if is_der(key) => Some(of_der(key, kind)),
        _ => None,
    }
}

/// Whether bytes are a sequence that begins with a sequence, and are no point: those of `x || y` may be anything, and
/// so may keys of 32 bytes.
fn is_der(key: &[u8]) -> bool {
    let inside = |reader: &mut SliceReader| {
        let outside = Header::decode(reader)?;
        let is_whole = outside.tag() == Tag::Sequence && outside.length() == reader.remaining_len();
        Ok::<_, der::Error>(is_whole && Header::decode(reader)?.tag() == Tag::Sequence)
    };
    key[0] == 0x30
        && !matches!(key.len(), 32 | 64 | 65)
        && SliceReader::new(key).and_then(|mut reader| inside(&mut reader)).unwrap_or(false)
}

fn of_pem(text: &[u8], kind: KeyKind) -> Result<Vec<u8>, String> {
    // In a cell line ends are often written as two characters.
    let text = String::from_utf8_lossy(text);
    let text = if text.contains("\\n") { Cow::Owned(text.replace("\\n", "\n")) } else { text };
    let invalid = |_| "`public_key` is not valid PEM".to_owned();
    let mut decoder = Decoder::new_detect_wrap(text.trim_ascii_end().as_bytes()).map_err(invalid)?;
    let mut der = vec![0; decoder.remaining_len()];
    decoder.decode(&mut der).map_err(invalid)?;
    match decoder.type_label() {
        // RFC 7468, sections 13 and 5, of which the last is the old name.
        "PUBLIC KEY" | "CERTIFICATE" | "X509 CERTIFICATE" => of_der(&der, kind),
        label => Err(format!("`public_key` is PEM of a {label}, and not of a PUBLIC KEY or CERTIFICATE")),
    }
}

/// The key of a SubjectPublicKeyInfo or a certificate.
fn of_der(der: &[u8], kind: KeyKind) -> Result<Vec<u8>, String> {
    let malformed = || "`public_key` is no key of an elliptic curve with a name (RFC 5480)".to_owned();
    let info = SubjectPublicKeyInfoRef::from_der(der).or_else(|_| of_certificate(der)).map_err(|_| malformed())?;
    let bytes = info.subject_public_key.as_bytes().map(<[u8]>::to_vec);
    if info.algorithm.oid == ED25519 {
        kind.require(KeyKind::Ed25519)?;
        let is_key = |bytes: &Vec<u8>| info.algorithm.parameters.is_none() && bytes.len() == 32;
        return bytes.filter(is_key).ok_or_else(|| "`public_key` is no key of Ed25519 as in RFC 8410".to_owned());
    }
    // Chinese authorities also name the curve of SM2 as the algorithm.
    let is_elliptic = |oid| oid == ELLIPTIC_CURVE || oid == ObjectIdentifier::new_unwrap(CurveId::Sm2.oid());
    let parameters = info.algorithm.parameters.filter(|_| is_elliptic(info.algorithm.oid));
    let named = parameters.and_then(|parameters| parameters.decode_as().ok());
    let EcParameters::NamedCurve(named) = named.ok_or_else(malformed)?;
    kind.require_identifier(named)?;
    bytes.ok_or_else(malformed)
}

fn of_openssh(line: &[u8], kind: KeyKind) -> Result<Vec<u8>, String> {
    let key = openssh::public_key(line)?;
    kind.require(KeyKind::Ed25519)?;
    Ok(key.to_vec())
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
    y: Option<&'a str>,
}

fn of_jwk(text: &[u8], kind: KeyKind) -> Result<Vec<u8>, String> {
    let malformed = || match kind {
        KeyKind::Curve(_) => "`public_key` is no JSON Web Key with `kty` EC, `crv`, `x` and `y`".to_owned(),
        KeyKind::Ed25519 => "`public_key` is no JSON Web Key with `kty` OKP, `crv` and `x`".to_owned(),
    };
    let jwk: Jwk = serde_json::from_slice(text).map_err(|_| malformed())?;
    kind.require_jwk_type(jwk.kty).map_err(|_| malformed())?;
    kind.require_jwk_name(jwk.crv)?;
    let (mut bytes, y) = match kind {
        KeyKind::Curve(_) => (vec![4], Some(jwk.y.ok_or_else(malformed)?)),
        KeyKind::Ed25519 => (Vec::new(), None),
    };
    for coordinate in [jwk.x].into_iter().chain(y) {
        let coordinate = Base64UrlUnpadded::decode_vec(coordinate).ok().filter(|coordinate| coordinate.len() == 32);
        bytes.extend(coordinate.ok_or_else(malformed)?);
    }
    Ok(bytes)
}

/// Reads a column of public keys in any form, as rows for [`gecc::PublicKeys::mixed`].
///
/// A key that cannot be read is a row that calls reject. Where that is so of every key that is there, and all are in
/// forms that name their curve, the column is a wrong one, and none of bad keys: [`Reader::finish`] says why.
pub struct Reader {
    kind: KeyKind,
    /// Why the first key could not be read, while none could.
    problem: Option<String>,
    some_are_read: bool,
}

impl Reader {
    /// For keys that have to be of this curve, or of Ed25519.
    pub fn new(kind: impl Into<KeyKind>) -> Self {
        Reader { kind: kind.into(), problem: None, some_are_read: false }
    }

    /// The row of a key: PEM, DER or JWK, a certificate's, a SEC 1 octet string, or `x || y`; of Ed25519
    /// 32 bytes, or a line of OpenSSH.
    pub fn row(&mut self, key: &[u8]) -> [u8; 65] {
        self.kind.row(&self.octets(key).unwrap_or_default(), false)
    }

    /// The same key as [`public_key`] has it, and one in no form that says what it is for as it is; `None` for what
    /// cannot be read.
    pub fn octets<'k>(&mut self, key: &'k [u8]) -> Option<Cow<'k, [u8]>> {
        match public_key(key, self.kind) {
            None => {
                self.some_are_read |= !key.is_empty();
                Some(Cow::Borrowed(key))
            }
            Some(Ok(key)) => {
                self.some_are_read = true;
                Some(Cow::Owned(key))
            }
            Some(Err(problem)) => {
                self.problem.get_or_insert(problem);
                None
            }
        }
    }

    /// # Errors
    /// Why the first key cannot be read, where all name a curve and that is so of all.
    pub fn finish(self) -> Result<(), String> {
        self.problem.filter(|_| !self.some_are_read).map_or(Ok(()), Err)
    }
}

//! Public keys in formats that state their purpose: SubjectPublicKeyInfo (RFC 5480, RFC 8410) and
//! X.509 certificates (RFC 5280) in DER or PEM, JSON Web Keys, COSE_Keys, lines of OpenSSH, and
//! Ed25519 keys after a prefix byte.

use crate::der::ELLIPTIC_CURVE;
use crate::kind::KeyKind;
use crate::{cose, jwk, openssh, pem, without_mark};
use der::asn1::{AnyRef, ObjectIdentifier};
use der::{Decode, Header, Reader as _, SliceReader, Tag, Tagged};
use gecc::CurveId;
use gecc::fields::pem_in_base64;
use pkcs8::spki::SubjectPublicKeyInfoRef;
use sec1::EcParameters;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The length in bytes of the longest key in an encoding of points.
const LONGEST_POINT: usize = 65;

/// Returns the SEC 1 octet string of a public key in PEM, DER, JWK, as a COSE_Key or a line of
/// OpenSSH, or the 32 bytes of an Ed25519 or X25519 key. The key must be for this purpose. For a
/// certificate, this is the key of its subject; nothing else in the certificate is checked, neither
/// its signature nor its dates. For a set of JSON Web Keys, it is the only one of this kind. This
/// does not check whether the key is a point. Returns `None` for input in none of these forms:
/// octet strings of SEC 1, `x || y`, 32 bytes, and texts of digits.
///
/// # Errors
/// Returns a message for the user.
pub fn public_key(key: &[u8], kind: impl Into<KeyKind>) -> Option<Result<Vec<u8>, String>> {
    let kind = kind.into();
    let text = without_mark(key).trim_ascii_start();
    match text.first()? {
        // None of these forms fits in 32 bytes, but a plain key may begin like one: u = 123 of
        // X25519 is a brace and zeros.
        _ if key.len() == 32 => None,
        // Coordinates may begin with any bytes, but a key of 64 bytes is not text by chance.
        b'{' if std::str::from_utf8(text).is_ok() => Some(of_jwk(text, kind)),
        _ if is_pem(key, text) => Some(of_pem(key, kind)),
        // The form of keys in transparency logs.
        b'L' if let Some(pem) = std::str::from_utf8(text).ok().and_then(pem_in_base64) => {
            Some(of_pem(pem.as_bytes(), kind))
        }
        _ if openssh::is_public(text) => Some(openssh::public_key(text, kind)),
        _ if text.starts_with(b"---- BEGIN SSH2") => Some(Err(
            "`public_key` is in the form of RFC 4716: convert it with `ssh-keygen -i -f FILE`"
                .to_owned(),
        )),
        _ if is_der(key) => Some(of_der(key, kind)),
        _ if may_be_longer(key) && cose::is_key(key) => {
            Some(cose::public_key(key, kind).map_err(|problem| format!("`public_key`: {problem}")))
        }
        // The form of Ed25519 keys on the XRP Ledger.
        0xed if kind == KeyKind::Ed25519 && key.len() == 33 => Some(Ok(key[1..].to_vec())),
        _ => None,
    }
}

/// Returns whether a text is a public key in one of the textual forms of [`public_key`]. Texts of
/// digits are not.
pub fn is_public_key(text: &[u8]) -> bool {
    let trimmed = without_mark(text).trim_ascii_start();
    trimmed.starts_with(b"{")
        || is_pem(text, trimmed)
        || openssh::is_public(trimmed)
        || trimmed.starts_with(b"---- BEGIN SSH2")
        || std::str::from_utf8(trimmed).is_ok_and(|text| pem_in_base64(text).is_some())
}

/// Converts a key in the hybrid form of X9.62, `06 || x || y` or `07 || x || y`, where the first
/// byte is the parity of y, to a row for [`gecc::PublicKeys::mixed`]. Returns `None` for other
/// keys. Callers accept this form only on request.
pub fn hybrid_row(key: &[u8]) -> Option<[u8; 65]> {
    let mut row: [u8; LONGEST_POINT] = key.try_into().ok()?;
    let is_hybrid = row[0] == 6 | (row[64] & 1);
    row[0] = 4;
    Some(row).filter(|_| is_hybrid)
}

/// Returns whether a key is not as long as a point, since coordinates may consist of any bytes.
fn may_be_longer(key: &[u8]) -> bool {
    !matches!(key.len(), 32 | 33 | 64 | 65)
}

fn is_pem(key: &[u8], text: &[u8]) -> bool {
    if text.starts_with(b"-----BEGIN") {
        return true;
    }
    if key.len() <= LONGEST_POINT && !pem::is_utf16(key) {
        return false;
    }
    let narrowed = pem::utf16_to_ascii(key);
    pem::begins(narrowed.as_ref().map_or(key, |text| text))
}

/// Returns whether bytes are a sequence that begins with a sequence, and not a point: `x || y` may
/// be any bytes, as may keys of 32 bytes.
fn is_der(key: &[u8]) -> bool {
    fn is_sequence_in_sequence(bytes: &[u8]) -> der::Result<bool> {
        let mut reader = SliceReader::new(bytes)?;
        let outside = Header::decode(&mut reader)?;
        let is_whole = outside.tag() == Tag::Sequence && outside.length() == reader.remaining_len();
        Ok(is_whole && Header::decode(&mut reader)?.tag() == Tag::Sequence)
    }
    key[0] == 0x30
        && !matches!(key.len(), 32 | 64 | 65)
        && is_sequence_in_sequence(key).unwrap_or(false)
}

/// Reads the only public key or certificate in a text, which may also contain parameters and other
/// text.
fn of_pem(text: &[u8], kind: KeyKind) -> Result<Vec<u8>, String> {
    let narrowed = pem::utf16_to_ascii(text);
    let text = narrowed.as_ref().map_or(text, |text| text);
    let mut key = None;
    let mut other = None;
    for block in pem::blocks(text) {
        let block = block.map_err(|damage| format!("`public_key` is not valid PEM: {damage}"))?;
        match block.label() {
            // Labels of RFC 7468, sections 13 and 5. The third is an old name, and the last is
            // written by some tools.
            Some("PUBLIC KEY" | "CERTIFICATE" | "X509 CERTIFICATE" | "EC PUBLIC KEY") => {
                if key.replace(block).is_some() {
                    return Err(
                        "`public_key` is PEM of several keys or certificates: give the one that is meant".to_owned()
                    );
                }
            }
            Some("EC PARAMETERS" | "SM2 PARAMETERS") => {}
            label => _ = other.get_or_insert(label),
        }
    }
    match (key, other) {
        (Some(block), None) => {
            let der = block.decode().ok_or("`public_key` is not valid PEM: its contents are not base64")?;
            of_der(&der, kind)
        }
        (_, Some(Some(label))) => {
            Err(format!("`public_key` is PEM of a {label}, and not of a PUBLIC KEY or CERTIFICATE"))
        }
        (_, Some(None)) => {
            Err("`public_key` is PEM with a label that is not known, and not of a PUBLIC KEY or CERTIFICATE".to_owned())
        }
        (None, None) => Err("`public_key` is PEM without a PUBLIC KEY or CERTIFICATE".to_owned()),
    }
}

/// Reads the key of a SubjectPublicKeyInfo or a certificate.
fn of_der(der: &[u8], kind: KeyKind) -> Result<Vec<u8>, String> {
    const MALFORMED: &str = "`public_key` is not a key of a named elliptic curve (RFC 5480)";
    let info = SubjectPublicKeyInfoRef::from_der(der)
        .or_else(|_| of_certificate(der))
        .map_err(|_| MALFORMED)?;
    let bytes = info.subject_public_key.as_bytes().map(<[u8]>::to_vec);
    if let Some(found) = KeyKind::of_algorithm(info.algorithm.oid) {
        kind.require(found)?;
        return bytes
            .filter(|bytes| info.algorithm.parameters.is_none() && bytes.len() == 32)
            .ok_or_else(|| format!("`public_key` is not a key of {kind} as in RFC 8410"));
    }
    // Chinese authorities also use the curve of SM2 as the identifier of the algorithm.
    let is_elliptic = [
        ELLIPTIC_CURVE,
        ObjectIdentifier::new_unwrap(CurveId::Sm2.oid()),
    ]
    .contains(&info.algorithm.oid);
    let parameters = info.algorithm.parameters.filter(|_| is_elliptic);
    let named = parameters.and_then(|parameters| parameters.decode_as().ok());
    let EcParameters::NamedCurve(named) = named.ok_or(MALFORMED)?;
    kind.require_identifier(named)?;
    bytes.ok_or_else(|| MALFORMED.to_owned())
}

/// Reads the key of a certificate of RFC 5280, section 4.1: a sequence that begins with a sequence
/// of the version, which is optional, the serial number, the algorithm, the issuer, the dates, the
/// subject, and its key.
fn of_certificate(der: &[u8]) -> der::Result<SubjectPublicKeyInfoRef<'_>> {
    let signed = AnyRef::decode(&mut SliceReader::new(AnyRef::from_der(der)?.value())?)?;
    let mut fields = SliceReader::new(signed.value())?;
    let has_version = AnyRef::decode(&mut fields)?.tag() != Tag::Integer;
    for _ in 0..if has_version { 5 } else { 4 } {
        AnyRef::decode(&mut fields)?;
    }
    SubjectPublicKeyInfoRef::decode(&mut fields)
}

/// A key, or a set of keys.
#[derive(Deserialize)]
struct Jwk<'a> {
    #[serde(borrow)]
    keys: Option<Vec<&'a RawValue>>,
    kty: Option<Cow<'a, str>>,
    crv: Option<Cow<'a, str>>,
    x: Option<Cow<'a, str>>,
    y: Option<Cow<'a, str>>,
}

fn of_jwk(text: &[u8], kind: KeyKind) -> Result<Vec<u8>, String> {
    let jwk: Jwk = parsed(text).map_err(unusable_jwk)?;
    let Some(set) = jwk.keys else {
        return octets(&jwk, kind).map_err(unusable_jwk);
    };
    let keys = set
        .iter()
        .map(|key| parsed(key.get().as_bytes()))
        .collect::<Result<Vec<Jwk>, _>>()
        .map_err(unusable_jwk)?;
    let fitting: Vec<&Jwk> = keys
        .iter()
        .filter(|key| require(key, kind).is_ok())
        .collect();
    match (&fitting[..], &keys[..]) {
        ([only], _) => octets(only, kind).map_err(unusable_jwk),
        ([], [only]) => octets(only, kind).map_err(unusable_jwk),
        ([], _) => Err(unusable_jwk(format!(
            "none of the {} keys of the set is for {kind}",
            keys.len()
        ))),
        _ => Err(unusable_jwk(format!(
            "{} keys of the set are for {kind}: give the one that is meant",
            fitting.len()
        ))),
    }
}

fn unusable_jwk(problem: String) -> String {
    format!("`public_key` is not a usable JSON Web Key, because {problem}")
}

fn parsed(text: &[u8]) -> Result<Jwk<'_>, String> {
    // The error text of serde may quote values.
    serde_json::from_slice(text).map_err(|problem| match problem.classify() {
        serde_json::error::Category::Data => {
            "a member is not a text or occurs twice, or the value is not an object".to_owned()
        }
        _ => format!(
            "it is not JSON at line {}, column {}",
            problem.line(),
            problem.column()
        ),
    })
}

/// Returns an error unless the key is for `kind`.
fn require(jwk: &Jwk, kind: KeyKind) -> Result<(), String> {
    kind.require_jwk_type(member(&jwk.kty, "kty")?)?;
    kind.require_jwk_name(member(&jwk.crv, "crv")?)
}

fn member<'a>(value: &'a Option<Cow<str>>, name: &str) -> Result<&'a str, String> {
    value
        .as_deref()
        .ok_or_else(|| format!("`{name}` is not given"))
}

/// Returns the point in SEC 1, or the 32 bytes of an Ed25519 or X25519 key.
fn octets(jwk: &Jwk, kind: KeyKind) -> Result<Vec<u8>, String> {
    require(jwk, kind)?;
    let is_number = kind.has_points();
    let x = jwk::bytes(member(&jwk.x, "x")?, "x")?;
    let x = jwk::exactly(&x, "x", is_number)?;
    if !is_number {
        return Ok(x.to_vec());
    }
    let y = jwk::bytes(member(&jwk.y, "y")?, "y")?;
    let y = jwk::exactly(&y, "y", is_number)?;
    Ok([&[4], &x[..], &y[..]].concat())
}

/// Reads a column of public keys in any form, as rows for [`gecc::PublicKeys::mixed`].
///
/// A key that cannot be read becomes a row that calls reject. If no key can be read and all are in
/// forms that name their curve, the column is probably the wrong one rather than a column of bad
/// keys, and [`Reader::finish`] returns the reason.
pub struct Reader {
    kind: KeyKind,
    /// The reason why the first key could not be read, as long as none was read.
    problem: Option<String>,
    some_are_read: bool,
    takes_hybrid: bool,
}

impl Reader {
    /// Creates a reader of keys, which must be on this curve, or of Ed25519 or X25519.
    pub fn new(kind: impl Into<KeyKind>) -> Self {
        Reader {
            kind: kind.into(),
            problem: None,
            some_are_read: false,
            takes_hybrid: false,
        }
    }

    /// Accepts points in the hybrid form of X9.62 too ([`hybrid_row`]).
    pub fn with_hybrid(self) -> Self {
        Reader {
            takes_hybrid: true,
            ..self
        }
    }

    /// Converts a key to a row: from a form of [`public_key`], a SEC 1 octet string, `x || y`, or,
    /// for Ed25519 and X25519, 32 bytes.
    pub fn row(&mut self, key: &[u8]) -> [u8; 65] {
        let octets = self.octets(key).unwrap_or_default();
        let hybrid = if self.takes_hybrid && self.kind.has_points() {
            hybrid_row(&octets)
        } else {
            None
        };
        hybrid.unwrap_or_else(|| self.kind.row(&octets, false))
    }

    /// Returns the key as [`public_key`] does, and keys without a stated purpose unchanged. Returns
    /// `None` if it cannot be read.
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

    /// Reports whether the column contained any readable key.
    ///
    /// # Errors
    /// Returns why the first key cannot be read if all keys name a curve and none can be read.
    pub fn finish(self) -> Result<(), String> {
        self.problem
            .filter(|_| !self.some_are_read)
            .map_or(Ok(()), Err)
    }
}

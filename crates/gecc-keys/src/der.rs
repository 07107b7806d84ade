//! Private keys in DER: SEC 1 (RFC 5915) and PKCS#8 (RFC 5208, RFC 5958), for Ed25519 and X25519
//! according to RFC 8410. Where writers differ, these are read as leniently as by OpenSSL: lengths
//! may have more bytes than needed, and numbers fewer or more than 32.

use crate::asn1::{
    BIT_STRING, Elements, IDENTIFIER, INTEGER, NULL, OCTET_STRING, SEQUENCE, whole_bytes,
};
use crate::kind::KeyKind;
use crate::pairs::{KeyPair, StatedPublicKey};
use crate::{exactly_32, number};
use der::asn1::ObjectIdentifier;

/// `id-ecPublicKey` of RFC 5480.
pub const ELLIPTIC_CURVE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");

pub const ENCRYPTED: &str = "the key is encrypted: decrypt it first, for instance with \
                             `openssl pkcs8 -in FILE -out PLAIN` for PKCS#8 or `openssl ec -in FILE -out PLAIN` for SEC 1";
const NO_KEY: &str = "no private key in DER: neither SEC 1 nor PKCS#8";

// Elements with context-specific tags: of SEC 1 the curve and the public key, of PKCS#8 the
// attributes and the public key, which ring writes as if its tag were explicit.
const CURVE: u8 = 0xa0;
const PUBLIC: u8 = 0xa1;
const ATTRIBUTES: u8 = 0xa0;
const PUBLIC_IMPLICIT: u8 = 0x81;

/// Returns whether a file begins like DER: with the tag of a sequence, which is also the digit 0 of
/// a text, followed by bytes that do not occur in text.
pub fn begins(head: &[u8]) -> bool {
    head.first() == Some(&SEQUENCE) && !head.iter().take(16).all(is_text)
}

fn is_text(byte: &u8) -> bool {
    byte.is_ascii_graphic() || byte.is_ascii_whitespace()
}

/// Returns whether bytes are exactly one sequence.
pub fn is_sequence(bytes: &[u8]) -> bool {
    Elements::of_sequence(bytes).is_some()
}

/// Reads the key in a file of one key, whose form follows from the elements of the sequence.
pub fn key(der: &[u8], kind: KeyKind) -> Result<KeyPair, String> {
    let elements = Elements::of_sequence(der).ok_or(NO_KEY)?;
    let mut tags = elements;
    let tags = [tags.next(), tags.next()].map(|element| element.map(|(tag, _)| tag));
    match tags {
        [Some(SEQUENCE), _] => Err(ENCRYPTED.to_owned()),
        [Some(INTEGER), Some(SEQUENCE)] if is_pkcs12(elements) => Err(
            "PKCS#12: take the key out of it, for instance with `openssl pkcs12 -in FILE -nocerts -nodes -out PLAIN`"
                .to_owned(),
        ),
        [Some(INTEGER), Some(SEQUENCE)] => pkcs8_key(elements, kind),
        [Some(INTEGER), Some(OCTET_STRING)] => sec1_key(elements, kind),
        _ => Err(NO_KEY.to_owned()),
    }
}

/// Recognises RFC 7292, section 4: version 3, and an identifier of PKCS#7.
fn is_pkcs12(mut elements: Elements) -> bool {
    elements.require(INTEGER) == Some(&[3])
}

/// Reads a key of RFC 5915, section 3, in which the curve and the public key are optional.
fn sec1_key(mut elements: Elements, kind: KeyKind) -> Result<KeyPair, String> {
    const MALFORMED: &str = "not a private key as in SEC 1";
    if !kind.has_points() {
        return Err(format!("a key of a curve in SEC 1, and not one of {kind}"));
    }
    let version = elements.require(INTEGER).ok_or(MALFORMED)?;
    let secret = elements.require(OCTET_STRING).ok_or(MALFORMED)?;
    let curve = elements.optional(CURVE).ok_or(MALFORMED)?;
    let public = elements.optional(PUBLIC).ok_or(MALFORMED)?;
    if version != [1] || !elements.is_empty() {
        return Err(MALFORMED.to_owned());
    }
    if let Some(curve) = curve {
        require_curve(curve, kind, "ec")?;
    }
    let public = match public {
        None => Vec::new(),
        Some(contents) => {
            let point = bit_string(contents).ok_or(MALFORMED)?;
            vec![StatedPublicKey::from_sec1(point)?]
        }
    };
    Ok(KeyPair {
        secret: number(secret)?,
        public,
    })
}

/// Returns the bytes of the only element, a bit string.
fn bit_string(contents: &[u8]) -> Option<&[u8]> {
    Elements(contents).require(BIT_STRING).and_then(whole_bytes)
}

/// Returns an error unless the parameters of a key are the name of the curve. `command` is the
/// OpenSSL command that writes the name.
fn require_curve(parameters: &[u8], kind: KeyKind, command: &str) -> Result<(), String> {
    let mut elements = Elements(parameters);
    match elements.next() {
        Some((IDENTIFIER, bytes)) if elements.is_empty() => {
            let named = ObjectIdentifier::from_bytes(bytes)
                .map_err(|_| "the curve's identifier is malformed")?;
            kind.require_identifier(named)
        }
        Some((SEQUENCE, _)) => Err(format!(
            "the curve is written out as parameters instead of named; convert the key, for instance with \
             `openssl {command} -in FILE {} named_curve -out NAMED`",
            if command == "ec" {
                "-param_enc"
            } else {
                "-ec_param_enc"
            }
        )),
        _ => Err("the key names no curve".to_owned()),
    }
}

/// Reads a key of RFC 5958, section 2, that contains a curve and a key of RFC 5915. Both formats
/// have a field for the public key.
fn pkcs8_key(mut elements: Elements, kind: KeyKind) -> Result<KeyPair, String> {
    const MALFORMED: &str = "not a private key as in PKCS#8";
    let version = elements.require(INTEGER).ok_or(MALFORMED)?;
    let mut algorithm = Elements(elements.require(SEQUENCE).ok_or(MALFORMED)?);
    let identifier = algorithm.require(IDENTIFIER).ok_or(MALFORMED)?;
    let identifier = ObjectIdentifier::from_bytes(identifier).map_err(|_| MALFORMED)?;
    let secret = elements.require(OCTET_STRING).ok_or(MALFORMED)?;
    elements.optional(ATTRIBUTES).ok_or(MALFORMED)?;
    let public = match elements.next() {
        None => None,
        Some((PUBLIC_IMPLICIT, contents)) => Some(whole_bytes(contents).ok_or(MALFORMED)?),
        Some((PUBLIC, contents)) => Some(bit_string(contents).ok_or(MALFORMED)?),
        Some(_) => return Err(MALFORMED.to_owned()),
    };
    if !matches!(version, [0 | 1]) || !elements.is_empty() {
        return Err(MALFORMED.to_owned());
    }
    if let Some(found) = KeyKind::of_algorithm(identifier) {
        kind.require(found)?;
        return key_of_32_bytes(kind, algorithm, secret, public);
    }
    if !kind.has_points() {
        return Err(format!(
            "not a key of {kind}: its algorithm is {}",
            shown_algorithm(identifier)
        ));
    }
    if identifier != ELLIPTIC_CURVE {
        return Err(format!(
            "not an elliptic-curve key: its algorithm is {}",
            shown_algorithm(identifier)
        ));
    }
    require_curve(algorithm.0, kind, "pkey")?;
    let inside = Elements::of_sequence(secret).ok_or(MALFORMED)?;
    let mut pair = sec1_key(inside, kind)?;
    pair.public
        .extend(public.map(StatedPublicKey::from_sec1).transpose()?);
    Ok(pair)
}

/// Formats the identifier of an algorithm, with its name if it is common in key files (RFC 8410,
/// section 3; RFC 8017, appendix C; RFC 5480, section 2.1.1).
fn shown_algorithm(identifier: ObjectIdentifier) -> String {
    const NAMES: [(&str, &str); 4] = [
        ("1.3.101.111", "X448"),
        ("1.3.101.113", "Ed448"),
        ("1.2.840.113549.1.1.1", "RSA"),
        ("1.2.840.10045.2.1", "elliptic curves"),
    ];
    let number = identifier.to_string();
    match NAMES.iter().find(|(known, _)| *known == number) {
        Some((_, name)) => format!("{number} ({name})"),
        None => number,
    }
}

/// Reads a key of RFC 8410, section 7: the 32 bytes are an octet string inside that of the private
/// key. Some writers use a null for absent parameters.
fn key_of_32_bytes(
    kind: KeyKind,
    mut parameters: Elements,
    secret: &[u8],
    public: Option<&[u8]>,
) -> Result<KeyPair, String> {
    let malformed = || format!("not a private key of {kind} as in RFC 8410");
    let has_none =
        parameters.is_empty() || (parameters.require(NULL) == Some(&[]) && parameters.is_empty());
    let mut inside = Elements(secret);
    let bytes = inside
        .require(OCTET_STRING)
        .filter(|_| has_none && inside.is_empty())
        .ok_or_else(malformed)?;
    let public = public
        .map(|public| public.try_into().map(StatedPublicKey::Bytes))
        .transpose()
        .map_err(|_| malformed())?;
    Ok(KeyPair {
        secret: exactly_32(bytes)?,
        public: public.into_iter().collect(),
    })
}

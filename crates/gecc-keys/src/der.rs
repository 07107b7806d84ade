//! Private keys as DER: SEC 1 (RFC 5915) and PKCS#8 (RFC 5208, RFC 5958), those of Ed25519 as RFC 8410 says.

use crate::exactly_32;
use crate::kind::{ED25519, KeyKind};
use crate::pairs::{Pair, Public};
use der::asn1::{AnyRef, ObjectIdentifier, OctetStringRef};
use der::{Decode, Header, SliceReader, Tag, Tagged};
use pkcs8::PrivateKeyInfoRef;
use sec1::{EcParameters, EcPrivateKey};

/// `id-ecPublicKey` of RFC 5480.
pub const ELLIPTIC_CURVE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");

pub const ENCRYPTED: &str = "the key is encrypted: decrypt it first, for instance with \
                             `openssl pkcs8 -in FILE -out PLAIN` for PKCS#8 or `openssl ec -in FILE -out PLAIN` for SEC 1";

/// Whether a file is DER: a sequence, whose first byte is the digit 0 in a text, and bytes that no text has.
pub fn begins(head: &[u8]) -> bool {
    let is_text = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    head.first() == Some(&0x30) && !head.iter().take(16).all(is_text)
}

/// The key in a file of one key, which the second element of the sequence tells apart.
pub fn key(der: &[u8], kind: KeyKind) -> Result<Pair, String> {
    match elements(der) {
        Ok([Tag::Sequence, _]) => Err(ENCRYPTED.to_owned()),
        Ok([Tag::Integer, Tag::Sequence]) => pkcs8_key(der, kind),
        Ok([Tag::Integer, Tag::OctetString]) => sec1_key(der, kind),
        _ => Err("no private key in DER: neither SEC 1 nor PKCS#8".to_owned()),
    }
}

/// The tags of the first two elements.
fn elements(der: &[u8]) -> der::Result<[Tag; 2]> {
    let mut reader = SliceReader::new(der)?;
    Header::decode(&mut reader)?.tag().assert_eq(Tag::Sequence)?;
    Ok([AnyRef::decode(&mut reader)?.tag(), AnyRef::decode(&mut reader)?.tag()])
}

/// RFC 5915, section 3. The curve and the public key may be left out there.
pub fn sec1_key(der: &[u8], kind: KeyKind) -> Result<Pair, String> {
    if kind == KeyKind::Ed25519 {
        return Err("a key of a curve in SEC 1, and not one of Ed25519".to_owned());
    }
    let key = EcPrivateKey::from_der(der).map_err(|_| {
        "not a private key as in SEC 1; one whose curve is written out as parameters has to be converted, for instance \
         with `openssl ec -in FILE -param_enc named_curve -out NAMED`"
            .to_owned()
    })?;
    key.parameters.map_or(Ok(()), |EcParameters::NamedCurve(named)| kind.require_identifier(named))?;
    let public = key.public_key.map(Public::from_sec1).transpose()?;
    Ok(Pair { secret: exactly_32(key.private_key)?, public: public.into_iter().collect() })
}

/// RFC 5958, section 2, with the curve and the key as RFC 5915 says. Both have a place for the public key.
pub fn pkcs8_key(der: &[u8], kind: KeyKind) -> Result<Pair, String> {
    let info = PrivateKeyInfoRef::from_der(der).map_err(|_| "not a private key as in PKCS#8".to_owned())?;
    if kind == KeyKind::Ed25519 {
        return ed25519_key(info);
    }
    if info.algorithm.oid != ELLIPTIC_CURVE {
        return Err(format!("not an elliptic-curve key: its algorithm is {}", info.algorithm.oid));
    }
    let named: Option<EcParameters> =
        info.algorithm.parameters.map(|named| named.decode_as()).transpose().map_err(|_| {
            "the curve is written out as parameters instead of named; convert the key, for instance with \
         `openssl pkey -in FILE -ec_param_enc named_curve -out NAMED`"
                .to_owned()
        })?;
    let EcParameters::NamedCurve(named) = named.ok_or("the key names no curve")?;
    kind.require_identifier(named)?;
    let mut pair = sec1_key(info.private_key.as_bytes(), kind)?;
    pair.public.extend(info.public_key.map(|public| Public::from_sec1(public.raw_bytes())).transpose()?);
    Ok(pair)
}

/// RFC 8410, section 7: the seed is an octet string in that of the private key.
fn ed25519_key(info: PrivateKeyInfoRef) -> Result<Pair, String> {
    if info.algorithm.oid != ED25519 {
        return Err(format!("not a key of Ed25519: its algorithm is {}", info.algorithm.oid));
    }
    let malformed = || "not a private key of Ed25519 as in RFC 8410".to_owned();
    if info.algorithm.parameters.is_some() {
        return Err(malformed());
    }
    let seed = <&OctetStringRef>::from_der(info.private_key.as_bytes()).map_err(|_| malformed())?;
    let public = info.public_key.map(|public| public.raw_bytes().try_into().map(Public::Ed25519));
    let public = public.transpose().map_err(|_| malformed())?;
    Ok(Pair { secret: exactly_32(seed.as_bytes())?, public: public.into_iter().collect() })
}

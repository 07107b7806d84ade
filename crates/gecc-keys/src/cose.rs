//! COSE_Keys (RFC 9052, section 7; RFC 9053, section 7), which are maps of CBOR (RFC 8949).

use crate::kind::KeyKind;
use crate::pairs::{KeyPair, StatedPublicKey};
use crate::{exactly_32, number, padded};
use gecc::CurveId;

// Labels of members, and their values, from RFC 9052 and RFC 9053.
const KEY_TYPE: i64 = 1;
const CURVE: i64 = -1;
const X: i64 = -2;
const Y: i64 = -3;
const D: i64 = -4;
const OKP: i64 = 1;
const EC2: i64 = 2;

/// The maximum nesting depth of a value that is skipped.
const DEEPEST: usize = 16;

/// The members of a COSE_Key that are needed.
#[derive(Default)]
struct CoseKey<'a> {
    key_type: Option<CborValue<'a>>,
    curve: Option<CborValue<'a>>,
    x: Option<CborValue<'a>>,
    y: Option<CborValue<'a>>,
    d: Option<CborValue<'a>>,
}

#[derive(Clone, Copy, PartialEq)]
enum CborValue<'a> {
    Number(i64),
    Bytes(&'a [u8]),
    Truth(bool),
    Other,
}

/// Returns whether bytes are exactly a map of CBOR that contains a key type.
pub fn is_key(bytes: &[u8]) -> bool {
    matches!(bytes.first(), Some(0xa1..=0xb8 | 0xbf))
        && CoseKey::of(bytes).is_some_and(|key| key.key_type.is_some())
}

/// Returns the octets of a public key: a point in SEC 1, or the 32 bytes of an Ed25519 or X25519
/// key.
pub fn public_key(bytes: &[u8], kind: KeyKind) -> Result<Vec<u8>, String> {
    let key = CoseKey::of(bytes).ok_or_else(malformed)?;
    key.require(kind)?;
    let x = key.bytes(key.x, "x (-2)")?;
    if !kind.has_points() {
        if x.len() != 32 {
            return Err("the COSE_Key has an x that is not of 32 bytes".to_owned());
        }
        return Ok(x.to_vec());
    }
    let x = coordinate("x", x)?;
    Ok(match key.y {
        Some(CborValue::Truth(is_odd)) => [&[2 | u8::from(is_odd)], &x[..]].concat(),
        y => {
            let y = coordinate("y", key.bytes(y, "y (-3)")?)?;
            [&[4], &x[..], &y[..]].concat()
        }
    })
}

/// Returns the private key, with the public key if it is present.
pub fn private_key(bytes: &[u8], kind: KeyKind) -> Result<KeyPair, String> {
    let key = CoseKey::of(bytes).ok_or_else(malformed)?;
    key.require(kind)?;
    if key.d.is_none() {
        return Err("a public key: d (-4) is not in the COSE_Key".to_owned());
    }
    let d = key.bytes(key.d, "d (-4)")?;
    let x = key.x.map(|_| key.bytes(key.x, "x (-2)")).transpose()?;
    if !kind.has_points() {
        let public = x
            .map(|x| x.try_into().map(StatedPublicKey::Bytes))
            .transpose()
            .map_err(|_| wrong_length("x", &[]))?;
        return Ok(KeyPair {
            secret: exactly_32(d)?,
            public: public.into_iter().collect(),
        });
    }
    let x = x.map(|x| coordinate("x", x)).transpose()?;
    let (y, y_is_odd) = match key.y {
        Some(CborValue::Truth(is_odd)) => (None, Some(is_odd)),
        None => (None, None),
        y => (Some(coordinate("y", key.bytes(y, "y (-3)")?)?), None),
    };
    let public = (x.is_some() || y.is_some()).then_some(StatedPublicKey::Point { x, y, y_is_odd });
    if d.len() < 32 && !(x.is_some() && (y.is_some() || y_is_odd.is_some())) {
        return Err(format!(
            "d has {} bytes instead of 32, and there are no x and y to check it by",
            d.len()
        ));
    }
    Ok(KeyPair {
        secret: number(d)?,
        public: public.into_iter().collect(),
    })
}

fn malformed() -> String {
    "not a COSE_Key: not one map of CBOR".to_owned()
}

/// Returns the 32 bytes of a coordinate of a public key.
fn coordinate(name: &str, value: &[u8]) -> Result<[u8; 32], String> {
    padded(value)
        .map(|value| *value)
        .ok_or_else(|| wrong_length(name, value))
}

fn wrong_length(name: &str, value: &[u8]) -> String {
    format!(
        "the COSE_Key has {} bytes of {name} instead of 32",
        value.len()
    )
}

impl<'a> CoseKey<'a> {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Cbor(bytes);
        let mut key = CoseKey::default();
        let (major, members) = reader.head()?;
        if major != 5 {
            return None;
        }
        let mut left = members;
        while left != Some(0) && !(members.is_none() && reader.ends()) {
            left = left.map(|left| left - 1);
            let label = reader.value(0)?;
            let value = reader.value(0)?;
            let place = match label {
                CborValue::Number(KEY_TYPE) => &mut key.key_type,
                CborValue::Number(CURVE) => &mut key.curve,
                CborValue::Number(X) => &mut key.x,
                CborValue::Number(Y) => &mut key.y,
                CborValue::Number(D) => &mut key.d,
                _ => continue,
            };
            // Readers disagree on the value of a repeated member.
            if place.replace(value).is_some() {
                return None;
            }
        }
        reader.0.is_empty().then_some(key)
    }

    /// Returns an error unless the key is for `kind`.
    fn require(&self, kind: KeyKind) -> Result<(), String> {
        let found = match (self.key_type, self.curve) {
            (Some(CborValue::Number(EC2)), Some(CborValue::Number(1))) => {
                KeyKind::Curve(CurveId::P256)
            }
            (Some(CborValue::Number(EC2)), Some(CborValue::Number(8))) => {
                KeyKind::Curve(CurveId::Secp256k1)
            }
            // Registered by ISO/IEC 18013-5.
            (Some(CborValue::Number(EC2)), Some(CborValue::Number(256))) => {
                KeyKind::Curve(CurveId::BrainpoolP256r1)
            }
            (Some(CborValue::Number(OKP)), Some(CborValue::Number(4))) => KeyKind::X25519,
            (Some(CborValue::Number(OKP)), Some(CborValue::Number(6))) => KeyKind::Ed25519,
            (Some(CborValue::Number(EC2 | OKP)), Some(CborValue::Number(curve))) => {
                return Err(format!(
                    "the COSE_Key is for the curve with the number {curve}, not for {kind}"
                ));
            }
            _ => return Err("the COSE_Key has no type (1) EC2 or OKP with a curve (-1)".to_owned()),
        };
        kind.require(found)
    }

    fn bytes(&self, value: Option<CborValue<'a>>, name: &str) -> Result<&'a [u8], String> {
        match value {
            Some(CborValue::Bytes(bytes)) => Ok(bytes),
            Some(_) => Err(format!("{name} of the COSE_Key is not a byte string")),
            None => Err(format!("{name} is not in the COSE_Key")),
        }
    }
}

/// The unread part of CBOR data. Malformed input yields `None`.
struct Cbor<'a>(&'a [u8]);

impl<'a> Cbor<'a> {
    /// Returns the major type of the next item and its number, which is `None` for items of
    /// indefinite length.
    fn head(&mut self) -> Option<(u8, Option<u64>)> {
        let (&first, rest) = self.0.split_first()?;
        let length = match first & 0x1f {
            small @ 0..24 => {
                self.0 = rest;
                return Some((first >> 5, Some(small.into())));
            }
            size @ 24..28 => 1 << (size - 24),
            31 => {
                self.0 = rest;
                return Some((first >> 5, None));
            }
            _ => return None,
        };
        let (digits, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((
            first >> 5,
            Some(
                digits
                    .iter()
                    .fold(0, |number, byte| number << 8 | u64::from(*byte)),
            ),
        ))
    }

    /// Consumes the end marker of an item of indefinite length. Returns whether it was there.
    fn ends(&mut self) -> bool {
        let rest = self.0.strip_prefix(&[0xff]);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn value(&mut self, depth: usize) -> Option<CborValue<'a>> {
        let (major, number) = self.head()?;
        match (major, number) {
            (0, Some(number)) => i64::try_from(number).ok().map(CborValue::Number),
            (1, Some(number)) => i64::try_from(number)
                .ok()
                .map(|number| CborValue::Number(-1 - number)),
            (2 | 3, Some(length)) => {
                let bytes = self.0.split_off(..usize::try_from(length).ok()?)?;
                Some(if major == 2 {
                    CborValue::Bytes(bytes)
                } else {
                    CborValue::Other
                })
            }
            // Arrays, maps and tags, none of which is needed.
            (4..=6, Some(count)) if depth < DEEPEST => {
                let values = match major {
                    4 => count,
                    5 => count.checked_mul(2)?,
                    _ => 1,
                };
                (0..values).try_for_each(|_| self.value(depth + 1).map(|_| ()))?;
                Some(CborValue::Other)
            }
            (4 | 5, None) if depth < DEEPEST => {
                while !self.ends() {
                    self.value(depth + 1)?;
                }
                Some(CborValue::Other)
            }
            (7, Some(20)) => Some(CborValue::Truth(false)),
            (7, Some(21)) => Some(CborValue::Truth(true)),
            (7, Some(_)) => Some(CborValue::Other),
            _ => None,
        }
    }
}

//! Private keys as JSON Web Keys (RFC 7517): any number of consecutive keys and key sets.
//!
//! Members are borrowed from the text, because serde would assemble a text with escapes in memory
//! that is not wiped. Its messages are not shown, because they quote values.

use crate::pairs::{KeyPair, KeyPairs, StatedPublicKey};
use crate::{KeyKind, equal_mask, number, padded, without_mark};
use base64ct::{Base64UrlUnpadded, Encoding};
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer as _};
use serde_json::Deserializer;
use serde_json::value::RawValue;
use std::fmt;
use zeroize::Zeroizing;

/// The members of a key or a key set that are needed. Other members are ignored.
#[derive(Deserialize)]
struct Members<'a> {
    #[serde(borrow)]
    keys: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    kty: Option<&'a RawValue>,
    #[serde(borrow)]
    crv: Option<&'a RawValue>,
    #[serde(borrow)]
    d: Option<&'a RawValue>,
    #[serde(borrow)]
    x: Option<&'a RawValue>,
    #[serde(borrow)]
    y: Option<&'a RawValue>,
}

/// Returns whether the first value is an object with the member that all keys, or all key sets,
/// have. An object with `secret_key` is a line of JSON Lines, whatever else it contains.
pub fn begins(head: &[u8]) -> bool {
    let head = without_mark(head);
    // Only objects are passed to the parser. Its error would quote another text, such as the digits
    // of a private key, in a `String` that is not wiped.
    if !head.trim_ascii_start().starts_with(b"{") {
        return false;
    }
    let mut names = MemberNames::default();
    // A truncated head is an error after the members in it.
    let _ = Deserializer::from_slice(head).deserialize_map(&mut names);
    names.of_jwk && !names.of_lines
}

/// Reads the keys in order.
pub fn read(text: &[u8], pairs: &mut KeyPairs) -> Result<(), String> {
    for members in Deserializer::from_slice(without_mark(text)).into_iter::<Members>() {
        let members = members.map_err(|problem| {
            format!(
                "no JSON Web Key: the JSON is not as expected at line {}, column {}",
                problem.line(),
                problem.column()
            )
        })?;
        let first = pairs.len() + 1;
        match members.keys {
            Some(set) => read_set(&set, pairs)?,
            None => add(pairs, &members, first)?,
        }
    }
    Ok(())
}

/// Reads the keys of a set: all of them, or the only one that is a private key of the required
/// kind. If several but not all fit, the intended key is ambiguous.
fn read_set(set: &[&RawValue], pairs: &mut KeyPairs) -> Result<(), String> {
    let first = pairs.len() + 1;
    let kind = pairs.kind();
    let set = set
        .iter()
        .map(|key| members_of(key))
        .collect::<Result<Vec<_>, _>>()?;
    let fitting: Vec<usize> = (0..set.len())
        .filter(|index| is_private_key_for(&set[*index], kind))
        .collect();
    match fitting[..] {
        [only] => add(pairs, &set[only], first + only),
        _ if fitting.is_empty() || fitting.len() == set.len() => (first..)
            .zip(&set)
            .try_for_each(|(place, members)| add(pairs, members, place)),
        _ => Err(format!(
            "of the {} keys of the set {} are private keys for {kind}: give these alone, or the one that is meant",
            set.len(),
            fitting.len()
        )),
    }
}

/// Returns whether a key of a set is a private key for `kind`.
fn is_private_key_for(members: &Members, kind: KeyKind) -> bool {
    members.d.is_some() && require(members, kind).is_ok()
}

fn members_of(key: &RawValue) -> Result<Members<'_>, String> {
    serde_json::from_str(key.get())
        .map_err(|_| "the set of JSON Web Keys holds something else".to_owned())
}

fn add(pairs: &mut KeyPairs, members: &Members, number: usize) -> Result<(), String> {
    let place = format!("JSON Web Key {number}: ");
    let pair = pair(members, pairs.kind()).map_err(|problem| format!("{place}{problem}"))?;
    pairs.push(pair, &place)
}

/// Returns an error unless the key is for `kind`.
fn require(members: &Members, kind: KeyKind) -> Result<(), String> {
    kind.require_jwk_type(text(members.kty, "kty")?)?;
    kind.require_jwk_name(text(members.crv, "crv")?)
}

/// Reads a key of RFC 7518, section 6.2, or RFC 8037, section 2.
fn pair(members: &Members, kind: KeyKind) -> Result<KeyPair, String> {
    require(members, kind)?;
    if members.d.is_none() {
        return Err("a public key: `d` is not given".to_owned());
    }
    let is_number = kind.has_points();
    let public = match (kind, public_member(members.x, "x", is_number)?) {
        (KeyKind::Ed25519 | KeyKind::X25519, x) => x.map(StatedPublicKey::Bytes),
        (KeyKind::Curve(_), x) => {
            let y = public_member(members.y, "y", is_number)?;
            (x.is_some() || y.is_some()).then_some(StatedPublicKey::Point {
                x,
                y,
                y_is_odd: None,
            })
        }
    };
    let d = bytes(text(members.d, "d")?, "d")?;
    let is_checked = matches!(
        public,
        Some(StatedPublicKey::Point {
            x: Some(_),
            y: Some(_),
            ..
        })
    );
    if is_number && d.len() < 32 && !is_checked {
        return Err(format!(
            "`d` has {} bytes instead of 32, and there are no `x` and `y` to check it by",
            d.len()
        ));
    }
    let secret = number(&exactly(&d, "d", is_number)?[..])?;
    Ok(KeyPair {
        secret,
        public: public.into_iter().collect(),
    })
}

/// Returns the 32 bytes of a member of the public key, which is optional.
fn public_member(
    value: Option<&RawValue>,
    name: &str,
    is_number: bool,
) -> Result<Option<[u8; 32]>, String> {
    if value.is_none() {
        return Ok(None);
    }
    let bytes = bytes(text(value, name)?, name)?;
    exactly(&bytes, name, is_number).map(|bytes| Some(*bytes))
}

/// Returns exactly 32 bytes. A number may also have fewer, or more with leading zeros, as many
/// programs write them.
pub fn exactly(bytes: &[u8], name: &str, is_number: bool) -> Result<Zeroizing<[u8; 32]>, String> {
    let exact = if is_number || bytes.len() == 32 {
        padded(bytes)
    } else {
        None
    };
    exact.ok_or_else(|| format!("`{name}` has {} bytes instead of 32", bytes.len()))
}

/// Decodes base64url, and also base64, with or without padding. **Constant-time** in the digits.
pub fn bytes(text: &str, name: &str) -> Result<Zeroizing<Vec<u8>>, String> {
    /// The number of characters for 42 bytes: more than a number with leading zeros has.
    const LONGEST: usize = 56;
    let digits = text
        .strip_suffix("==")
        .or(text.strip_suffix('='))
        .unwrap_or(text)
        .as_bytes();
    if digits.len() > LONGEST {
        let are_hexadecimal = digits
            .iter()
            .fold(true, |all, digit| all & digit.is_ascii_hexdigit());
        return Err(match are_hexadecimal {
            true => format!("`{name}` is hexadecimal, and has to be base64url"),
            false => format!("`{name}` has {} bytes instead of 32", digits.len() * 3 / 4),
        });
    }
    let mut url = Zeroizing::new([0; LONGEST]);
    for (to, digit) in url.iter_mut().zip(digits) {
        // The two digits in which the alphabets differ, without a branch.
        let plus = equal_mask(*digit, b'+');
        let slash = equal_mask(*digit, b'/');
        *to = digit ^ (plus & (b'+' ^ b'-')) ^ (slash & (b'/' ^ b'_'));
    }
    let mut bytes = Zeroizing::new(vec![0; LONGEST / 4 * 3]);
    let decoded = Base64UrlUnpadded::decode(&url[..digits.len()], &mut bytes);
    let length = decoded
        .map_err(|_| format!("`{name}` is not the base64url form of 32 bytes"))?
        .len();
    bytes.truncate(length);
    Ok(bytes)
}

/// Returns a string without escapes.
fn text<'a>(value: Option<&'a RawValue>, name: &str) -> Result<&'a str, String> {
    let json = value.ok_or_else(|| format!("`{name}` is not given"))?.get();
    let text = json
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'));
    text.filter(|text| !text.contains('\\'))
        .ok_or_else(|| format!("`{name}` is not a text without escapes"))
}

/// Properties of an object that follow from the names of its members.
#[derive(Default)]
struct MemberNames {
    of_jwk: bool,
    of_lines: bool,
}

impl<'de> Visitor<'de> for &mut MemberNames {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<&str>()? {
            self.of_jwk |= matches!(name, "kty" | "keys");
            self.of_lines |= name == "secret_key";
            members.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

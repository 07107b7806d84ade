//! Private keys as JSON Web Keys (RFC 7517), any number of keys and sets of keys one after the other.
//!
//! Members are taken from where they stand in the text, as serde would put a text with escapes together in memory that
//! nobody wipes. Its messages are not shown, as they quote values.

use crate::pairs::{Pair, Pairs, Public};
use crate::{KeyKind, without_mark};
use base64ct::{Base64UrlUnpadded, Encoding};
use gecc::SecretKey;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer as _};
use serde_json::Deserializer;
use serde_json::value::RawValue;
use std::fmt;
use zeroize::Zeroizing;

/// What is needed of a key or of a set of keys. Other members are ignored.
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

/// Whether the first value is an object with the member that all keys, or all sets, have. One with `secret_key` is a
/// line of JSON Lines, whatever else it has.
pub fn begins(head: &[u8]) -> bool {
    let mut names = Names::default();
    // A head that is cut off is an error after the members that are there.
    let _ = Deserializer::from_slice(without_mark(head)).deserialize_map(&mut names);
    names.of_jwk && !names.of_lines
}

/// The keys in their order.
pub fn read(text: &[u8], pairs: &mut Pairs) -> Result<(), String> {
    for members in Deserializer::from_slice(without_mark(text)).into_iter::<Members>() {
        let members = members.map_err(|problem| {
            format!(
                "no JSON Web Key: the JSON is not as expected at line {}, column {}",
                problem.line(),
                problem.column()
            )
        })?;
        match members.keys {
            Some(set) => set.iter().try_for_each(|key| add(pairs, &members_of(key)?))?,
            None => add(pairs, &members)?,
        }
    }
    Ok(())
}

fn members_of(key: &RawValue) -> Result<Members<'_>, String> {
    serde_json::from_str(key.get()).map_err(|_| "the set of JSON Web Keys holds something else".to_owned())
}

fn add(pairs: &mut Pairs, members: &Members) -> Result<(), String> {
    let place = format!("JSON Web Key {}: ", pairs.len() + 1);
    let pair = pair(members, pairs.kind()).map_err(|problem| format!("{place}{problem}"))?;
    pairs.push(pair, &place)
}

/// RFC 7518, section 6.2, and RFC 8037, section 2.
fn pair(members: &Members, kind: KeyKind) -> Result<Pair, String> {
    kind.require_jwk_type(text(members.kty, "kty")?)?;
    kind.require_jwk_name(text(members.crv, "crv")?)?;
    if members.d.is_none() {
        return Err("a public key: `d` is not given".to_owned());
    }
    let given = |value: Option<&RawValue>, name| value.map(|_| number(value, name).map(|bytes| *bytes)).transpose();
    let public = match (kind, given(members.x, "x")?) {
        (KeyKind::Ed25519, x) => x.map(Public::Ed25519),
        (KeyKind::Curve(_), x) => {
            let y = given(members.y, "y")?;
            (x.is_some() || y.is_some()).then_some(Public::Point { x, y, y_is_odd: None })
        }
    };
    let secret = SecretKey::from_bytes(*number(members.d, "d")?);
    Ok(Pair { secret, public: public.into_iter().collect() })
}

/// 32 bytes in base64url without padding.
fn number(value: Option<&RawValue>, name: &str) -> Result<Zeroizing<[u8; 32]>, String> {
    let digits = text(value, name)?;
    let mut bytes = Zeroizing::new([0; 32]);
    // Longer texts do not fit, and shorter ones leave bytes out.
    match Base64UrlUnpadded::decode(digits, bytes.as_mut_slice()).map(<[u8]>::len) {
        Ok(32) => Ok(bytes),
        Ok(length) => Err(format!("`{name}` has {length} bytes instead of 32")),
        Err(_) => Err(format!("`{name}` is not the base64url form of 32 bytes, without padding")),
    }
}

/// A text without escapes.
fn text<'a>(value: Option<&'a RawValue>, name: &str) -> Result<&'a str, String> {
    let json = value.ok_or_else(|| format!("`{name}` is not given"))?.get();
    let text = json.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    text.filter(|text| !text.contains('\\')).ok_or_else(|| format!("`{name}` is not a text without escapes"))
}

/// Looks at the names of an object's members.
#[derive(Default)]
struct Names {
    of_jwk: bool,
    of_lines: bool,
}

impl<'de> Visitor<'de> for &mut Names {
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

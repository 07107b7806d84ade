//! The fields of one input item, borrowed from its text, and what they mean.

use super::shape::Value;
use const_hex::decode_to_slice;
use gecc::Rejection;
use gecc::ecdsa::recovery_id_of_v;
use serde::de::{Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fmt;
use zeroize::{Zeroize, Zeroizing};

/// A field, as JSON keys and columns name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Digest,
    Message,
    Signature,
    Der,
    PublicKey,
    RecoveryId,
    V,
    Id,
    SecretKey,
    Tag,
}

/// The names of fields.
pub const FIELD_NAMES: [(&str, Field); 10] = [
    ("digest", Field::Digest),
    ("message", Field::Message),
    ("signature", Field::Signature),
    ("der", Field::Der),
    ("public_key", Field::PublicKey),
    ("recovery_id", Field::RecoveryId),
    ("v", Field::V),
    ("id", Field::Id),
    ("secret_key", Field::SecretKey),
    ("tag", Field::Tag),
];

impl Field {
    pub fn by_name(name: &[u8]) -> Option<Self> {
        FIELD_NAMES.iter().find(|(known, _)| known.as_bytes() == name).map(|(_, field)| *field)
    }
}

/// What an item has; unknown fields are ignored.
#[derive(Default, Deserialize)]
pub struct Fields<'a> {
    #[serde(borrow)]
    digest: Option<Text<'a>>,
    #[serde(borrow)]
    message: Option<Text<'a>>,
    #[serde(borrow)]
    signature: Option<Text<'a>>,
    #[serde(borrow)]
    der: Option<Text<'a>>,
    #[serde(borrow)]
    public_key: Option<Text<'a>>,
    recovery_id: Option<RecoveryId>,
    v: Option<RecoveryId>,
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "without_showing")]
    secret_key: Option<&'a str>,
    #[serde(borrow, default, deserialize_with = "as_written")]
    pub tag: Option<Tag<'a>>,
}

/// A text that is borrowed, unless it is written with escapes.
#[derive(Deserialize)]
#[serde(transparent)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// The recovery id of a number, or of a text that is one, decimal or hexadecimal behind 0x; `None` where the value is anything else.
struct RecoveryId(Option<u8>);

impl RecoveryId {
    /// Of v, or one that the engine rejects.
    fn of_v(v: &[u8]) -> Self {
        RecoveryId(Some(recovery_id_of_v(v).unwrap_or(u8::MAX)))
    }

    fn from_text(text: &str) -> Self {
        let (text, digits) = (text.trim(), digits(text));
        if digits.len() == text.len() {
            return text.parse::<u128>().map_or(RecoveryId(None), |v| Self::of_v(&v.to_be_bytes()));
        }
        // Numbers of Ethereum's interfaces have no zeros in front.
        let mut padded = [b'0'; 2 * MOST_V_BYTES];
        let Some(zeros) = padded.len().checked_sub(digits.len()).filter(|_| !digits.is_empty()) else {
            return RecoveryId(None);
        };
        padded[zeros..].copy_from_slice(digits.as_bytes());
        let mut v = [0; MOST_V_BYTES];
        decode_to_slice(padded, &mut v).map_or(RecoveryId(None), |()| Self::of_v(&v))
    }
}

/// Bytes of the largest v that is read: chain ids have at most 32.
const MOST_V_BYTES: usize = 33;

impl<'de> Deserialize<'de> for RecoveryId {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(RecoveryIdVisitor)
    }
}

struct RecoveryIdVisitor;

impl<'de> Visitor<'de> for RecoveryIdVisitor {
    type Value = RecoveryId;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_u64<E>(self, number: u64) -> Result<RecoveryId, E> {
        Ok(RecoveryId::of_v(&number.to_be_bytes()))
    }

    fn visit_str<E>(self, text: &str) -> Result<RecoveryId, E> {
        Ok(RecoveryId::from_text(text))
    }

    fn visit_i64<E>(self, _: i64) -> Result<RecoveryId, E> {
        Ok(RecoveryId(None))
    }

    fn visit_f64<E>(self, _: f64) -> Result<RecoveryId, E> {
        Ok(RecoveryId(None))
    }

    fn visit_bool<E>(self, _: bool) -> Result<RecoveryId, E> {
        Ok(RecoveryId(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<RecoveryId, A::Error> {
        while values.next_element::<IgnoredAny>()?.is_some() {}
        Ok(RecoveryId(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<RecoveryId, A::Error> {
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(RecoveryId(None))
    }
}

/// What is passed through.
#[derive(Clone, Copy)]
pub enum Tag<'a> {
    /// As it is written: a number keeps its digits and an object its order.
    Json(&'a str),
    Text(&'a str),
}

/// The tag alone, of an object whose other fields may be of wrong types.
#[derive(Deserialize)]
struct TagAlone<'a> {
    #[serde(borrow, default, deserialize_with = "as_written")]
    tag: Option<Tag<'a>>,
}

/// What is signed.
pub enum Content<'a> {
    Digest([u8; 32]),
    /// Its hexadecimal digits.
    Message(&'a str),
}

impl<'a> Fields<'a> {
    /// Reads a JSON object. The error comes with the tag, where there is one all the same.
    pub fn from_json(text: &'a str) -> Result<Self, (String, Option<Tag<'a>>)> {
        // serde would read an array as an object with its fields in order.
        if !text.starts_with('{') {
            return Err(("not a JSON object".to_owned(), None));
        }
        serde_json::from_str(text).map_err(|problem| {
            let tag = serde_json::from_str::<TagAlone>(text).ok().and_then(|alone| alone.tag);
            (format!("not a JSON object with these fields: {}", described(&problem)), tag)
        })
    }

    /// A bare private key.
    pub fn of_key(text: &'a str) -> Self {
        Fields { secret_key: Some(text), ..Fields::default() }
    }

    /// Sets a field from a cell of a table. An empty cell is an absent field, and so is one of spaces, except where spaces mean
    /// something.
    pub fn set(&mut self, field: Field, value: &'a str) {
        let is_text = matches!(field, Field::Id | Field::Tag);
        if value.is_empty() || (!is_text && value.trim().is_empty()) {
            return;
        }
        self.put(field, value, Tag::Text(value));
    }

    /// Sets a field from a JSON object's text without escapes, or whole number.
    pub fn set_from_json(&mut self, field: Field, value: Value<'a>) {
        self.put(field, value.text, Tag::Json(value.json));
    }

    fn put(&mut self, field: Field, value: &'a str, tag: Tag<'a>) {
        let text = || Some(Text(Cow::Borrowed(value)));
        match field {
            Field::Digest => self.digest = text(),
            Field::Message => self.message = text(),
            Field::Signature => self.signature = text(),
            Field::Der => self.der = text(),
            Field::PublicKey => self.public_key = text(),
            Field::RecoveryId => self.recovery_id = Some(RecoveryId::from_text(value)),
            Field::V => self.v = Some(RecoveryId::from_text(value)),
            Field::Id => self.id = text(),
            Field::SecretKey => self.secret_key = Some(value),
            Field::Tag => self.tag = Some(tag),
        }
    }

    pub fn content(&self) -> Result<Content<'_>, String> {
        match (&self.digest, &self.message) {
            (Some(digest), None) => {
                let mut bytes = [0; 32];
                decode("digest", &digest.0, &mut bytes)?;
                Ok(Content::Digest(bytes))
            }
            (None, Some(message)) => Ok(Content::Message(digits(&message.0))),
            (Some(_), Some(_)) => Err("`digest` and `message` are both given".to_owned()),
            (None, None) => Err("neither `digest` nor `message` is given".to_owned()),
        }
    }

    /// The user id of SM2, where one is given.
    pub fn id(&self) -> Option<&str> {
        self.id.as_ref().map(|id| &*id.0)
    }

    pub fn signature(&self, to: &mut [u8; 64]) -> Result<(), String> {
        match (&self.signature, &self.der) {
            (Some(signature), None) => decode("signature", &signature.0, to),
            (None, Some(der)) => {
                *to = from_der(digits(&der.0))?;
                Ok(())
            }
            (Some(_), Some(_)) => Err("`signature` and `der` are both given".to_owned()),
            (None, None) => Err("neither `signature` nor `der` is given".to_owned()),
        }
    }

    /// The hexadecimal digits of the public key.
    pub fn public_key(&self) -> Result<&str, String> {
        required("public_key", self.public_key.as_ref()).map(|key| digits(&key.0))
    }

    pub fn recovery_id(&self) -> Result<u8, String> {
        let RecoveryId(id) = required("recovery_id", self.recovery_id.as_ref().or(self.v.as_ref()))?;
        id.ok_or_else(|| "`recovery_id` is not a number from 0 to 3, nor a v of 27 and more".to_owned())
    }

    /// `None` where there is none that can be read.
    pub fn optional_recovery_id(&self) -> Option<u8> {
        self.recovery_id.as_ref().or(self.v.as_ref()).and_then(|RecoveryId(id)| *id)
    }

    pub fn secret_key(&self) -> Result<gecc::SecretKey, String> {
        let mut key = Zeroizing::new([0; 32]);
        self.secret_key_into(&mut key)?;
        Ok(gecc::SecretKey::from_bytes(*key))
    }

    /// Writes the private key, of 64 hexadecimal digits. The error does not show them.
    pub fn secret_key_into(&self, to: &mut [u8; 32]) -> Result<(), String> {
        let digits = digits(required("secret_key", self.secret_key.as_ref())?);
        if digits.len() == 64 && decode_to_slice(digits, to).is_ok() {
            return Ok(());
        }
        to.zeroize();
        Err("a private key is 64 hexadecimal digits".to_owned())
    }
}

/// A key where it stands in the line: serde's own message would quote one that is not a text, and a text with escapes is
/// put together in memory that nobody wipes.
fn without_showing<'de, D: Deserializer<'de>>(input: D) -> Result<Option<&'de str>, D::Error> {
    let json = <&RawValue>::deserialize(input)?.get();
    if json == "null" {
        return Ok(None);
    }
    let text = json.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let text = text.ok_or_else(|| D::Error::custom("`secret_key` is not a text"))?;
    if text.contains('\\') {
        return Err(D::Error::custom("`secret_key` is written with escapes"));
    }
    Ok(Some(text))
}

/// Also null.
fn as_written<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Tag<'de>>, D::Error> {
    <&RawValue>::deserialize(input).map(|value| Some(Tag::Json(value.get())))
}

/// What is wrong with a JSON text, and the column. An answer has a line of its own.
fn described(problem: &serde_json::Error) -> String {
    let text = problem.to_string();
    let place = format!(" at line {} column {}", problem.line(), problem.column());
    match text.strip_suffix(&place) {
        Some(what) if problem.line() == 1 => format!("{what} at column {}", problem.column()),
        Some(what) => what.to_owned(),
        None => text,
    }
}

/// A signature in DER, of these digits.
fn from_der(digits: &str) -> Result<[u8; 64], String> {
    /// No signature is longer.
    const MOST: usize = 72;
    check("der", digits)?;
    let mut bytes = [0; MOST];
    let length = digits.len() / 2;
    let signature = bytes.get_mut(..length).ok_or(Rejection::MalformedSignature).and_then(|bytes| {
        decode_to_slice(digits, bytes).expect("the digits were checked");
        gecc::signature_from_der(bytes)
    });
    signature.map_err(|rejection| rejection.to_string())
}

fn required<'a, T>(name: &str, field: Option<&'a T>) -> Result<&'a T, String> {
    field.ok_or_else(|| format!("`{name}` is not given"))
}

/// Without the space and the 0x around it.
fn digits(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text)
}

fn decode(name: &str, text: &str, to: &mut [u8]) -> Result<(), String> {
    decode_digits(name, digits(text), to)
}

/// Decodes digits of as many bytes as there is room for.
pub fn decode_digits(name: &str, digits: &str, to: &mut [u8]) -> Result<(), String> {
    if digits.len() == 2 * to.len() && decode_to_slice(digits, to).is_ok() {
        return Ok(());
    }
    check(name, digits)?;
    Err(format!("`{name}` has {} bytes instead of {}", digits.len() / 2, to.len()))
}

/// Decodes digits and appends the bytes.
pub fn append_decoded(name: &str, digits: &str, to: &mut Vec<u8>) -> Result<(), String> {
    check(name, digits)?;
    let start = to.len();
    to.resize(start + digits.len() / 2, 0);
    decode_to_slice(digits, &mut to[start..]).expect("they were checked");
    Ok(())
}

/// Says what keeps a text from being hexadecimal digits in pairs.
fn check(name: &str, digits: &str) -> Result<(), String> {
    let problem = if digits.len() % 2 == 1 {
        "Odd number of digits".to_owned()
    } else if const_hex::check_raw(digits) {
        return Ok(());
    } else {
        let at = digits.bytes().position(|byte| !byte.is_ascii_hexdigit()).unwrap_or(digits.len());
        let character = digits.get(at..).and_then(|rest| rest.chars().next()).unwrap_or('\u{fffd}');
        format!("Invalid character {character:?} at position {at}")
    };
    Err(format!("`{name}` is not hexadecimal: {problem}"))
}

/// What ECDSA signs.
pub fn sha256(message: &[u8]) -> [u8; 32] {
    Sha256::digest(message).into()
}

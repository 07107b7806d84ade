//! The fields of one input item, and what they mean.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// The names of `Fields`, as JSON keys and CSV columns.
pub const FIELD_NAMES: [&str; 9] =
    ["digest", "message", "signature", "der", "public_key", "recovery_id", "id", "secret_key", "tag"];

/// What a line holds; unknown fields are ignored.
#[derive(Default, Deserialize)]
pub struct Fields {
    digest: Option<String>,
    message: Option<String>,
    signature: Option<String>,
    der: Option<String>,
    public_key: Option<String>,
    recovery_id: Option<Value>,
    id: Option<String>,
    #[serde(default, deserialize_with = "without_showing")]
    secret_key: Option<Zeroizing<String>>,
    /// As it is written: a number keeps its digits and an object its order.
    #[serde(default, deserialize_with = "even_null")]
    pub tag: Option<Box<RawValue>>,
}

/// What is signed.
pub enum Content {
    Digest([u8; 32]),
    Message(Vec<u8>),
}

impl Content {
    /// The digest that ECDSA signs.
    pub fn sha256(self) -> [u8; 32] {
        match self {
            Content::Digest(digest) => digest,
            Content::Message(message) => Sha256::digest(message).into(),
        }
    }
}

impl Fields {
    /// Sets a field by its name in a CSV header. An empty cell is an absent field, and so is one of spaces, except where
    /// spaces mean something.
    pub fn set(&mut self, name: &[u8], value: &[u8]) -> Result<(), String> {
        let value = std::str::from_utf8(value).map_err(|_| "the text is not UTF-8".to_owned())?;
        let is_text = matches!(name, b"id" | b"tag");
        if value.is_empty() || (!is_text && value.trim().is_empty()) {
            return Ok(());
        }
        let text = || Some(value.to_owned());
        match name {
            b"digest" => self.digest = text(),
            b"message" => self.message = text(),
            b"signature" => self.signature = text(),
            b"der" => self.der = text(),
            b"public_key" => self.public_key = text(),
            b"recovery_id" => self.recovery_id = text().map(Value::String),
            b"id" => self.id = text(),
            b"secret_key" => self.secret_key = text().map(Zeroizing::new),
            b"tag" => self.tag = Some(to_raw_value(value).expect("every text has a JSON form")),
            _ => {}
        }
        Ok(())
    }

    pub fn content(&self) -> Result<Content, String> {
        match (&self.digest, &self.message) {
            (Some(digest), None) => Ok(Content::Digest(exactly("digest", digest)?)),
            (None, Some(message)) => Ok(Content::Message(bytes("message", message)?)),
            (Some(_), Some(_)) => Err("`digest` and `message` are both given".to_owned()),
            (None, None) => Err("neither `digest` nor `message` is given".to_owned()),
        }
    }

    /// What SM2 signs, and the user id where one is given.
    pub fn sm2_content(&self) -> Result<(Content, Option<String>), String> {
        match (self.content()?, &self.id) {
            (Content::Digest(_), Some(_)) => Err("`id` goes with `message`: a digest already contains it".to_owned()),
            (content, id) => Ok((content, id.clone())),
        }
    }

    pub fn signature(&self) -> Result<[u8; 64], String> {
        match (&self.signature, &self.der) {
            (Some(signature), None) => exactly("signature", signature),
            (None, Some(der)) => {
                gecc::signature_from_der(&bytes("der", der)?).map_err(|rejection| rejection.to_string())
            }
            (Some(_), Some(_)) => Err("`signature` and `der` are both given".to_owned()),
            (None, None) => Err("neither `signature` nor `der` is given".to_owned()),
        }
    }

    /// A SEC 1 encoding; the raw form of 64 bytes gets its tag.
    pub fn public_key(&self) -> Result<Vec<u8>, String> {
        let mut key = bytes("public_key", required("public_key", &self.public_key)?)?;
        if key.len() == 64 {
            key.insert(0, 4);
        }
        Ok(key)
    }

    pub fn recovery_id(&self) -> Result<u8, String> {
        let id = match required("recovery_id", &self.recovery_id)? {
            Value::Number(number) => number.as_u64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        id.and_then(|id| u8::try_from(id).ok()).ok_or_else(|| "`recovery_id` is not a number from 0 to 3".to_owned())
    }

    pub fn secret_key(&self) -> Result<gecc::SecretKey, String> {
        secret_key(required("secret_key", &self.secret_key)?)
    }
}

/// A key where it stands in the line: serde's own message would quote one that is not a text, and a text with escapes is
/// put together in memory that nobody wipes.
fn without_showing<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Zeroizing<String>>, D::Error> {
    let json = <&RawValue>::deserialize(input)?.get();
    if json == "null" {
        return Ok(None);
    }
    let text = json.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let text = text.ok_or_else(|| D::Error::custom("`secret_key` is not a text"))?;
    if text.contains('\\') {
        return Err(D::Error::custom("`secret_key` is written with escapes"));
    }
    Ok(Some(Zeroizing::new(text.to_owned())))
}

fn even_null<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::deserialize(input).map(Some)
}

/// A private key of 64 hexadecimal digits. The error does not show them.
fn secret_key(text: &str) -> Result<gecc::SecretKey, String> {
    let mut key = Zeroizing::new([0; 32]);
    hex::decode_to_slice(digits(text), key.as_mut_slice())
        .map_err(|_| "a private key is 64 hexadecimal digits".to_owned())?;
    Ok(gecc::SecretKey::from_bytes(*key))
}

fn required<'a, T>(name: &str, field: &'a Option<T>) -> Result<&'a T, String> {
    field.as_ref().ok_or_else(|| format!("`{name}` is not given"))
}

fn digits(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text)
}

fn bytes(name: &str, text: &str) -> Result<Vec<u8>, String> {
    hex::decode(digits(text)).map_err(|problem| format!("`{name}` is not hexadecimal: {problem}"))
}

fn exactly<const N: usize>(name: &str, text: &str) -> Result<[u8; N], String> {
    let bytes = bytes(name, text)?;
    let length = bytes.len();
    bytes.try_into().map_err(|_| format!("`{name}` has {length} bytes instead of {N}"))
}

//! The answer to an item, one line of JSON.

use crate::secrets::wiped::{Wiped, append};
use serde::Serialize;

/// What the output says of one item.
pub struct Answer {
    /// Whether the item counts as passed.
    pub passed: bool,
    /// `"name":value`, separated by commas. Shared secrets pass through here.
    pub(super) fields: Wiped,
}

impl Answer {
    pub fn passed() -> Self {
        Answer { passed: true, fields: Wiped::default() }
    }

    pub fn rejected() -> Self {
        Answer { passed: false, fields: Wiped::default() }
    }

    /// The answer of every command but `verify` for an item that failed.
    pub fn error(reason: impl ToString) -> Self {
        Self::rejected().json("error", reason.to_string())
    }

    /// Adds a field that is not secret.
    pub fn json(mut self, name: &str, value: impl Serialize) -> Self {
        let value = serde_json::to_vec(&value).expect("texts, numbers and flags have a JSON form");
        self.name(name);
        append(&mut self.fields, &value);
        self
    }

    /// Adds a field of bytes in hexadecimal.
    pub fn hex(mut self, name: &str, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        self.name(name);
        append(&mut self.fields, b"\"");
        let start = self.fields.len();
        append(&mut self.fields, &vec![0; 2 * bytes.len()]);
        hex::encode_to_slice(bytes, &mut self.fields[start..]).expect("two digits for each byte");
        append(&mut self.fields, b"\"");
        self
    }

    fn name(&mut self, name: &str) {
        let separator = if self.fields.is_empty() { "" } else { "," };
        append(&mut self.fields, format!("{separator}\"{name}\":").as_bytes());
    }
}

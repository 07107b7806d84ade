//! Consecutive fields of DER, with errors that name the field.

use ::der::asn1::AnyRef;
use ::der::{Decode, Reader, SliceReader, Tag, TagNumber, Tagged};

pub const SEQUENCE: Tag = Tag::Sequence;
pub const SET: Tag = Tag::Set;

/// Returns the tag of an explicitly tagged context-specific field, which contains another.
pub fn explicit(number: u32) -> Tag {
    Tag::ContextSpecific {
        constructed: true,
        number: TagNumber(number),
    }
}

/// Returns the tag of an implicitly tagged context-specific field, which replaces that of its type.
pub fn implicit(number: u32) -> Tag {
    Tag::ContextSpecific {
        constructed: false,
        number: TagNumber(number),
    }
}

/// The remaining fields of a constructed value.
pub struct DerFields<'a> {
    rest: &'a [u8],
}

impl<'a> DerFields<'a> {
    /// Returns the fields of an encoded value.
    ///
    /// # Errors
    /// An invalid encoding, another tag, or trailing data.
    pub fn of(encoded: &'a [u8], tag: Tag) -> Result<Self, String> {
        let value = AnyRef::from_der(encoded).map_err(|problem| problem.to_string())?;
        if value.tag() == tag {
            Ok(DerFields {
                rest: value.value(),
            })
        } else {
            Err(unexpected(value.tag(), tag))
        }
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Returns whether the next field has this tag.
    pub fn is_next(&self, tag: Tag) -> bool {
        SliceReader::new(self.rest)
            .and_then(|reader| Tag::peek(&reader))
            .is_ok_and(|next| next == tag)
    }

    /// Takes the next field, and returns its encoding.
    ///
    /// # Errors
    /// A description of the problem, with the name of the field.
    pub fn encoded(&mut self, name: &str, tag: Tag) -> Result<&'a [u8], String> {
        if self.rest.is_empty() {
            return Err(format!("{name} is missing"));
        }
        let (value, encoded) = self.any_encoded(name)?;
        if value.tag() == tag {
            Ok(encoded)
        } else {
            Err(format!("{name}: {}", unexpected(value.tag(), tag)))
        }
    }

    /// Takes the next field, and returns its value.
    ///
    /// # Errors
    /// Fails under the conditions of [`encoded`](Self::encoded).
    pub fn next(&mut self, name: &str, tag: Tag) -> Result<AnyRef<'a>, String> {
        let encoded = self.encoded(name, tag)?;
        AnyRef::from_der(encoded).map_err(|problem| format!("{name}: {problem}"))
    }

    /// Takes the next field of any type, and returns its value.
    ///
    /// # Errors
    /// Fails under the conditions of [`encoded`](Self::encoded).
    pub fn any(&mut self, name: &str) -> Result<AnyRef<'a>, String> {
        self.any_encoded(name).map(|(value, _)| value)
    }

    /// Takes the next field of any type, and returns its value and its encoding.
    ///
    /// # Errors
    /// Fails under the conditions of [`encoded`](Self::encoded).
    pub fn any_encoded(&mut self, name: &str) -> Result<(AnyRef<'a>, &'a [u8]), String> {
        let (value, encoded) =
            first_value(self.rest).map_err(|problem| format!("{name}: {problem}"))?;
        self.rest = &self.rest[encoded.len()..];
        Ok((value, encoded))
    }

    /// Takes the next field, and returns its fields.
    ///
    /// # Errors
    /// Fails under the conditions of [`encoded`](Self::encoded).
    pub fn constructed(&mut self, name: &str, tag: Tag) -> Result<DerFields<'a>, String> {
        Ok(DerFields {
            rest: self.next(name, tag)?.value(),
        })
    }

    /// Takes the next field if it has this tag, and returns its value.
    ///
    /// # Errors
    /// Fails under the conditions of [`encoded`](Self::encoded).
    pub fn optional(&mut self, name: &str, tag: Tag) -> Result<Option<AnyRef<'a>>, String> {
        if self.is_next(tag) {
            self.next(name, tag).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Requires that no field is left.
    ///
    /// # Errors
    /// The name of the value that has further fields.
    pub fn end(&self, of: &str) -> Result<(), String> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(format!("{of}: an unknown field follows the last one"))
        }
    }
}

/// Returns the first of consecutive values, and its encoding.
fn first_value(values: &[u8]) -> ::der::Result<(AnyRef<'_>, &[u8])> {
    let encoded = SliceReader::new(values)?.tlv_bytes()?;
    Ok((AnyRef::from_der(encoded)?, encoded))
}

fn unexpected(found: Tag, expected: Tag) -> String {
    format!("expected {expected}, found {found}")
}

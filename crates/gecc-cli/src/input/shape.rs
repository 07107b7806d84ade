//! Fast reading of JSON objects that differ from an earlier one only in their values, as most lines
//! of a file do.

use super::fields::{Fields, Tag};
use super::names::{FieldNames, Role};
use memchr::memchr;

/// The members of an object, in order, and the text around their values. Values are strings without
/// escapes, or integers.
pub struct ObjectShape {
    members: Vec<Member>,
    /// The text after the last value.
    end: String,
}

struct Member {
    /// The text before the value, from the end of the previous value.
    before: String,
    /// `None` for a member that is ignored.
    role: Option<Role>,
    is_text: bool,
}

impl ObjectShape {
    /// Derives the shape of an object that a JSON parser has read. Returns `None` if it has other
    /// values.
    pub fn of(object: &str, names: &FieldNames) -> Option<Self> {
        if !is_plain(object.as_bytes()) {
            return None;
        }
        let mut members = Vec::new();
        let mut found = Vec::new();
        let mut written = 0;
        let mut rest = object.strip_prefix('{')?.trim_start();
        while let Some(name) = rest.strip_prefix('"') {
            let (name, value) = name.split_once('"')?;
            let value = value.trim_start().strip_prefix(':')?.trim_start();
            let (is_text, start) = match value.strip_prefix('"') {
                Some(text) => (true, text),
                None => (false, value),
            };
            let length = value_length(start, is_text)?;
            let at = object.len() - start.len();
            found.push(name);
            members.push(Member {
                before: object[written..at].to_owned(),
                role: None,
                is_text,
            });
            written = at + length;
            let after = start[length..]
                .strip_prefix('"')
                .unwrap_or(&start[length..])
                .trim_start();
            rest = after.strip_prefix(',').unwrap_or(after).trim_start();
        }
        let roles = names.roles(&found).ok()?;
        members
            .iter_mut()
            .zip(roles)
            .for_each(|(member, role)| member.role = role);
        (rest == "}").then(|| ObjectShape {
            members,
            end: object[written..].to_owned(),
        })
    }

    /// Returns the fields of an object of this shape, as a JSON parser would. Returns `None` for
    /// other objects.
    pub fn read<'a>(&self, object: &'a str) -> Option<Fields<'a>> {
        if !is_plain(object.as_bytes()) {
            return None;
        }
        let mut fields = Fields::default();
        let mut rest = object;
        for Member {
            before,
            role,
            is_text,
        } in &self.members
        {
            rest = rest.strip_prefix(before.as_str())?;
            let (text, after) = rest.split_at(value_length(rest, *is_text)?);
            if let Some(role) = role {
                let start = object.len() - rest.len();
                let quotes = usize::from(*is_text);
                let json = &object[start - quotes..start + text.len() + quotes];
                fields.put(*role, text, Tag::Json(json));
            }
            rest = after;
        }
        (rest == self.end).then_some(fields)
    }
}

/// Returns whether a text has neither escapes nor control characters, nor control characters
/// between values.
fn is_plain(text: &[u8]) -> bool {
    // Without early exit, so that the loop is vectorised.
    text.iter().fold(true, |plain, byte| {
        plain & (*byte >= b' ') & (*byte != b'\\')
    })
}

/// Returns the length of a string up to its quote, or of a number that JSON allows.
fn value_length(rest: &str, is_text: bool) -> Option<usize> {
    if is_text {
        return memchr(b'"', rest.as_bytes());
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    (digits == 1 || digits > 1 && !rest.starts_with('0')).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::fields::SignatureRules;
    use gecc::fields::{Field, FormCounts, SignatureForm, SignatureReader};

    fn reader() -> SignatureReader {
        let verify = gecc::call::Operation::verify(gecc::CurveId::P256, Default::default());
        verify.signature_reader(SignatureForm::Auto).unwrap()
    }

    fn parsed(object: &str) -> Result<Fields<'_>, crate::input::items::Unreadable<'_>> {
        Fields::from_json(object, &FieldNames::of_all(), &mut Default::default())
    }

    /// Formats everything that is read of the fields.
    fn described(fields: &Fields) -> String {
        let content = fields.content(true).map(|content| match content {
            super::super::fields::SignedContent::Digest(digest) => format!("digest {digest:?}"),
            super::super::fields::SignedContent::Message(digits) => format!("message {digits}"),
        });
        let mut signature = [0; 64];
        let mut secret_key = [0; 32];
        let rules = SignatureRules {
            reader: reader(),
            decimal: false,
        };
        let signed = fields.signature(&rules, &mut signature, &mut FormCounts::default());
        let key = fields.secret_key_into(&mut secret_key);
        let public_key = fields.public_key();
        let id = fields.recovery_id(None, reader());
        let tag = fields.tag.map(tag_of);
        format!(
            "{content:?} {signed:?} {signature:?} {key:?} {secret_key:?} {public_key:?} {id:?} {:?} {tag:?}",
            fields.value(Field::Id)
        )
    }

    fn tag_of(tag: super::super::fields::Tag) -> String {
        match tag {
            super::super::fields::Tag::Json(json) | super::super::fields::Tag::Text(json) => {
                json.to_owned()
            }
        }
    }

    fn hex(bytes: usize) -> String {
        let mut random = vec![0; bytes];
        getrandom::fill(&mut random).unwrap();
        const_hex::encode(random)
    }

    fn object(tag: &str) -> String {
        let digest = hex(32);
        let signature = hex(64);
        let key = hex(33);
        format!(
            "{{ \"digest\": \"{digest}\",\"signature\" :\"0x{signature}\", \"public_key\":\"{key}\",\"height\":{},\"recovery_id\":1,\
             \"x\":\"{}\",\"tag\":{tag}, \"id\":\"é\" }}",
            digest.len() + tag.len(),
            hex(3)
        )
    }

    #[test]
    fn objects_of_a_shape_are_read_as_by_the_parser() {
        let shape = ObjectShape::of(&object("\"first\""), &FieldNames::of_all()).unwrap();
        for tag in ["\"\"", "\"second, longer\"", "\"ü\"", "\"{}\""] {
            let object = object(tag);
            let read = shape.read(&object).expect("the shape is the same");
            assert_eq!(
                described(&read),
                described(&parsed(&object).ok().unwrap()),
                "{object}"
            );
        }
        let key = format!("{{\"secret_key\":\"{}\"}}", hex(32));
        let read = ObjectShape::of(&key, &FieldNames::of_all())
            .unwrap()
            .read(&key);
        assert_eq!(
            described(&read.unwrap()),
            described(&parsed(&key).ok().unwrap())
        );
        assert!(
            ObjectShape::of("{}", &FieldNames::of_all())
                .unwrap()
                .read("{}")
                .is_some()
        );
        for other in [
            "\"a\\\"b\"",
            "1",
            "null",
            "[1]",
            "\"a\",\"tag2\":1",
            "\"a\tb\"",
        ] {
            assert!(shape.read(&object(other)).is_none(), "{other}");
        }
    }

    #[test]
    fn values_of_other_kinds_have_no_shape() {
        for value in [
            "null",
            "true",
            "-1",
            "1.5",
            "1e3",
            "[]",
            "{}",
            "\"\\u0041\"",
        ] {
            let object = format!("{{\"digest\":\"00\",\"x\":{value}}}");
            assert!(
                parsed(&object).is_ok()
                    && ObjectShape::of(&object, &FieldNames::of_all()).is_none(),
                "{object}"
            );
        }
    }

    /// Whatever is changed in an object, reading it by its shape either fails or yields what the
    /// parser yields.
    #[test]
    fn changed_objects_are_read_as_by_the_parser_or_not_at_all() {
        const CHANGES: usize = 200_000;
        let bytes = b"\"\\{}[]:,0123456789abcfxeE+-. \t\r\n\x01tagid";
        let original = object("7");
        let mut random = vec![0; 8 * CHANGES];
        let mut read = 0;
        let shape = ObjectShape::of(&original, &FieldNames::of_all()).unwrap();
        getrandom::fill(&mut random).unwrap();
        for choices in random.as_chunks::<8>().0 {
            let mut changed = original.clone().into_bytes();
            for [a, b, c, d] in choices.as_chunks().0 {
                let place = usize::from(u16::from_le_bytes([*a, *b])) % changed.len();
                let choice = usize::from(u16::from_le_bytes([*c, *d]));
                let byte = bytes[choice % bytes.len()];
                match choice % 3 {
                    0 => changed.insert(place, byte),
                    1 => _ = changed.remove(place),
                    _ => changed[place] = byte,
                }
            }
            let Ok(changed) = String::from_utf8(changed) else {
                continue;
            };
            if let Some(fields) = shape.read(&changed) {
                let parsed =
                    parsed(&changed).unwrap_or_else(|(problem, _)| panic!("{problem}: {changed}"));
                assert_eq!(described(&fields), described(&parsed), "{changed}");
                read += 1;
            }
            if let (Ok(_), Some(shape)) = (
                parsed(&changed),
                ObjectShape::of(&changed, &FieldNames::of_all()),
            ) {
                assert!(shape.read(&changed).is_some(), "{changed}");
            }
        }
        assert!(read > CHANGES / 4, "{read}");
    }
}

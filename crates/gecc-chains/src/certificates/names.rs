//! Comparison of the names of issuers and subjects.
//!
//! RFC 5280, section 7.1: the attributes of a relative name may be in any order, and strings are
//! compared regardless of their type, of case, and of white space at the ends; several white space
//! characters count as one. Case is folded with Unicode's mapping to lower case; strings are not
//! normalised further (RFC 4518 requires NFKC too). OpenSSL compares likewise, but folds only ASCII
//! letters.

use super::der::{DerFields, SEQUENCE, SET};
use ::der::{Tag, Tagged};

/// Rewrites a name in DER so that equal names have equal bytes.
///
/// # Errors
/// A description of the error in the name.
pub fn folded(name: &[u8]) -> Result<Vec<u8>, String> {
    let mut folded = Vec::new();
    let mut relative_names = DerFields::of(name, SEQUENCE)?;
    while !relative_names.is_empty() {
        let mut attributes = relative_names.constructed("RelativeDistinguishedName", SET)?;
        let mut all = Vec::new();
        while !attributes.is_empty() {
            let mut attribute = attributes.constructed("AttributeTypeAndValue", SEQUENCE)?;
            let kind = attribute.next("type", Tag::ObjectIdentifier)?;
            let (value, encoded) = attribute.any_encoded("value")?;
            attribute.end("AttributeTypeAndValue")?;
            let mut one = Vec::new();
            put(kind.value(), &mut one);
            match text(value.tag(), value.value()) {
                Some(text) => put(fold(&text).as_bytes(), &mut one),
                // A value that is not a string is compared by its encoding. Its three parts cannot
                // be confused with a type and a string.
                None => {
                    put(&[], &mut one);
                    put(encoded, &mut one);
                }
            }
            all.push(one);
        }
        all.sort_unstable();
        put(&all.concat(), &mut folded);
    }
    Ok(folded)
}

/// Appends bytes after their length.
fn put(bytes: &[u8], to: &mut Vec<u8>) {
    to.extend_from_slice(&(bytes.len() as u64).to_be_bytes());
    to.extend_from_slice(bytes);
}

/// Returns the text of a string; `None` if the value is of another type, or malformed.
fn text(tag: Tag, value: &[u8]) -> Option<String> {
    match tag {
        Tag::Utf8String => String::from_utf8(value.to_vec()).ok(),
        // Some writers use characters outside these types' character sets, as OpenSSL permits.
        Tag::PrintableString | Tag::Ia5String | Tag::VisibleString | Tag::TeletexString => {
            Some(value.iter().copied().map(char::from).collect())
        }
        Tag::BmpString => {
            let (units, []) = value.as_chunks() else {
                return None;
            };
            char::decode_utf16(units.iter().copied().map(u16::from_be_bytes))
                .collect::<Result<_, _>>()
                .ok()
        }
        _ => None,
    }
}

fn fold(text: &str) -> String {
    text.split_ascii_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tagged(tag: u8, content: &[u8]) -> Vec<u8> {
        [&[tag, content.len() as u8], content].concat()
    }

    fn attribute(kind: u8, tag: u8, value: &[u8]) -> Vec<u8> {
        tagged(
            0x30,
            &[tagged(6, &[0x55, 4, kind]), tagged(tag, value)].concat(),
        )
    }

    fn name(relative_names: &[&[Vec<u8>]]) -> Vec<u8> {
        let sets: Vec<Vec<u8>> = relative_names
            .iter()
            .map(|attributes| tagged(0x31, &attributes.concat()))
            .collect();
        tagged(0x30, &sets.concat())
    }

    fn of(tag: u8, value: &[u8]) -> Vec<u8> {
        folded(&name(&[&[attribute(3, tag, value)]])).unwrap()
    }

    #[test]
    fn folded_names_are_equal_as_in_rfc_5280() {
        let expected = of(0x0c, b"example root");
        for (tag, value) in [
            (0x13, &b"Example Root"[..]),
            (0x13, b"  EXAMPLE \t ROOT "),
            (0x16, b"Example root"),
            (0x1a, b"Example root"),
            (0x14, b"Example root"),
            (0x1e, b"\0E\0x\0a\0m\0p\0l\0e\0 \0R\0o\0o\0t"),
        ] {
            assert_eq!(of(tag, value), expected, "{value:?}");
        }
        assert_eq!(of(0x0c, "ÄRA".as_bytes()), of(0x14, b"\xe4ra"));
        for (tag, value) in [
            (0x0c, &b"examplero ot"[..]),
            (0x0c, b"example  root 2"),
            (4, b"example root"),
            (0x0c, b"\xff"),
        ] {
            assert_ne!(of(tag, value), expected, "{value:?}");
        }
        // Malformed strings and other types are equal if their bytes are.
        assert_eq!(of(0x0c, b"\xff"), of(0x0c, b"\xff"));
        assert_ne!(of(4, b"a"), of(4, b"A"));
    }

    #[test]
    fn folded_ignores_order_of_attributes_only() {
        let a = attribute(3, 0x0c, b"a");
        let b = attribute(10, 0x13, b"B");
        let [ab, ba] = [[a.clone(), b.clone()], [b.clone(), a.clone()]];
        assert_eq!(folded(&name(&[&ab])), folded(&name(&[&ba])));
        let one = [a];
        let two = [b];
        assert_ne!(folded(&name(&[&one, &two])), folded(&name(&[&two, &one])));
        assert_ne!(folded(&name(&[&one, &two])), folded(&name(&[&ab])));
        assert_ne!(
            of(0x0c, b"a"),
            folded(&name(&[&[attribute(10, 0x0c, b"a")]])).unwrap()
        );
    }
}

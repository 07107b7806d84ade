//! Private keys in common file formats, which are detected by content.

use crate::input::{items, layout};
use crate::secrets::buffers::{Wiped, append, push};
use gecc::SecretKey;
use gecc::fields::hex_digits;
use gecc_keys::{KeyKind, are_secret_keys};
use serde::de::IgnoredAny;
use std::io::{Cursor, Read};
use zeroize::Zeroizing;

/// The number of bytes that are examined to detect the form.
const HEAD: usize = 1 << 16;
/// The maximum size of PEM, DER and JWK files, which are held in memory as a whole. Files with one
/// key per line have no such limit.
const LONGEST: usize = 256 << 20;

/// Reads all keys. Keys that state their purpose have to match `kind`, and public keys next to them
/// have to belong to them.
///
/// The caller wipes the stack. Errors do not show any key.
pub fn read(source: Box<dyn Read + Send>, kind: KeyKind) -> Result<Vec<SecretKey>, String> {
    match read_content(source, kind)? {
        KeyFileContent::Keys(keys) => Ok(keys),
        KeyFileContent::Lines(source) => of_lines(source),
    }
}

/// Reads one key per line: hexadecimal, or JSON Lines or CSV with the field `secret_key`, as in
/// `gecc pubkey`. These forms name no curve.
fn of_lines(source: Box<dyn Read + Send>) -> Result<Vec<SecretKey>, String> {
    let mut keys = Vec::new();
    items::each_key(source, |line, fields| {
        let key = fields.and_then(|fields| fields.secret_key());
        push(
            &mut keys,
            key.map_err(|problem| format!("line {line}: {problem}"))?,
        );
        Ok(())
    })?;
    Ok(keys)
}

/// Keys, or a source of lines.
pub enum KeyFileContent {
    Keys(Vec<SecretKey>),
    Lines(Box<dyn Read + Send>),
}

/// Reads all keys of PEM, DER or JWK. Reads no more than is needed to detect another form: one line
/// with a key is sufficient.
///
/// The caller wipes the stack.
pub fn read_content(
    mut source: Box<dyn Read + Send>,
    kind: KeyKind,
) -> Result<KeyFileContent, String> {
    let mut head = Zeroizing::new(vec![0; HEAD]);
    let mut length = 0;
    let is_named = loop {
        let more =
            items::read(&mut source, &mut head[length..]).map_err(|problem| problem.to_string())?;
        length += more;
        if let Some(is_named) = detect_named_form(&head[..length]) {
            break is_named;
        }
        // The input has ended, or the buffer is full.
        if more == 0 {
            break are_secret_keys(&head[..length]);
        }
    };
    head.truncate(length);
    if let Some(what) = gecc_keys::unsupported_file(&head).filter(|_| !is_named) {
        return Err(format!("this is {what}"));
    }
    let again = Box::new(Cursor::new(head).chain(source));
    if is_named {
        gecc_keys::secret_keys(&whole(again)?, kind).map(KeyFileContent::Keys)
    } else {
        Ok(KeyFileContent::Lines(again))
    }
}

/// Returns whether keys that begin with `head` are in a form without lines. Returns `None` while
/// more bytes could change the answer.
fn detect_named_form(head: &[u8]) -> Option<bool> {
    if layout::without_mark(head)
        .trim_ascii_start()
        .starts_with(b"{")
    {
        // A line of JSON Lines may have members of JSON Web Keys before its `secret_key`.
        let object = serde_json::from_slice::<IgnoredAny>(layout::without_mark(head));
        return object
            .map_or_else(|problem| !problem.is_eof(), |_| true)
            .then(|| are_secret_keys(head));
    }
    if are_secret_keys(head) {
        return Some(true);
    }
    if let [b'[', rest @ ..] = layout::without_mark(head).trim_ascii_start() {
        // An array of numbers is a key, an array of objects holds items.
        return rest.trim_ascii_start().first().map(|_| false);
    }
    // Text may precede PEM.
    let mut whole_lines = head
        .split_inclusive(|byte| *byte == b'\n')
        .filter(|line| line.ends_with(b"\n"));
    whole_lines.any(is_line_of_keys).then_some(false)
}

/// Returns whether a line is digits, begins an array, or is a header.
fn is_line_of_keys(line: &[u8]) -> bool {
    let text = layout::without_mark(line).trim_ascii();
    let digits = hex_digits(text);
    let are_digits = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    are_digits || layout::names_a_key(text)
}

fn whole(mut source: Box<dyn Read + Send>) -> Result<Wiped, String> {
    let mut all = Wiped::default();
    let mut part = Zeroizing::new(vec![0; HEAD]);
    loop {
        match items::read(&mut source, &mut part).map_err(|problem| problem.to_string())? {
            0 => return Ok(all),
            length => append(&mut all, &part[..length]),
        }
        if all.len() > LONGEST {
            return Err(format!(
                "longer than {LONGEST} bytes; a file with a key in hexadecimal on each line may be"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gecc::CurveId;

    fn keys(content: &str) -> Vec<[u8; 32]> {
        let keys = read(
            Box::new(Cursor::new(content.as_bytes().to_vec())),
            CurveId::P256.into(),
        )
        .unwrap();
        keys.iter().map(|key| *key.expose_bytes()).collect()
    }

    /// A minimum of bytes is decisive: a line with a key, a header, or the end of an object.
    #[test]
    fn reader_reads_no_more_than_detection_needs() {
        let digits = "11".repeat(32);
        let line = format!("{{\"kty\": \"EC\", \"secret_key\": \"{digits}\"}}");
        for (text, expected) in [
            ("-----BEGIN PRIVATE KEY-----", Some(true)),
            (
                "Bag Attributes\n    localKeyID: 01\n-----BEGIN EC PRIVATE KEY-----\n",
                Some(true),
            ),
            ("Bag Attributes\n    localKeyID: 01\n", None),
            ("{\n  \"kty\": \"EC\",\n  \"crv\": \"P-256\",", None),
            ("{\"kty\": \"EC\"}", Some(true)),
            (&line, Some(false)),
            (&line[..20], None),
            ("", None),
            (&digits, None),
            (&format!("# keys\n0x{digits}\n"), Some(false)),
            ("\u{feff}secret_key,tag\n", Some(false)),
            ("[\n", None),
            ("[\n{", Some(false)),
            ("[\n1", Some(true)),
            // A key that is too short counts as one, and gets its own error.
            ("11\n", Some(false)),
        ] {
            assert_eq!(detect_named_form(text.as_bytes()), expected, "{text}");
        }
        let der: [u8; 6] = [0x30, 0x77, 0x02, 0x01, 0x01, 0x04];
        assert_eq!(
            [0, 1, 2, 3].map(|length| detect_named_form(&der[..length])),
            [None, None, None, Some(true)]
        );
    }

    #[test]
    fn lines_are_distinguished_from_forms_that_name_a_curve() {
        let digits = "11".repeat(32);
        for line in [
            digits.clone(),
            format!("0x{digits}"),
            format!("0X{digits}\n# end\n"),
            format!("\\x{digits}\n"),
        ] {
            assert_eq!(keys(&line), [[0x11; 32]]);
        }
        // Digits that look like a DER sequence, and a line of JSON with a member of JSON Web Keys.
        assert_eq!(keys(&"30".repeat(32)), [[0x30; 32]]);
        assert_eq!(
            keys(&format!(r#"{{"kty": "EC", "secret_key": "{digits}"}}"#)),
            [[0x11; 32]]
        );
        let d = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc";
        assert_eq!(
            keys(&format!(r#"{{"kty": "EC", "crv": "P-256", "d": "{d}"}}"#)),
            [[7; 32]]
        );
    }
}

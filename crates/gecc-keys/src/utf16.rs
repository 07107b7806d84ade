//! Texts in UTF-16, as written by programs on Windows.

use zeroize::Zeroizing;

/// Returns whether a text is UTF-16: it has a byte order mark, or every second byte of PEM's dashes
/// is zero.
pub fn is_utf16(text: &[u8]) -> bool {
    [&b"\xff\xfe"[..], b"\xfe\xff", b"-\0-\0-\0", b"\0-\0-\0-"].iter().any(|start| text.starts_with(start))
}

/// Converts a text in UTF-16 to ASCII, with `?` for other characters. Returns `None` for other
/// texts.
pub fn narrowed(text: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    if !is_utf16(text) {
        return None;
    }
    let is_big_endian = text.starts_with(b"\xfe\xff") || text.starts_with(b"\0");
    let marked = text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff");
    let text = if marked { &text[2..] } else { text };
    let mut ascii = Zeroizing::new(Vec::with_capacity(text.len() / 2));
    ascii.extend(text.as_chunks().0.iter().map(|pair| {
        let unit = if is_big_endian { u16::from_be_bytes(*pair) } else { u16::from_le_bytes(*pair) };
        u8::try_from(unit).ok().filter(u8::is_ascii).unwrap_or(b'?')
    }));
    Some(ascii)
}

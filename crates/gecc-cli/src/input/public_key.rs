//! Public keys in forms that say what they are for, as texts: those of `gecc_keys`, of which DER is hexadecimal.

use gecc::fields::is_key_text;
use gecc_keys::KeyKind;

/// Whether a text is a public key in such a form. Hexadecimal digits of SEC 1, and of 32 bytes, are none.
pub fn is_named(text: &str) -> bool {
    /// Digits of the shortest DER, that of a key of Ed25519 (RFC 8410).
    const SHORTEST: usize = 2 * 44;
    let is_text = || is_key_text(text) && !text.starts_with(|first: char| first.is_ascii_hexdigit());
    text.starts_with("30") && text.len() >= SHORTEST && !matches!(text.len(), 128 | 130) || is_text()
}

/// The hexadecimal digits of the point in SEC 1, or of the 32 bytes of a key of Ed25519.
pub fn plain_digits(text: &str, kind: KeyKind) -> Result<String, String> {
    let decoded;
    let key = if is_key_text(text) {
        text.as_bytes()
    } else {
        decoded = const_hex::decode(text).map_err(|_| "`public_key` is not hexadecimal".to_owned())?;
        &decoded
    };
    let malformed = || Err("`public_key` is no key of an elliptic curve with a name (RFC 5480)".to_owned());
    gecc_keys::public_key(key, kind).unwrap_or_else(malformed).map(const_hex::encode)
}

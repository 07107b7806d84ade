//! Public keys as texts that state their purpose: the forms of `gecc_keys`, with DER in
//! hexadecimal.

use gecc::fields::is_key_text;
use gecc_keys::KeyKind;

/// Returns whether a text is a public key in such a form. Hexadecimal digits of SEC 1, or of 32
/// bytes, are not.
pub fn is_named(text: &str, kind: KeyKind) -> bool {
    /// The number of digits of the shortest DER, that of an Ed25519 key (RFC 8410).
    const SHORTEST: usize = 2 * 44;
    let is_der = text.starts_with("30") && text.len() >= SHORTEST && !matches!(text.len(), 128 | 130);
    // A COSE_Key, PEM that was decoded from base64, or an Ed25519 key after a byte ED.
    let may_be_bytes = || {
        let first = text.as_bytes().first().map_or(0, u8::to_ascii_lowercase);
        matches!(first, b'a' | b'b') || text.starts_with("2d2d") || (text.len() == 66 && kind == KeyKind::Ed25519)
    };
    let is_bytes = || {
        let bytes = const_hex::decode(text).ok().filter(|bytes| !matches!(bytes.len(), 32 | 64 | 65));
        bytes.is_some_and(|bytes| gecc_keys::public_key(&bytes, kind).is_some())
    };
    is_der || (is_key_text(text) && gecc_keys::is_public_key(text.as_bytes())) || (may_be_bytes() && is_bytes())
}

/// Returns the hexadecimal digits of the point in SEC 1, or of the 32 bytes of an Ed25519 key.
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

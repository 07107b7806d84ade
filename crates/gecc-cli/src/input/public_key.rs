//! Public keys in forms that name their curve, as texts: those of `gecc_keys`, of which DER is hexadecimal.

use gecc::CurveId;

/// Whether a text is a public key in such a form. Hexadecimal digits of SEC 1 are none.
pub fn is_named(text: &str) -> bool {
    /// Digits of the shortest DER of a key on a curve of 256 bits.
    const SHORTEST: usize = 2 * 50;
    text.starts_with(['-', '{']) || text.starts_with("30") && text.len() >= SHORTEST && !matches!(text.len(), 128 | 130)
}

/// The hexadecimal digits of the point in SEC 1.
pub fn sec1_digits(text: &str, curve: CurveId) -> Result<String, String> {
    let decoded;
    let key = if text.starts_with(['-', '{']) {
        text.as_bytes()
    } else {
        decoded = const_hex::decode(text).map_err(|_| "`public_key` is not hexadecimal".to_owned())?;
        &decoded
    };
    let malformed = || Err("`public_key` is no key of an elliptic curve with a name (RFC 5480)".to_owned());
    gecc_keys::public_key(key, curve).unwrap_or_else(malformed).map(const_hex::encode)
}

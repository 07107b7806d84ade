//! Keys in lines of text, in forms that state their purpose: for private keys PEM, JSON Web Keys,
//! WIF and others, for public keys the forms of `gecc_keys`, with DER in hexadecimal.

use crate::secrets::buffers::Wiped;
use gecc::fields::{hex_digits, is_key_text};
use gecc::{Backend, Engine, SecretKey, stack};
use gecc_keys::{KeyKind, SecretKeyPerFile};
use std::sync::OnceLock;

/// Returns whether a value is, or is meant to be, a private key in such a form.
pub fn is_private_key(text: &str) -> bool {
    let text = text.trim();
    // No branch depends on a digit of a plain key.
    hex_digits(text.as_bytes()).len() != 64
        && (text.starts_with('{')
            || text.contains("-----BEGIN")
            || gecc_keys::is_secret_key(text.as_bytes()))
}

/// Parses the key of a value that may contain JSON escapes of line ends, `/` and `"`. Errors do not
/// show the key.
pub fn read_private_key(text: &str, kind: KeyKind) -> Result<SecretKey, String> {
    let engine = engine().map_err(|problem| problem.to_string())?;
    let plain = without_escapes(text.trim()).ok_or("`secret_key` has escapes that no key needs")?;
    let keys = stack::wiped(|| SecretKeyPerFile::read([&plain[..]], kind, Some(engine.clone())))?;
    keys.get(0)
        .cloned()
        .map_err(|problem| format!("`secret_key`: {problem}"))
}

/// Returns an engine for single keys. The lines of an input share it; otherwise each would start
/// threads.
fn engine() -> Result<&'static Engine, gecc::Error> {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    if let Some(engine) = ENGINE.get() {
        return Ok(engine);
    }
    // The start values of threads have gaps that hold the contents of this stack, where keys of
    // other lines were.
    stack::wiped(|| ());
    let engine = Engine::builder().backend(Backend::Cpu).threads(1).build()?;
    Ok(ENGINE.get_or_init(|| engine))
}

/// Removes escapes. The capacity is that of the text, so that growing leaves nothing behind.
fn without_escapes(text: &str) -> Option<Wiped> {
    let mut plain = Wiped::new(Vec::with_capacity(text.len()));
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        plain.push(match byte {
            b'\\' => match bytes.next()? {
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                same @ (b'/' | b'"' | b'\\') => same,
                _ => return None,
            },
            other => other,
        });
    }
    Some(plain)
}

/// Returns whether a text is a public key in such a form. Hexadecimal digits of SEC 1, or of 32
/// bytes, are not.
pub fn is_public_key(text: &str, kind: KeyKind) -> bool {
    /// The number of digits of the shortest DER, that of an Ed25519 or X25519 key (RFC 8410).
    const SHORTEST: usize = 2 * 44;
    let is_der =
        text.starts_with("30") && text.len() >= SHORTEST && !matches!(text.len(), 128 | 130);
    // A COSE_Key, PEM that was decoded from base64, or an Ed25519 key after a byte ED.
    let first = text.as_bytes().first().map_or(0, u8::to_ascii_lowercase);
    let may_be_bytes = matches!(first, b'a' | b'b')
        || text.starts_with("2d2d")
        || (text.len() == 66 && kind == KeyKind::Ed25519);
    is_der
        || (is_key_text(text) && gecc_keys::is_public_key(text.as_bytes()))
        || (may_be_bytes && is_public_key_in_hex(text, kind))
}

/// Returns whether a text is a public key in hexadecimal digits, in a form other than those of
/// plain keys.
fn is_public_key_in_hex(text: &str, kind: KeyKind) -> bool {
    const_hex::decode(text)
        .ok()
        .filter(|bytes| !matches!(bytes.len(), 32 | 64 | 65))
        .is_some_and(|bytes| gecc_keys::public_key(&bytes, kind).is_some())
}

/// Converts the digits of a key in the hybrid form of X9.62 to those of SEC 1. Returns `None` for
/// other keys.
pub fn sec1_digits_of_hybrid(digits: &str) -> Option<String> {
    let mut key = [0; 65];
    const_hex::decode_to_slice(digits, &mut key).ok()?;
    gecc_keys::hybrid_row(&key).map(const_hex::encode)
}

/// Returns the hexadecimal digits of the point in SEC 1, or of the 32 bytes of an Ed25519 or X25519
/// key.
pub fn public_key_digits(text: &str, kind: KeyKind) -> Result<String, String> {
    let decoded;
    let key = if is_key_text(text) {
        text.as_bytes()
    } else {
        decoded =
            const_hex::decode(text).map_err(|_| "`public_key` is not hexadecimal".to_owned())?;
        &decoded
    };
    match gecc_keys::public_key(key, kind) {
        Some(key) => key.map(const_hex::encode),
        None => Err("`public_key` is not a key on a named elliptic curve (RFC 5480)".to_owned()),
    }
}

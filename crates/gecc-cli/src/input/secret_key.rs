//! Private keys in lines of text, in forms that state their purpose, such as PEM, JSON Web Keys and
//! WIF.

use crate::secrets::wiped::Wiped;
use gecc::{Backend, Engine, SecretKey, stack};
use gecc_keys::{KeyKind, KeyOfEach};
use std::sync::OnceLock;

/// Returns whether a value is, or is meant to be, a private key in such a form.
pub fn is_named(text: &str) -> bool {
    let text = text.trim();
    // No branch depends on a digit of a plain key.
    gecc::fields::hex_digits(text.as_bytes()).len() != 64
        && (text.starts_with('{') || text.contains("-----BEGIN") || gecc_keys::is_secret_key(text.as_bytes()))
}

/// Parses the key of a value that may contain JSON escapes of line ends, `/` and `"`. Errors do not
/// show the key.
pub fn read(text: &str, kind: KeyKind) -> Result<SecretKey, String> {
    let engine = engine().map_err(|problem| problem.to_string())?;
    let plain = without_escapes(text.trim()).ok_or("`secret_key` has escapes that no key needs")?;
    let keys = stack::wiped(|| KeyOfEach::read([&plain[..]], kind, Some(engine.clone())))?;
    keys.get(0).cloned().map_err(|problem| format!("`secret_key`: {problem}"))
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

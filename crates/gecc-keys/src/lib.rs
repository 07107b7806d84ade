//! Keys in forms that say what they are for, as files and other programs have them: PEM, DER, certificates, and JSON
//! Web Keys, and of Ed25519 those of OpenSSH.
//!
//! The caller wipes the stack below a call that reads private keys ([`gecc::stack::wiped`]). No error shows any part of
//! one.

mod der;
mod jwk;
mod kind;
mod openssh;
mod pairs;
mod pem;
mod public_key;

use gecc::{Engine, SecretKey};
pub use kind::KeyKind;
use pairs::Pairs;
pub use public_key::{Reader, public_key};

/// What a file with private keys is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// RFC 7468: blocks of base64, and text between them.
    Pem,
    /// SEC 1 or PKCS#8, one key.
    Der,
    /// RFC 7517: keys or sets of keys, one after the other.
    Jwk,
}

impl Form {
    fn of(head: &[u8]) -> Option<Self> {
        if der::begins(head) {
            Some(Form::Der)
        } else if pem::begins(head) {
            Some(Form::Pem)
        } else {
            jwk::begins(head).then_some(Form::Jwk)
        }
    }
}

/// Whether a file begins as private keys do in one of these forms. A few of its first kilobytes are enough.
pub fn are_secret_keys(head: &[u8]) -> bool {
    Form::of(head).is_some()
}

/// The private keys of a file, in their order; of Ed25519 the seeds. They have to be for this curve, or for Ed25519,
/// where they say what they are for, and public keys beside them have to be theirs. Text and blocks of other things
/// between PEM's keys are skipped. **Constant-time** in the keys, but for their base64.
///
/// # Errors
/// A text for the user, also for a file in no such form.
pub fn secret_keys(file: &[u8], kind: impl Into<KeyKind>) -> Result<Vec<SecretKey>, String> {
    let mut pairs = Pairs::new(kind.into(), None);
    read(file, &mut pairs)?;
    pairs.finish()
}

/// Private keys of files that have one each, such as the cells of a column.
pub struct KeyOfEach {
    keys: Vec<SecretKey>,
    /// The place of each file's key.
    places: Vec<Result<usize, String>>,
}

impl KeyOfEach {
    /// Reads each file as [`secret_keys`] does. One that cannot be read, or does not belong to the public key beside
    /// it, or is not the only one of its file, is an error of its own. **Constant-time** in the keys, but for their
    /// base64. Public keys are computed by the engine, or by one on all cores that is made for them.
    ///
    /// # Errors
    /// Where public keys cannot be computed.
    pub fn read<'a>(
        files: impl IntoIterator<Item = &'a [u8]>,
        kind: impl Into<KeyKind>,
        engine: Option<Engine>,
    ) -> Result<Self, String> {
        let (mut pairs, mut places) = (Pairs::new(kind.into(), engine), Vec::new());
        for file in files {
            let before = pairs.len();
            let place = read(file, &mut pairs).and_then(|()| match pairs.len() - before {
                1 => Ok(before),
                count => Err(format!("{count} private keys, not one")),
            });
            if place.is_err() {
                pairs.truncate(before);
            }
            places.push(place);
        }
        let (keys, wrong) = pairs.finish_each()?;
        for place in &mut places {
            let problem = place.as_ref().ok().and_then(|place| wrong.get(place));
            if let Some(problem) = problem {
                *place = Err(problem.clone());
            }
        }
        Ok(KeyOfEach { keys, places })
    }

    /// The key of a file.
    ///
    /// # Errors
    /// A text for the user.
    ///
    /// # Panics
    /// Where there are fewer files.
    pub fn get(&self, file: usize) -> Result<&SecretKey, &str> {
        self.places[file].as_ref().map(|place| &self.keys[*place]).map_err(String::as_str)
    }
}

fn read(file: &[u8], pairs: &mut Pairs) -> Result<(), String> {
    match Form::of(file) {
        Some(Form::Pem) => pem::read(file, pairs),
        Some(Form::Jwk) => jwk::read(file, pairs),
        Some(Form::Der) => pairs.push(der::key(file, pairs.kind())?, ""),
        None => Err("no private key in PEM, DER or JWK".to_owned()),
    }
}

/// Appends a key, and wipes those that growing leaves behind.
pub fn push(keys: &mut Vec<SecretKey>, key: SecretKey) {
    if keys.len() == keys.capacity() {
        let mut larger = Vec::with_capacity((2 * keys.len()).max(4));
        larger.extend(keys.iter().cloned());
        *keys = larger;
    }
    keys.push(key);
}

/// A private key as a fixed number of bytes.
fn exactly_32(bytes: &[u8]) -> Result<SecretKey, String> {
    let bytes: &[u8; 32] =
        bytes.try_into().map_err(|_| format!("a private key of {} bytes instead of 32", bytes.len()))?;
    Ok(SecretKey::from_bytes(*bytes))
}

/// Without the mark that some editors write in front of UTF-8.
fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

//! Keys in forms that say what they are for, as files and other programs have them: PEM, DER, certificates, JSON Web
//! Keys, COSE_Key, those of OpenSSH, and those of wallets.
//!
//! The caller wipes the stack below a call that reads private keys ([`gecc::stack::wiped`]). No error shows any part of
//! one.

mod asn1;
mod base58;
mod cose;
mod der;
mod jwk;
mod key_blocks;
mod kind;
mod openssh;
mod pairs;
pub mod pem;
mod public_key;
mod utf16;
mod value;

use gecc::{Engine, SecretKey};
pub use kind::KeyKind;
use pairs::Pairs;
pub use public_key::{Reader, hybrid_row, is_public_key, public_key};
pub use utf16::narrowed;
use zeroize::Zeroizing;

/// The form of a file with private keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// RFC 7468: blocks of base64, and text between them.
    Pem,
    /// SEC 1 or PKCS#8, one key.
    Der,
    /// RFC 7517: keys or sets of keys, one after the other.
    Jwk,
    /// RFC 9052: a map of CBOR, one key.
    Cose,
    /// An array of numbers, one for each byte, as Solana has it.
    Numbers,
}

impl Form {
    fn of(head: &[u8]) -> Option<Self> {
        let is_pem = || pem::begins(head) || utf16::narrowed(head).is_some_and(|text| pem::begins(&text));
        match () {
            () if der::begins(head) => Some(Form::Der),
            () if is_pem() => Some(Form::Pem),
            () if jwk::begins(head) => Some(Form::Jwk),
            () if value::begins_numbers(head) => Some(Form::Numbers),
            () if cose::is_key(head) => Some(Form::Cose),
            () => None,
        }
    }
}

/// Returns whether a file begins like private keys in one of these forms. A few of its first
/// kilobytes are sufficient.
pub fn are_secret_keys(head: &[u8]) -> bool {
    Form::of(head).is_some()
}

/// Whether a text is a private key in one of these forms, or in one of those that a line of a file, a cell or a member
/// of JSON may have: WIF, base58 of 64 bytes or behind `base58:` or `ed25519:`, hexadecimal or base64 of DER, PEM, a
/// COSE_Key, or a seed with its public key, and arrays of numbers. Keys of 64 hexadecimal digits are none.
pub fn is_secret_key(text: &[u8]) -> bool {
    // No digit of a plain key decides a branch.
    gecc::fields::hex_digits(text).len() != 64 && (are_secret_keys(text) || value::form(text).is_some())
}

/// What a text that is not read as a private key seems to be, and how to convert it, as a clause behind "this is";
/// nothing of it is shown.
pub fn unsupported_form(text: &[u8]) -> Option<&'static str> {
    value::unsupported(text)
}

/// The same for a file, where that holds nothing that is read as lines of keys.
pub fn unsupported_file(head: &[u8]) -> Option<&'static str> {
    value::unsupported_file(head)
}

/// The private keys of a file, in their order; of Ed25519 the seeds. They have to be for this curve, or for Ed25519,
/// where they say what they are for, and public keys beside them have to be theirs. Text and blocks of other things
/// between PEM's keys are skipped. A text of one value may be in any of the forms of [`is_secret_key`].
/// **Constant-time** in the keys, but for where their texts have line ends, and for decimal numbers in arrays.
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
        Some(Form::Pem) => match utf16::narrowed(file) {
            Some(text) => key_blocks::read(&text, pairs),
            None => key_blocks::read(file, pairs),
        },
        Some(Form::Jwk) => jwk::read(file, pairs),
        Some(Form::Der) => pairs.push(der::key(file, pairs.kind())?, ""),
        Some(Form::Cose) => pairs.push(cose::private_key(file, pairs.kind())?, ""),
        Some(Form::Numbers) | None => read_value(file, pairs),
    }
}

/// Reads a file of one value.
fn read_value(text: &[u8], pairs: &mut Pairs) -> Result<(), String> {
    // As cells of binary columns are.
    if text.len() == 64 && !text.is_ascii() && pairs.kind() == KeyKind::Ed25519 {
        return value::of_bytes(text, pairs.kind()).map_or(Ok(()), |pair| pairs.push(pair?, ""));
    }
    match value::form(text) {
        // PEM in base64.
        Some(value::Form::Bytes(bytes)) if pem::begins(&bytes) => key_blocks::read(&bytes, pairs),
        Some(form) => pairs.push(value::read(text, &form, pairs.kind())?, ""),
        None => {
            let found = value::unsupported(text).map(|what| format!(": this is {what}"));
            Err(format!("no private key in PEM, DER or JWK{}", found.unwrap_or_default()))
        }
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

/// A private key as a number, of which zeros in front may be missing, or more than needed.
fn number(bytes: &[u8]) -> Result<SecretKey, String> {
    let key = padded(bytes).ok_or_else(|| format!("a private key of {} bytes instead of 32", bytes.len()))?;
    Ok(SecretKey::from_bytes(*key))
}

/// The 32 bytes of a number; `None` for a larger one, and for no bytes.
fn padded(bytes: &[u8]) -> Option<Zeroizing<[u8; 32]>> {
    let (front, rest) = bytes.split_at(bytes.len().saturating_sub(32));
    let is_small = front.iter().fold(0, |all, byte| all | byte) == 0;
    let mut number = Zeroizing::new([0; 32]);
    number[32 - rest.len()..].copy_from_slice(rest);
    Some(number).filter(|_| is_small && !bytes.is_empty())
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

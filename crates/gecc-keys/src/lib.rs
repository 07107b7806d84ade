//! Keys in formats that state their purpose, as used in files and by other programs: PEM, DER,
//! certificates, JSON Web Keys, COSE_Key, and the formats of OpenSSH and of wallets.
//!
//! The caller wipes the stack below a call that reads private keys ([`gecc::stack::wiped`]). Errors
//! do not show any part of a private key.

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
mod value;

use gecc::{Engine, SecretKey};
pub use kind::KeyKind;
use pairs::KeyPairs;
pub use pem::utf16_to_ascii;
pub use public_key::{Reader, hybrid_row, is_public_key, public_key};
use zeroize::Zeroizing;

/// The form of a file with private keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileForm {
    /// RFC 7468: blocks of base64, with text between them.
    Pem,
    /// SEC 1 or PKCS#8, one key.
    Der,
    /// RFC 7517: consecutive keys or key sets.
    Jwk,
    /// RFC 9052: a map of CBOR, one key.
    Cose,
    /// An array with one number per byte, as used by Solana.
    Numbers,
}

impl FileForm {
    fn of(head: &[u8]) -> Option<Self> {
        if der::begins(head) {
            Some(FileForm::Der)
        } else if pem::begins(head)
            || pem::utf16_to_ascii(head).is_some_and(|text| pem::begins(&text))
        {
            Some(FileForm::Pem)
        } else if jwk::begins(head) {
            Some(FileForm::Jwk)
        } else if value::begins_numbers(head) {
            Some(FileForm::Numbers)
        } else if cose::is_key(head) {
            Some(FileForm::Cose)
        } else {
            None
        }
    }
}

/// Returns whether a file begins like private keys in one of these forms. Its first few kilobytes
/// are sufficient.
pub fn are_secret_keys(head: &[u8]) -> bool {
    FileForm::of(head).is_some()
}

/// Returns whether a text is a private key in one of these forms, or in a form that a line of a
/// file, a cell or a JSON member may have: WIF, base58 of 64 bytes or after `base58:` or
/// `ed25519:`, hexadecimal or base64 of DER, PEM, a COSE_Key or a seed with its public key, and
/// arrays of numbers. Keys of 64 hexadecimal digits do not count.
pub fn is_secret_key(text: &[u8]) -> bool {
    // No branch depends on a digit of a plain key.
    gecc::fields::hex_digits(text).len() != 64
        && (are_secret_keys(text) || value::form(text).is_some())
}

/// Describes a text that is not read as a private key, and how to convert it, as a clause after
/// "this is". Nothing of the text is shown.
pub fn unsupported_form(text: &[u8]) -> Option<&'static str> {
    value::unsupported(text)
}

/// Describes a file like [`unsupported_form`], if it contains nothing that is read as lines of
/// keys.
pub fn unsupported_file(head: &[u8]) -> Option<&'static str> {
    value::unsupported_file(head)
}

/// Reads the private keys of a file in order; for Ed25519 these are the seeds. If they state their
/// purpose, it must be this one, and accompanying public keys must belong to them.
/// Text and other blocks between PEM keys are skipped. A text of one value may have any of the
/// forms of [`is_secret_key`]. **Constant-time** in the keys, except for the positions of line ends
/// in their texts, and for decimal numbers in arrays.
///
/// # Errors
/// Returns a message for the user, including for a file in none of these forms.
pub fn secret_keys(file: &[u8], kind: impl Into<KeyKind>) -> Result<Vec<SecretKey>, String> {
    let mut pairs = KeyPairs::new(kind.into(), None);
    read(file, &mut pairs)?;
    pairs.finish()
}

/// Private keys of files with one key each, such as the cells of a column.
pub struct SecretKeyPerFile {
    keys: Vec<SecretKey>,
    /// The index of each file's key.
    indices: Vec<Result<usize, String>>,
}

impl SecretKeyPerFile {
    /// Reads each file like [`secret_keys`]. A file has an error of its own if its key cannot be
    /// read, does not belong to the public key next to it, or is not the only one.
    /// **Constant-time** in the keys, except for their base64. Public keys are computed by
    /// `engine`, or by a new engine on all cores.
    ///
    /// # Errors
    /// Returns an error if public keys cannot be computed.
    pub fn read<'a>(
        files: impl IntoIterator<Item = &'a [u8]>,
        kind: impl Into<KeyKind>,
        engine: Option<Engine>,
    ) -> Result<Self, String> {
        let mut pairs = KeyPairs::new(kind.into(), engine);
        let mut indices = Vec::new();
        for file in files {
            let before = pairs.len();
            let index = read(file, &mut pairs).and_then(|()| match pairs.len() - before {
                1 => Ok(before),
                count => Err(format!("{count} private keys, not one")),
            });
            if index.is_err() {
                pairs.truncate(before);
            }
            indices.push(index);
        }
        let (keys, wrong) = pairs.finish_each()?;
        for index in &mut indices {
            let problem = index.as_ref().ok().and_then(|index| wrong.get(index));
            if let Some(problem) = problem {
                *index = Err(problem.clone());
            }
        }
        Ok(SecretKeyPerFile { keys, indices })
    }

    /// Returns the key of a file.
    ///
    /// # Errors
    /// Returns a message for the user.
    ///
    /// # Panics
    /// Panics if there are not that many files.
    pub fn get(&self, file: usize) -> Result<&SecretKey, &str> {
        self.indices[file]
            .as_ref()
            .map(|index| &self.keys[*index])
            .map_err(String::as_str)
    }
}

fn read(file: &[u8], pairs: &mut KeyPairs) -> Result<(), String> {
    match FileForm::of(file) {
        Some(FileForm::Pem) => match pem::utf16_to_ascii(file) {
            Some(text) => key_blocks::read(&text, pairs),
            None => key_blocks::read(file, pairs),
        },
        Some(FileForm::Jwk) => jwk::read(file, pairs),
        Some(FileForm::Der) => pairs.push(der::key(file, pairs.kind())?, ""),
        Some(FileForm::Cose) => pairs.push(cose::private_key(file, pairs.kind())?, ""),
        Some(FileForm::Numbers) | None => read_value(file, pairs),
    }
}

/// Reads a file that consists of one value.
fn read_value(text: &[u8], pairs: &mut KeyPairs) -> Result<(), String> {
    // The form of cells in binary columns.
    if text.len() == 64 && !text.is_ascii() && pairs.kind() == KeyKind::Ed25519 {
        return value::of_bytes(text, pairs.kind()).map_or(Ok(()), |pair| pairs.push(pair?, ""));
    }
    match value::form(text) {
        // PEM in base64.
        Some(value::ValueForm::Bytes(bytes)) if pem::begins(&bytes) => {
            key_blocks::read(&bytes, pairs)
        }
        Some(form) => pairs.push(value::read(text, &form, pairs.kind())?, ""),
        None => {
            let found = value::unsupported(text).map(|what| format!(": this is {what}"));
            Err(format!(
                "no private key in PEM, DER or JWK{}",
                found.unwrap_or_default()
            ))
        }
    }
}

/// Appends a key. When the list has to grow, its former memory is wiped.
pub fn push(keys: &mut Vec<SecretKey>, key: SecretKey) {
    if keys.len() == keys.capacity() {
        let mut larger = Vec::with_capacity((2 * keys.len()).max(4));
        larger.extend(keys.iter().cloned());
        *keys = larger;
    }
    keys.push(key);
}

/// Reads a private key as a number, which may lack leading zeros or have additional ones.
fn number(bytes: &[u8]) -> Result<SecretKey, String> {
    let key = padded(bytes)
        .ok_or_else(|| format!("a private key of {} bytes instead of 32", bytes.len()))?;
    Ok(SecretKey::from_bytes(*key))
}

/// Returns the 32 bytes of a number. Returns `None` for a larger number, and for no bytes.
fn padded(bytes: &[u8]) -> Option<Zeroizing<[u8; 32]>> {
    let (front, rest) = bytes.split_at(bytes.len().saturating_sub(32));
    let is_small = front.iter().fold(0, |all, byte| all | byte) == 0;
    let mut number = Zeroizing::new([0; 32]);
    number[32 - rest.len()..].copy_from_slice(rest);
    Some(number).filter(|_| is_small && !bytes.is_empty())
}

/// Reads a private key as a fixed number of bytes.
fn exactly_32(bytes: &[u8]) -> Result<SecretKey, String> {
    let bytes: &[u8; 32] = bytes
        .try_into()
        .map_err(|_| format!("a private key of {} bytes instead of 32", bytes.len()))?;
    Ok(SecretKey::from_bytes(*bytes))
}

/// Removes the byte order mark that some editors write before UTF-8.
fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// Consecutive digits with consecutive values: the first and the last digit, and the value of the
/// first.
type DigitRange = (u8, u8, u32);

/// Returns the value of a digit in one of `ranges`, or a number above 255 if it is in none.
/// **Constant-time** in the digit.
fn digit_value(digit: u8, ranges: &[DigitRange]) -> u32 {
    let digit = u32::from(digit);
    ranges.iter().fold(0x100, |value, (first, last, start)| {
        let first = u32::from(*first);
        let last = u32::from(*last);
        // All ones if the digit is in the range.
        let inside = !((digit.wrapping_sub(first) | last.wrapping_sub(digit)) >> 31).wrapping_neg();
        let here = digit.wrapping_sub(first).wrapping_add(*start);
        (value & !inside) | (here & inside)
    })
}

/// Returns all ones if both bytes are equal, and 0 otherwise. **Constant-time** in the bytes.
fn equal_mask(one: u8, other: u8) -> u8 {
    (u16::from(one ^ other).wrapping_sub(1) >> 8) as u8
}

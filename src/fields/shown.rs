//! Redaction of names and values from user input in messages. A private key may be entered anywhere
//! by mistake: as a file name, as a column name, in place of an input. Messages describe text that
//! may be a key instead of quoting it.

use std::ffi::OsStr;
use std::path::Path;

/// The fewest characters of a text that may be a key or a part of one.
const SHORTEST: usize = 16;
/// The fewest characters of a purely decimal text that may be a key. Dates and numbers are shorter.
const SHORTEST_DECIMAL: usize = 30;
/// The number of words in the shortest phrase from which wallets derive keys (BIP 39).
const FEWEST_WORDS: usize = 12;

/// Returns `true` if a text may be a private key in any common form: PEM; hexadecimal, base64 or
/// base58 digits, also with separators; a decimal number; a phrase; or bytes that are not UTF-8.
///
/// This errs on the side of caution: random names such as UUIDs may be reported too. **Not
/// constant-time**: it decides which text a message shows.
pub fn may_be_secret(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return true;
    };
    if text.contains(is_binary) || text.contains("-----") || text.contains("PRIVATE KEY") {
        return true;
    }
    let compact: String = text
        .chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, ':' | ',' | ';'))
        .collect();
    is_hexadecimal(&compact)
        || is_phrase(text)
        || has_random_digits(text)
        || has_random_digits(&compact)
}

/// Returns `true` for characters that occur in decoded binary data, but not in text.
fn is_binary(c: char) -> bool {
    c == char::REPLACEMENT_CHARACTER || c.is_control() && !c.is_ascii_whitespace()
}

/// Formats a name or a value for a message. Text that may be a key ([`may_be_secret`]) is described
/// instead.
///
/// ```
/// use gecc::fields::shown;
/// assert_eq!(shown("signatures.csv"), "signatures.csv");
/// let key = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
/// assert_eq!(shown(key), "(64 characters, not shown as they may be a key)");
/// ```
pub fn shown(text: &str) -> String {
    match may_be_secret(text.as_bytes()) {
        true => format!(
            "({} characters, not shown as they may be a key)",
            text.chars().count()
        ),
        false => text.escape_debug().to_string(),
    }
}

/// Formats a path for a message. The path of an existing file is always shown, and so is the
/// existing folder of an absolute path: only the name in it can be a key.
pub fn shown_path(path: &Path) -> String {
    if path.exists() {
        return path.display().to_string();
    }
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) if folder.is_absolute() && folder.is_dir() => {
            folder.join(shown_part(name)).display().to_string()
        }
        _ => shown_part(path.as_os_str()),
    }
}

/// Formats a path or a part of one for a message, unless it may be a key.
fn shown_part(part: &OsStr) -> String {
    if may_be_secret(part.as_encoded_bytes()) {
        return shown(&part.to_string_lossy());
    }
    part.display().to_string()
}

/// Returns `true` if the names joined together are hexadecimal digits, as after splitting a key
/// into columns, or if a single one may be a key.
pub(super) fn may_be_parts_of_secret(names: &[&str]) -> bool {
    let digits = names
        .iter()
        .map(|name| name.trim())
        .filter(|name| name.bytes().all(|byte| byte.is_ascii_hexdigit()));
    is_hexadecimal(&digits.collect::<String>())
        || names.iter().any(|name| may_be_secret(name.as_bytes()))
}

/// Returns `true` if a text without spaces is hexadecimal, or a decimal number longer than a date.
fn is_hexadecimal(text: &str) -> bool {
    let digits: Vec<u8> = text.bytes().filter(|byte| !b"-_.".contains(byte)).collect();
    let digits = digits
        .strip_prefix(b"0x")
        .or(digits.strip_prefix(b"0X"))
        .unwrap_or(&digits);
    let shortest = if digits.iter().all(u8::is_ascii_digit) {
        SHORTEST_DECIMAL
    } else {
        SHORTEST
    };
    digits.len() >= shortest && digits.iter().all(u8::is_ascii_hexdigit)
}

fn is_phrase(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.len() >= FEWEST_WORDS
        && words
            .iter()
            .all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase()))
}

/// Returns `true` if a text contains a run of base64 or base58 digits (which include hexadecimal)
/// that is more random than words are.
fn has_random_digits(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && !"+/=_-".contains(c))
        .any(is_random)
}

/// A kind of character in encoded digits.
#[derive(PartialEq)]
enum CharacterKind {
    Digit,
    Upper,
    Lower,
    Other,
}

impl CharacterKind {
    fn of(byte: u8) -> Self {
        match byte {
            b'0'..=b'9' => CharacterKind::Digit,
            b'A'..=b'Z' => CharacterKind::Upper,
            b'a'..=b'z' => CharacterKind::Lower,
            _ => CharacterKind::Other,
        }
    }
}

/// Returns the number of times that a character is of another kind than the one before it. A
/// capital followed by a small letter, as at the beginning of a word, does not count.
fn changes_of_kind(run: &str) -> usize {
    let pairs = run
        .as_bytes()
        .windows(2)
        .map(|pair| (CharacterKind::of(pair[0]), CharacterKind::of(pair[1])));
    let changes = pairs.filter(|pair| match pair {
        (CharacterKind::Other, _) | (_, CharacterKind::Other) => false,
        (CharacterKind::Upper, CharacterKind::Lower) => false,
        (one, other) => one != other,
    });
    changes.count()
}

fn has_upper_and_lower(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_uppercase())
        && text.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Returns `true` if a run of digits looks random. In random digits every second character is of
/// another kind than the one before it ([`changes_of_kind`]); in words that is rare.
fn is_random(run: &str) -> bool {
    /// The length of a run without separators above which it is not a name if it contains
    /// characters of all kinds.
    const LONGEST_NAME: usize = 24;
    /// Digits of 32 and of 64 bytes in base64, without padding.
    const KEYS_IN_BASE64: [usize; 2] = [43, 86];
    // In random base64 about 49 of 100 are changes, in hexadecimal 47.
    let least = match run.len() {
        ..SHORTEST => return false,
        SHORTEST..40 => 35,
        _ => 25,
    };
    if 100 * changes_of_kind(run) >= least * (run.len() - 1) || is_hexadecimal(run) {
        return true;
    }
    // A key may have few changes by chance, if many of its digits are + and /. It still has its
    // length.
    let value = run.trim_end_matches('=');
    let value = value.rsplit_once('=').map_or(value, |(_, value)| value);
    if KEYS_IN_BASE64.contains(&value.len()) && has_upper_and_lower(value) {
        return true;
    }
    let parts = run.split(|c: char| !c.is_ascii_alphanumeric());
    parts.filter(|part| part.len() >= LONGEST_NAME).any(|part| {
        is_hexadecimal(part)
            || (part.bytes().any(|byte| byte.is_ascii_digit()) && has_upper_and_lower(part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64ct::{Base64, Base64UrlUnpadded, Encoding};

    fn random() -> [u8; 32] {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn keys_in_every_form_may_be_secret() {
        for _ in 0..1000 {
            let key = random();
            let digits = hex::encode(key);
            let pairs: Vec<&str> = (0..32).map(|at| &digits[2 * at..][..2]).collect();
            let texts = [
                digits.clone(),
                format!("0x{digits}"),
                digits.to_uppercase(),
                digits[..32].to_owned(),
                pairs.join(" "),
                pairs.join(":"),
                pairs.join(", "),
                format!("dir/{digits}"),
                format!("--key={digits}"),
                Base64::encode_string(&key),
                Base64UrlUnpadded::encode_string(&key),
                format!(
                    "-----BEGIN PRIVATE KEY-----\n{}",
                    Base64::encode_string(&key)
                ),
            ];
            for text in texts {
                assert!(may_be_secret(text.as_bytes()), "{text}");
                assert!(!shown(&text).contains(&text[..6]), "{text}");
            }
            assert!(may_be_secret(&key));
            assert!(
                may_be_parts_of_secret(&pairs)
                    && may_be_parts_of_secret(&[&digits[..32], &digits[32..]])
            );
        }
        // Random digits with few changes between letters and numerals.
        let slashes = "E/pv/Opymtkfxy+QIEUO/talpyudp5qAGP5D6x6/su8=";
        for text in [
            slashes,
            slashes.trim_end_matches('='),
            &format!("--key={slashes}"),
        ] {
            assert!(may_be_secret(text.as_bytes()), "{text}");
        }
        // Test vectors: the first of RFC 8032 as a decimal number, one of Bitcoin's WIF, one of BIP
        // 39.
        let number =
            "71187124838438283748478349098325743265034983475634892738475893743987534985734985";
        let wif = "KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn";
        let phrase = "abandon ".repeat(11) + "about";
        for text in [number, wif, &phrase] {
            assert!(may_be_secret(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn common_names_are_shown() {
        for name in [
            "signatures.csv",
            "/home/user/work/chain/blocks/blk00017.dat",
            "target/x86_64-unknown-linux-gnu/release/examples/data",
            "mainnet-00017-c4af8cd9.era1",
            "MyDocuments/BigDataFiles/Signatures/Part1",
            "ethereum__transactions__18000000_to_18000999.parquet",
            "2026-11-29 02:04:53.123456",
            "signature_hex",
            "transactionHash",
            "sha256WithEcdsa",
            "the quick brown fox",
            "Unterschrift für Müller",
            "",
        ] {
            assert!(!may_be_secret(name.as_bytes()), "{name}");
        }
        assert!(!may_be_parts_of_secret(&[
            "digest",
            "r",
            "s",
            "v",
            "x1",
            "y1",
            "block_number"
        ]));
        assert_eq!(shown("a\"\n"), "a\\\"\\n");
    }

    #[test]
    fn paths_that_exist_are_shown() {
        let name = format!("{}.txt", hex::encode(random()));
        let path = std::env::temp_dir().join(&name);
        assert!(!shown_path(&path).contains(&name[..6]));
        std::fs::write(&path, "").unwrap();
        assert_eq!(shown_path(&path), path.display().to_string());
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn existing_folders_of_absolute_paths_are_shown() {
        let folder = std::env::temp_dir().join(format!("tmp.{}", hex::encode(random())));
        std::fs::create_dir(&folder).unwrap();
        let missing = folder.join("missing.csv");
        assert_eq!(shown_path(&missing), missing.display().to_string());
        let key = hex::encode(random());
        let hidden = shown_path(&folder.join(&key));
        assert!(hidden.starts_with(folder.to_str().unwrap()), "{hidden}");
        assert!(!hidden.contains(&key[..6]), "{hidden}");
        std::fs::remove_dir(&folder).unwrap();
        // A folder that does not exist may be the first half of a key in base64.
        assert!(!shown_path(&missing).contains("missing"));
    }
}

//! Private keys that are a single value: a line of a file, a cell of a table, a member of JSON.
//! Digits of plain keys (64 in hexadecimal) are not among these forms: readers of lines read them.

use crate::base58;
use crate::cose;
use crate::kind::KeyKind;
use crate::pairs::{KeyPair, StatedPublicKey};
use crate::{der, digit_value, equal_mask, exactly_32, number, openssh, pem};
use base64ct::{Base64, Base64Unpadded, Encoding};
use gecc::CurveId;
use gecc::fields::{Hash, hex_digits};
use zeroize::Zeroizing;

/// The length in bytes of the longest value that is examined.
const LONGEST: usize = 16 << 10;
/// The length in bytes of an Ed25519 seed followed by its public key.
const SEED_AND_PUBLIC: usize = 64;

/// The form of a value.
pub enum ValueForm {
    /// WIF of Bitcoin: a key of secp256k1.
    Wif,
    /// Base58 of an Ed25519 seed followed by its public key.
    Base58Pair,
    /// Base58 with a prefix: `base58:` before 32 or 64 bytes, or `ed25519:` before an Ed25519 key
    /// (as used by NEAR).
    NamedBase58,
    /// An array of 32 or 64 numbers, like `id.json` of Solana.
    Numbers,
    /// 66 hexadecimal digits: a number with a leading zero byte.
    LongNumber,
    /// Bytes: a seed followed by its public key, DER, or a COSE_Key.
    Bytes(Zeroizing<Vec<u8>>),
}

/// Detects the form of a text of one value. Returns `None` for a text in none of these forms, such
/// as 64 hexadecimal digits.
pub fn form(text: &[u8]) -> Option<ValueForm> {
    let text = text.trim_ascii();
    let digits = hex_digits(text);
    // Plain keys are recognised by their length, so that no branch depends on their digits.
    if digits.len() == 64 || !(16..=LONGEST).contains(&text.len()) {
        return None;
    }
    if text.starts_with(b"base58:") || text.starts_with(b"ed25519:") {
        return Some(ValueForm::NamedBase58);
    }
    if text.starts_with(b"[") {
        return text[1..]
            .trim_ascii_start()
            .first()
            .is_some_and(u8::is_ascii_digit)
            .then_some(ValueForm::Numbers);
    }
    if !text
        .iter()
        .all(|byte| byte.is_ascii_alphanumeric() || b"+/=_-\\".contains(byte))
    {
        return None;
    }
    if is_hexadecimal(digits) {
        let bytes = hexadecimal(digits)?;
        if digits.len() == 66 {
            return Some(ValueForm::LongNumber);
        }
        return is_readable(&bytes).then_some(ValueForm::Bytes(bytes));
    }
    let is_base58 = base58::is_digits(text);
    if is_base58 && matches!(text.len(), 51 | 52) && b"5KL9c".contains(&text[0]) {
        return Some(ValueForm::Wif);
    }
    match base64(text).filter(|bytes| is_readable(bytes)) {
        // 86 digits may be either form: the public key then decides.
        Some(bytes) if !(is_base58 && bytes.len() == SEED_AND_PUBLIC) => {
            Some(ValueForm::Bytes(bytes))
        }
        _ => (is_base58 && (80..=88).contains(&text.len())).then_some(ValueForm::Base58Pair),
    }
}

/// Returns whether decoded bytes state their form, or may be a seed with its public key.
fn is_readable(bytes: &[u8]) -> bool {
    bytes.len() == SEED_AND_PUBLIC
        || der::is_sequence(bytes)
        || cose::is_key(bytes)
        || pem::begins(bytes)
}

/// Reads the key of a value in a given form. PEM is not read here.
pub fn read(text: &[u8], form: &ValueForm, kind: KeyKind) -> Result<KeyPair, String> {
    let text = text.trim_ascii();
    match form {
        ValueForm::Wif => wif(text, kind),
        ValueForm::LongNumber => long_number(hex_digits(text), kind),
        ValueForm::Numbers => {
            let bytes = numbers(text).ok_or("an array that is not of numbers from 0 to 255")?;
            of_bytes(&bytes, kind).unwrap_or_else(|| {
                Err(format!(
                    "an array of {} numbers, not of 32 or 64",
                    bytes.len()
                ))
            })
        }
        ValueForm::Base58Pair => {
            let mut bytes = Zeroizing::new([0; SEED_AND_PUBLIC]);
            if !base58::decode(text, &mut *bytes) {
                return Err("not a private key in base58: not of 64 bytes".to_owned());
            }
            seed_and_public(&bytes, kind)
        }
        ValueForm::NamedBase58 => named_base58(text, kind),
        ValueForm::Bytes(bytes) => of_bytes(bytes, kind).expect("readable bytes have a form"),
    }
}

/// Reads the key in bytes: 32 bytes, a seed followed by its public key, DER, or a COSE_Key. Returns
/// `None` for others.
pub fn of_bytes(bytes: &[u8], kind: KeyKind) -> Option<Result<KeyPair, String>> {
    if bytes.len() == 32 {
        return Some(exactly_32(bytes).map(|secret| KeyPair {
            secret,
            public: Vec::new(),
        }));
    }
    if let Ok(pair) = bytes.try_into() {
        return Some(seed_and_public(pair, kind));
    }
    if der::is_sequence(bytes) {
        return Some(der::key(bytes, kind));
    }
    cose::is_key(bytes).then(|| cose::private_key(bytes, kind))
}

fn seed_and_public(bytes: &[u8; SEED_AND_PUBLIC], kind: KeyKind) -> Result<KeyPair, String> {
    kind.require(KeyKind::Ed25519).map_err(|problem| {
        format!("64 bytes, as of a seed of Ed25519 with its public key: {problem}")
    })?;
    let (seed, public) = bytes.split_at(32);
    let public = public.try_into().expect("32 bytes");
    Ok(KeyPair {
        secret: exactly_32(seed)?,
        public: vec![StatedPublicKey::Bytes(public)],
    })
}

/// Reads a key of Bitcoin: the network, the key, a byte 1 if its public key is to be compressed,
/// and a checksum.
fn wif(text: &[u8], kind: KeyKind) -> Result<KeyPair, String> {
    /// The prefix bytes of Bitcoin and of its test networks.
    const NETWORKS: [u8; 2] = [0x80, 0xef];
    const CHECKSUM: usize = 4;
    const WRONG_CHECKSUM: &str =
        "not a key in WIF (base58 of Bitcoin's wallets): its checksum does not fit";
    let mut bytes = Zeroizing::new([0; 1 + 32 + 1 + CHECKSUM]);
    let is_compressed = text.len() == 52;
    let bytes = if is_compressed {
        &mut bytes[..]
    } else {
        &mut bytes[1..]
    };
    if !base58::decode(text, bytes) {
        return Err(WRONG_CHECKSUM.to_owned());
    }
    let (payload, checksum) = bytes.split_at(bytes.len() - CHECKSUM);
    let expected = Hash::Sha256d
        .digest(payload)
        .expect("a hash takes all messages");
    if checksum != &expected[..CHECKSUM] {
        return Err(WRONG_CHECKSUM.to_owned());
    }
    if !NETWORKS.contains(&payload[0]) {
        return Err(format!(
            "a key in WIF of another network than Bitcoin's, with the number {}",
            payload[0]
        ));
    }
    if is_compressed && payload[33] != 1 {
        return Err("a key in WIF with another byte than 1 after the key".to_owned());
    }
    kind.require(KeyKind::Curve(CurveId::Secp256k1))
        .map_err(|problem| format!("WIF: {problem}"))?;
    Ok(KeyPair {
        secret: exactly_32(&payload[1..33])?,
        public: Vec::new(),
    })
}

/// Reads 33 bytes in hexadecimal: the key after a zero byte or, for secp256k1, before a byte 1,
/// which wallets of Bitcoin append to keys with compressed public keys. A value with both is
/// ambiguous.
fn long_number(digits: &[u8], kind: KeyKind) -> Result<KeyPair, String> {
    let bytes = hexadecimal(digits).ok_or("not hexadecimal")?;
    match (bytes.first(), bytes.last(), kind) {
        (Some(0), Some(last), KeyKind::Curve(_)) if *last != 1 => {
            Ok(KeyPair { secret: number(&bytes)?, public: Vec::new() })
        }
        (Some(1..), Some(1), KeyKind::Curve(CurveId::Secp256k1)) => {
            Ok(KeyPair { secret: exactly_32(&bytes[..32])?, public: Vec::new() })
        }
        (_, Some(1), KeyKind::Curve(_)) => Err("a private key is 64 hexadecimal digits, and this is 66 that end in 01, \
                                                which wallets of Bitcoin append to keys: leave them out where they are that"
            .to_owned()),
        _ => Err("a private key is 64 hexadecimal digits, and this is 66".to_owned()),
    }
}

fn named_base58(text: &[u8], kind: KeyKind) -> Result<KeyPair, String> {
    let colon = text
        .iter()
        .position(|byte| *byte == b':')
        .expect("the form has a colon");
    let name = &text[..colon];
    let digits = &text[colon + 1..];
    if name == b"ed25519" {
        kind.require(KeyKind::Ed25519)?;
    }
    let mut short = Zeroizing::new([0; 32]);
    let mut long = Zeroizing::new([0; SEED_AND_PUBLIC]);
    if base58::decode(digits, &mut *short) {
        return Ok(KeyPair {
            secret: exactly_32(&*short)?,
            public: Vec::new(),
        });
    }
    if base58::decode(digits, &mut *long) {
        return seed_and_public(&long, kind);
    }
    Err("not base58 of 32 or 64 bytes".to_owned())
}

/// Parses the numbers of an array of bytes. The number of digits of each is not hidden: the time
/// depends on it.
fn numbers(text: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let inside = text.strip_prefix(b"[")?.strip_suffix(b"]")?;
    let mut bytes = Zeroizing::new(Vec::with_capacity(SEED_AND_PUBLIC + 1));
    for part in inside.split(|byte| *byte == b',').take(SEED_AND_PUBLIC + 1) {
        let digits = part.trim_ascii();
        if !(1..=3).contains(&digits.len()) || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let value = digits
            .iter()
            .fold(0, |value, digit| value * 10 + u16::from(digit - b'0'));
        bytes.push(u8::try_from(value).ok()?);
    }
    Some(bytes)
}

/// Returns whether all bytes are digits, without early exit.
fn is_hexadecimal(digits: &[u8]) -> bool {
    digits
        .iter()
        .fold(true, |all, digit| all & digit.is_ascii_hexdigit())
}

/// Decodes hexadecimal. **Constant-time** in the digits.
fn hexadecimal(digits: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(vec![0; digits.len() / 2]);
    decode_hexadecimal(digits, &mut bytes).then_some(bytes)
}

/// Decodes two hexadecimal digits for each byte of the buffer.
fn decode_hexadecimal(digits: &[u8], to: &mut [u8]) -> bool {
    let mut wrong = u32::from(digits.len() != 2 * to.len());
    for (pair, byte) in digits.as_chunks::<2>().0.iter().zip(to) {
        let high = hexadecimal_value(pair[0]);
        let low = hexadecimal_value(pair[1]);
        wrong |= (high | low) >> 8;
        *byte = (high << 4 | low) as u8;
    }
    wrong == 0
}

/// Returns the value of a hexadecimal digit, or a number above 255. **Constant-time** in the digit.
fn hexadecimal_value(digit: u8) -> u32 {
    digit_value(
        digit,
        &[(b'0', b'9', 0), (b'A', b'F', 10), (b'a', b'f', 10)],
    )
}

/// Decodes base64 in either alphabet, with or without padding. **Constant-time** in the digits.
fn base64(text: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    // JSON may have a backslash before a slash.
    let mut digits = Zeroizing::new(Vec::with_capacity(text.len()));
    digits.extend(text.iter().filter(|byte| **byte != b'\\'));
    let mut bytes = Zeroizing::new(vec![0; digits.len() / 4 * 3 + 3]);
    if !with_standard_alphabet(&mut digits) {
        return None;
    }
    let decoded = if digits.ends_with(b"=") {
        Base64::decode(&digits[..], &mut bytes)
    } else {
        Base64Unpadded::decode(&digits[..], &mut bytes)
    };
    let length = decoded.ok()?.len();
    bytes.truncate(length);
    Some(bytes)
}

/// Replaces `-` and `_` of base64url by `+` and `/`, and returns whether all digits are of one
/// alphabet. No branch depends on a digit: a search for the first `-` would take as long as the
/// digits before it.
fn with_standard_alphabet(digits: &mut [u8]) -> bool {
    let mut is_url = 0;
    let mut is_standard = 0;
    for digit in digits {
        is_standard |= equal_mask(*digit, b'+') | equal_mask(*digit, b'/');
        let dash = equal_mask(*digit, b'-');
        let underscore = equal_mask(*digit, b'_');
        is_url |= dash | underscore;
        *digit ^= dash & (b'-' ^ b'+') | underscore & (b'_' ^ b'/');
    }
    is_url & is_standard == 0
}

/// Describes a file that is in no supported form and holds no lines of keys, and how to convert it:
/// a clause after "this is".
pub fn unsupported_file(file: &[u8]) -> Option<&'static str> {
    let text = file.trim_ascii();
    if text.starts_with(b"PuTTY-User-Key-File-") {
        return Some("a key of PuTTY: convert it with `puttygen FILE -O private-openssh -o NEW`");
    }
    if text.starts_with(b"---- BEGIN SSH2") {
        return Some("a key in the form of RFC 4716: convert it with `ssh-keygen -i -f FILE`");
    }
    if text.starts_with(b"{") && contains(text, b"\"ciphertext\"") {
        return Some(
            "an encrypted keystore of Ethereum: decrypt it, for instance with `ethkey inspect --private FILE`",
        );
    }
    if pem::is_utf16(file) {
        return Some(
            "UTF-16, of which only PEM is read: convert it with `iconv -f UTF-16 -t UTF-8 FILE`",
        );
    }
    if file.len() == 32
        && !file
            .iter()
            .all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
    {
        return Some("32 bytes that are not text: convert a key of these with `xxd -p -c 32 FILE`");
    }
    None
}

/// Describes a text of one value like [`unsupported_file`].
pub fn unsupported(text: &[u8]) -> Option<&'static str> {
    if let Some(file) = unsupported_file(text) {
        return Some(file);
    }
    let text = text.trim_ascii();
    if openssh::is_public(text) {
        return Some("a public key of OpenSSH: the private key is in the file without .pub");
    }
    if text.starts_with(b"AGE-SECRET-KEY-") {
        return Some("a key of age in Bech32, which is for X25519: convert it to hexadecimal");
    }
    if text.starts_with(b"nsec1") {
        return Some(
            "a key of Nostr in Bech32: convert it to hexadecimal, for instance with `nak decode`",
        );
    }
    let is_word = !text.is_empty() && !text.iter().any(u8::is_ascii_whitespace);
    if is_word
        && [b"xprv", b"yprv", b"zprv", b"tprv"]
            .iter()
            .any(|start| text.starts_with(*start))
    {
        return Some(
            "an extended private key (BIP 32): export the key of one address, as WIF or in hexadecimal",
        );
    }
    if is_phrase(text) {
        return Some(
            "a phrase of words (BIP 39): export the key of one address, as WIF or in hexadecimal",
        );
    }
    if is_word && text.len() > 64 && text.iter().all(u8::is_ascii_digit) {
        return Some(
            "a decimal number: convert it to 64 digits, for instance with `echo \"obase=16; $(cat FILE)\" | bc`",
        );
    }
    let digits = hex_digits(text);
    if digits.len() > 64 && are_separated_digits(digits) && !is_hexadecimal(digits) {
        return Some(
            "hexadecimal digits with something between: leave it out, as with `tr -d ' :,\\n' < FILE`",
        );
    }
    let has_32_bytes = is_word && matches!(text.len(), 43 | 44);
    if has_32_bytes && base64(text).is_some_and(|bytes| bytes.len() == 32) {
        return Some(
            "base64 of 32 bytes, or base58: convert base64 with `base64 -d FILE | xxd -p -c 32`, and write `base58:` \
             in front of base58",
        );
    }
    if has_32_bytes && base58::is_digits(text) {
        return Some("base58 of 32 bytes, where it is a key: write `base58:` in front");
    }
    if (2..64).contains(&digits.len()) && is_hexadecimal(digits) {
        return Some("fewer: write the zeros that may be missing in front");
    }
    None
}

/// Returns whether a text consists of enough words in lower case for a phrase of BIP 39.
fn is_phrase(text: &[u8]) -> bool {
    /// The number of words in the shortest phrase.
    const FEWEST_WORDS: usize = 12;
    let mut words = 0;
    for word in text
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
    {
        if !word.iter().all(u8::is_ascii_lowercase) {
            return false;
        }
        words += 1;
    }
    words >= FEWEST_WORDS
}

/// Returns whether a text consists of hexadecimal digits and of separators that tools write between
/// bytes.
fn are_separated_digits(text: &[u8]) -> bool {
    text.iter()
        .all(|byte| byte.is_ascii_hexdigit() || b" :,-\n\r\t".contains(byte))
}

fn contains(text: &[u8], what: &[u8]) -> bool {
    text.windows(what.len()).any(|part| part == what)
}

/// Returns whether a file begins like an array of numbers.
pub fn begins_numbers(head: &[u8]) -> bool {
    let text = head.trim_ascii_start();
    text.first() == Some(&b'[')
        && text[1..]
            .trim_ascii_start()
            .first()
            .is_some_and(u8::is_ascii_digit)
}

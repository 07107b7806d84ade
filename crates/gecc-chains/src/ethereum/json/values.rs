//! Values of members: numbers and bytes in the notations of nodes and libraries.
//!
//! Nodes write both in hexadecimal after `0x`: numbers without leading zeros (which are accepted
//! here), bytes with two digits each. Libraries (web3.py, ethers, web3.js) also write numbers as
//! JSON numbers or as decimal strings. Messages about a value do not quote it.

use super::members::Why;
use crate::ethereum::decimal::decimal;
use crate::ethereum::transaction::Number;
use std::borrow::Cow;

/// Digits of a number, in either base.
enum Digits<'a> {
    Hexadecimal(Cow<'a, str>),
    Decimal(Cow<'a, str>),
}

/// Returns the text of a string. Most strings have no escapes.
pub fn text(value: &str) -> Result<Cow<'_, str>, Why> {
    let inner = value
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
        .ok_or("is not a text")?;
    if !inner.contains('\\') {
        return Ok(Cow::Borrowed(inner));
    }
    serde_json::from_str(value)
        .map(Cow::Owned)
        .map_err(|_| "is not a text: it has an invalid escape".into())
}

/// Returns the digits after the prefix. Other characters are rejected here, because the parsers
/// would accept a sign or a second prefix.
fn hexadecimal(text: &str) -> Option<&str> {
    text.strip_prefix("0x")
        .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

fn is_decimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit())
}

/// Returns the digits of a number, and their base.
fn digits(value: &str) -> Result<Digits<'_>, Why> {
    if !value.starts_with('"') {
        return match value {
            number if is_decimal(number) => Ok(Digits::Decimal(Cow::Borrowed(number))),
            number if number.starts_with(|first: char| first.is_ascii_digit()) => Err(
                "is not a whole number: it has a fraction or an exponent, and may be rounded"
                    .into(),
            ),
            _ => Err("is not a number".into()),
        };
    }
    let whole = text(value)?;
    if is_decimal(&whole) {
        return Ok(Digits::Decimal(whole));
    }
    match hexadecimal(&whole) {
        Some("") => Err("is empty".into()),
        Some(_) => Ok(Digits::Hexadecimal(match whole {
            Cow::Borrowed(whole) => Cow::Borrowed(&whole[2..]),
            Cow::Owned(whole) => Cow::Owned(whole[2..].to_owned()),
        })),
        None if whole.is_empty() => Err("is empty".into()),
        None => Err("is not a number: neither decimal digits nor 0x and hexadecimal ones".into()),
    }
}

/// Parses a number of up to 256 bits.
pub fn number(value: &str) -> Result<Number, Why> {
    const TOO_LARGE: &str = "is above 2^256 - 1";
    match digits(value)? {
        Digits::Decimal(digits) => decimal(digits.as_bytes()).ok_or_else(|| TOO_LARGE.into()),
        Digits::Hexadecimal(digits) => {
            let significant = digits.trim_start_matches('0').as_bytes();
            let mut padded = [b'0'; 2 * size_of::<Number>()];
            let start = padded
                .len()
                .checked_sub(significant.len())
                .ok_or(TOO_LARGE)?;
            padded[start..].copy_from_slice(significant);
            const_hex::decode_to_array(padded).map_err(|_| "is not hexadecimal".into())
        }
    }
}

/// Parses r or s of a signature. 64 digits without a prefix are ambiguous, as they may also be
/// hexadecimal.
pub fn scalar(value: &str) -> Result<Number, Why> {
    const HEXADECIMAL: usize = 2 * size_of::<Number>();
    if value.starts_with('"') && value.len() == HEXADECIMAL + 2 && !value.starts_with("\"0x") {
        return Err("has 64 digits without 0x in front, and may be decimal or hexadecimal".into());
    }
    number(value)
}

/// Parses a number of up to 128 bits.
fn amount(value: &str) -> Result<u128, Why> {
    let parsed = match digits(value)? {
        Digits::Decimal(digits) => digits.parse(),
        Digits::Hexadecimal(digits) => u128::from_str_radix(&digits, 16),
    };
    parsed.map_err(|_| "is above 2^128 - 1".into())
}

/// Parses a number of up to 64 bits.
pub fn small(value: &str) -> Result<u64, Why> {
    let parsed = match digits(value)? {
        Digits::Decimal(digits) => digits.parse(),
        Digits::Hexadecimal(digits) => u64::from_str_radix(&digits, 16),
    };
    parsed.map_err(|_| "is above 2^64 - 1".into())
}

/// Parses v, which some sources write as a boolean where it is a parity.
pub fn v(value: &str) -> Result<u128, Why> {
    match value {
        "false" => Ok(0),
        "true" => Ok(1),
        _ => amount(value),
    }
}

/// Parses a parity.
pub fn parity(value: &str) -> Result<bool, Why> {
    match v(value)? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err("is neither 0 nor 1".into()),
    }
}

/// Returns the digits of bytes, two each. A second prefix is rejected here, because the decoder
/// would remove it.
fn digits_of_bytes(text: &str) -> Result<&str, Why> {
    let digits = text.strip_prefix("0x").ok_or("does not begin with 0x")?;
    if digits.starts_with("0x") || digits.starts_with("0X") {
        Err("is not hexadecimal".into())
    } else {
        Ok(digits)
    }
}

/// Decodes bytes of any number.
pub fn bytes(value: &str) -> Result<Vec<u8>, Why> {
    let text = text(value)?;
    let digits = digits_of_bytes(&text)?;
    const_hex::decode(digits).map_err(|_| not_bytes(digits, None))
}

/// Decodes `N` bytes.
pub fn fixed<const N: usize>(value: &str) -> Result<[u8; N], Why> {
    let text = text(value)?;
    let digits = digits_of_bytes(&text)?;
    const_hex::decode_to_array(digits).map_err(|_| not_bytes(digits, Some(N)))
}

/// Returns the reason why digits cannot be decoded into bytes.
fn not_bytes(digits: &str, expected: Option<usize>) -> Why {
    match expected {
        _ if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) => "is not hexadecimal".into(),
        None => "has an odd number of digits".into(),
        Some(bytes) => format!(
            "is not {bytes} bytes long: it has {} hexadecimal digits, expected {}",
            digits.len(),
            2 * bytes
        )
        .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_primitives::U256;

    fn quoted(text: &str) -> String {
        format!("\"{text}\"")
    }

    #[test]
    fn numbers_are_those_of_alloy() {
        for bits in 0..=256 {
            let known = U256::MAX.checked_shr(bits).unwrap_or_default();
            let hexadecimal = [format!("{known:#x}"), format!("0x{known:080X}")];
            let decimal = [known.to_string(), format!("{known:090}")];
            let texts: Vec<String> = hexadecimal
                .iter()
                .chain(&decimal)
                .map(|text| quoted(text))
                .collect();
            for text in texts.iter().chain([&known.to_string()]) {
                assert_eq!(number(text), Ok(known.to_be_bytes()), "{text}");
                assert_eq!(amount(text).ok(), known.try_into().ok(), "{text}");
                assert_eq!(small(text).ok(), known.try_into().ok(), "{text}");
            }
        }
        let hexadecimal = quoted(&format!("0x1{:064x}", 0));
        let decimal = format!("{}0", U256::MAX);
        let quoted = [
            "", "0x", "0X1", "1_0", "0x1_0", "0x+1", "+1", "-1", "0xg", "ü", "0x0x1", "0x0X1",
            "1.0", " 1",
        ];
        let bare = ["-1", "1.0", "1e3", "true", "{}", "[]", "null"].map(str::to_owned);
        for text in quoted
            .map(self::quoted)
            .iter()
            .chain(&bare)
            .chain([&hexadecimal, &decimal])
        {
            assert!(
                number(text).is_err() && amount(text).is_err() && small(text).is_err(),
                "{text}"
            );
        }
        assert_eq!(number("\"\\u0030x\\u0031f\"").unwrap()[31], 0x1f);
    }

    #[test]
    fn bytes_have_one_prefix() {
        let digits = "0b".repeat(20);
        assert_eq!(fixed(&quoted(&format!("0x{digits}"))), Ok([0x0b; 20]));
        assert_eq!(bytes(&quoted(&format!("0x{digits}"))), Ok(vec![0x0b; 20]));
        let shorter = &digits[1..];
        let others = [
            digits.clone(),
            format!("0x0x{digits}"),
            format!("0x0X{digits}"),
            format!("0x+{shorter}"),
        ];
        for text in others.iter().chain([&format!("0x{shorter}")]) {
            let text = quoted(text);
            assert!(
                fixed::<20>(&text).is_err() && bytes(&text).is_err(),
                "{text}"
            );
        }
        assert_eq!(bytes("\"0x\""), Ok(Vec::new()));
        for text in ["1", "null", "{}", "\"\""] {
            assert!(bytes(text).is_err() && fixed::<0>(text).is_err(), "{text}");
        }
    }

    /// Messages do not contain the value, because it may be a key in the wrong place.
    #[test]
    fn values_are_not_quoted() {
        let key = "7a6b".repeat(16);
        for text in [
            quoted(&key),
            quoted(&format!("0x{}", &key[1..])),
            quoted(&format!("0x{key}zz")),
            key.clone(),
        ] {
            let whys = [
                number(&text).err(),
                small(&text).err(),
                amount(&text).err(),
                bytes(&text).err(),
                fixed::<20>(&text).err(),
            ];
            assert!(
                whys.iter().flatten().all(|why| !why.contains("7a6b")),
                "{whys:?}"
            );
        }
    }

    #[test]
    fn scalar_rejects_digits_of_either_base() {
        assert!(scalar(&quoted(&"1".repeat(64))).is_err());
        for text in [
            quoted(&format!("0x{}", "1".repeat(64))),
            quoted(&"1".repeat(63)),
            "1".repeat(64),
        ] {
            assert!(scalar(&text).is_ok(), "{text}");
        }
    }
}

//! Blocks in hexadecimal, as `bitcoin-cli getblock HASH 0` and Bitcoin Core's REST write them.

use gecc::fields::hex_digits;

/// Returns the maximum length of a text that encodes `bytes` bytes: two digits each, and some line
/// ends.
pub fn longest_text(bytes: u64) -> u64 {
    bytes.saturating_mul(2).saturating_add(bytes / 16 + 64)
}

/// Returns the bytes of a file, decoded if they are hexadecimal digits, in one or several lines,
/// with or without a prefix ([`hex_digits`]).
///
/// No block, and none of the outputs that it spends, consists of hexadecimal digits alone: both
/// contain zeros.
///
/// # Errors
/// A description of the error in the text.
pub fn decoded(bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    let text = bytes.trim_ascii();
    // The first byte of a block or an output may be a brace as well.
    if matches!(text.first(), Some(b'{' | b'[')) && text.iter().all(is_printable) {
        return Err(
            "this is JSON, where a block is expected: `bitcoin-cli getblock HASH 0` writes one"
                .to_owned(),
        );
    }
    let digits = hex_digits(text);
    if digits.is_empty() || !digits.iter().all(is_digit_or_space) {
        return Ok(bytes);
    }
    let digits: Vec<u8> = digits
        .iter()
        .copied()
        .filter(u8::is_ascii_hexdigit)
        .collect();
    const_hex::decode(&digits).map_err(|_| {
        format!(
            "the block is {} hexadecimal digits, an odd number",
            digits.len()
        )
    })
}

fn is_printable(byte: &u8) -> bool {
    !byte.is_ascii_control() || byte.is_ascii_whitespace()
}

fn is_digit_or_space(byte: &u8) -> bool {
    byte.is_ascii_hexdigit() || byte.is_ascii_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_decoded_and_other_bytes_are_kept() {
        for text in [
            "00ff10",
            "0x00FF10\n",
            "0X00FF10",
            "\\x00ff10",
            " 00ff\r\n10\r\n",
            "00\nff\n10",
        ] {
            assert_eq!(decoded(text.into()), Ok(vec![0, 0xff, 0x10]), "{text:?}");
        }
        for bytes in [&b""[..], b"\n", b"\x01\0\0\0", b"00ff1g"] {
            assert_eq!(decoded(bytes.to_vec()).as_deref(), Ok(bytes));
        }
        // The amount of an output, and a version, whose lowest bytes are a brace and a bracket.
        for bytes in [&b"{\x01\0\0\0\0\0\0\x16"[..], b"[\0\0\0\x07"] {
            assert_eq!(decoded(bytes.to_vec()).as_deref(), Ok(bytes));
        }
        assert!(
            decoded(b"00f".to_vec())
                .unwrap_err()
                .contains("3 hexadecimal digits")
        );
        assert!(
            decoded(b"{\"hash\":1}".to_vec())
                .unwrap_err()
                .contains("getblock HASH 0")
        );
    }
}

//! In what form binary values are written.

use base64ct::{Base64, Base64Unpadded, Base64Url, Base64UrlUnpadded, Encoding as _};
use clap::ValueEnum;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Encoding {
    /// Hexadecimal, with or without 0x.
    #[default]
    Hex,
    /// Base64 or base64url, with or without padding.
    Base64,
}

/// The bytes of a text in base64 of either alphabet; `None` where it is none.
pub fn base64(text: &str) -> Option<Vec<u8>> {
    let is_url = text.contains(['-', '_']);
    match (text.ends_with('='), is_url) {
        (true, false) => Base64::decode_vec(text).ok(),
        (true, true) => Base64Url::decode_vec(text).ok(),
        (false, false) => Base64Unpadded::decode_vec(text).ok(),
        (false, true) => Base64UrlUnpadded::decode_vec(text).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_alphabets_are_read_with_and_without_padding() {
        let bytes = [0xfb, 0xef, 0xff, 0x01];
        for text in ["++//AQ==", "++//AQ", "--__AQ==", "--__AQ"] {
            assert_eq!(base64(text).as_deref(), Some(&bytes[..]), "{text}");
        }
        for text in ["++__AQ==", "++//A", "++//AR==", "a b", "ä"] {
            assert_eq!(base64(text), None, "{text}");
        }
    }
}

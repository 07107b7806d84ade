//! In what form texts have bytes: hexadecimal, or base64 where hexadecimal cannot be meant.

use super::Field;
use crate::types::{Rejection, signature_from_der};
use base64ct::{Base64, Base64Unpadded, Base64Url, Base64UrlUnpadded, Encoding as _};

/// A signature `r || s` from strict DER, with or without a signature hash type behind it, as Bitcoin's scripts have it:
/// ALL, NONE or SINGLE (1 to 3), with ANYONECANPAY (80 in hexadecimal) or not, and with the FORKID (40) of Bitcoin Cash
/// or not.
///
/// # Errors
/// As for [`crate::signature_from_der`].
pub fn signature_of_der(der: &[u8]) -> Result<[u8; 64], Rejection> {
    match der {
        [_, length, .., last] if usize::from(*length) + 3 == der.len() && matches!(last & 0x3f, 1..=3) => {
            signature_from_der(&der[..der.len() - 1])
        }
        _ => signature_from_der(der),
    }
}

/// How texts have bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Hexadecimal, with or without 0x.
    #[default]
    Hex,
    /// Base64 or base64url (RFC 4648), with or without padding.
    Base64,
}

impl Encoding {
    /// Both.
    pub const ALL: [Encoding; 2] = [Encoding::Hex, Encoding::Base64];

    /// The name, as the command line writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Encoding::Hex => "hex",
            Encoding::Base64 => "base64",
        }
    }

    /// Whether it is that of a field's texts. Private keys are hexadecimal whatever the others are; user ids and
    /// numbers are what they are, and so are messages that are texts.
    pub fn is_of(field: Field, text_messages: bool) -> bool {
        match field {
            Field::Message => !text_messages,
            Field::RecoveryId | Field::SecretKey | Field::Id => false,
            _ => true,
        }
    }
}

/// The digits of a hexadecimal text: without the space around them and the `0x` or `0X` in front, or the `\x` of
/// PostgreSQL.
pub fn hex_digits(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii();
    [b"0x", b"0X", b"\\x"].iter().find_map(|prefix| text.strip_prefix(*prefix)).unwrap_or(text)
}

/// The bytes of a text in base64 of either alphabet, with or without padding; `None` where it is none.
pub fn from_base64(text: &str) -> Option<Vec<u8>> {
    let is_url = text.contains(['-', '_']);
    match (text.ends_with('='), is_url) {
        (true, false) => Base64::decode_vec(text).ok(),
        (true, true) => Base64Url::decode_vec(text).ok(),
        (false, false) => Base64Unpadded::decode_vec(text).ok(),
        (false, true) => Base64UrlUnpadded::decode_vec(text).ok(),
    }
}

/// Whether a public key is PEM, JSON or a line of OpenSSH: each has a character that neither hexadecimal nor base64
/// has.
pub fn is_key_text(text: &str) -> bool {
    text.starts_with('{') || text.contains(' ')
}

/// What the first values of an input show of its encoding.
#[derive(Clone, Debug, Default)]
pub struct Encodings {
    rows: usize,
    hex: usize,
    base64: usize,
    has_messages: bool,
}

/// Values of which the encoding cannot be told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnclearEncoding(String);

impl Encodings {
    /// Rows that are looked at.
    pub const ROWS: usize = 1000;

    /// Counts a value of a row.
    pub fn see(&mut self, field: Field, text: &str) {
        self.has_messages |= field == Field::Message;
        let text = text.trim();
        let digits = hex_digits(text.as_bytes());
        if digits.iter().all(u8::is_ascii_hexdigit) {
            self.hex += usize::from(!digits.is_empty() && tells(field));
        } else if from_base64(text).is_some_and(|bytes| may_be(field, &bytes)) {
            self.base64 += 1;
        }
    }

    /// Counts a row of which all values were seen. Gives whether more rows are looked at.
    pub fn end_row(&mut self) -> bool {
        self.rows += 1;
        self.rows < Self::ROWS
    }

    /// What they are.
    ///
    /// # Errors
    /// Where some are hexadecimal and others base64, and where messages could be either.
    pub fn decide(&self, text_messages: bool) -> Result<Encoding, UnclearEncoding> {
        let Encodings { rows, hex, base64, has_messages } = *self;
        match (hex, base64) {
            (_, 0) => Ok(Encoding::Hex),
            (0, _) if has_messages && !text_messages => Err(UnclearEncoding(
                "signatures or keys are base64, and it is not clear what messages are: say --encoding base64, or \
                 --text-messages where they are text"
                    .to_owned(),
            )),
            (0, _) => Ok(Encoding::Base64),
            _ => Err(UnclearEncoding(format!(
                "of the first {rows} rows {hex} values are hexadecimal and {base64} base64: say --encoding hex or --encoding base64"
            ))),
        }
    }
}

/// Whether the field tells anything of the encoding: messages could be anything.
fn tells(field: Field) -> bool {
    matches!(field, Field::Digest | Field::Signature | Field::Der | Field::R | Field::S | Field::PublicKey)
}

/// Whether a value of the field may have this many bytes, which begin like this.
fn may_be(field: Field, bytes: &[u8]) -> bool {
    const SEQUENCE: u8 = 0x30;
    let is_der = bytes.first() == Some(&SEQUENCE);
    match field {
        Field::Digest => bytes.len() == 32,
        Field::Signature => matches!(bytes.len(), 64 | 65) || is_der,
        Field::Der => is_der,
        Field::R | Field::S => (30..=33).contains(&bytes.len()),
        Field::PublicKey => matches!(bytes.len(), 32 | 33 | 64 | 65) || is_der,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_alphabets_are_read_with_and_without_padding() {
        let bytes = [0xfb, 0xef, 0xff, 0x01];
        for text in ["++//AQ==", "++//AQ", "--__AQ==", "--__AQ"] {
            assert_eq!(from_base64(text).as_deref(), Some(&bytes[..]), "{text}");
        }
        for text in ["++__AQ==", "++//A", "++//AR==", "a b", "ä"] {
            assert_eq!(from_base64(text), None, "{text}");
        }
    }

    #[test]
    fn values_tell_their_encoding() {
        let decide = |values: &[(Field, &str)], text_messages| {
            let mut seen = Encodings::default();
            values.iter().for_each(|(field, text)| seen.see(*field, text));
            assert!(seen.end_row());
            seen.decide(text_messages).map_err(|problem| problem.to_string())
        };
        let (hex, base64) = ("ab".repeat(32), Base64::encode_string(&[0xfb; 32]));
        let (hex, base64) = ((Field::Digest, hex.as_str()), (Field::Digest, base64.as_str()));
        let message = (Field::Message, "words");
        assert_eq!(decide(&[], false), Ok(Encoding::Hex));
        assert_eq!(decide(&[hex, message], false), Ok(Encoding::Hex));
        for prefix in ["0x", "0X", "\\x"] {
            let prefixed = format!("{prefix}{}", hex.1);
            assert!(decide(&[(Field::Digest, &prefixed), base64], false).is_err(), "{prefixed}");
        }
        assert_eq!(decide(&[base64], false), Ok(Encoding::Base64));
        assert_eq!(decide(&[base64, message], true), Ok(Encoding::Base64));
        assert!(decide(&[base64, message], false).unwrap_err().contains("not clear what messages are"));
        let both = decide(&[hex, base64], false).unwrap_err();
        assert!(both.contains("of the first 1 rows 1 values are hexadecimal and 1 base64"), "{both}");
        // What could be neither, and PEM, say nothing.
        let pem = "-----BEGIN PUBLIC KEY-----";
        assert_eq!(decide(&[(Field::PublicKey, pem), (Field::Digest, "AQID")], false), Ok(Encoding::Hex));
        assert!(is_key_text(pem) && is_key_text("{}") && !is_key_text("-_AQ"));
    }
}

//! The encodings of binary values in text: hexadecimal, or base64 if the values cannot be
//! hexadecimal, decided for each field.

use super::Field;
use base64ct::{Base64, Base64Unpadded, Base64Url, Base64UrlUnpadded, Encoding as _};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// An encoding of bytes as text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Hexadecimal, with or without 0x.
    #[default]
    Hex,
    /// Base64 or base64url (RFC 4648), with or without padding.
    Base64,
}

impl Encoding {
    /// All encodings.
    pub const ALL: [Encoding; 2] = [Encoding::Hex, Encoding::Base64];

    /// Returns the name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Encoding::Hex => "hex",
            Encoding::Base64 => "base64",
        }
    }

    /// Returns `true` if values of a field are encoded at all. Private keys are always hexadecimal;
    /// user ids, numbers and messages that are text have no encoding.
    pub fn is_of(field: Field, text_messages: bool) -> bool {
        match field {
            Field::Message => !text_messages,
            Field::RecoveryId | Field::V | Field::YParity | Field::SecretKey | Field::Id => false,
            _ => true,
        }
    }
}

impl FromStr for Encoding {
    type Err = UnclearEncoding;

    /// Parses `hex` or `base64`.
    fn from_str(name: &str) -> Result<Self, UnclearEncoding> {
        let found = Self::ALL
            .into_iter()
            .find(|encoding| encoding.name() == name);
        found.ok_or_else(|| {
            UnclearEncoding(format!(
                "no encoding is called `{name}`; there are hex and base64"
            ))
        })
    }
}

/// The encodings of the fields that are known. The others are detected from the first rows.
///
/// ```
/// use gecc::fields::{Encoding, Field, FieldEncodings};
/// let encodings: FieldEncodings = "digest=hex,signature=base64".parse()?;
/// assert_eq!(encodings.of(Field::Signature), Some(Encoding::Base64));
/// assert_eq!(encodings.of(Field::PublicKey), None);
/// assert_eq!("base64".parse(), Ok(FieldEncodings::from(Encoding::Base64)));
/// # Ok::<(), gecc::fields::UnclearEncoding>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldEncodings([Option<Encoding>; Field::ALL.len()]);

impl FieldEncodings {
    /// Returns the encoding of a field, if it is known.
    pub fn of(&self, field: Field) -> Option<Encoding> {
        self.0[field as usize]
    }

    /// Returns the encodings with one field changed.
    pub fn with(mut self, field: Field, encoding: Encoding) -> Self {
        self.0[field as usize] = Some(encoding);
        self
    }

    /// Returns `true` if no encoding is known.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }
}

impl From<Encoding> for FieldEncodings {
    /// Sets one encoding for all fields.
    fn from(encoding: Encoding) -> Self {
        FieldEncodings([Some(encoding); Field::ALL.len()])
    }
}

impl FromStr for FieldEncodings {
    type Err = UnclearEncoding;

    /// Parses one encoding for all fields, or comma-separated `field=encoding` pairs.
    fn from_str(text: &str) -> Result<Self, UnclearEncoding> {
        if !text.contains('=') {
            return text.trim().parse().map(Encoding::into);
        }
        let mut encodings = Self::default();
        for part in text.split(',') {
            let (name, encoding) = part.split_once('=').ok_or_else(|| {
                UnclearEncoding(format!(
                    "`{}` is not `field=hex` or `field=base64`",
                    part.trim()
                ))
            })?;
            let field = Field::named(name.trim()).filter(|field| Encoding::is_of(*field, false));
            let field = field.ok_or_else(|| {
                let fields = Field::ALL
                    .into_iter()
                    .filter(|field| Encoding::is_of(*field, false));
                let fields: Vec<&str> = fields.map(Field::name).collect();
                let name = name.trim();
                UnclearEncoding(format!(
                    "`{name}` has no encoding; the fields that have one are {}",
                    fields.join(", ")
                ))
            })?;
            if encodings.of(field).is_some() {
                return Err(UnclearEncoding(format!("`{field}` is given two encodings")));
            }
            encodings = encodings.with(field, encoding.trim().parse()?);
        }
        Ok(encodings)
    }
}

/// Writes text that [`FieldEncodings::from_str`] parses, or `hex` if no encoding is known.
impl fmt::Display for FieldEncodings {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        let fields = Field::ALL
            .into_iter()
            .filter(|field| Encoding::is_of(*field, false));
        let known: Vec<(Field, Encoding)> = fields
            .filter_map(|field| Some((field, self.of(field)?)))
            .collect();
        let Some((_, first)) = known.first() else {
            return to.write_str(Encoding::Hex.name());
        };
        if known.iter().all(|(_, encoding)| encoding == first) {
            return to.write_str(first.name());
        }
        for (place, (field, encoding)) in known.into_iter().enumerate() {
            let comma = if place > 0 { "," } else { "" };
            write!(to, "{comma}{field}={}", encoding.name())?;
        }
        Ok(())
    }
}

/// Returns the digits of a hexadecimal text, without surrounding whitespace and without the prefix
/// `0x`, `0X` or, in PostgreSQL, `\x`.
pub fn hex_digits(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii();
    [b"0x", b"0X", b"\\x"]
        .iter()
        .find_map(|prefix| text.strip_prefix(*prefix))
        .unwrap_or(text)
}

/// Returns the digits of a hexadecimal text as [`hex_digits`] does, and removes separators between
/// bytes: colons (`ab:cd:ef`, as OpenSSL prints them), and line breaks with the indentation that
/// follows. Text with colons in other places is returned unchanged, so that it is not mistaken for
/// something else.
pub fn plain_hex_digits(text: &[u8]) -> Cow<'_, [u8]> {
    let digits = hex_digits(text);
    let has_lines = digits.contains(&b'\n');
    if !has_lines && digits.get(2) != Some(&b':') {
        return Cow::Borrowed(digits);
    }
    let lines = digits.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let joined = lines.collect::<Vec<_>>().concat();
    if !joined.contains(&b':') {
        return Cow::Owned(joined);
    }
    let mut bytes = joined.split(|byte| *byte == b':');
    match bytes.all(|byte| byte.len() == 2) {
        true => Cow::Owned(joined.into_iter().filter(|byte| *byte != b':').collect()),
        false => Cow::Borrowed(digits),
    }
}

/// Decodes base64 in either alphabet, with or without padding; returns `None` for other text. Line
/// breaks are ignored: MIME and PEM break lines after 64 or 76 characters.
pub fn from_base64(text: &str) -> Option<Vec<u8>> {
    let without_line_ends;
    let text = if text.contains('\n') {
        without_line_ends = text.replace("\r\n", "").replace('\n', "");
        &without_line_ends
    } else {
        text
    };
    let is_url = text.contains(['-', '_']);
    match (text.ends_with('='), is_url) {
        (true, false) => Base64::decode_vec(text).ok(),
        (true, true) => Base64Url::decode_vec(text).ok(),
        (false, false) => Base64Unpadded::decode_vec(text).ok(),
        (false, true) => Base64UrlUnpadded::decode_vec(text).ok(),
    }
}

/// Returns `true` if a public key is PEM, JSON or a line of OpenSSH, each of which contains a
/// character that neither hexadecimal nor base64 has; or PEM in base64 ([`pem_in_base64`]).
pub fn is_key_text(text: &str) -> bool {
    text.starts_with('{') || text.contains([' ', '\t']) || text.starts_with(PEM_IN_BASE64)
}

/// The base64 encoding of the beginning of `-----BEGIN `.
const PEM_IN_BASE64: &str = "LS0tLS1CRUdJTi";

/// Decodes PEM that is itself base64-encoded, as in transparency logs; returns `None` for other
/// text.
pub fn pem_in_base64(text: &str) -> Option<String> {
    let text = text.trim();
    let bytes = text
        .starts_with(PEM_IN_BASE64)
        .then(|| from_base64(text))??;
    String::from_utf8(bytes).ok()
}

/// Lengths in bytes of digests that ECDSA accepts in addition to 32: SHA-1, SHA-224, SHA-384 and
/// SHA-512.
const OTHER_DIGESTS: [usize; 4] = [20, 28, 48, 64];

/// Converts a digest of 20, 28, 32, 48 or 64 bytes to the 32 bytes that ECDSA on a 256-bit curve
/// signs (FIPS 186-5, section 6.4): the leftmost 256 bits of a longer digest, or a shorter digest
/// padded with leading zeros. Returns `None` for other lengths, which no hash has. Digests for BIP
/// 340, Ed25519 and SM2 always have 32 bytes.
///
/// ```
/// use gecc::fields::ecdsa_digest;
/// assert_eq!(ecdsa_digest(&[7; 48]), Some([7; 32]));
/// assert_eq!(ecdsa_digest(&[7; 20]).map(|digest| (digest[11], digest[12])), Some((0, 7)));
/// assert_eq!(ecdsa_digest(&[7; 31]), None);
/// ```
pub fn ecdsa_digest(digest: &[u8]) -> Option<[u8; 32]> {
    if !is_ecdsa_digest(digest.len()) {
        return None;
    }
    if let Some(leftmost) = digest.first_chunk() {
        return Some(*leftmost);
    }
    let mut padded = [0; 32];
    padded[32 - digest.len()..].copy_from_slice(digest);
    Some(padded)
}

/// Returns `true` if [`ecdsa_digest`] accepts digests of this length.
pub fn is_ecdsa_digest(bytes: usize) -> bool {
    bytes == 32 || OTHER_DIGESTS.contains(&bytes)
}

/// A detector for the encoding of each field, fed with the first values of an input.
#[derive(Clone, Debug, Default)]
pub struct Encodings {
    rows: usize,
    fields: [EncodingCounts; Field::ALL.len()],
    has_messages: bool,
}

/// Numbers of values of one field by encoding.
#[derive(Clone, Copy, Debug, Default)]
struct EncodingCounts {
    hex: usize,
    base64: usize,
}

/// Values with an ambiguous encoding, or an unknown name of an encoding or a field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnclearEncoding(String);

impl Encodings {
    /// The number of rows that are examined.
    pub const ROWS: usize = 1000;

    /// Counts one value of a row.
    pub fn see(&mut self, field: Field, text: &str) {
        self.has_messages |= field == Field::Message;
        let text = text.trim();
        if field == Field::PublicKey && is_key_text(text) {
            return;
        }
        let digits = plain_hex_digits(text.as_bytes());
        let seen = &mut self.fields[field as usize];
        if digits.iter().all(u8::is_ascii_hexdigit) {
            seen.hex += usize::from(!digits.is_empty() && indicates_encoding(field));
        } else if from_base64(text).is_some_and(|bytes| may_be(field, &bytes)) {
            seen.base64 += 1;
        }
    }

    /// Counts a row after all of its values. Returns `true` if another row should be examined.
    pub fn end_row(&mut self) -> bool {
        self.rows += 1;
        self.rows < Self::ROWS
    }

    /// Returns the encoding of each field: the given one, or else the one that its values have. A
    /// field whose values show no encoding is hexadecimal.
    ///
    /// # Errors
    /// [`UnclearEncoding`] if a field has both hexadecimal and base64 values, or if messages could
    /// be either because values of another field are base64.
    pub fn decide(
        &self,
        given: FieldEncodings,
        text_messages: bool,
    ) -> Result<FieldEncodings, UnclearEncoding> {
        let mut decided = given;
        let mut mixed = Vec::new();
        for field in Field::ALL
            .into_iter()
            .filter(|field| given.of(*field).is_none())
        {
            let EncodingCounts { hex, base64 } = self.fields[field as usize];
            let encoding = if hex == 0 && base64 > 0 {
                Encoding::Base64
            } else {
                Encoding::Hex
            };
            decided = decided.with(field, encoding);
            if hex > 0 && base64 > 0 {
                mixed.push(field);
            }
        }
        if !mixed.is_empty() {
            return Err(self.mixed_encodings(&mixed));
        }
        let is_open = self.has_messages && !text_messages && given.of(Field::Message).is_none();
        let in_base64 = Field::ALL
            .iter()
            .find(|field| self.fields[**field as usize].base64 > 0);
        match in_base64.filter(|_| is_open) {
            Some(field) => Err(UnclearEncoding(format!(
                "`{field}` is base64, and it is not clear what messages are: say --encoding message=hex or \
                 --encoding message=base64, or --text-messages where they are text"
            ))),
            None => Ok(decided),
        }
    }

    /// Returns the error for fields that have both hexadecimal and base64 values.
    fn mixed_encodings(&self, mixed: &[Field]) -> UnclearEncoding {
        let rows = self.rows;
        let hex: usize = mixed
            .iter()
            .map(|field| self.fields[*field as usize].hex)
            .sum();
        let base64: usize = mixed
            .iter()
            .map(|field| self.fields[*field as usize].base64)
            .sum();
        let fields: Vec<String> = mixed.iter().map(|field| format!("`{field}`")).collect();
        let first = mixed[0];
        UnclearEncoding(format!(
            "of the first {rows} rows {hex} values are hexadecimal and {base64} base64: say --encoding hex or \
             --encoding base64, or for a field alone, as by --encoding {first}=base64 (both are in {})",
            fields.join(", ")
        ))
    }
}

/// Returns `true` if values of the field indicate an encoding. Messages could be any bytes.
fn indicates_encoding(field: Field) -> bool {
    matches!(
        field,
        Field::Digest
            | Field::Signature
            | Field::Der
            | Field::R
            | Field::S
            | Field::YParityAndS
            | Field::PublicKey
    )
}

/// Returns `true` if the decoded bytes have a length and a beginning that are possible for the
/// field.
fn may_be(field: Field, bytes: &[u8]) -> bool {
    const SEQUENCE: u8 = 0x30;
    let is_der = bytes.first() == Some(&SEQUENCE);
    match field {
        Field::Digest => is_ecdsa_digest(bytes.len()),
        Field::Signature => matches!(bytes.len(), 64 | 65) || is_der,
        Field::Der => is_der,
        Field::R | Field::S | Field::YParityAndS => (30..=33).contains(&bytes.len()),
        // A COSE_Key is a CBOR map.
        Field::PublicKey => {
            let is_cose = matches!(bytes, [0xa2..=0xbf, ..]) && bytes.len() > 36;
            matches!(bytes.len(), 32 | 33 | 64 | 65)
                || is_der
                || is_cose
                || bytes.starts_with(b"-----BEGIN ")
        }
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
    fn wrapped_base64_is_its_bytes() {
        let bytes: Vec<u8> = (0..=255).collect();
        let text = Base64::encode_string(&bytes);
        for (columns, end) in [(64, "\n"), (76, "\n"), (64, "\r\n"), (76, "\r\n")] {
            let lines: Vec<&str> = text
                .as_bytes()
                .chunks(columns)
                .map(|line| str::from_utf8(line).unwrap())
                .collect();
            assert_eq!(
                from_base64(&lines.join(end)).as_deref(),
                Some(&bytes[..]),
                "{columns}"
            );
            assert_eq!(
                from_base64(&(lines.join(end) + end)).as_deref(),
                Some(&bytes[..]),
                "{columns}"
            );
        }
        assert_eq!(from_base64("qr\n s="), None);
    }

    #[test]
    fn hexadecimal_may_have_colons_and_line_ends_between_bytes() {
        for text in [
            "abcdef",
            "ab:cd:ef",
            "0xab:cd:ef",
            "ab:cd:\n    ef",
            "abc\ndef",
            "abcd\r\nef\n",
            " ab:cd:ef ",
        ] {
            assert_eq!(*plain_hex_digits(text.as_bytes()), *b"abcdef", "{text:?}");
        }
        // Text that is not pairs of digits between colons is left for the parser to reject.
        for text in [
            "a:bc",
            "abc:de",
            "ab:cde",
            "ab::cd",
            "ab:cd:",
            "sha256:ab",
            "ab cd",
        ] {
            assert!(
                plain_hex_digits(text.as_bytes())
                    .iter()
                    .any(|byte| b": ".contains(byte)),
                "{text}"
            );
        }
    }

    #[test]
    fn digests_are_truncated_and_padded_per_fips_186_5() {
        let bytes: Vec<u8> = (1..=80).collect();
        for length in 0..=80 {
            let expected = match length {
                32 | 48 | 64 => Some(bytes[..32].to_vec()),
                20 | 28 => Some([&vec![0; 32 - length], &bytes[..length]].concat()),
                _ => None,
            };
            assert_eq!(
                ecdsa_digest(&bytes[..length]).map(Vec::from),
                expected,
                "{length}"
            );
            assert_eq!(is_ecdsa_digest(length), expected.is_some());
        }
    }

    /// Decides the encodings of a row of values.
    fn decide(
        values: &[(Field, &str)],
        given: &str,
        text_messages: bool,
    ) -> Result<String, String> {
        let mut seen = Encodings::default();
        values
            .iter()
            .for_each(|(field, text)| seen.see(*field, text));
        assert!(seen.end_row());
        let given = if given.is_empty() {
            FieldEncodings::default()
        } else {
            given.parse().unwrap()
        };
        let decided = seen
            .decide(given, text_messages)
            .map_err(|problem| problem.to_string())?;
        Ok(decided.to_string())
    }

    #[test]
    fn encodings_are_detected_from_values() {
        let hex = "ab".repeat(32);
        let hex = (Field::Digest, hex.as_str());
        let base64 = Base64::encode_string(&[0xfb; 32]);
        let base64 = (Field::Digest, base64.as_str());
        let message = (Field::Message, "words");
        let signature = Base64::encode_string(&[0xfb; 64]);
        let signature = (Field::Signature, signature.as_str());
        assert_eq!(decide(&[], "", false).as_deref(), Ok("hex"));
        assert_eq!(decide(&[hex, message], "", false).as_deref(), Ok("hex"));
        for prefix in ["0x", "0X", "\\x"] {
            let prefixed = format!("{prefix}{}", hex.1);
            assert!(
                decide(&[(Field::Digest, &prefixed), base64], "", false).is_err(),
                "{prefixed}"
            );
        }
        let of_both = decide(&[hex, signature], "", false)
            .map(|text| text.parse::<FieldEncodings>().unwrap());
        let of_both =
            of_both.map(|found| [Field::Digest, Field::Signature].map(|field| found.of(field)));
        assert_eq!(of_both, Ok([Some(Encoding::Hex), Some(Encoding::Base64)]));
        let unclear = decide(&[hex, signature, message], "", false).unwrap_err();
        assert!(
            unclear.starts_with("`signature` is base64, and it is not clear what messages are"),
            "{unclear}"
        );
        assert!(decide(&[base64, message], "message=hex", false).is_ok());
        assert!(decide(&[base64, message], "", true).is_ok());
        assert!(
            decide(&[base64, message], "", false)
                .unwrap_err()
                .contains("not clear what messages are")
        );
        let both = decide(&[hex, base64], "", false).unwrap_err();
        assert!(
            both.contains(
                "of the first 1 rows 1 values are hexadecimal and 1 base64: say --encoding hex or"
            ),
            "{both}"
        );
        assert!(
            both.ends_with("as by --encoding digest=base64 (both are in `digest`)"),
            "{both}"
        );
        assert_eq!(
            decide(&[hex, base64], "base64", false).as_deref(),
            Ok("base64")
        );
        // Encodings can be set field by field.
        let with_alias: FieldEncodings = "digest=base64, sig=hex".parse().unwrap();
        assert_eq!("digest=base64,signature=hex".parse(), Ok(with_alias));
        for wrong in [
            "base32",
            "digest=hex,digest=hex",
            "v=hex",
            "digest",
            "digest=hex,sig",
            "secret_key=hex",
        ] {
            assert!(wrong.parse::<FieldEncodings>().is_err(), "{wrong}");
        }
        // Values that fit neither encoding, and PEM, also in base64, indicate nothing.
        let pem = "-----BEGIN PUBLIC KEY-----";
        let in_base64 = Base64::encode_string(pem.as_bytes());
        let neither = [
            (Field::PublicKey, pem),
            (Field::PublicKey, &in_base64),
            (Field::Digest, "AQID"),
        ];
        assert_eq!(decide(&neither, "", false).as_deref(), Ok("hex"));
        assert_eq!(pem_in_base64(&in_base64).as_deref(), Some(pem));
        assert_eq!(pem_in_base64("LS0t"), None);
        assert!(
            is_key_text(pem)
                && is_key_text("{}")
                && is_key_text(&in_base64)
                && !is_key_text("-_AQ")
        );
    }
}

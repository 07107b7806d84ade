//! Encodings of signatures, and their detection.

use super::hex_digits;
use super::recovery_id::{recovery_id_of_header, recovery_id_of_last_byte, recovery_id_of_v};
use crate::types::{Rejection, is_same_name, signature_from_der};
use std::fmt;
use std::str::FromStr;

/// The byte layout of an ECDSA or SM2 signature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SignatureForm {
    /// Detected by length and content for each signature: `r || s` of 64 bytes, `r || s || v` of 65
    /// bytes, or strict DER. A signature that fits two of these is rejected, and so is one that
    /// fits none.
    #[default]
    Auto,
    /// `r || s`, 64 bytes.
    Rs,
    /// `r || s || v`, 65 bytes, as Ethereum libraries write signatures. v is 0 to 3, or 27 to 30.
    Rsv,
    /// A header byte of 27 to 42 and `r || s`, 65 bytes: the signatures of Bitcoin's signed
    /// messages (BIP 137).
    HeaderFirst,
    /// `r || yParityAndS`, 64 bytes: the top bit of s is the recovery id (EIP-2098).
    Eip2098,
    /// Strict DER.
    Der,
    /// Strict DER, optionally followed by a byte with Bitcoin's signature hash type; on secp256k1
    /// only. That byte is ALL, NONE or SINGLE (1 to 3), with or without ANYONECANPAY (0x80), and
    /// with or without the FORKID (0x40) of Bitcoin Cash.
    DerHashType,
}

impl SignatureForm {
    /// All forms.
    pub const ALL: &'static [SignatureForm] = &[
        SignatureForm::Auto,
        SignatureForm::Rs,
        SignatureForm::Rsv,
        SignatureForm::HeaderFirst,
        SignatureForm::Eip2098,
        SignatureForm::Der,
        SignatureForm::DerHashType,
    ];

    /// Returns the name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            SignatureForm::Auto => "auto",
            SignatureForm::Rs => "rs",
            SignatureForm::Rsv => "rsv",
            SignatureForm::HeaderFirst => "header-first",
            SignatureForm::Eip2098 => "eip2098",
            SignatureForm::Der => "der",
            SignatureForm::DerHashType => "der-hash-type",
        }
    }
}

impl fmt::Display for SignatureForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An unknown name of a signature form. The message lists all forms.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no signature form is called `{name}`; the forms are {}",
    SignatureForm::ALL.iter().map(|form| form.name()).collect::<Vec<_>>().join(", ")
)]
pub struct UnknownSignatureForm {
    name: String,
}

/// Parses the name of a form. Case, spaces, hyphens, underscores and dots are ignored.
impl FromStr for SignatureForm {
    type Err = UnknownSignatureForm;

    fn from_str(name: &str) -> Result<Self, UnknownSignatureForm> {
        let found = SignatureForm::ALL
            .iter()
            .find(|form| is_same_name(form.name(), name));
        found.copied().ok_or_else(|| UnknownSignatureForm {
            name: name.to_owned(),
        })
    }
}

/// A form that signatures of an operation cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnusableSignatureForm(pub(crate) String);

/// The reason why signature bytes cannot be decoded. Messages are written to follow the field's
/// name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum SignatureProblem {
    /// A length that no form has, or not the form that was requested.
    #[error("has the wrong length")]
    WrongLength,
    /// 128 bytes, as some programs write signatures of SM2 with the public key after them.
    #[error(
        "has 128 bytes, which may be r, s and the public key's x and y: give the first 64 as the signature and the last \
         64 as the public key"
    )]
    WithPublicKey,
    /// 65 bytes whose last byte is not a v.
    #[error("ends with a byte that is not a v (0 to 3, or 27 to 30)")]
    UndefinedV,
    /// 65 bytes whose first byte is not a header, with [`SignatureForm::HeaderFirst`].
    #[error("does not begin with a header of 27 to 42")]
    UndefinedHeader,
    /// 65 bytes that begin with a header and do not end with a v.
    #[error(
        "looks like a header-first signature (Bitcoin's signed messages): if it is one, use --signature-form \
         header-first (signature_form=\"header-first\" in Python)"
    )]
    LooksHeaderFirst,
    /// 64 or 65 bytes that are valid both as DER and as `r || s` or `r || s || v`.
    #[error(
        "is both r || s and DER: use --signature-form rs, rsv or der (signature_form= in Python), or name the field `der`"
    )]
    Ambiguous,
    /// DER followed by one byte that may be Bitcoin's hash type.
    #[error(
        "is DER followed by one byte: if that is Bitcoin's signature hash type, on secp256k1, use --signature-form \
         der-hash-type (signature_form=\"der-hash-type\" in Python)"
    )]
    TrailingByte,
    /// Not strict DER.
    #[error(transparent)]
    Rejected(Rejection),
}

/// A text that is not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not a number from 0 to 3, nor a v of 27 and more")]
pub struct NoNumber;

/// A decoded signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadSignature {
    /// `r || s`; the range is not checked.
    pub signature: [u8; 64],
    /// The recovery id, 0 to 3, if the form has one.
    pub recovery_id: Option<u8>,
}

/// A decoder for signatures of one form; see [`crate::call::Operation::signature_reader`].
///
/// The values of v and headers are checked to be defined. Only recovery shows if a recovery id
/// belongs to the signature; verification does not need it. Variable-time: signatures are public.
///
/// ```
/// use gecc::call::Operation;
/// use gecc::fields::{SignatureForm, SignatureProblem};
/// use gecc::{CurveId, ecdsa::Policy};
/// let verify = Operation::verify(CurveId::Secp256k1, Policy::default());
/// let auto = verify.signature_reader(SignatureForm::Auto)?;
/// let mut rsv = [[7; 32], [8; 32]].concat();
/// rsv.push(28);
/// assert_eq!(auto.read(&rsv).unwrap().recovery_id, Some(1));
/// rsv[64] = 5;
/// assert_eq!(auto.read(&rsv), Err(SignatureProblem::UndefinedV));
/// # Ok::<(), gecc::fields::UnusableSignatureForm>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignatureReader {
    form: SignatureForm,
    has_recovery_ids: bool,
}

/// The first byte of a signature in DER.
const SEQUENCE: u8 = 0x30;

impl SignatureReader {
    /// Creates a reader for a scheme with or without recovery ids.
    pub(crate) fn new(form: SignatureForm, has_recovery_ids: bool) -> Self {
        SignatureReader {
            form,
            has_recovery_ids,
        }
    }

    /// Returns the form.
    pub fn form(self) -> SignatureForm {
        self.form
    }

    /// Decodes the bytes of a `signature` field.
    ///
    /// # Errors
    /// [`SignatureProblem`] if the bytes do not have the form, or have more than one.
    pub fn read(self, bytes: &[u8]) -> Result<ReadSignature, SignatureProblem> {
        match self.form {
            SignatureForm::Auto => self.read_any(bytes),
            SignatureForm::Rs => sized(bytes).map(without_id),
            SignatureForm::Rsv => {
                let [signature @ .., v] = sized::<65>(bytes)?;
                with_id(
                    signature,
                    recovery_id_of_last_byte(v).ok_or(SignatureProblem::UndefinedV)?,
                )
            }
            SignatureForm::HeaderFirst => {
                let [header, signature @ ..] = sized::<65>(bytes)?;
                with_id(
                    signature,
                    recovery_id_of_header(header).ok_or(SignatureProblem::UndefinedHeader)?,
                )
            }
            SignatureForm::Eip2098 => {
                let mut signature = sized::<64>(bytes)?;
                let parity = take_parity(&mut signature[32]);
                with_id(signature, parity)
            }
            SignatureForm::Der | SignatureForm::DerHashType => self.read_der(bytes).map(without_id),
        }
    }

    /// Decodes a signature in DER, such as a `der` field.
    ///
    /// # Errors
    /// [`SignatureProblem::TrailingByte`] or [`SignatureProblem::Rejected`].
    pub fn read_der(self, bytes: &[u8]) -> Result<[u8; 64], SignatureProblem> {
        let problem = match signature_from_der(bytes) {
            Ok(signature) => return Ok(signature),
            Err(problem) => problem,
        };
        let Some((last, der)) = bytes.split_last() else {
            return Err(SignatureProblem::Rejected(problem));
        };
        match signature_from_der(der) {
            Ok(_) if !matches!(last & 0x3f, 1..=3) => Err(SignatureProblem::Rejected(problem)),
            Ok(signature) if self.form == SignatureForm::DerHashType => Ok(signature),
            Ok(_) => Err(SignatureProblem::TrailingByte),
            Err(_) => Err(SignatureProblem::Rejected(problem)),
        }
    }

    /// Returns the recovery id of a v in a field of its own: a header with
    /// [`SignatureForm::HeaderFirst`], otherwise a value that [`crate::ecdsa::recovery_id_of_v`]
    /// accepts.
    pub fn recovery_id_of_v(self, v: &[u8]) -> Option<u8> {
        if self.form != SignatureForm::HeaderFirst {
            return recovery_id_of_v(v);
        }
        match v
            .iter()
            .position(|byte| *byte != 0)
            .map_or(&[][..], |first| &v[first..])
        {
            [] => Some(0),
            [id @ 1..=3] => Some(*id),
            [header] => recovery_id_of_header(*header),
            _ => None,
        }
    }

    /// Parses a recovery id from text: a decimal number, a hexadecimal number with the prefix 0x, a
    /// number with a fraction of zeros (`27.0`), or a boolean in any case (`True`).
    ///
    /// # Errors
    /// [`NoNumber`] for other text. A number that is not a valid v returns `Ok(None)`.
    pub fn recovery_id_of_text(self, text: &str) -> Result<Option<u8>, NoNumber> {
        /// Bytes of the largest supported v: chain ids have at most 32.
        const MOST_V_BYTES: usize = 33;
        let text = text.trim();
        for (id, name) in [(0, "false"), (1, "true")] {
            if text.eq_ignore_ascii_case(name) {
                return Ok(Some(id));
            }
        }
        let digits = hex_digits(text.as_bytes());
        let mut v = [0; MOST_V_BYTES];
        if digits.len() == text.len() {
            read_whole_number(text, &mut v)?;
            return Ok(self.recovery_id_of_v(&v));
        }
        if digits.is_empty() || digits.len() > 2 * MOST_V_BYTES {
            return Err(NoNumber);
        }
        // The last digit first: numbers in Ethereum's interfaces have no leading zeros.
        for (place, digit) in digits.iter().rev().enumerate() {
            let digit = char::from(*digit).to_digit(16).ok_or(NoNumber)?;
            v[MOST_V_BYTES - 1 - place / 2] |= (digit as u8) << (4 * (place % 2));
        }
        Ok(self.recovery_id_of_v(&v))
    }

    fn read_any(self, bytes: &[u8]) -> Result<ReadSignature, SignatureProblem> {
        match bytes.len() {
            64 if is_der(bytes) => Err(SignatureProblem::Ambiguous),
            64 => sized(bytes).map(without_id),
            65 if self.has_recovery_ids => {
                let [signature @ .., v] = sized::<65>(bytes)?;
                match (recovery_id_of_last_byte(v), is_der(bytes)) {
                    (Some(_), true) => Err(SignatureProblem::Ambiguous),
                    (Some(id), false) => with_id(signature, id),
                    (None, true) => self.read_der(bytes).map(without_id),
                    (None, false) => Err(self.problem_of_65(bytes)),
                }
            }
            // In a scheme without v, 65 bytes that are not DER are one byte too long.
            65 => match self.read_der(bytes) {
                Err(SignatureProblem::Rejected(_)) => Err(SignatureProblem::WrongLength),
                read => read.map(without_id),
            },
            _ if bytes.first() == Some(&SEQUENCE) => self.read_der(bytes).map(without_id),
            128 => Err(SignatureProblem::WithPublicKey),
            _ => Err(SignatureProblem::WrongLength),
        }
    }

    /// Returns the reason why 65 bytes are neither `r || s || v` nor DER.
    fn problem_of_65(self, bytes: &[u8]) -> SignatureProblem {
        match bytes[0] {
            SEQUENCE => match self.read_der(bytes) {
                Err(SignatureProblem::TrailingByte) => SignatureProblem::TrailingByte,
                _ => SignatureProblem::UndefinedV,
            },
            header if recovery_id_of_header(header).is_some() => SignatureProblem::LooksHeaderFirst,
            _ => SignatureProblem::UndefinedV,
        }
    }
}

/// Parses a decimal number. One with a fraction comes from a floating-point number, which
/// represents all integers only below 2^53: the parity of a larger one may have been lost in
/// rounding.
fn read_whole_number(text: &str, to: &mut [u8]) -> Result<(), NoNumber> {
    const EXACT: u64 = 1 << 53;
    let whole = match text.split_once('.') {
        None => text,
        Some((whole, fraction)) => {
            let is_exact = whole.parse().is_ok_and(|whole: u64| whole < EXACT);
            let is_whole = !fraction.is_empty() && fraction.bytes().all(|digit| digit == b'0');
            Some(whole)
                .filter(|_| is_exact && is_whole)
                .ok_or(NoNumber)?
        }
    };
    read_decimal(whole.as_bytes(), to).ok_or(NoNumber)
}

/// Returns `true` if the bytes are a DER-encoded signature.
fn is_der(bytes: &[u8]) -> bool {
    bytes.first() == Some(&SEQUENCE) && signature_from_der(bytes).is_ok()
}

fn sized<const W: usize>(bytes: &[u8]) -> Result<[u8; W], SignatureProblem> {
    bytes.try_into().map_err(|_| SignatureProblem::WrongLength)
}

fn without_id(signature: [u8; 64]) -> ReadSignature {
    ReadSignature {
        signature,
        recovery_id: None,
    }
}

fn with_id(signature: [u8; 64], recovery_id: u8) -> Result<ReadSignature, SignatureProblem> {
    Ok(ReadSignature {
        signature,
        recovery_id: Some(recovery_id),
    })
}

/// Clears the top bit of the first byte of yParityAndS (EIP-2098) and returns that bit, the
/// recovery id 0 or 1.
pub fn take_parity(first: &mut u8) -> u8 {
    let parity = *first >> 7;
    *first &= 0x7f;
    parity
}

/// Parses a number of decimal digits, such as r or s, into big-endian bytes. Returns `None` for
/// other text and for numbers that do not fit.
///
/// ```
/// let mut number = [0; 2];
/// assert_eq!((gecc::fields::read_decimal(b"0513", &mut number), number), (Some(()), [2, 1]));
/// assert_eq!(gecc::fields::read_decimal(b"65536", &mut number), None);
/// ```
pub fn read_decimal(digits: &[u8], to: &mut [u8]) -> Option<()> {
    to.fill(0);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    for digit in digits {
        let mut carry = u16::from(digit - b'0');
        for byte in to.iter_mut().rev() {
            let value = 10 * u16::from(*byte) + carry;
            *byte = value as u8;
            carry = value >> 8;
        }
        if carry > 0 {
            return None;
        }
    }
    Some(())
}

/// Numbers of 65-byte signatures that fit `r || s || v`, header-first, or both.
///
/// A random header-first signature ends with a valid v with probability 8/256, and a valid `r || s
/// || v` begins with a valid header with probability 1/16. Nothing in the signature itself
/// distinguishes the two, and the wrong form recovers an unrelated key. The other signatures of the
/// input do distinguish them: in the wrong form they rarely end with a valid v.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormCounts {
    /// Signatures that end with a v and do not begin with a header.
    pub rsv: u64,
    /// Signatures that begin with a header and do not end with a v.
    pub header_first: u64,
    /// Signatures that begin with a header and end with a v. They are decoded as `r || s || v`.
    pub either: u64,
}

impl FormCounts {
    /// Counts a signature; lengths other than 65 bytes are ignored.
    pub fn see(&mut self, signature: &[u8]) {
        let [first, .., last] = signature else { return };
        if signature.len() != 65 {
            return;
        }
        match (
            recovery_id_of_header(*first),
            recovery_id_of_last_byte(*last),
        ) {
            (None, Some(_)) => self.rsv += 1,
            (Some(_), None) => self.header_first += 1,
            (Some(_), Some(_)) => self.either += 1,
            (None, None) => {}
        }
    }

    /// Adds the counts of another instance.
    pub fn add(&mut self, others: FormCounts) {
        self.rsv += others.rsv;
        self.header_first += others.header_first;
        self.either += others.either;
    }

    /// Rejects an input whose ambiguous signatures are more likely header-first: more of its
    /// unambiguous signatures are header-first than `r || s || v`.
    ///
    /// # Errors
    /// [`UnclearSignatures`] with the counts.
    pub fn check(&self) -> Result<(), UnclearSignatures> {
        let FormCounts {
            rsv,
            header_first,
            either,
        } = *self;
        if either == 0 || header_first <= rsv {
            Ok(())
        } else {
            Err(UnclearSignatures {
                header_first,
                either,
            })
        }
    }

    /// Returns a warning for the end of an input in which ambiguous signatures were decoded as `r
    /// || s || v`, unless the other signatures confirm that form.
    pub fn doubt(&self) -> Option<String> {
        let FormCounts {
            rsv,
            header_first,
            either,
        } = *self;
        if either == 0 || (rsv > 0 && header_first == 0) {
            return None;
        }
        Some(format!(
            "{either} of the signatures of 65 bytes fit both r || s || v and header-first (Bitcoin's signed messages), and \
             were read as r || s || v, while {header_first} fit header-first alone: to be sure of the keys, use \
             --signature-form rsv or header-first"
        ))
    }
}

/// 65-byte signatures that are more likely header-first than `r || s || v`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{header_first} signatures of 65 bytes look header-first (Bitcoin's signed messages), and {either} more fit both \
     header-first and r || s || v: use --signature-form header-first or rsv (signature_form= in Python)"
)]
pub struct UnclearSignatures {
    header_first: u64,
    either: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::signature_to_der;
    use rand::Rng;

    fn reader(form: SignatureForm) -> SignatureReader {
        SignatureReader::new(form, true)
    }

    fn signature() -> [u8; 64] {
        let mut signature = [0; 64];
        rand::rng().fill_bytes(&mut signature);
        // The first byte is neither a header nor the tag of DER, and no leading byte is one that
        // DER would omit.
        signature[0] = 0x70;
        signature[32] = 0x60;
        signature
    }

    fn read(form: SignatureForm, bytes: &[u8]) -> Result<(Vec<u8>, Option<u8>), SignatureProblem> {
        reader(form)
            .read(bytes)
            .map(|read| (read.signature.to_vec(), read.recovery_id))
    }

    #[test]
    fn forms_are_found_by_their_names() {
        for &form in SignatureForm::ALL {
            assert_eq!(
                (form.name().parse(), form.to_string().as_str()),
                (Ok(form), form.name())
            );
        }
        assert_eq!("EIP-2098".parse(), Ok(SignatureForm::Eip2098));
        let problem = "compact".parse::<SignatureForm>().unwrap_err().to_string();
        assert!(
            problem.contains("`compact`") && problem.contains("rsv, header-first"),
            "{problem}"
        );
    }

    #[test]
    fn last_byte_is_a_v_or_the_signature_is_rejected() {
        let rs = signature();
        for v in 0..=u8::MAX {
            let bytes = [&rs[..], &[v]].concat();
            let expected = match recovery_id_of_last_byte(v) {
                Some(id) => Ok((rs.to_vec(), Some(id))),
                None => Err(SignatureProblem::UndefinedV),
            };
            assert_eq!(read(SignatureForm::Auto, &bytes), expected, "{v}");
            assert_eq!(read(SignatureForm::Rsv, &bytes), expected, "{v}");
            // SM2 has no v, regardless of the signature's first byte.
            let sm2 = SignatureReader::new(SignatureForm::Auto, false);
            let with_key = [&[0x70][..], &[v; 127]].concat();
            assert_eq!(sm2.read(&with_key), Err(SignatureProblem::WithPublicKey));
            for first in [0x30, 0x70] {
                let bytes = [&[first], &bytes[1..]].concat();
                assert_eq!(sm2.read(&bytes), Err(SignatureProblem::WrongLength), "{v}");
            }
        }
    }

    #[test]
    fn header_first_is_read_by_its_name_alone() {
        let mut rs = signature();
        rs[63] = 0x99;
        for header in 0..=u8::MAX {
            let bytes = [&[header], &rs[..]].concat();
            match recovery_id_of_header(header) {
                Some(id) => {
                    assert_eq!(
                        read(SignatureForm::HeaderFirst, &bytes),
                        Ok((rs.to_vec(), Some(id)))
                    );
                    assert_eq!(
                        read(SignatureForm::Auto, &bytes),
                        Err(SignatureProblem::LooksHeaderFirst)
                    );
                }
                None => {
                    assert_eq!(
                        read(SignatureForm::HeaderFirst, &bytes),
                        Err(SignatureProblem::UndefinedHeader)
                    );
                    assert_eq!(
                        read(SignatureForm::Auto, &bytes),
                        Err(SignatureProblem::UndefinedV),
                        "{header}"
                    );
                }
            }
        }
        let headers = reader(SignatureForm::HeaderFirst);
        assert_eq!(
            (
                headers.recovery_id_of_v(&[0, 37]),
                headers.recovery_id_of_v(&[1, 37])
            ),
            (Some(2), None)
        );
        assert_eq!(reader(SignatureForm::Auto).recovery_id_of_v(&[37]), Some(0));
    }

    #[test]
    fn recovery_ids_are_read_as_programs_write_them() {
        let auto = reader(SignatureForm::Auto);
        let known = [
            ("0", Some(0)),
            (" 27 ", Some(0)),
            ("027", Some(0)),
            ("28.0", Some(1)),
            ("37.000", Some(0)),
            ("31", Some(0)),
            ("34", Some(3)),
            ("True", Some(1)),
            ("FALSE", Some(0)),
            ("0x1c", Some(1)),
            ("0X0", Some(0)),
            ("36893488147419103267", Some(0)),
            ("4", None),
            ("26", None),
            ("9007199254740991.0", Some(0)),
        ];
        for (text, id) in known {
            assert_eq!(auto.recovery_id_of_text(text), Ok(id), "{text}");
        }
        let largest = format!("0x{}", "f".repeat(66));
        assert_eq!(auto.recovery_id_of_text(&largest), Ok(Some(0)));
        // 2^53 is the first double-precision number that two integers round to.
        for text in [
            "",
            "-1",
            "27n",
            "27.5",
            "27.",
            ".0",
            "1e0",
            "yes",
            "0x",
            "0xg",
            "[27]",
            "9007199254740992.0",
        ] {
            assert_eq!(auto.recovery_id_of_text(text), Err(NoNumber), "{text}");
        }
        assert_eq!(
            reader(SignatureForm::HeaderFirst).recovery_id_of_text("38.0"),
            Ok(Some(3))
        );
    }

    #[test]
    fn parity_of_eip2098_is_the_top_bit_of_s() {
        let rs = signature();
        let mut odd = rs;
        odd[32] |= 0x80;
        assert_eq!(
            read(SignatureForm::Eip2098, &rs),
            Ok((rs.to_vec(), Some(0)))
        );
        assert_eq!(
            read(SignatureForm::Eip2098, &odd),
            Ok((rs.to_vec(), Some(1)))
        );
        // Without an explicit form the bit is part of s.
        assert_eq!(read(SignatureForm::Auto, &odd), Ok((odd.to_vec(), None)));
    }

    #[test]
    fn bytes_after_der_are_rejected_unless_hash_type_is_expected() {
        let rs = signature();
        let der = signature_to_der(&rs);
        let plain = Ok((rs.to_vec(), None));
        for form in [
            SignatureForm::Auto,
            SignatureForm::Der,
            SignatureForm::DerHashType,
        ] {
            assert_eq!(read(form, &der), plain);
            for extra in 0..=u8::MAX {
                let bytes = [&der[..], &[extra]].concat();
                let is_hash_type = matches!(extra, 1..=3 | 0x41..=0x43 | 0x81..=0x83 | 0xc1..=0xc3);
                let malformed = SignatureProblem::Rejected(Rejection::MalformedSignature);
                let expected = match (is_hash_type, form) {
                    (true, SignatureForm::DerHashType) => plain.clone(),
                    (true, _) => Err(SignatureProblem::TrailingByte),
                    (false, _) => Err(malformed),
                };
                assert_eq!(read(form, &bytes), expected, "{form} {extra:#x}");
                assert!(read(form, &[&bytes[..], &[1]].concat()).is_err());
            }
        }
    }

    /// Tests all contents: bytes that are both DER and `r || s` or `r || s || v` are never decoded
    /// as one of them.
    #[test]
    fn short_der_is_not_read_as_r_and_s() {
        for (r, s) in [(26, 32), (29, 29), (27, 32), (28, 31)] {
            let mut rs = signature();
            rs[..32 - r].fill(0);
            rs[32 - r] = 0x11;
            rs[32..64 - s].fill(0);
            rs[64 - s] = 0x12;
            for last in [1, 0x77] {
                rs[63] = last;
                let der = signature_to_der(&rs);
                assert_eq!(der.len(), r + s + 6);
                let is_v = der.len() == 64 || last == 1;
                let expected = if is_v {
                    Err(SignatureProblem::Ambiguous)
                } else {
                    Ok((rs.to_vec(), None))
                };
                assert_eq!(read(SignatureForm::Auto, &der), expected);
                assert_eq!(read(SignatureForm::Der, &der), Ok((rs.to_vec(), None)));
                let as_numbers = if der.len() == 64 {
                    SignatureForm::Rs
                } else {
                    SignatureForm::Rsv
                };
                assert_eq!(read(as_numbers, &der).is_ok(), is_v);
                if der.len() == 64 {
                    let typed = [&der[..], &[0x81]].concat();
                    assert_eq!(
                        read(SignatureForm::Auto, &typed),
                        Err(SignatureProblem::TrailingByte)
                    );
                }
            }
        }
    }

    #[test]
    fn decimal_numbers_are_read_up_to_the_width() {
        let mut random = rand::rng();
        for width in [1, 16, 32] {
            for bytes in 1..=width {
                let mut number = vec![0; bytes];
                random.fill_bytes(&mut number);
                let value = num_bigint::BigUint::from_bytes_be(&number);
                let mut read = vec![7; width];
                let mut expected = vec![0; width - bytes];
                expected.extend(&number);
                assert_eq!(
                    read_decimal(format!("00{value}").as_bytes(), &mut read),
                    Some(()),
                    "{value}"
                );
                assert_eq!(read, expected);
            }
            let above = num_bigint::BigUint::from(1u8) << (8 * width);
            assert_eq!(
                read_decimal(above.to_string().as_bytes(), &mut vec![0; width]),
                None
            );
        }
        for text in ["", "-1", "+1", "1.0", "0x1", "1e3", " 1", "1_0"] {
            assert_eq!(read_decimal(text.as_bytes(), &mut [0; 32]), None, "{text}");
        }
    }

    #[test]
    fn other_lengths_are_rejected() {
        for length in (0..200).filter(|length| ![64, 65].contains(length)) {
            let bytes = vec![0x70; length];
            for &form in SignatureForm::ALL {
                assert!(read(form, &bytes).is_err(), "{form} {length}");
            }
        }
    }

    #[test]
    fn input_that_looks_header_first_is_not_read_as_rsv() {
        let mut random = rand::rng();
        for _ in 0..100 {
            let mut valid = FormCounts::default();
            let mut header_first = FormCounts::default();
            for _ in 0..400 {
                let mut bytes = [0; 65];
                random.fill_bytes(&mut bytes);
                bytes[64] = 27 + bytes[64] % 2;
                valid.see(&bytes);
                random.fill_bytes(&mut bytes);
                bytes[0] = 31 + bytes[0] % 2;
                header_first.see(&bytes);
            }
            assert_eq!(
                (valid.check(), valid.doubt(), valid.header_first),
                (Ok(()), None, 0)
            );
            assert_eq!(header_first.check().is_err(), header_first.either > 0);
        }
        let one = FormCounts {
            either: 1,
            ..FormCounts::default()
        };
        assert!(one.check().is_ok() && one.doubt().is_some());
        let mut others = FormCounts {
            header_first: 2,
            ..FormCounts::default()
        };
        assert_eq!((others.check(), others.doubt()), (Ok(()), None));
        others.add(one);
        assert!(
            others.check().is_err()
                && others
                    .check()
                    .unwrap_err()
                    .to_string()
                    .contains("header-first or rsv")
        );
        others.add(FormCounts {
            rsv: 2,
            ..FormCounts::default()
        });
        assert!(
            others.check().is_ok() && others.doubt().unwrap().contains("2 fit header-first alone")
        );
    }
}

//! Reads certificates from files.

use super::der::{DerFields, SEQUENCE, explicit, implicit};
use super::names::folded;
use super::{Algorithm, Options};
use crate::files;
use crate::problem::{FilePosition, Problem, note};
use ::der::asn1::{AnyRef, ObjectIdentifier};
use ::der::{Decode, Reader, SliceReader, Tag, Tagged};
use gecc::CurveId;
use pem_rfc7468::Decoder;
use sha2::{Digest, Sha256, Sha384, Sha512};
use std::path::Path;
use std::sync::Arc;
use x509_cert::name::Name;

const DASHES: &[u8] = b"-----";
const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";
/// The labels of PEM blocks with certificates, including OpenSSL's own. Others, such as keys and
/// revocation lists, are skipped.
const LABELS: [&str; 3] = ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"];
/// The first byte of a certificate in DER: a sequence.
const BEGINS_DER: u8 = 0x30;
/// Maximum sizes in bytes of a file, of a certificate, and of a name in it. The time that the crate
/// for decoding names takes grows with the square of the number of their parts.
pub const LONGEST: u64 = 1 << 30;
const LONGEST_CERTIFICATE: usize = 1 << 20;
const LONGEST_NAME: usize = 4096;

// RFC 5758, section 3.2, and GM/T 0006.
const ECDSA_SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.2");
const ECDSA_SHA384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.3");
const ECDSA_SHA512: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.4");
const SM2_SM3: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.156.10197.1.501");
// RFC 5480, section 2.1.1, and GM/T 0006.
const EC_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const P256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
const SM2: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.156.10197.1.301");

/// The parts of a certificate that matter for its signature and its place in a chain.
pub struct Certificate {
    pub path: Arc<Path>,
    pub place: u64,
    pub subject: String,
    pub issuer: String,
    /// The names in the form in which they are compared.
    pub subject_name: Vec<u8>,
    pub issuer_name: Vec<u8>,
    pub algorithm: Algorithm,
    /// True if the signed part states the same algorithm, with the same parameters, as RFC 5280,
    /// section 4.1.1.2, requires.
    pub algorithms_agree: bool,
    /// The key in SEC 1, and its curve, if that is known.
    pub key: Option<(CurveId, Vec<u8>)>,
    pub signed: SignedPart,
    /// r and s, if they are DER. Signatures by keys of larger curves have another size.
    pub signature: Option<[u8; 64]>,
}

/// The signed part, in the encoding of the file.
pub enum SignedPart {
    /// A digest; for hashes of more than 256 bits, their first 256 (FIPS 186-5, section 6.4.2).
    Digest([u8; 32]),
    /// The message: SM2 hashes further data before it.
    Message(Vec<u8>),
    /// An unknown algorithm.
    Other,
}

impl Certificate {
    /// Returns the cost of trying a key, in units of hashing half a kilobyte.
    pub fn cost(&self) -> usize {
        if let SignedPart::Message(message) = &self.signed {
            1 + message.len() / 512
        } else {
            1
        }
    }

    /// Returns the approximate memory use in bytes.
    pub fn bytes(&self) -> usize {
        let names = self.subject.len()
            + self.issuer.len()
            + self.subject_name.len()
            + self.issuer_name.len();
        let key = self.key.as_ref().map_or(0, |(_, key)| key.len());
        let message = if let SignedPart::Message(message) = &self.signed {
            message.len()
        } else {
            0
        };
        size_of::<Certificate>() + names + key + message
    }
}

/// Returns the certificates of a file of at most `longest` bytes, and the problems of its other
/// contents.
pub fn certificates(
    path: &Arc<Path>,
    longest: u64,
    options: &Options,
) -> (Vec<Certificate>, Vec<Problem>) {
    let bytes = match read(path, longest) {
        Ok(bytes) => bytes,
        Err(problem) => return (Vec::new(), vec![problem]),
    };
    let mut found = FileContents {
        path,
        options,
        certificates: Vec::new(),
        problems: Vec::new(),
    };
    if bytes.first() == Some(&BEGINS_DER) {
        let mut place = 0;
        while place < bytes.len() {
            let one = SliceReader::new(&bytes[place..]).and_then(|mut reader| reader.tlv_bytes());
            found.add(place, one.map_err(|problem| problem.to_string()));
            // Nothing can be found after an item that does not end.
            place = one.map_or(bytes.len(), |one| place + one.len());
        }
    } else if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        found.add(
            0,
            Err("the file is UTF-16: convert it with `iconv -f UTF-16 -t UTF-8`".to_owned()),
        );
    } else {
        for_each_block(&bytes, |place, der| found.add(place, der));
    }
    let FileContents {
        certificates,
        mut problems,
        ..
    } = found;
    if certificates.is_empty() && problems.is_empty() {
        problems.push(Problem::new(
            path,
            FilePosition::Whole,
            format!(
                "the file contains no certificate in PEM or DER{}",
                other_form(&bytes).unwrap_or_default()
            ),
        ));
    }
    (certificates, problems)
}

/// Describes a file without certificates whose form is known. Labels of PEM are not quoted, because
/// a damaged one may contain a key.
fn other_form(text: &[u8]) -> Option<&'static str> {
    const OTHER_LABELS: [(&[u8], &str); 6] = [
        (
            b"PKCS7",
            ", but PKCS #7: extract them, as with `openssl pkcs7 -print_certs -in FILE`",
        ),
        (
            b"CMS",
            ", but CMS: extract them, as with `openssl pkcs7 -print_certs -in FILE`",
        ),
        (b"CERTIFICATE REQUEST", ", but a request for one"),
        (b"NEW CERTIFICATE REQUEST", ", but a request for one"),
        (b"X509 CRL", ", but a list of revoked ones"),
        (b"PUBLIC KEY", ", but a public key"),
    ];
    let mut from = 0;
    while let Some(marker) = next_marker(text, from) {
        let known = OTHER_LABELS
            .iter()
            .find(|(label, _)| marker.label == Some(label));
        if let Some((_, what)) = known {
            return Some(what);
        }
        from = marker.end;
    }
    let is_base64 = decoded(text).is_ok_and(|bytes| bytes.first() == Some(&BEGINS_DER));
    is_base64.then_some(
        ", but base64: put it between lines -----BEGIN CERTIFICATE----- and -----END CERTIFICATE-----",
    )
}

/// The certificates found in a file so far, and the problems of its other contents.
struct FileContents<'a> {
    path: &'a Arc<Path>,
    options: &'a Options,
    certificates: Vec<Certificate>,
    problems: Vec<Problem>,
}

impl FileContents<'_> {
    /// Adds the certificate at a position, or the reason why there is none.
    fn add(&mut self, place: usize, der: Result<&[u8], String>) {
        let place = place as u64;
        match der.and_then(|der| certificate(self.path, place, der, self.options)) {
            Ok(certificate) => self.certificates.push(certificate),
            Err(what) => note(
                &mut self.problems,
                Problem::new(self.path, FilePosition::Byte(place), what),
            ),
        }
    }
}

fn read(path: &Arc<Path>, longest: u64) -> Result<Vec<u8>, Problem> {
    let mut reader = files::FileReader::open(path)?;
    let mut bytes = Vec::new();
    if reader.append_rest(longest, &mut bytes)? {
        return Ok(bytes);
    }
    Err(Problem::new(
        path,
        FilePosition::Whole,
        format!("the file is above the limit of {longest} bytes"),
    ))
}

/// Passes on the contents and positions of blocks with certificates. Other text and blocks may
/// occur between them. Blocks of any kind without a first or last line are reported as problems,
/// because they may hide a certificate.
fn for_each_block(text: &[u8], mut hand_on: impl FnMut(usize, Result<&[u8], String>)) {
    let mut open: Option<PemMarker> = None;
    let mut next = next_marker(text, 0);
    while let Some(marker) = next {
        next = next_marker(text, marker.end);
        let Some(begin) = open.take() else {
            if marker.is_begin {
                open = Some(marker);
            } else {
                hand_on(
                    marker.start,
                    Err("a block of PEM has no first line, or a damaged one".to_owned()),
                );
            }
            continue;
        };
        match (begin.label, marker.label) {
            _ if marker.is_begin => {
                hand_on(
                    begin.start,
                    Err("a block of PEM has no last line, or a damaged one".to_owned()),
                );
                open = Some(marker);
            }
            (Some(label), Some(other)) if label == other => {
                if LABELS.iter().any(|known| known.as_bytes() == label) {
                    let der = decoded(&text[begin.end..marker.start]);
                    hand_on(begin.start, der.as_deref().map_err(String::clone));
                }
            }
            (Some(_), Some(_)) => {
                hand_on(
                    begin.start,
                    Err(
                        "a block of PEM has different labels in its first and last line".to_owned(),
                    ),
                );
            }
            _ => hand_on(
                begin.start,
                Err("a block of PEM has no whole label in its first or last line".to_owned()),
            ),
        }
    }
    if let Some(begin) = open {
        hand_on(
            begin.start,
            Err("a block of PEM has no last line, or a damaged one".to_owned()),
        );
    }
}

/// The first or the last line of a block, without other text in that line.
struct PemMarker<'a> {
    start: usize,
    end: usize,
    is_begin: bool,
    /// The label; `None` if it is not followed by dashes of its own.
    label: Option<&'a [u8]>,
}

/// Returns the next marker at or after `from`.
fn next_marker(text: &[u8], mut from: usize) -> Option<PemMarker<'_>> {
    loop {
        let start = from + find(&text[from..], DASHES)?;
        let rest = &text[start..];
        let is_begin = rest.starts_with(BEGIN);
        let keyword = match is_begin {
            true => BEGIN,
            false if rest.starts_with(END) => END,
            false => {
                from = start + 1;
                continue;
            }
        };
        let after = &rest[keyword.len()..];
        let length = after
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b' ')
            .count();
        let dashes = &after[length..];
        let is_whole =
            dashes.starts_with(DASHES) && !dashes.starts_with(BEGIN) && !dashes.starts_with(END);
        let end = start + keyword.len() + length + if is_whole { DASHES.len() } else { 0 };
        return Some(PemMarker {
            start,
            end,
            is_begin,
            label: is_whole.then(|| &after[..length]),
        });
    }
}

/// Decodes the content of a block: base64 in lines of any length, with white space anywhere, after
/// headers (RFC 1421) if there are any.
fn decoded(content: &[u8]) -> Result<Vec<u8>, String> {
    /// Length of a line in the format of RFC 7468.
    const LINE: usize = 64;
    let content = match content.iter().rposition(|byte| *byte == b':') {
        Some(colon) => {
            let after = &content[colon..];
            let length = after
                .iter()
                .position(|byte| matches!(byte, b'\n' | b'\r'))
                .unwrap_or(after.len());
            &after[length..]
        }
        None => content,
    };
    let digits: Vec<u8> = content
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    let mut strict = [BEGIN, b"X", DASHES, b"\n"].concat();
    for line in digits.chunks(LINE) {
        strict.extend_from_slice(line);
        strict.push(b'\n');
    }
    strict.extend_from_slice(&[END, b"X", DASHES, b"\n"].concat());
    let decoded = Decoder::new_wrapped(&strict, LINE).and_then(|mut decoder| {
        let mut der = Vec::new();
        decoder.decode_to_end(&mut der)?;
        Ok(der)
    });
    decoded.map_err(|_| "the content of the block is not base64".to_owned())
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|part| part == what)
}

/// The parts of a certificate in the encoding of the file: encoding them again might not give the
/// signed bytes. Serial number, dates and extensions are not evaluated; only their structure is
/// checked.
struct EncodedParts<'a> {
    /// The part that is signed.
    signed: &'a [u8],
    /// The algorithm that the signed part states.
    inner_algorithm: &'a [u8],
    issuer: &'a [u8],
    subject: &'a [u8],
    key: Option<(CurveId, &'a [u8])>,
    /// The algorithm next to the signature, and its identifier.
    algorithm: &'a [u8],
    identifier: ObjectIdentifier,
    /// Empty if it is not a whole number of bytes.
    signature: &'a [u8],
}

impl<'a> EncodedParts<'a> {
    /// Parses a certificate (RFC 5280, section 4.1).
    fn of(certificate: &'a [u8]) -> Result<Self, String> {
        let mut outer = DerFields::of(certificate, SEQUENCE)?;
        if outer.is_next(Tag::ObjectIdentifier) {
            return Err(
                "this is not a certificate but another container, such as PKCS #7: \
                extract its certificates with `openssl pkcs7 -print_certs`"
                    .to_owned(),
            );
        }
        let signed = outer.encoded("tbsCertificate", SEQUENCE)?;
        let algorithm = outer.encoded("signatureAlgorithm", SEQUENCE)?;
        let signature = outer.next("signatureValue", Tag::BitString)?.value();
        outer.end("Certificate")?;
        let mut fields = DerFields::of(signed, SEQUENCE)?;
        if let Some(version) = fields.optional("version", explicit(0))? {
            integer(
                "version",
                AnyRef::from_der(version.value())
                    .map_err(|problem| format!("version: {problem}"))?,
            )?;
        }
        integer("serialNumber", fields.any("serialNumber")?)?;
        let inner_algorithm = fields.encoded("signature", SEQUENCE)?;
        let issuer = fields.encoded("issuer", SEQUENCE)?;
        validity(fields.constructed("validity", SEQUENCE)?)?;
        let subject = fields.encoded("subject", SEQUENCE)?;
        let key = key(fields.constructed("subjectPublicKeyInfo", SEQUENCE)?)?;
        fields.optional("issuerUniqueID", implicit(1))?;
        fields.optional("subjectUniqueID", implicit(2))?;
        if let Some(of) = fields.optional("extensions", explicit(3))? {
            extensions(of.value())?;
        }
        fields.end("tbsCertificate")?;
        let mut of_algorithm = DerFields::of(algorithm, SEQUENCE)?;
        let identifier = object_identifier(
            "signatureAlgorithm",
            of_algorithm.any("signatureAlgorithm")?,
        )?;
        let signature = bytes_of_bits(signature).unwrap_or_default();
        Ok(EncodedParts {
            signed,
            inner_algorithm,
            issuer,
            subject,
            key,
            algorithm,
            identifier,
            signature,
        })
    }
}

/// Requires an integer in its shortest form, of any length and sign.
fn integer(name: &str, value: AnyRef) -> Result<(), String> {
    match (value.tag(), value.value()) {
        (Tag::Integer, [0, 0..=0x7f, ..] | [0xff, 0x80..=0xff, ..]) => Err(format!(
            "{name}: the integer has more bytes than it needs, which is not DER"
        )),
        (Tag::Integer, [_, ..]) => Ok(()),
        (Tag::Integer, []) => Err(format!("{name}: the integer is empty")),
        (other, _) => Err(format!("{name}: expected {}, found {other}", Tag::Integer)),
    }
}

/// Requires two dates in any format: they are not evaluated.
fn validity(mut dates: DerFields) -> Result<(), String> {
    for name in ["notBefore", "notAfter"] {
        let date = dates.any(name)?;
        let is_text = date
            .value()
            .iter()
            .all(|byte| byte.is_ascii_graphic() || *byte == b' ');
        if !matches!(date.tag(), Tag::UtcTime | Tag::GeneralizedTime) || !is_text {
            return Err(format!("{name}: expected a date, found {}", date.tag()));
        }
    }
    dates.end("validity")
}

fn extensions(encoded: &[u8]) -> Result<(), String> {
    let mut all =
        DerFields::of(encoded, SEQUENCE).map_err(|problem| format!("extensions: {problem}"))?;
    while !all.is_empty() {
        let mut extension = all.constructed("extensions", SEQUENCE)?;
        extension.next("extnID", Tag::ObjectIdentifier)?;
        // BER has many values for true.
        extension.optional("critical", Tag::Boolean)?;
        extension.next("extnValue", Tag::OctetString)?;
        extension.end("extensions")?;
    }
    Ok(())
}

fn object_identifier(name: &str, value: AnyRef) -> Result<ObjectIdentifier, String> {
    value
        .decode_as()
        .map_err(|problem| format!("{name}: {problem}"))
}

/// Returns the bytes of a bit string, if it has no further bits.
fn bytes_of_bits(bits: &[u8]) -> Option<&[u8]> {
    bits.strip_prefix(&[0])
}

fn certificate(
    path: &Arc<Path>,
    place: u64,
    der: &[u8],
    options: &Options,
) -> Result<Certificate, String> {
    // OpenSSL's trusted certificates have more data after the certificate.
    let der = SliceReader::new(der)
        .and_then(|mut reader| reader.tlv_bytes())
        .map_err(|problem| problem.to_string())?;
    let parts = EncodedParts::of(der)?;
    if der.len() > LONGEST_CERTIFICATE || parts.issuer.len().max(parts.subject.len()) > LONGEST_NAME
    {
        return Err(format!(
            "a certificate has at most {LONGEST_CERTIFICATE} bytes, and a name {LONGEST_NAME}"
        ));
    }
    let algorithm = algorithm(&parts.identifier);
    Ok(Certificate {
        path: Arc::clone(path),
        place,
        subject: displayed_name("subject", parts.subject)?,
        issuer: displayed_name("issuer", parts.issuer)?,
        subject_name: comparable_name("subject", parts.subject, options)?,
        issuer_name: comparable_name("issuer", parts.issuer, options)?,
        algorithm,
        algorithms_agree: parts.algorithm == parts.inner_algorithm,
        key: parts.key.map(|(curve, key)| (curve, key.to_vec())),
        signed: of_message(algorithm, parts.signed),
        signature: gecc::signature_from_der(parts.signature).ok(),
    })
}

/// Returns a name in the notation of RFC 4514.
fn displayed_name(field: &str, name: &[u8]) -> Result<String, String> {
    Name::from_der(name)
        .map(|name| name.to_string())
        .map_err(|problem| format!("{field}: {problem}"))
}

/// Returns a name in the form in which names are compared.
fn comparable_name(field: &str, name: &[u8], options: &Options) -> Result<Vec<u8>, String> {
    if options.exact_names {
        return Ok(name.to_vec());
    }
    folded(name).map_err(|problem| format!("{field}: {problem}"))
}

fn of_message(algorithm: Algorithm, message: &[u8]) -> SignedPart {
    match algorithm {
        Algorithm::EcdsaSha256 => of_digest(&Sha256::digest(message)),
        Algorithm::EcdsaSha384 => of_digest(&Sha384::digest(message)),
        Algorithm::EcdsaSha512 => of_digest(&Sha512::digest(message)),
        Algorithm::Sm2Sm3 => SignedPart::Message(message.to_vec()),
        Algorithm::Other => SignedPart::Other,
    }
}

/// Takes the first 256 bits of a digest.
fn of_digest(digest: &[u8]) -> SignedPart {
    SignedPart::Digest(
        *digest
            .first_chunk()
            .expect("digests have at least 32 bytes"),
    )
}

fn algorithm(identifier: &ObjectIdentifier) -> Algorithm {
    match *identifier {
        ECDSA_SHA256 => Algorithm::EcdsaSha256,
        ECDSA_SHA384 => Algorithm::EcdsaSha384,
        ECDSA_SHA512 => Algorithm::EcdsaSha512,
        SM2_SM3 => Algorithm::Sm2Sm3,
        _ => Algorithm::Other,
    }
}

/// Returns the key of a SubjectPublicKeyInfo in SEC 1, if its curve is known.
fn key(mut info: DerFields<'_>) -> Result<Option<(CurveId, &[u8])>, String> {
    const NAME: &str = "subjectPublicKeyInfo";
    let mut algorithm = info.constructed(NAME, SEQUENCE)?;
    let identifier = object_identifier(NAME, algorithm.next(NAME, Tag::ObjectIdentifier)?)?;
    let parameters = if algorithm.is_empty() {
        None
    } else {
        Some(algorithm.any(NAME)?)
    };
    algorithm.end(NAME)?;
    let key = bytes_of_bits(info.next(NAME, Tag::BitString)?.value());
    info.end(NAME)?;
    let named = parameters.and_then(|named| named.decode_as::<ObjectIdentifier>().ok());
    let is_unnamed = parameters.is_none_or(|parameters| parameters.is_null());
    // With explicit parameters, an attacker could choose a generator for which he knows the private
    // key of a given point.
    let curve = match (identifier, named) {
        (EC_KEY, Some(P256)) => CurveId::P256,
        (EC_KEY | SM2, Some(SM2)) => CurveId::Sm2,
        // The identifier of the algorithm is that of the curve.
        (SM2, None) if is_unnamed => CurveId::Sm2,
        _ => return Ok(None),
    };
    Ok(key.map(|key| (curve, key)))
}

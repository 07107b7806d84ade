//! From files to certificates.

use super::Algorithm;
use crate::files;
use crate::problem::{Place, Problem, note};
use der::asn1::ObjectIdentifier;
use der::{Decode, Encode, Reader, SliceReader, Tag, TagNumber};
use gecc::CurveId;
use pem_rfc7468::Decoder;
use sha2::{Digest, Sha256, Sha384, Sha512};
use std::path::Path;
use std::sync::Arc;
use x509_cert::Certificate;
use x509_cert::spki::SubjectPublicKeyInfoOwned;

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";
/// What blocks with certificates are called; OpenSSL has a name of its own too. Others, such as those with keys and
/// revocation lists, are passed over.
const LABELS: [&str; 3] = ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"];
/// DER: a sequence, as every certificate is.
const SEQUENCE: u8 = 0x30;
/// Bytes of a file at most, of a certificate, and of a name in it. The crate that decodes names takes time with the
/// square of how many parts they have.
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

/// A certificate, as far as its signature and its place in a chain go.
pub struct Member {
    pub path: Arc<Path>,
    pub place: u64,
    pub subject: String,
    pub issuer: String,
    /// The same as they are encoded, by which they are compared.
    pub subject_der: Vec<u8>,
    pub issuer_der: Vec<u8>,
    pub algorithm: Algorithm,
    /// SEC 1, and its curve, where it is one that is known.
    pub key: Option<(CurveId, Vec<u8>)>,
    pub signed: Signed,
    /// r and s, where they are DER. Those by keys of larger curves are not of this size.
    pub signature: Option<[u8; 64]>,
}

/// The signed part, as it stands in the file.
pub enum Signed {
    /// Of a longer digest than 256 bits the first 256 (FIPS 186-5, section 6.4.2).
    Digest([u8; 32]),
    /// SM2 hashes more before it.
    Message(Vec<u8>),
    /// In a way that is not known.
    Other,
}

impl Member {
    /// What it costs to try a key, where hashing half a kilobyte is one.
    pub fn cost(&self) -> usize {
        if let Signed::Message(message) = &self.signed { 1 + message.len() / 512 } else { 1 }
    }

    /// Bytes in memory, more or less.
    pub fn bytes(&self) -> usize {
        let names = self.subject.len() + self.issuer.len() + self.subject_der.len() + self.issuer_der.len();
        let key = self.key.as_ref().map_or(0, |(_, key)| key.len());
        let message = if let Signed::Message(message) = &self.signed { message.len() } else { 0 };
        size_of::<Member>() + names + key + message
    }
}

/// The certificates of a file of at most this many bytes, and what of it is none.
pub fn members(path: &Arc<Path>, longest: u64) -> (Vec<Member>, Vec<Problem>) {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    let bytes = match read(path, longest) {
        Ok(bytes) => bytes,
        Err(problem) => return (found, vec![problem]),
    };
    let mut add = |place: usize, der: Result<&[u8], String>| {
        let member = der.and_then(|der| member(path, place as u64, der));
        match member {
            Ok(member) => found.push(member),
            Err(what) => note(&mut problems, Problem::new(path, Place::Byte(place as u64), what)),
        }
    };
    if bytes.first() == Some(&SEQUENCE) {
        let mut place = 0;
        while place < bytes.len() {
            let one = SliceReader::new(&bytes[place..]).and_then(|mut reader| reader.tlv_bytes());
            add(place, one.map_err(|problem| problem.to_string()));
            // Behind what does not end nothing can be found.
            place = one.map_or(bytes.len(), |one| place + one.len());
        }
    } else {
        for_each_block(&bytes, add);
    }
    if found.is_empty() && problems.is_empty() {
        problems.push(Problem::new(path, Place::Whole, "there is no certificate in it, neither PEM nor DER"));
    }
    (found, problems)
}

fn read(path: &Arc<Path>, longest: u64) -> Result<Vec<u8>, Problem> {
    let (mut reader, mut bytes) = (files::Reader::open(path)?, Vec::new());
    if reader.append_rest(longest, &mut bytes)? {
        return Ok(bytes);
    }
    Err(Problem::new(path, Place::Whole, format!("it is above the limit of {longest} bytes")))
}

/// Hands on the contents of blocks with certificates, and where these begin. Other text and blocks may stand between
/// them.
fn for_each_block(text: &[u8], mut hand_on: impl FnMut(usize, Result<&[u8], String>)) {
    let mut next = find(text, BEGIN);
    while let Some(start) = next {
        let label = start + BEGIN.len();
        next = find(&text[label..], BEGIN).map(|place| label + place);
        // Nothing is looked for beyond the next block, or many that do not end would take the square of their number.
        let block = &text[start..next.unwrap_or(text.len())];
        let label = block[BEGIN.len()..].split(|byte| *byte == b'-').next().unwrap_or_default();
        if LABELS.iter().any(|known| known.as_bytes() == label) {
            hand_on(start, decoded(block).as_deref().map_err(String::clone));
        }
    }
}

/// The content of a block, behind which there may be more text.
fn decoded(block: &[u8]) -> Result<Vec<u8>, String> {
    let end = find(block, END).ok_or("the block does not end")? + END.len();
    let line = block[end..].iter().position(|byte| *byte == b'\n').map_or(block.len(), |line| end + line);
    // Lines may have any length, as in what `base64` writes, that all but the last have.
    let decoded = Decoder::new_detect_wrap(block[..line].trim_ascii_end()).and_then(|mut decoder| {
        let mut der = Vec::new();
        decoder.decode_to_end(&mut der)?;
        Ok(der)
    });
    decoded.map_err(|problem| problem.to_string())
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|part| part == what)
}

fn member(path: &Arc<Path>, place: u64, der: &[u8]) -> Result<Member, String> {
    let decoded = || {
        // OpenSSL's trusted certificates have more behind the certificate.
        let der = SliceReader::new(der)?.tlv_bytes()?;
        let signed = signed_part(der)?;
        let longest = names(signed)?.map(<[u8]>::len).into_iter().max().unwrap_or_default();
        if der.len() > LONGEST_CERTIFICATE || longest > LONGEST_NAME {
            return Ok(None);
        }
        let certificate = Certificate::from_der(der)?;
        let contents = certificate.tbs_certificate();
        let algorithm = algorithm(&certificate.signature_algorithm().oid);
        let signature = certificate.signature().as_bytes().unwrap_or_default();
        Ok(Some(Member {
            path: Arc::clone(path),
            place,
            subject: contents.subject().to_string(),
            issuer: contents.issuer().to_string(),
            subject_der: contents.subject().to_der()?,
            issuer_der: contents.issuer().to_der()?,
            algorithm,
            key: key(contents.subject_public_key_info()),
            signed: of_message(algorithm, signed),
            signature: gecc::signature_from_der(signature).ok(),
        }))
    };
    let member: der::Result<Option<Member>> = decoded();
    let too_long = || format!("a certificate has at most {LONGEST_CERTIFICATE} bytes, and a name {LONGEST_NAME}");
    member.map_err(|problem| problem.to_string())?.ok_or_else(too_long)
}

fn of_message(algorithm: Algorithm, message: &[u8]) -> Signed {
    let first = |digest: &[u8]| Signed::Digest(digest[..32].try_into().expect("longer digests than 32 bytes"));
    match algorithm {
        Algorithm::EcdsaSha256 => first(&Sha256::digest(message)),
        Algorithm::EcdsaSha384 => first(&Sha384::digest(message)),
        Algorithm::EcdsaSha512 => first(&Sha512::digest(message)),
        Algorithm::Sm2Sm3 => Signed::Message(message.to_vec()),
        Algorithm::Other => Signed::Other,
    }
}

/// The issuer and the subject, by their places in the signed part (RFC 5280, section 4.1).
fn names(signed: &[u8]) -> der::Result<[&[u8]; 2]> {
    const VERSION: Tag = Tag::ContextSpecific { constructed: true, number: TagNumber(0) };
    SliceReader::new(signed)?.sequence(|reader| {
        if Tag::peek(reader)? == VERSION {
            reader.tlv_bytes()?;
        }
        let [_serial, _algorithm, issuer, _validity, subject] =
            [reader.tlv_bytes()?, reader.tlv_bytes()?, reader.tlv_bytes()?, reader.tlv_bytes()?, reader.tlv_bytes()?];
        reader.drain(reader.remaining_len())?;
        Ok([issuer, subject])
    })
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

fn key(info: &SubjectPublicKeyInfoOwned) -> Option<(CurveId, Vec<u8>)> {
    let named = info.algorithm.parameters.as_ref().and_then(|named| named.decode_as::<ObjectIdentifier>().ok());
    // Where the parameters are written out, anyone could choose a generator to which he knows the private key of a
    // given point.
    let curve = match (info.algorithm.oid, named) {
        (EC_KEY, Some(P256)) => CurveId::P256,
        (EC_KEY | SM2, Some(SM2)) => CurveId::Sm2,
        _ => return None,
    };
    Some((curve, info.subject_public_key.as_bytes()?.to_vec()))
}

/// The first element of the certificate, byte for byte: encoding it again need not give what was signed.
fn signed_part(certificate: &[u8]) -> der::Result<&[u8]> {
    SliceReader::new(certificate)?.sequence(|reader| {
        let signed = reader.tlv_bytes()?;
        reader.drain(reader.remaining_len())?;
        Ok(signed)
    })
}

//! From files to certificates.

use super::Algorithm;
use crate::problem::{Place, Problem, note};
use der::asn1::ObjectIdentifier;
use der::{Decode, Encode, Reader, SliceReader};
use gecc::CurveId;
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
/// Bytes of a file at most.
const LONGEST: u64 = 1 << 30;

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
    /// The signed part, as it stands in the file.
    pub message: Vec<u8>,
    /// DER.
    pub signature: Vec<u8>,
}

/// The certificates of a file, and what of it is none.
pub fn members(path: &Arc<Path>) -> (Vec<Member>, Vec<Problem>) {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    let bytes = match read(path) {
        Ok(bytes) => bytes,
        Err(what) => return (found, vec![Problem::new(path, Place::Whole, what)]),
    };
    let mut add = |place: u64, der: Result<Vec<u8>, String>| {
        let member = der.and_then(|der| member(path, place, &der).map_err(|problem| problem.to_string()));
        match member {
            Ok(member) => found.push(member),
            Err(what) => note(&mut problems, Problem::new(path, Place::Byte(place), what)),
        }
    };
    if bytes.first() == Some(&SEQUENCE) {
        let mut place = 0;
        while place < bytes.len() {
            match SliceReader::new(&bytes[place..]).and_then(|mut reader| reader.tlv_bytes()) {
                Ok(one) => {
                    add(place as u64, Ok(one.to_vec()));
                    place += one.len();
                }
                Err(problem) => {
                    add(place as u64, Err(problem.to_string()));
                    break;
                }
            }
        }
    } else {
        blocks(&bytes).into_iter().for_each(|(place, block)| add(place as u64, block));
    }
    if found.is_empty() && problems.is_empty() {
        problems.push(Problem::new(path, Place::Whole, "there is no certificate in it, neither PEM nor DER"));
    }
    (found, problems)
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let length = std::fs::metadata(path).map_err(|problem| problem.to_string())?.len();
    if length > LONGEST {
        return Err(format!("{length} bytes are above the limit of {LONGEST}"));
    }
    std::fs::read(path).map_err(|problem| problem.to_string())
}

/// The contents of blocks with certificates, and where these begin. Other text and blocks may stand between them.
fn blocks(text: &[u8]) -> Vec<(usize, Result<Vec<u8>, String>)> {
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(start) = find(text, BEGIN, from) {
        let next = find(text, BEGIN, start + BEGIN.len()).unwrap_or(text.len());
        let end = find(text, END, start).filter(|end| *end < next);
        let label = text[start + BEGIN.len()..].split(|byte| *byte == b'-').next().unwrap_or_default();
        from = next;
        if !LABELS.iter().any(|known| known.as_bytes() == label) {
            continue;
        }
        let block = end.ok_or_else(|| "the block does not end".to_owned()).and_then(|end| {
            let last = text[end + END.len()..]
                .iter()
                .position(|byte| *byte == b'\n')
                .map_or(text.len(), |line| end + END.len() + line);
            let decoded = pem_rfc7468::decode_vec(text[start..last].trim_ascii_end());
            decoded.map(|(_, der)| der).map_err(|problem| problem.to_string())
        });
        found.push((start, block));
    }
    found
}

fn find(text: &[u8], what: &[u8], from: usize) -> Option<usize> {
    text.get(from..)?.windows(what.len()).position(|part| part == what).map(|place| from + place)
}

fn member(path: &Arc<Path>, place: u64, der: &[u8]) -> der::Result<Member> {
    // OpenSSL's trusted certificates have more behind the certificate.
    let der = SliceReader::new(der)?.tlv_bytes()?;
    let certificate = Certificate::from_der(der)?;
    let contents = certificate.tbs_certificate();
    Ok(Member {
        path: Arc::clone(path),
        place,
        subject: contents.subject().to_string(),
        issuer: contents.issuer().to_string(),
        subject_der: contents.subject().to_der()?,
        issuer_der: contents.issuer().to_der()?,
        algorithm: algorithm(&certificate.signature_algorithm().oid),
        key: key(contents.subject_public_key_info()),
        message: signed_part(der)?.to_vec(),
        signature: certificate.signature().as_bytes().unwrap_or_default().to_vec(),
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

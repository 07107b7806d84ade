//! Reading the vectors of `tests/vectors/`.

use flate2::read::GzDecoder;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};
use std::io::Read;

/// A file of `tests/vectors/`.
pub fn parse<T: serde::de::DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).expect("a vector file has the fields that its tests read")
}

/// Bytes written in hex.
pub fn bytes(text: &str) -> Vec<u8> {
    hex::decode(text).expect("hex digits")
}

/// 32 bytes written in hex.
pub fn field(text: &str) -> [u8; 32] {
    bytes(text).try_into().expect("32 bytes")
}

/// An integer in hex of any length, with or without 0x and leading zeros.
pub fn integer(text: &str) -> Option<[u8; 32]> {
    let digits = text.trim_start_matches("0x").trim_start_matches('0');
    (digits.len() <= 64).then(|| field(&format!("{digits:0>64}")))
}

/// The leftmost 256 bits of a longer digest, or a shorter one padded with leading zeros: the
/// conversion of FIPS 186-5, section 6.4.1, for curves of 256 bits. gecc's calls take the result.
pub fn bits_to_integer(digest: &[u8]) -> [u8; 32] {
    let mut bytes = [0; 32];
    let kept = &digest[..digest.len().min(32)];
    bytes[32 - kept.len()..].copy_from_slice(kept);
    bytes
}

/// The digest of a message by one of SHA-2; SHA-1 is not computed here, its digests are in the
/// vector files.
pub fn sha2(name: &str, message: &[u8]) -> Option<Vec<u8>> {
    match name {
        "SHA-224" => Some(Sha224::digest(message).to_vec()),
        "SHA-256" => Some(Sha256::digest(message).to_vec()),
        "SHA-384" => Some(Sha384::digest(message).to_vec()),
        "SHA-512" => Some(Sha512::digest(message).to_vec()),
        _ => None,
    }
}

/// 04 || x || y.
pub fn uncompressed(x: &str, y: &str) -> Vec<u8> {
    [vec![4], bytes(x), bytes(y)].concat()
}

pub fn unpacked(packed: &[u8]) -> String {
    let mut text = String::new();
    GzDecoder::new(packed)
        .read_to_string(&mut text)
        .expect("the file is whole");
    text
}

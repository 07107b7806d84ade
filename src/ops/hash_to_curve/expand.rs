//! `expand_message_xmd` with SHA-256 (RFC 9380, section 5.3.1).

use super::Dst;
use sha2::{Digest, Sha256};

/// Bytes of a block of SHA-256.
const BLOCK: usize = 64;
/// Bytes of a digest.
const DIGEST: usize = 32;

/// Fills `out` with uniform bytes that depend on the message and the tag. The time depends on the
/// lengths alone.
///
/// # Panics
/// If more than 255 digests are requested.
pub fn expand_message(message: &[u8], dst: &Dst, out: &mut [u8]) {
    assert!(
        out.len() <= 255 * DIGEST,
        "the number of digests is one byte"
    );
    let dst = dst.with_length();
    let length = (out.len() as u16).to_be_bytes();
    let first = Sha256::new_with_prefix([0; BLOCK])
        .chain_update(message)
        .chain_update(length)
        .chain_update([0])
        .chain_update(dst)
        .finalize();
    let mut last = [0; DIGEST];
    for (index, out) in out.chunks_mut(DIGEST).enumerate() {
        for (byte, first) in last.iter_mut().zip(&first) {
            *byte ^= first;
        }
        last = Sha256::new_with_prefix(last)
            .chain_update([index as u8 + 1])
            .chain_update(dst)
            .finalize()
            .into();
        out.copy_from_slice(&last[..out.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// Tests the vectors of RFC 9380, appendices K.1 and K.2; the second has a tag of 256 bytes.
    #[test]
    fn expanded_messages_match_the_rfc() {
        for text in [
            include_str!("../../../tests/vectors/rfc9380/expand_message_xmd_SHA256_38.json"),
            include_str!("../../../tests/vectors/rfc9380/expand_message_xmd_SHA256_256.json"),
        ] {
            let file: Value = serde_json::from_str(text).unwrap();
            let dst = Dst::new(file["DST"].as_str().unwrap().as_bytes());
            let tests = file["tests"].as_array().unwrap();
            assert!(!tests.is_empty());
            for test in tests {
                let length = test["len_in_bytes"].as_str().unwrap();
                let length = usize::from_str_radix(&length[2..], 16).unwrap();
                let mut out = vec![0; length];
                expand_message(test["msg"].as_str().unwrap().as_bytes(), &dst, &mut out);
                assert_eq!(hex::encode(out), test["uniform_bytes"].as_str().unwrap());
            }
        }
    }
}

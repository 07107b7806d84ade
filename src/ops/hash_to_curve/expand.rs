//! `expand_message_xmd` (RFC 9380, section 5.3.1).

use super::Dst;
use sha2::digest::Output;
use sha2::{Digest, Sha256, Sha512};

/// A hash function of `expand_message_xmd`.
pub trait ExpandingHash: Digest {
    /// Zeros, as many as a block has bytes.
    const ZEROS: &'static [u8];
}

impl ExpandingHash for Sha256 {
    const ZEROS: &'static [u8] = &[0; 64];
}

impl ExpandingHash for Sha512 {
    const ZEROS: &'static [u8] = &[0; 128];
}

/// Fills `out` with uniform bytes that depend on the message and the tag. The time depends on the
/// lengths alone.
///
/// # Panics
/// If more than 255 digests are requested.
pub fn expand_message<H: ExpandingHash>(message: &[u8], dst: &Dst, out: &mut [u8]) {
    let digest = <H as Digest>::output_size();
    assert!(
        out.len() <= 255 * digest,
        "the number of digests is one byte"
    );
    let dst = dst.with_length();
    let length = (out.len() as u16).to_be_bytes();
    let first = H::new_with_prefix(H::ZEROS)
        .chain_update(message)
        .chain_update(length)
        .chain_update([0])
        .chain_update(dst)
        .finalize();
    let mut last = Output::<H>::default();
    for (index, out) in out.chunks_mut(digest).enumerate() {
        for (byte, first) in last.iter_mut().zip(&first) {
            *byte ^= first;
        }
        last = H::new_with_prefix(last)
            .chain_update([index as u8 + 1])
            .chain_update(dst)
            .finalize();
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
                expand_message::<Sha256>(test["msg"].as_str().unwrap().as_bytes(), &dst, &mut out);
                assert_eq!(hex::encode(out), test["uniform_bytes"].as_str().unwrap());
            }
        }
    }
}

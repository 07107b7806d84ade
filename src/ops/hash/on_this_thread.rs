//! Keccak-256 on the caller's thread.

use super::{Function, known_answers};
use crate::cpu::simd::{self, Lanes};
use crate::host::process::get_or_compute;
use crate::types::{Error, require_lengths};
use std::sync::OnceLock;

/// The message lengths that the vector code is tested with before it is used: up to three blocks of
/// Keccak-256.
const TESTED: usize = 3 * 136;
/// The batch size below which messages are hashed one by one.
const FEWEST: usize = 3;

/// Computes Keccak-256 of each message on the calling thread, eight messages at a time on
/// processors with AVX-512 IFMA. Variable-time: all inputs are public.
///
/// Needs no engine and starts no threads. This is for small batches in tasks that already run in
/// parallel; [`digests_into`](super::digests_into) is faster for large ones.
///
/// # Errors
/// [`Error::LengthMismatch`] if the number of digests differs from that of messages.
///
/// ```
/// let mut digests = [[0; 32]; 2];
/// gecc::hash::keccak256_on_this_thread(&[b"", b"a message"], &mut digests)?;
/// assert_eq!(hex::encode(digests[0]), "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn keccak256_on_this_thread(messages: &[&[u8]], digests: &mut [[u8; 32]]) -> Result<(), Error> {
    require_lengths(messages.len(), &[("digests", digests.len())])?;
    match tested_lanes().filter(|_| messages.len() >= FEWEST) {
        Some(lanes) => simd::keccak256(lanes, messages, |item, digest| digests[item] = *digest),
        None => one_by_one(messages, digests),
    }
    Ok(())
}

fn one_by_one(messages: &[&[u8]], digests: &mut [[u8; 32]]) {
    for (message, digest) in messages.iter().zip(digests) {
        *digest = Function::Keccak256.digest(message);
    }
}

/// Returns the vector code if the processor supports it and it passes the self-test.
fn tested_lanes() -> Option<Lanes> {
    static TESTED_LANES: OnceLock<Option<Lanes>> = OnceLock::new();
    *get_or_compute(&TESTED_LANES, || {
        Lanes::detect().filter(|lanes| is_right(*lanes))
    })
}

fn is_right(lanes: Lanes) -> bool {
    let texts: Vec<Vec<u8>> = (0..TESTED).map(known_answers::message).collect();
    let messages: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
    let mut found = vec![[0; 32]; messages.len()];
    simd::keccak256(lanes, &messages, |item, digest| found[item] = *digest);
    let mut expected = vec![[0; 32]; messages.len()];
    one_by_one(&messages, &mut expected);
    found == expected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keccak256_on_this_thread_equals_one_by_one() {
        for count in [0, 1, 2, 3, 7, 8, 9, 100] {
            let texts: Vec<Vec<u8>> = (0..count)
                .map(|item| known_answers::message(item * item % 700))
                .collect();
            let messages: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
            let mut found = vec![[0; 32]; count];
            let mut expected = vec![[1; 32]; count];
            keccak256_on_this_thread(&messages, &mut found).unwrap();
            one_by_one(&messages, &mut expected);
            assert_eq!(found, expected);
        }
        assert!(keccak256_on_this_thread(&[b"a"], &mut []).is_err());
    }
}

//! Messages of mixed lengths.

use super::random::Random;

/// Every length to three blocks, and lengths around those at which an engine may treat a message
/// differently.
pub fn messages(random: &mut Random) -> Vec<Vec<u8>> {
    let long = [1000, 4096, 16 << 10, 64 << 10, 300_000]
        .into_iter()
        .flat_map(|length| length - 2..=length + 2);
    // Short and long ones in turn, each at another offset from a whole word.
    let mut lengths: Vec<usize> = (0..200).chain(long).collect();
    lengths.sort_unstable_by_key(|length| (length % 7, *length));
    lengths
        .into_iter()
        .map(|length| random.vector(length))
        .collect()
}

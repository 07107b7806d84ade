//! Keccak-256 of eight messages at a time, with one word of each message per vector register.
//! Existing crates that do this need an unreleased compiler.
//!
//! The permutation is that of FIPS 202, section 3; the padding is that of the original submission,
//! which has one bit less than SHA-3's.

use crate::cpu::field::vector::{LANES, Lanes, Words, transpose};

/// The number of message bytes per permutation.
const RATE: usize = 136;
/// Truth tables of three bits a, b, c: a ^ b ^ c, and a ^ (!b & c).
const XOR: i32 = 0x96;
const CHI: i32 = 0xd2;
/// The round constants of FIPS 202, section 3.2.5.
const ROUNDS: [u64; 24] = [
    0x0000_0000_0000_0001,
    0x0000_0000_0000_8082,
    0x8000_0000_0000_808a,
    0x8000_0000_8000_8000,
    0x0000_0000_0000_808b,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8009,
    0x0000_0000_0000_008a,
    0x0000_0000_0000_0088,
    0x0000_0000_8000_8009,
    0x0000_0000_8000_000a,
    0x0000_0000_8000_808b,
    0x8000_0000_0000_008b,
    0x8000_0000_0000_8089,
    0x8000_0000_0000_8003,
    0x8000_0000_0000_8002,
    0x8000_0000_0000_0080,
    0x0000_0000_0000_800a,
    0x8000_0000_8000_000a,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8080,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8008,
];

/// Calls `put` with the index and hash of each message. Messages with the same number of blocks are
/// grouped.
pub fn keccak256(lanes: Lanes, messages: &[&[u8]], mut put: impl FnMut(usize, &[u8; 32])) {
    let mut order: Vec<usize> = (0..messages.len()).collect();
    order.sort_unstable_by_key(|item| blocks(messages[*item]));
    for group in order.chunks(LANES) {
        // Lanes without a message repeat the last one, which has the most blocks.
        let of_group = core::array::from_fn(|lane| messages[group[lane.min(group.len() - 1)]]);
        // SAFETY: a `Lanes` proves that the instructions exist.
        let hashes = unsafe { hash_group(lanes, of_group) };
        for (item, hash) in group.iter().zip(&hashes) {
            put(*item, hash);
        }
    }
}

fn blocks(message: &[u8]) -> usize {
    message.len() / RATE + 1
}

/// Hashes messages, of which the last has the most blocks.
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn hash_group(lanes: Lanes, messages: [&[u8]; LANES]) -> [[u8; 32]; LANES] {
    let mut state = [Words::splat(lanes, 0); 25];
    let mut hashes = [[0; 32]; LANES];
    for block in 0..blocks(messages[LANES - 1]) {
        absorb(lanes, &mut state, &messages, block);
        permute(&mut state);
        let ends = messages.map(|message| blocks(message) == block + 1);
        if !ends.contains(&true) {
            continue;
        }
        for (at, of_state) in (0..32).step_by(8).zip(&state) {
            let mut words = [0; LANES];
            of_state.store(&mut words);
            for ((hash, _), word) in hashes
                .iter_mut()
                .zip(ends)
                .zip(words)
                .filter(|((_, ends), _)| *ends)
            {
                hash[at..at + 8].copy_from_slice(&word.to_le_bytes());
            }
        }
    }
    hashes
}

/// Absorbs a block of each message. After the last block of a message any contents may be absorbed.
#[inline(always)]
fn absorb(lanes: Lanes, state: &mut [Words; 25], messages: &[&[u8]; LANES], block: usize) {
    let mut padded = [[0; RATE]; LANES];
    let mut rows: [&[u8; RATE]; LANES] = [&[0; RATE]; LANES];
    for ((row, padded), message) in rows.iter_mut().zip(&mut padded).zip(messages) {
        let rest = message.get(block * RATE..).unwrap_or_default();
        *row = rest.first_chunk().unwrap_or_else(|| {
            padded[..rest.len()].copy_from_slice(rest);
            padded[rest.len()] = 1;
            padded[RATE - 1] |= 0x80;
            padded
        });
    }
    let eight =
        |at: usize| {
            transpose(rows.map(|row| {
                Words::load_bytes(lanes, row[at..at + 64].as_array().expect("64 bytes"))
            }))
        };
    let last = rows.map(|row| u64::from_le_bytes(*row.last_chunk().expect("136 bytes")));
    let words = eight(0)
        .into_iter()
        .chain(eight(64))
        .chain([Words::load(lanes, &last)]);
    for (of_state, word) in state.iter_mut().zip(words) {
        *of_state = of_state.xor(word);
    }
}

/// The permutation of FIPS 202, section 3.3: word x of plane y is at index 5 y + x.
#[inline(always)]
fn permute(a: &mut [Words; 25]) {
    /// The steps rho and pi: each word moves to the position of the next, rotated.
    macro_rules! rho_pi {
        ($a:ident, $($place:literal $by:literal),*) => {{
            let mut moved = $a[1];
            $(
                let next = $a[$place];
                $a[$place] = moved.rotate_left::<$by>();
                moved = next;
            )*
            let _ = moved;
        }};
    }
    for round in ROUNDS {
        let column = |x: usize| {
            a[x].by_table::<XOR>(a[x + 5], a[x + 10])
                .by_table::<XOR>(a[x + 15], a[x + 20])
        };
        let columns = [column(0), column(1), column(2), column(3), column(4)];
        for x in 0..5 {
            let next = columns[(x + 1) % 5].rotate_left::<1>();
            for y in 0..5 {
                a[5 * y + x] = a[5 * y + x].by_table::<XOR>(columns[(x + 4) % 5], next);
            }
        }
        rho_pi!(
            a, 10 1, 7 3, 11 6, 17 10, 18 15, 3 21, 5 28, 16 36, 8 45, 21 55, 24 2, 4 14, 15 27, 23 41, 19 56, 13 8, 12 25, 2 43,
            20 62, 14 18, 22 39, 9 61, 6 20, 1 44
        );
        for y in 0..5 {
            let plane = [
                a[5 * y],
                a[5 * y + 1],
                a[5 * y + 2],
                a[5 * y + 3],
                a[5 * y + 4],
            ];
            for x in 0..5 {
                a[5 * y + x] = plane[x].by_table::<CHI>(plane[(x + 1) % 5], plane[(x + 2) % 5]);
            }
        }
        a[0] = a[0].xor(a[0].all(round));
    }
}

#[cfg(test)]
mod avx512_tests {
    use super::*;
    use sha3::{Digest, Keccak256};

    #[test]
    #[ignore = "needs AVX-512 IFMA: --ignored avx512_tests"]
    fn vector_hashes_agree_with_single_hashes() {
        let lanes = Lanes::detect().expect("a processor with the lanes");
        for count in [0, 1, 7, 8, 9, 300] {
            // Lengths include those at the ends of blocks, and different lengths of neighbours.
            let length = |item: usize| {
                if item.is_multiple_of(3) {
                    RATE * (item % 4) + item % 2
                } else {
                    item * item % 1000
                }
            };
            let messages: Vec<Vec<u8>> = (0..count)
                .map(|item| {
                    (0..length(item))
                        .map(|byte| (item + 7 * byte) as u8)
                        .collect()
                })
                .collect();
            let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
            let mut hashes = vec![[0; 32]; count];
            keccak256(lanes, &messages, |item, hash| hashes[item] = *hash);
            let expected: Vec<[u8; 32]> = messages
                .iter()
                .map(|message| Keccak256::digest(message).into())
                .collect();
            assert_eq!(hashes, expected, "{count} messages");
        }
    }
}

//! Keccak-256 of many messages.
//!
//! Hashing is most of what decoding costs. With AVX-512 eight messages go through the permutation side by side, a word
//! of each in a register: the crates that have this need a compiler that is not released. Elsewhere each goes through
//! `sha3`.
//!
//! The permutation is that of FIPS 202, section 3; the padding that of the submission, one bit earlier than SHA-3's.

use sha3::{Digest, Keccak256};

/// Keccak-256 of one message.
pub fn hash(bytes: &[u8]) -> [u8; 32] {
    Keccak256::digest(bytes).into()
}

/// Messages one after the other.
#[derive(Default)]
pub struct Messages {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Messages {
    /// Adds what is written.
    pub fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.bytes);
        self.ends.push(self.bytes.len());
    }

    /// Bytes of all.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    fn each(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.bytes[start..*end])
    }

    /// The hashes of all, in order.
    pub fn hashes(&self) -> Vec<[u8; 32]> {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512f") {
            let messages: Vec<&[u8]> = self.each().collect();
            // SAFETY: the processor has what the function is compiled for.
            return unsafe { lanes::hashes(&messages) };
        }
        self.each().map(hash).collect()
    }
}

#[cfg(target_arch = "x86_64")]
mod lanes {
    use std::arch::x86_64::{
        __m512i, _mm512_rol_epi64, _mm512_set1_epi64, _mm512_setzero_si512, _mm512_ternarylogic_epi64, _mm512_xor_si512,
    };

    /// Messages side by side.
    const LANES: usize = 8;
    /// Bytes of a message that a permutation takes, and words.
    const RATE: usize = 136;
    const RATE_WORDS: usize = RATE / 8;
    /// Truth tables of three words a, b, c: a ^ b ^ c, and a ^ (!b & c).
    const XOR: i32 = 0x96;
    const CHI: i32 = 0xd2;
    /// FIPS 202, section 3.2.5.
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

    /// A word of each message.
    type Words = [u64; LANES];

    /// The hashes of messages. Those of as many blocks go together.
    #[target_feature(enable = "avx512f")]
    pub fn hashes(messages: &[&[u8]]) -> Vec<[u8; 32]> {
        let mut order: Vec<u32> = (0..messages.len() as u32).collect();
        order.sort_unstable_by_key(|index| blocks(messages[*index as usize]));
        let mut hashes = vec![[0; 32]; messages.len()];
        for group in order.chunks(LANES) {
            hash_group(messages, group, &mut hashes);
        }
        hashes
    }

    fn blocks(message: &[u8]) -> usize {
        message.len() / RATE + 1
    }

    /// Hashes at most as many messages as there are lanes, of which the last has the most blocks.
    #[target_feature(enable = "avx512f")]
    fn hash_group(messages: &[&[u8]], group: &[u32], hashes: &mut [[u8; 32]]) {
        let most = group.last().map_or(0, |index| blocks(messages[*index as usize]));
        let mut state = [_mm512_setzero_si512(); 25];
        for block in 0..most {
            let mut words = [[0; LANES]; RATE_WORDS];
            for (lane, index) in group.iter().enumerate() {
                take_block(messages[*index as usize], block, lane, &mut words);
            }
            for (of_state, words) in state.iter_mut().zip(&words) {
                *of_state = _mm512_xor_si512(*of_state, from_words(words));
            }
            permute(&mut state);
            for (lane, index) in group.iter().enumerate() {
                if blocks(messages[*index as usize]) == block + 1 {
                    for (word, of_hash) in hashes[*index as usize].chunks_exact_mut(8).enumerate() {
                        of_hash.copy_from_slice(&to_words(state[word])[lane].to_le_bytes());
                    }
                }
            }
        }
    }

    /// Puts a block of a message, with the padding in the last, into its lane. Nothing behind the last.
    fn take_block(message: &[u8], block: usize, lane: usize, words: &mut [Words; RATE_WORDS]) {
        let rest = message.get(block * RATE..).unwrap_or_default();
        let mut padded = [0; RATE];
        let bytes = match rest.first_chunk::<RATE>() {
            Some(whole) => whole,
            None if block + 1 == blocks(message) => {
                padded[..rest.len()].copy_from_slice(rest);
                padded[rest.len()] = 1;
                padded[RATE - 1] |= 0x80;
                &padded
            }
            None => return,
        };
        for (words, bytes) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
            words[lane] = u64::from_le_bytes(*bytes);
        }
    }

    fn from_words(words: &Words) -> __m512i {
        // SAFETY: both are 64 bytes, of which every value is valid.
        unsafe { std::mem::transmute::<Words, __m512i>(*words) }
    }

    fn to_words(register: __m512i) -> Words {
        // SAFETY: both are 64 bytes, of which every value is valid.
        unsafe { std::mem::transmute::<__m512i, Words>(register) }
    }

    /// FIPS 202, section 3.3: word x of plane y is at 5 y + x.
    #[target_feature(enable = "avx512f")]
    fn permute(a: &mut [__m512i; 25]) {
        /// Rho and pi: each word goes to the place of the next, rotated.
        macro_rules! rho_pi {
            ($a:ident, $($place:literal $by:literal),*) => {{
                let mut moved = $a[1];
                $(
                    let next = $a[$place];
                    $a[$place] = _mm512_rol_epi64::<$by>(moved);
                    moved = next;
                )*
                let _ = moved;
            }};
        }
        for round in ROUNDS {
            let column = |x: usize| {
                let three = _mm512_ternarylogic_epi64::<XOR>(a[x], a[x + 5], a[x + 10]);
                _mm512_ternarylogic_epi64::<XOR>(three, a[x + 15], a[x + 20])
            };
            let columns = [column(0), column(1), column(2), column(3), column(4)];
            for x in 0..5 {
                let next = _mm512_rol_epi64::<1>(columns[(x + 1) % 5]);
                for y in 0..5 {
                    a[5 * y + x] = _mm512_ternarylogic_epi64::<XOR>(a[5 * y + x], columns[(x + 4) % 5], next);
                }
            }
            rho_pi!(
                a, 10 1, 7 3, 11 6, 17 10, 18 15, 3 21, 5 28, 16 36, 8 45, 21 55, 24 2, 4 14, 15 27, 23 41, 19 56, 13 8, 12 25, 2 43,
                20 62, 14 18, 22 39, 9 61, 6 20, 1 44
            );
            for y in 0..5 {
                let plane = [a[5 * y], a[5 * y + 1], a[5 * y + 2], a[5 * y + 3], a[5 * y + 4]];
                for x in 0..5 {
                    a[5 * y + x] = _mm512_ternarylogic_epi64::<CHI>(plane[x], plane[(x + 1) % 5], plane[(x + 2) % 5]);
                }
            }
            a[0] = _mm512_xor_si512(a[0], _mm512_set1_epi64(round as i64));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn hashes_of_many_are_those_of_each() {
        let mut random = rand::rng();
        for count in [0, 1, 7, 8, 9, 100] {
            let mut messages = Messages::default();
            let mut expected = Vec::new();
            for index in 0..count {
                // Also lengths at the ends of blocks.
                let length = if index % 3 == 0 { 136 * (index % 4) + index % 2 } else { random.random_range(0..1000) };
                let message: Vec<u8> = (0..length).map(|_| random.random()).collect();
                messages.push(|to| to.extend_from_slice(&message));
                expected.push(hash(&message));
            }
            assert_eq!(messages.hashes(), expected);
        }
    }

    #[test]
    fn the_hash_of_nothing() {
        // Yellow paper, appendix B: the hash of the empty string.
        let known = "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470";
        let known: [u8; 32] = const_hex::decode_to_array(known).unwrap();
        let mut messages = Messages::default();
        messages.push(|_| {});
        assert_eq!(messages.hashes(), [known]);
    }
}

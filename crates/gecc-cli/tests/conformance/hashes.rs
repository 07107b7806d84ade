//! Hashes of the messages of vectors: gecc verifies digests, for whatever hash. SHA-1 and the sponge
//! of FIPS 202 are written out here, because no crate of the command has them.

use sha2::{Digest, Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};

/// Returns the digest of a message by a hash with the name that Wycheproof or NIST gives it. Digests
/// of the extendable functions have the lengths of FIPS 186-5, section 6.4: 256 and 512 bits.
pub fn digest(hash: &str, message: &[u8]) -> Vec<u8> {
    match hash {
        "SHA-1" => sha1(message),
        "SHA-224" | "SHA2-224" => Sha224::digest(message).to_vec(),
        "SHA-256" | "SHA2-256" => Sha256::digest(message).to_vec(),
        "SHA-384" | "SHA2-384" => Sha384::digest(message).to_vec(),
        "SHA-512" | "SHA2-512" => Sha512::digest(message).to_vec(),
        "SHA2-512/224" => Sha512_224::digest(message).to_vec(),
        "SHA2-512/256" => Sha512_256::digest(message).to_vec(),
        "SHA3-224" => sponge(message, 28, 28, 6),
        "SHA3-256" => sponge(message, 32, 32, 6),
        "SHA3-384" => sponge(message, 48, 48, 6),
        "SHA3-512" => sponge(message, 64, 64, 6),
        "SHAKE128" | "SHAKE-128" => sponge(message, 16, 32, 0x1f),
        "SHAKE256" | "SHAKE-256" => sponge(message, 32, 64, 0x1f),
        other => panic!("no hash is called {other}"),
    }
}

/// FIPS 180-4, section 6.1.
fn sha1(message: &[u8]) -> Vec<u8> {
    let mut padded = message.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((8 * message.len() as u64).to_be_bytes());
    let mut state: [u32; 5] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
    for block in padded.as_chunks::<64>().0 {
        let mut words: Vec<u32> = block
            .as_chunks::<4>()
            .0
            .iter()
            .map(|word| u32::from_be_bytes(*word))
            .collect();
        for t in 16..80 {
            let word = words[t - 3] ^ words[t - 8] ^ words[t - 14] ^ words[t - 16];
            words.push(word.rotate_left(1));
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (t, word) in words.iter().enumerate() {
            let (f, k) = match t / 20 {
                0 => ((b & c) | (!b & d), 0x5a827999),
                1 => (b ^ c ^ d, 0x6ed9eba1),
                2 => ((b & c) | (b & d) | (c & d), 0x8f1bbcdc),
                _ => (b ^ c ^ d, 0xca62c1d6),
            };
            let next = a
                .rotate_left(5)
                .wrapping_add(f)
                .wrapping_add(e)
                .wrapping_add(k)
                .wrapping_add(*word);
            e = d;
            d = c;
            c = b.rotate_left(30);
            b = a;
            a = next;
        }
        for (value, added) in state.iter_mut().zip([a, b, c, d, e]) {
            *value = value.wrapping_add(added);
        }
    }
    state.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// Keccak with a capacity of twice `security` bytes and this byte of domain and padding (FIPS 202,
/// sections 4 and 6). Digests are shorter than a block.
fn sponge(message: &[u8], security: usize, length: usize, domain: u8) -> Vec<u8> {
    let rate = 200 - 2 * security;
    assert!(length <= rate);
    let mut padded = message.to_vec();
    padded.push(domain);
    padded.resize(padded.len().next_multiple_of(rate), 0);
    *padded.last_mut().expect("a byte was added") |= 0x80;
    let mut state = [0_u64; 25];
    for block in padded.chunks(rate) {
        for (lane, word) in state.iter_mut().zip(block.as_chunks::<8>().0) {
            *lane ^= u64::from_le_bytes(*word);
        }
        keccak_f(&mut state);
    }
    let bytes = state.iter().flat_map(|lane| lane.to_le_bytes());
    bytes.take(length).collect()
}

/// FIPS 202, section 3.3, with lane x, y at x + 5 y.
fn keccak_f(state: &mut [u64; 25]) {
    // The bits of round constants: a linear feedback shift register (algorithm 5).
    let mut register: u8 = 1;
    for _ in 0..24 {
        let mut column = [0; 5];
        for (x, parity) in column.iter_mut().enumerate() {
            *parity = (0..5).fold(0, |parity, y| parity ^ state[x + 5 * y]);
        }
        for (index, lane) in state.iter_mut().enumerate() {
            let x = index % 5;
            *lane ^= column[(x + 4) % 5] ^ column[(x + 1) % 5].rotate_left(1);
        }
        let (mut x, mut y) = (1, 0);
        let mut moved = state[1];
        for t in 0..24 {
            (x, y) = (y, (2 * x + 3 * y) % 5);
            let rotated = moved.rotate_left((t + 1) * (t + 2) / 2 % 64);
            moved = std::mem::replace(&mut state[x + 5 * y], rotated);
        }
        for row in state.as_chunks_mut::<5>().0 {
            let before = *row;
            for x in 0..5 {
                row[x] = before[x] ^ (!before[(x + 1) % 5] & before[(x + 2) % 5]);
            }
        }
        for j in 0..7 {
            state[0] ^= u64::from(register & 1) << ((1 << j) - 1);
            register = (register << 1) ^ if register & 0x80 == 0 { 0 } else { 0x71 };
        }
    }
}

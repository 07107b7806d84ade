//! RIPEMD-160 (Dobbertin, Bosselaers and Preneel, 1996) of 32 bytes: Bitcoin uses it for no other
//! length.

const START: [u32; 5] = [
    0x6745_2301,
    0xefcd_ab89,
    0x98ba_dcfe,
    0x1032_5476,
    0xc3d2_e1f0,
];

/// One of the two parallel lines of rounds: for each step the word that is added, and the number of
/// bits by which the sum is rotated.
struct RoundLine {
    words: [[u8; 16]; 5],
    rotations: [[u8; 16]; 5],
    constants: [u32; 5],
}

const LEFT: RoundLine = RoundLine {
    words: [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        [7, 4, 13, 1, 10, 6, 15, 3, 12, 0, 9, 5, 2, 14, 11, 8],
        [3, 10, 14, 4, 9, 15, 8, 1, 2, 7, 0, 6, 13, 11, 5, 12],
        [1, 9, 11, 10, 0, 8, 12, 4, 13, 3, 7, 15, 14, 5, 6, 2],
        [4, 0, 5, 9, 7, 12, 2, 10, 14, 1, 3, 8, 11, 6, 15, 13],
    ],
    rotations: [
        [11, 14, 15, 12, 5, 8, 7, 9, 11, 13, 14, 15, 6, 7, 9, 8],
        [7, 6, 8, 13, 11, 9, 7, 15, 7, 12, 15, 9, 11, 7, 13, 12],
        [11, 13, 6, 7, 14, 9, 13, 15, 14, 8, 13, 6, 5, 12, 7, 5],
        [11, 12, 14, 15, 14, 15, 9, 8, 9, 14, 5, 6, 8, 6, 5, 12],
        [9, 15, 5, 11, 6, 8, 13, 12, 5, 12, 13, 14, 11, 8, 5, 6],
    ],
    constants: [0, 0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xa953_fd4e],
};

const RIGHT: RoundLine = RoundLine {
    words: [
        [5, 14, 7, 0, 9, 2, 11, 4, 13, 6, 15, 8, 1, 10, 3, 12],
        [6, 11, 3, 7, 0, 13, 5, 10, 14, 15, 8, 12, 4, 9, 1, 2],
        [15, 5, 1, 3, 7, 14, 6, 9, 11, 8, 12, 2, 10, 0, 4, 13],
        [8, 6, 4, 1, 3, 11, 15, 0, 5, 12, 2, 13, 9, 7, 10, 14],
        [12, 15, 10, 4, 1, 5, 8, 7, 6, 2, 13, 14, 0, 3, 9, 11],
    ],
    rotations: [
        [8, 9, 9, 11, 13, 15, 15, 5, 7, 7, 8, 11, 14, 14, 12, 6],
        [9, 13, 15, 7, 12, 8, 9, 11, 7, 7, 12, 7, 6, 15, 13, 11],
        [9, 7, 15, 11, 8, 6, 6, 14, 12, 13, 5, 14, 13, 13, 7, 5],
        [15, 5, 8, 11, 14, 14, 6, 14, 6, 9, 12, 9, 12, 5, 15, 8],
        [8, 5, 12, 9, 12, 5, 14, 6, 8, 13, 6, 5, 15, 13, 11, 11],
    ],
    constants: [0x50a2_8be6, 0x5c4d_d124, 0x6d70_3ef3, 0x7a6d_76e9, 0],
};

fn function<const F: usize>(x: u32, y: u32, z: u32) -> u32 {
    match F {
        0 => x ^ y ^ z,
        1 => (x & y) | (!x & z),
        2 => (x | !y) ^ z,
        3 => (x & z) | (y & !z),
        _ => x ^ (y | !z),
    }
}

/// Computes a round of a line; the right line uses the functions in reverse order.
#[inline(always)]
fn round<const ROUND: usize, const F: usize>(
    line: &RoundLine,
    [mut a, mut b, mut c, mut d, mut e]: [u32; 5],
    words: &[u32; 16],
) -> [u32; 5] {
    for step in 0..16 {
        let word = words[usize::from(line.words[ROUND][step])];
        let sum = a
            .wrapping_add(function::<F>(b, c, d))
            .wrapping_add(word)
            .wrapping_add(line.constants[ROUND]);
        let next = sum
            .rotate_left(line.rotations[ROUND][step].into())
            .wrapping_add(e);
        (a, e, d, c, b) = (e, d, c.rotate_left(10), b, next);
    }
    [a, b, c, d, e]
}

/// Computes the hash.
pub fn ripemd160(message: &[u8; 32]) -> [u8; 20] {
    let mut words = [0; 16];
    for (word, bytes) in words.iter_mut().zip(message.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    // The padding: one bit, and the length in bits.
    (words[8], words[14]) = (0x80, 8 * message.len() as u32);
    let mut left = START;
    let mut right = START;
    left = round::<0, 0>(&LEFT, left, &words);
    right = round::<0, 4>(&RIGHT, right, &words);
    left = round::<1, 1>(&LEFT, left, &words);
    right = round::<1, 3>(&RIGHT, right, &words);
    left = round::<2, 2>(&LEFT, left, &words);
    right = round::<2, 2>(&RIGHT, right, &words);
    left = round::<3, 3>(&LEFT, left, &words);
    right = round::<3, 1>(&RIGHT, right, &words);
    left = round::<4, 4>(&LEFT, left, &words);
    right = round::<4, 0>(&RIGHT, right, &words);
    let mut hash = [0; 20];
    for (at, bytes) in hash.as_chunks_mut().0.iter_mut().enumerate() {
        let word = START[(at + 1) % 5]
            .wrapping_add(left[(at + 2) % 5])
            .wrapping_add(right[(at + 3) % 5]);
        *bytes = word.to_le_bytes();
    }
    hash
}

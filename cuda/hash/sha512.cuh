// SHA-512 (FIPS 180-4). For public data: time and addresses depend on lengths.
#pragma once
#include "hash/message.cuh"

struct Sha512State {
    u64 v[8];
};

struct Sha512Block {
    u64 v[16];
};

GECC_FN u64 rotate_right_64(u64 x, int bits) {
    return x >> bits | x << (64 - bits);
}

GECC_TABLE u64 kSha512Constants[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538,
    0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe,
    0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
    0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5, 0x983e5152ee66dfab,
    0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
    0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
    0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
    0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53,
    0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
    0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c,
    0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6,
    0x113f9804bef90dae, 0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
    0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817};

GECC_FN Sha512State sha512_initial() {
    return {{0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1, 0x510e527fade682d1,
             0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179}};
}

// Section 6.4.2. The schedule is a window of sixteen words: word t replaces word t - 16. Sixteen
// rounds are unrolled: eighty would not fit the instruction cache.
GECC_SHARED_FN Sha512State sha512_compress(Sha512State state, Sha512Block w) {
    u64 a = state.v[0], b = state.v[1], c = state.v[2], d = state.v[3];
    u64 e = state.v[4], f = state.v[5], g = state.v[6], h = state.v[7];
    GECC_NO_UNROLL
    for (int start = 0; start < 80; start += 16) {
        GECC_UNROLL
        for (int t = 0; t < 16; t++) {
            if (start > 0) {
                u64 far = w.v[(t + 1) & 15], near = w.v[(t + 14) & 15];
                w.v[t] += (rotate_right_64(far, 1) ^ rotate_right_64(far, 8) ^ far >> 7) + w.v[(t + 9) & 15] +
                          (rotate_right_64(near, 19) ^ rotate_right_64(near, 61) ^ near >> 6);
            }
            u64 t1 = h + w.v[t] + kSha512Constants[start + t] + ((e & f) ^ (~e & g)) +
                     (rotate_right_64(e, 14) ^ rotate_right_64(e, 18) ^ rotate_right_64(e, 41));
            u64 t2 = ((a & b) ^ (a & c) ^ (b & c)) +
                     (rotate_right_64(a, 28) ^ rotate_right_64(a, 34) ^ rotate_right_64(a, 39));
            h = g;
            g = f;
            f = e;
            e = d + t1;
            d = c;
            c = b;
            b = a;
            a = t1 + t2;
        }
    }
    Sha512State r = {{state.v[0] + a, state.v[1] + b, state.v[2] + c, state.v[3] + d, state.v[4] + e, state.v[5] + f,
                      state.v[6] + g, state.v[7] + h}};
    return r;
}

// The rest of a hash, from the state after `before` bytes, a multiple of 128.
template <class Source> GECC_FN Sha512State sha512_rest(Sha512State state, u64 before, const Source& source) {
    u64 length = source.length(), blocks = (length + 16) / 128 + 1;
    GECC_NO_UNROLL
    for (u64 b = 0; b < blocks; b++) {
        // As in padded_block: each position is a register.
        Sha512Block block = {};
        GECC_NO_UNROLL
        for (int j = 0; j < 16; j++) {
            GECC_UNROLL
            for (int w = 0; w < 15; w++) block.v[w] = block.v[w + 1];
            u64 p = 128 * b + 8 * j;
            block.v[15] = (u64)padded_word(source, p, kPaddingMark) << 32 | padded_word(source, p + 4, kPaddingMark);
        }
        if (b + 1 == blocks) block.v[15] = (before + length) << 3;
        state = sha512_compress(state, block);
    }
    return state;
}

// SHA-512 of a whole message.
template <class Source> GECC_FN Sha512State sha512_message(const Source& source) {
    return sha512_rest(sha512_initial(), 0, source);
}

// The digest as a number, little-endian: sixteen words, least significant first.
GECC_FN void sha512_number(u32* r, const Sha512State& digest) {
    GECC_UNROLL
    for (int w = 0; w < 8; w++) {
        r[2 * w] = swap_bytes((u32)(digest.v[w] >> 32));
        r[2 * w + 1] = swap_bytes((u32)digest.v[w]);
    }
}

// expand_message_xmd with SHA-512 (RFC 9380, section 5.3.1), for 64 bytes. Time and addresses
// depend on lengths only.
//
// As in hash/expand_message.cuh, except that `tail` is for blocks of 128 bytes: sixteen words, and
// 32 for each further block, of I2OSP(1, 1) || DST_prime with the padding.
#pragma once
#include "hash/expand_message.cuh"
#include "hash/sha512.cuh"

// The chaining value of SHA-512 after Z_pad, a block of zeros.
GECC_FN Sha512State sha512_after_zeros() {
    return {{0xcf7881d5774acbe8, 0x533362e0fbc78070, 0x0267639d87460eda, 0x3086cb40e85931b0, 0x717dc95288a023a3,
             0x96bab2c14ce0b5e0, 0x6fc4fe04eae33e0b, 0x91f4d80cbd668bee}};
}

// Two words of the tail.
GECC_FN u64 tail_word_512(const u32* words) {
    return (u64)words[0] << 32 | words[1];
}

// b_1.
GECC_FN Sha512State expand_message_512(const Expansion& expansion, const BytesSource& message) {
    SuffixedSource source = {message, expansion.suffix};
    Sha512State first = sha512_rest(sha512_after_zeros(), 128, source);
    Sha512Block block;
    GECC_UNROLL
    for (int w = 0; w < 8; w++) {
        block.v[w] = first.v[w];
        block.v[8 + w] = tail_word_512(expansion.tail + 2 * w);
    }
    Sha512State state = sha512_compress(sha512_initial(), block);
    GECC_NO_UNROLL
    for (u32 b = 1; b < expansion.tail_blocks; b++) {
        const u32* words = expansion.tail + 32 * b - 16;
        GECC_UNROLL
        for (int w = 0; w < 16; w++) block.v[w] = tail_word_512(words + 2 * w);
        state = sha512_compress(state, block);
    }
    return state;
}

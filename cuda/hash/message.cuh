// Hashes of whole messages. For public data: time and addresses depend on lengths.
//
// A Source provides the bytes of a message: `u64 length()`, `u32 byte(u64 p)` and `u32 word(u64
// p)`, the four bytes from p on, big-endian, for p a multiple of four.
#pragma once
#include "hash/keccak.cuh"
#include "hash/sha256.cuh"

// Bytes of an array that starts at `data` and is a whole number of words long.
struct BytesSource {
    const u32* data;
    u64 start, count;

    GECC_MEMBER u64 length() const {
        return count;
    }
    GECC_MEMBER u32 byte(u64 p) const {
        return ((const u8*)data)[start + p];
    }
    GECC_MEMBER u32 word(u64 p) const {
        return load_big_endian(data, start + p);
    }
};

// Returns the bytes of the message at p .. p + 3, followed by `mark` in the top byte of the next
// position, then zeros.
template <class Source> GECC_FN u32 padded_word(const Source& source, u64 p, u32 mark) {
    u64 length = source.length();
    if (p + 4 <= length) return source.word(p);
    if (p > length) return 0;
    u32 rest = (u32)(length - p), word = mark >> (8 * rest);
    GECC_UNROLL
    for (u32 k = 0; k < 3; k++)
        if (k < rest) word |= source.byte(p + k) << (24 - 8 * k);
    return word;
}

// Returns the 64 bytes from p on, with the padding mark. The words are shifted through the block,
// so that each position is a register: a position chosen at run time would force the block onto the
// stack. The loop is not unrolled: padding code for sixteen positions would be longer than the
// hash.
template <class Source> GECC_FN HashBlock padded_block(const Source& source, u64 p) {
    HashBlock block = {};
    GECC_NO_UNROLL
    for (int j = 0; j < 16; j++) {
        GECC_UNROLL
        for (int w = 0; w < 15; w++) block.v[w] = block.v[w + 1];
        block.v[15] = padded_word(source, p + 4 * j, kPaddingMark);
    }
    return block;
}

// The rest of a hash by SHA-256 or SM3, from the chaining value after `before` bytes, a multiple of
// 64.
template <class H, class Source> GECC_FN HashState hash_rest(HashState state, u64 before, const Source& source) {
    u64 length = source.length(), blocks = (length + 8) / 64 + 1, total = before + length;
    GECC_NO_UNROLL
    for (u64 b = 0; b < blocks; b++) {
        HashBlock block = padded_block(source, 64 * b);
        if (b + 1 == blocks) {
            block.v[14] = (u32)(total >> 29);
            block.v[15] = (u32)(total << 3);
        }
        state = compress_shared<H>(state, block);
    }
    return state;
}

template <class H, class Source> GECC_FN HashState hash_message(const Source& source) {
    return hash_rest<H>(H::initial(), 0, source);
}

// SHA-256 of the SHA-256 digest of a message.
template <class Source> GECC_FN HashState sha256d_message(const Source& source) {
    return finish_with_digest<Sha256, 0>(Sha256::initial(), hash_message<Sha256>(source));
}

// Keccak-256. Returns the digest as big-endian words.
template <class Source> GECC_FN HashState keccak256_message(const Source& source) {
    u64 blocks = source.length() / kKeccakRate + 1;
    KeccakState state = {};
    GECC_NO_UNROLL
    for (u64 b = 0; b < blocks; b++) {
        u64 block[kKeccakRate / 8], start = kKeccakRate * b;
        GECC_NO_UNROLL
        for (int j = 0; j < kKeccakRate / 8; j++) {
            u32 low = swap_bytes(padded_word(source, start + 8 * j, kKeccakMark));
            u32 high = swap_bytes(padded_word(source, start + 8 * j + 4, kKeccakMark));
            block[j] = (u64)high << 32 | low;
        }
        GECC_UNROLL
        for (int j = 0; j < kKeccakRate / 8; j++) state.v[j] ^= block[j];
        if (b + 1 == blocks) state.v[kKeccakRate / 8 - 1] ^= kKeccakLastBit;
        keccak_f(state);
    }
    return keccak_digest(state);
}

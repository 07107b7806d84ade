// Bytes in words: hash functions read messages as words, in either byte order, starting at any
// byte.
#pragma once
#include "primitives/words.cuh"

GECC_FN u32 swap_bytes(u32 word) {
#ifdef __CUDACC__
    return __byte_perm(word, 0, 0x0123);
#else
    return word >> 24 | (word >> 8 & 0xff00) | (word << 8 & 0xff0000) | word << 24;
#endif
}

// 0 < bits < 32
GECC_FN u32 rotate_left(u32 word, int bits) {
    return word << bits | word >> (32 - bits);
}

GECC_FN u32 rotate_right(u32 word, int bits) {
    return word >> bits | word << (32 - bits);
}

// The 32 bits that follow the first `bytes` bytes of high || low, for bytes < 4.
GECC_FN u32 funnel_bytes(u32 high, u32 low, u32 bytes) {
#ifdef __CUDACC__
    return __funnelshift_l(low, high, 8 * bytes);
#else
    return (u32)(((u64)high << 32 | low) << (8 * bytes) >> 32);
#endif
}

// Returns the four bytes from `byte` on as a big-endian word. Reads aligned words, and only words
// that contain one of these bytes.
GECC_FN u32 load_big_endian(const u32* data, u64 byte) {
    u32 shift = (u32)byte & 3;
    u32 high = swap_bytes(data[byte >> 2]);
    u32 low = shift ? swap_bytes(data[(byte >> 2) + 1]) : 0;
    return funnel_bytes(high, low, shift);
}

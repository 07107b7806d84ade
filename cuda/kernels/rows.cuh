// Rows of big-endian bytes, the callers' format.
#pragma once
#include "hash/bytes.cuh"

// Loads 32 aligned bytes.
GECC_FN void load_number(u32* r, const u8* row) {
    const uint4* vectors = (const uint4*)row;
    uint4 high = vectors[0], low = vectors[1];
    const u32 words[8] = {low.w, low.z, low.y, low.x, high.w, high.z, high.y, high.x};
    GECC_UNROLL
    for (int w = 0; w < 8; w++) r[w] = swap_bytes(words[w]);
}

GECC_FN void store_number(u8* row, const u32* a) {
    uint4* vectors = (uint4*)row;
    vectors[0] = make_uint4(swap_bytes(a[7]), swap_bytes(a[6]), swap_bytes(a[5]), swap_bytes(a[4]));
    vectors[1] = make_uint4(swap_bytes(a[3]), swap_bytes(a[2]), swap_bytes(a[1]), swap_bytes(a[0]));
}

// Stores a number, or zeros if the mask is not set.
GECC_FN void store_masked(u8* row, u32 mask, const u32* a) {
    u32 masked[8];
    GECC_UNROLL
    for (int w = 0; w < 8; w++) masked[w] = a[w] & mask;
    store_number(row, masked);
}

// Loads 32 bytes at any alignment.
GECC_FN void load_number_unaligned(u32* r, const u8* bytes) {
    GECC_UNROLL
    for (int w = 0; w < 8; w++) {
        const u8* b = bytes + 28 - 4 * w;
        r[w] = (u32)b[0] << 24 | (u32)b[1] << 16 | (u32)b[2] << 8 | b[3];
    }
}

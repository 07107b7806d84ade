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

// Loads 32 bytes at any alignment, as the aligned words that hold them. The allocation is a multiple
// of 4 bytes long.
GECC_FN void load_number_unaligned(u32* r, const u8* bytes) {
    u32 offset = (u32)((u64)bytes & 3), shift = 8 * offset;
    const u32* words = (const u32*)(bytes - offset);
    u32 low = words[0];
    GECC_UNROLL
    for (int w = 7; w >= 0; w--) {
        // The last word may be behind the allocation if nothing of it is needed.
        u32 high = w > 0 || offset > 0 ? words[8 - w] : 0;
        r[w] = swap_bytes((u32)(((u64)high << 32 | low) >> shift));
        low = high;
    }
}

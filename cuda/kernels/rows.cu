// Converts rows of big-endian bytes, the callers' format for numbers of any length, to columns of
// words, the format of the modular arithmetic kernels, and back. No address depends on a value.
// Needs no curve.
//
// Launch contract: rows: row_bytes n bytes, at any alignment; columns: words n words, least
// significant first, 4 words >= row_bytes; missing bytes are zero. In the reverse direction,
// row_bytes is 4 words.
#include "kernels/layout.cuh"

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_rows_to_columns(const AnyRows* rows, u32 row_bytes, AnyNumbers* columns, u32 words, u64 n) {
    for (u64 k = global_thread(); k < n * words; k += global_threads()) {
        u64 i = k / words;
        u32 w = (u32)(k % words), word = 0;
        const u8* end = rows + (i + 1) * row_bytes;
        GECC_UNROLL
        for (u32 byte = 0; byte < 4; byte++) {
            u32 distance = 4 * w + byte + 1;
            if (distance <= row_bytes) word |= (u32)*(end - distance) << (8 * byte);
        }
        columns[w * n + i] = word;
    }
}

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_columns_to_rows(const AnyNumbers* columns, u32 words, AnyRows* rows, u64 n) {
    for (u64 k = global_thread(); k < n * words; k += global_threads()) {
        u64 i = k / words;
        u32 w = words - 1 - (u32)(k % words);
        u32 word = columns[w * n + i];
        u8* bytes = rows + 4 * k;
        GECC_UNROLL
        for (u32 byte = 0; byte < 4; byte++) bytes[byte] = (u8)(word >> (24 - 8 * byte));
    }
}

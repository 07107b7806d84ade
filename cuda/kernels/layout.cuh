// The layout of numbers in device memory, and the assignment of items to threads.
//
// Column-major: word w of number i of a batch of n is at w n + i, so that neighbouring threads read
// neighbouring words. All indices are 64-bit: 16 words of 2^28 items exceed 2^32.
#pragma once
#include "kernels/columns.cuh"
#include "primitives/words.cuh"

GECC_FN u64 global_thread() {
    return (u64)blockIdx.x * blockDim.x + threadIdx.x;
}

GECC_FN u64 global_threads() {
    return (u64)gridDim.x * blockDim.x;
}

GECC_FN void load_column(u32* r, const u32* column, u64 n, u64 i) {
    GECC_UNROLL
    for (int w = 0; w < 8; w++) r[w] = column[w * n + i];
}

GECC_FN void store_column(u32* column, u64 n, u64 i, const u32* a) {
    GECC_UNROLL
    for (int w = 0; w < 8; w++) column[w * n + i] = a[w];
}

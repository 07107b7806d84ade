// Contributions of the items of a group to its equation (kernels/batch_verification.cu,
// kernels/ed25519_batch_verification.cu): their coefficients, and sums of scalars.
#pragma once
#include "kernels/layout.cuh"
#include "scheme/batch_verification.cuh"

static constexpr u32 kItemThreads = 256;
static constexpr u32 kCompareThreads = 128;

GECC_FN Coefficient load_coefficient(const u32* coefficients, u64 n, u64 i) {
    Coefficient a;
    GECC_UNROLL
    for (int w = 0; w < kCoefficientWords; w++) a.v[w] = coefficients[w * n + i];
    return a;
}

GECC_FN void store_coefficient(u32* coefficients, u64 n, u64 i, const Coefficient& a) {
    GECC_UNROLL
    for (int w = 0; w < kCoefficientWords; w++) coefficients[w * n + i] = a.v[w];
}

// Adds up the values of the threads of a block. Every thread must call this. The sum is in column 0
// of memory afterwards.
template <u32 kThreads> GECC_FN void add_up_in_block(sc own, u32* memory) {
    u32 thread = threadIdx.x;
    store_column(memory, kThreads, thread, own.v);
    for (u32 half = kThreads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (thread >= half) continue;
        sc more;
        load_column(more.v, memory, kThreads, thread + half);
        own = sc_add(own, more);
        store_column(memory, kThreads, thread, own.v);
    }
    __syncthreads();
}

// Stores the sum over the block as the block's row.
GECC_FN void store_block_sum(const sc& own, u32* memory, u32* rows) {
    add_up_in_block<kItemThreads>(own, memory);
    if (threadIdx.x < 8) rows[8 * (u64)blockIdx.x + threadIdx.x] = memory[threadIdx.x * kItemThreads];
}

// Adds up `sums` rows. The sum is in column 0 of memory afterwards.
GECC_FN void add_up_rows(const u32* rows, u32 sums, u32* memory) {
    sc sum = {};
    for (u64 row = threadIdx.x; row < sums; row += kCompareThreads) {
        sc more;
        load_column(more.v, rows + 8 * row, 1, 0);
        sum = sc_add(sum, more);
    }
    add_up_in_block<kCompareThreads>(sum, memory);
}

// Carry chains over any number of words: the functions that the methods need in addition to
// primitives/words.cuh.
#pragma once
#include "primitives/words.cuh"

#ifdef __CUDACC__
#include "modular/chains_ptx.cuh"
#else
// acc[0 .. L] += the sum of the low halves of a[k] b[k] 2^(32k). The caller guarantees that acc[L]
// can hold the carry.
template <int L> GECC_FN void add_low_pairs(u32* acc, const u32* a, const u32* b) {
    u64 carry = 0;
    for (int k = 0; k < L; k++) {
        carry += (u64)acc[k] + a[k] * b[k];
        acc[k] = (u32)carry;
        carry >>= 32;
    }
    GECC_CHECK(acc[L] + carry >= carry && (carry + acc[L]) >> 32 == 0);
    acc[L] += (u32)carry;
}

// acc[0 .. L-1] += the sum of the high halves of a[k] b[k] 2^(32k). The caller guarantees that
// there is no carry out.
template <int L> GECC_FN void add_high_pairs(u32* acc, const u32* a, const u32* b) {
    u64 carry = 0;
    for (int k = 0; k < L; k++) {
        carry += (u64)acc[k] + ((u64)a[k] * b[k] >> 32);
        acc[k] = (u32)carry;
        carry >>= 32;
    }
    GECC_CHECK(carry == 0);
}

// acc[0 .. 2N-1] += the sum of a[k]^2 2^(64k). The caller guarantees that there is no carry out.
template <int N> GECC_FN void add_squares_of(u32* acc, const u32* a) {
    u64 carry = 0;
    for (int k = 0; k < N; k++) {
        u64 square = (u64)a[k] * a[k];
        u64 low = (u64)acc[2 * k] + (u32)square + carry;
        u64 high = (u64)acc[2 * k + 1] + (square >> 32) + (low >> 32);
        acc[2 * k] = (u32)low;
        acc[2 * k + 1] = (u32)high;
        carry = high >> 32;
    }
    GECC_CHECK(carry == 0);
}
#endif

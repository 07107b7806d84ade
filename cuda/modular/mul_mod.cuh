// a b mod M and a^2 mod M for any odd M of N words, plain numbers in and out: two Montgomery
// reductions.
#pragma once
#include "modular/rows.cuh"

template <int N> struct MulModModulus {
    ModulusWords<N> montgomery;
    u32 r2[N];  // 2^(64N) mod M
};

// r = a b mod M for a and b below M: a b / R below R, times R^2 / R with R^2 mod M < M: below 2M.
// Two iterations of a loop and not straight-line code, in which ptxas would have more live carries
// than there are predicates.
template <int N> GECC_FN void mul_mod(u32* r, const u32* a, const u32* b, const MulModModulus<N>& modulus) {
    u32 t[2 * N], product[N], factor[N];
    GECC_UNROLL
    for (int i = 0; i < N; i++) {
        product[i] = a[i];
        factor[i] = b[i];
    }
    GECC_NO_UNROLL
    for (int turn = 0; turn < 2; turn++) {
        rows_product<N>(t, product, factor);
        rows_reduce<N>(product, t, modulus.montgomery);
        GECC_UNROLL
        for (int i = 0; i < N; i++) factor[i] = modulus.r2[i];
    }
    reduce_once<N>(r, product, modulus.montgomery);
}

template <int N> GECC_FN void square_mod(u32* r, const u32* a, const MulModModulus<N>& modulus) {
    u32 t[2 * N], product[N], factor[N];
    GECC_UNROLL
    for (int i = 0; i < N; i++) {
        product[i] = a[i];
        factor[i] = modulus.r2[i];
    }
    GECC_NO_UNROLL
    for (int turn = 0; turn < 2; turn++) {
        if (turn == 0) rows_square<N>(t, product);
        else rows_product<N>(t, product, factor);
        rows_reduce<N>(product, t, modulus.montgomery);
    }
    reduce_once<N>(r, product, modulus.montgomery);
}

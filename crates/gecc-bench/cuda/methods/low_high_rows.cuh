// Row-oriented multiplication with separate passes for low and high halves (Zheng, Pan, Lin, Jing,
// Zhao, 2014). Any odd modulus, at run time.
//
// A row is one chain of the low halves of its products and one of the high halves. Only the carry
// out of a low chain needs an addition: into the word that the row is the first to reach, so that
// the high chain cannot overflow there. 2 N^2 half products and N additions for a product, as many
// again and N more half products for the reduction.
#pragma once
#include "modular/method.cuh"

template <int N> struct LowHighRows : WordMethod<N> {
    typedef WordNumber<N> Number;
    using WordMethod<N>::WordMethod;

    // acc[0 .. N] += a b, for acc[N] = 0.
    static GECC_MEMBER void add_row(u32* acc, const u32* a, u32 b) {
        u32 factor[N];
        GECC_UNROLL
        for (int j = 0; j < N; j++) factor[j] = b;
        add_low_pairs<N>(acc, a, factor);
        add_high_pairs<N>(acc + 1, a, factor);
    }
    // Layer K of the triangle of cross products: a[K] a[K+1], ..., a[K] a[N-1-K], a[K+1] a[N-1-K],
    // ..., whose low halves lie at the words 2K + 1 .. 2N - 3 - 2K without a gap. From the
    // innermost layer out, the word above the layer is always fresh.
    template <int K> static GECC_MEMBER void add_layers(u32* acc, const u32* a) {
        constexpr int length = 2 * N - 3 - 4 * K, last = N - 1 - K;
        if constexpr (length > 0) {
            add_layers<K + 1>(acc, a);
            u32 x[length], y[length];
            GECC_UNROLL
            for (int j = 0; j < length; j++) {
                bool along_row = K + 1 + j <= last;
                x[j] = along_row ? a[K] : a[2 * K + 1 + j - last];
                y[j] = along_row ? a[K + 1 + j] : a[last];
            }
            add_low_pairs<length>(acc + 2 * K + 1, x, y);
            add_high_pairs<length>(acc + 2 * K + 2, x, y);
        }
    }
    static GECC_MEMBER void square(u32* t, const u32* a) {
        u32 cross[2 * N];
        GECC_UNROLL
        for (int i = 0; i < 2 * N; i++) cross[i] = 0;
        add_layers<0>(cross, a);
        add<2 * N>(t, cross, cross);
        add_squares_of<N>(t, a);
    }
    GECC_MEMBER void reduce(u32* r, const u32* t) const {
        u32 acc[2 * N];
        GECC_UNROLL
        for (int i = 0; i < N; i++) {
            acc[i] = t[i];
            acc[i + N] = 0;
        }
        GECC_UNROLL
        for (int i = 0; i < N; i++) add_row(acc + i, this->modulus.word, acc[i] * this->modulus.neg_inv);
        u32 top = add<N>(r, acc + N, t + N);
        subtract_after_carry<N>(r, top, this->modulus);
    }
    GECC_MEMBER Number mul(const Number& a, const Number& b) const {
        u32 t[2 * N];
        Number r;
        GECC_UNROLL
        for (int i = 0; i < 2 * N; i++) t[i] = 0;
        GECC_UNROLL
        for (int i = 0; i < N; i++) add_row(t + i, a.v, b.v[i]);
        reduce(r.v, t);
        return r;
    }
    GECC_MEMBER Number sqr(const Number& a) const {
        u32 t[2 * N];
        Number r;
        square(t, a.v);
        reduce(r.v, t);
        return r;
    }
};

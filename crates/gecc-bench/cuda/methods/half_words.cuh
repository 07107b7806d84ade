// Two passes of 16 x 16 bit products (Emmart, Luitjens, Weems, Woolley, 2016), for multipliers that
// take half words. Any odd modulus, at run time.
//
// Products of a low and a high half lie 16 bits off the words. They are summed in a pass of their
// own over the whole operand, so that they need to be shifted only once; the aligned products (low
// by low, high by high) are the other pass. 4 N^2 products for a multiplication, 2 N^2 + N for a
// square, 4 N^2 for the reduction.
#pragma once
#include "modular/method.cuh"

template <int N> struct HalfWords : WordMethod<N> {
    typedef WordNumber<N> Number;
    using WordMethod<N>::WordMethod;

    struct Halves {
        u32 low[N], high[N];
    };
    static GECC_MEMBER Halves split(const u32* a) {
        Halves r;
        GECC_UNROLL
        for (int i = 0; i < N; i++) {
            r.low[i] = a[i] & 0xffff;
            r.high[i] = a[i] >> 16;
        }
        return r;
    }
    // acc[0 .. N] += halves b, for half words; acc[N] is a sum of few carries. `after` is the same
    // sum of the previous chain: its upper bytes are zero, but ptxas does not know it and so keeps
    // the chains apart. Without it, ptxas interleaves so many chains that it has to save and
    // restore predicates, which doubles the instructions.
    static GECC_MEMBER void add_row(u32* acc, const u32* halves, u32 b, u32& after) {
        u32 factor[N];
        GECC_UNROLL
        for (int j = 0; j < N; j++) factor[j] = j == 0 ? b + (after >> 8) : b;
        add_low_pairs<N>(acc, halves, factor);
        after = acc[N];
        GECC_CHECK(after < 256);
    }
    // aligned += a b, and off += a b in the products that lie 16 bits above the position of their
    // index. A row is the first to reach aligned[N] and off[N], and adds to aligned[N + 1] nothing
    // but a carry that is zero.
    static GECC_MEMBER void add_rows(u32* aligned, u32* off, const Halves& a, u32 b_low, u32 b_high, u32& after) {
        add_row(off, a.low, b_high, after);
        add_row(off, a.high, b_low, after);
        add_row(aligned, a.low, b_low, after);
        add_row(aligned + 1, a.high, b_high, after);
    }
    // r[0 .. 2N-1] = aligned + off 2^16.
    static GECC_MEMBER void merge(u32* r, const u32* aligned, const u32* off) {
        u32 shifted[2 * N];
        shifted[0] = off[0] << 16;
        GECC_UNROLL
        for (int i = 1; i < 2 * N; i++) shifted[i] = off[i] << 16 | off[i - 1] >> 16;
        u32 carry = add<2 * N>(r, aligned, shifted);
        GECC_CHECK(carry == 0);
        (void)carry;
    }
    // Layer K of a triangle of products of half words (as in methods/low_high_rows.cuh); the word
    // above is small.
    template <int K> static GECC_MEMBER void add_layer(u32* acc, const u32* halves, u32& after) {
        constexpr int length = 2 * N - 3 - 4 * K, last = N - 1 - K;
        u32 x[length], y[length];
        GECC_UNROLL
        for (int j = 0; j < length; j++) {
            bool along_row = K + 1 + j <= last;
            x[j] = along_row ? halves[K] : halves[2 * K + 1 + j - last];
            y[j] = along_row ? halves[K + 1 + j] : halves[last];
        }
        x[0] += after >> 8;
        add_low_pairs<length>(acc + 2 * K + 1, x, y);
        after = acc[2 * K + 1 + length];
        GECC_CHECK(after < 256);
    }
    template <int K> static GECC_MEMBER void add_layers(u32* acc, const Halves& a, u32& after) {
        if constexpr (2 * N - 3 - 4 * K > 0) {
            add_layers<K + 1>(acc, a, after);
            add_layer<K>(acc, a.low, after);
            add_layer<K>(acc + 1, a.high, after);
        }
    }
    static GECC_MEMBER void square(u32* t, const u32* words) {
        Halves a = split(words);
        u32 after = 0;
        u32 aligned[2 * N + 1], off[2 * N + 1];
        GECC_UNROLL
        for (int i = 0; i < 2 * N + 1; i++) aligned[i] = off[i] = 0;
        // low[i] high[j] for all i and j is every cross product that is 16 bits off, once.
        GECC_UNROLL
        for (int i = 0; i < N; i++) add_row(off + i, a.low, a.high[i], after);
        add_layers<0>(aligned, a, after);
        u32 cross[2 * N], squares[2 * N];
        merge(cross, aligned, off);
        GECC_UNROLL
        for (int i = 0; i < N; i++) {
            squares[2 * i] = a.low[i] * a.low[i];
            squares[2 * i + 1] = a.high[i] * a.high[i];
        }
        add<2 * N>(cross, cross, cross);
        add<2 * N>(t, cross, squares);
    }
    GECC_MEMBER void reduce(u32* r, const u32* t) const {
        Halves m = split(this->modulus.word);
        u32 aligned[2 * N + 2], off[2 * N + 2];
        GECC_UNROLL
        for (int i = 0; i < 2 * N + 2; i++) {
            aligned[i] = i < N ? t[i] : 0;
            off[i] = 0;
        }
        u32 after = 0, pending = 0;  // pending: what the words below leave for word i: at most 2^17
        GECC_UNROLL
        for (int i = 0; i < N; i++) {
            u32 q = (aligned[i] + pending + (off[i] << 16)) * this->modulus.neg_inv;
            add_rows(aligned + i, off + i, m, q & 0xffff, q >> 16, after);
            u64 sum = (u64)aligned[i] + (off[i] << 16) + pending;
            GECC_CHECK((u32)sum == 0);
            pending = (u32)(sum >> 32) + (off[i] >> 16);
        }
        u32 shifted[N];
        shifted[0] = off[N] << 16;
        GECC_UNROLL
        for (int i = 1; i < N; i++) shifted[i] = off[N + i] << 16 | off[N + i - 1] >> 16;
        u32 low[N];
        low[0] = pending;
        GECC_UNROLL
        for (int i = 1; i < N; i++) low[i] = 0;
        u32 top = add<N>(r, aligned + N, t + N);
        top += add<N>(r, r, shifted);
        top += add<N>(r, r, low);
        subtract_after_carry<N>(r, top, this->modulus);
    }
    GECC_MEMBER Number mul(const Number& a, const Number& b) const {
        Halves x = split(a.v), y = split(b.v);
        u32 after = 0;
        u32 aligned[2 * N + 2], off[2 * N + 2], t[2 * N];
        GECC_UNROLL
        for (int i = 0; i < 2 * N + 2; i++) aligned[i] = off[i] = 0;
        GECC_UNROLL
        for (int i = 0; i < N; i++) add_rows(aligned + i, off + i, x, y.low[i], y.high[i], after);
        merge(t, aligned, off);
        Number r;
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

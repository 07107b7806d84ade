// One level of Karatsuba (Zhao): three products of half the words instead of four, in rows, then
// the Montgomery reduction of modular/rows.cuh. Any odd modulus, at run time.
//
// a b = p0 + (p0 + p2 - (a1 - a0)(b1 - b0)) 2^(32H) + p2 2^(64H), p0 = a0 b0, p2 = a1 b1, H = N /
// 2.
#pragma once
#include "modular/rows.cuh"

template <int N> struct Karatsuba : WordMethod<N> {
    static constexpr int H = N / 2;
    typedef WordNumber<N> Number;
    using WordMethod<N>::WordMethod;

    // r = |a1 - a0|; all ones where the difference is negative.
    static GECC_MEMBER u32 difference(u32* r, const u32* a) {
        u32 flipped[H], ones[H];
        u32 negative = sub<H>(r, a + H, a);
        GECC_UNROLL
        for (int i = 0; i < H; i++) {
            flipped[i] = r[i] ^ negative;
            ones[i] = negative;
        }
        sub<H>(r, flipped, ones);
        return negative;
    }
    // t += middle 2^(32H), with middle = p0 + p2 - d where `subtract` is all ones, p0 + p2 + d
    // where it is zero. The middle is not negative and below 2^(32N + 1).
    static GECC_MEMBER void add_middle(u32* t, const u32* d, u32 subtract) {
        u32 signed_d[N], middle[3 * H];
        GECC_UNROLL
        for (int i = 0; i < N; i++) signed_d[i] = d[i] ^ subtract;
        u32 top = add<N>(middle, t, t + N);
        top += add_carry<N>(middle, middle, signed_d, subtract & 1) + subtract;
        GECC_CHECK(top <= 1);
        middle[N] = top;
        GECC_UNROLL
        for (int i = N + 1; i < 3 * H; i++) middle[i] = 0;
        u32 carry = add<3 * H>(t + H, t + H, middle);
        GECC_CHECK(carry == 0);
        (void)carry;
    }
    GECC_MEMBER Number mul(const Number& a, const Number& b) const {
        u32 t[2 * N], d[N], da[H], db[H];
        Number r;
        u32 signs = difference(da, a.v) ^ difference(db, b.v);
        rows_product<H>(t, a.v, b.v);
        rows_product<H>(t + N, a.v + H, b.v + H);
        rows_product<H>(d, da, db);
        add_middle(t, d, ~signs);
        rows_reduce<N>(r.v, t, this->modulus);
        return r;
    }
    GECC_MEMBER Number sqr(const Number& a) const {
        u32 t[2 * N], d[N], da[H];
        Number r;
        difference(da, a.v);
        rows_square<H>(t, a.v);
        rows_square<H>(t + N, a.v + H);
        rows_square<H>(d, da);
        add_middle(t, d, 0xffffffffu);
        rows_reduce<N>(r.v, t, this->modulus);
        return r;
    }
};

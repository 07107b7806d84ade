// Lazy reduction. Products and differences of products are accumulated unreduced, field elements
// are subtracted from them, and the sum is corrected once at the end.
//
// The value is a two's-complement number of kOpenWords words; the part above 2^256 stays small.
// Nothing here branches on a value.
#pragma once
#include "field/field.cuh"

#if GECC_REDUCTION_FOLD || GECC_REDUCTION_SM2 || GECC_REDUCTION_P256
#if GECC_REDUCTION_FOLD
static constexpr int kOpenWords = 10;
#else
static constexpr int kOpenWords = 9;
#endif

struct fe_open {
    u32 v[kOpenWords];
};

// t modulo p, minus 2^512 if the mask `borrow` is set.
GECC_FN fe_open open_reduce(const u32* t, u32 borrow) {
    fe_open r;
#if GECC_REDUCTION_FOLD
    const u32 c[2] = GECC_FOLD_C;
    fold_high_half(r.v, t);
    u32 fold[2] = {borrow & c[0], borrow & c[1]};  // 2^512 = 2^256 c
    sub<2>(r.v + 8, r.v + 8, fold);
#else
    p_reduce_open(r.v, t);
    r.v[8] += borrow;
#endif
    return r;
}

// a b.
GECC_FN fe_open open_mul(const fe& a, const fe& b) {
    u32 t[16];
    product(t, a.v, b.v);
    return open_reduce(t, 0);
}

// a^2.
GECC_FN fe_open open_sqr(const fe& a) {
    u32 t[16];
    square(t, a.v);
    return open_reduce(t, 0);
}

// a b - c d.
GECC_FN fe_open open_mul_less_mul(const fe& a, const fe& b, const fe& c, const fe& d) {
    u32 t[16], u[16];
    product(t, a.v, b.v);
    product(u, c.v, d.v);
    u32 borrow = sub<16>(t, t, u);
    return open_reduce(t, borrow);
}

// a b - c^2.
GECC_FN fe_open open_mul_less_sqr(const fe& a, const fe& b, const fe& c) {
    u32 t[16], u[16];
    product(t, a.v, b.v);
    square(u, c.v);
    u32 borrow = sub<16>(t, t, u);
    return open_reduce(t, borrow);
}

// a - b, at most three times per unreduced number.
GECC_FN fe_open open_sub(const fe_open& a, const fe& b) {
    fe_open r;
    u32 extended[kOpenWords] = {};
    words_copy(extended, b.v);
    sub<kOpenWords>(r.v, a.v, extended);
    return r;
}

// Returns the loose value.
GECC_FN fe open_settle(const fe_open& a) {
    fe r;
#if GECC_REDUCTION_FOLD
    fold_settle(r.v, a.v);
#else
    // top p must be subtracted, and p once more (once less if top is negative) if the rest is so
    // close to 2^256 (to 0) that adding top (2^256 - p) would leave the range.
    u32 top = a.v[8], negative = (u32)((i32)top >> 31), one = negative | 1;
    u32 reached = a.v[7] + top + (kSettleMargin ? one : 0);
    bool leaves = (reached < a.v[7]) != (negative != 0);
    u32 q = leaves ? top + one : top, complement[8];
    p_complement(complement, q);
    u32 carry = add<8>(r.v, a.v, complement);
    GECC_CHECK(top - q + carry + (u32)((i32)q >> 31) == 0);
    (void)carry;
#endif
    return r;
}
#else
// Any other prime: reduced at every step.
using fe_open = fe;

GECC_FN fe_open open_mul(const fe& a, const fe& b) {
    return fe_mul(a, b);
}

GECC_FN fe_open open_sqr(const fe& a) {
    return fe_sqr(a);
}

GECC_FN fe_open open_mul_less_mul(const fe& a, const fe& b, const fe& c, const fe& d) {
    return fe_sub(fe_mul(a, b), fe_mul(c, d));
}

GECC_FN fe_open open_mul_less_sqr(const fe& a, const fe& b, const fe& c) {
    return fe_sub(fe_mul(a, b), fe_sqr(c));
}

GECC_FN fe_open open_sub(const fe_open& a, const fe& b) {
    return fe_sub(a, b);
}

GECC_FN fe open_settle(const fe_open& a) {
    return a;
}
#endif

// a b - c.
GECC_FN fe fe_mul_sub(const fe& a, const fe& b, const fe& c) {
    return open_settle(open_sub(open_mul(a, b), c));
}

// a^2 - 2 b.
GECC_FN fe fe_sqr_sub_twice(const fe& a, const fe& b) {
    return open_settle(open_sub(open_sub(open_sqr(a), b), b));
}

// a^2 - b - 2 c.
GECC_FN fe fe_sqr_sub_sub_twice(const fe& a, const fe& b, const fe& c) {
    return open_settle(open_sub(open_sub(open_sub(open_sqr(a), b), c), c));
}

// a b - c d.
GECC_FN fe fe_mul_sub_mul(const fe& a, const fe& b, const fe& c, const fe& d) {
    return open_settle(open_mul_less_mul(a, b, c, d));
}

// a b - c^2.
GECC_FN fe fe_mul_sub_sqr(const fe& a, const fe& b, const fe& c) {
    return open_settle(open_mul_less_sqr(a, b, c));
}

// Scalars modulo the group order n: always canonical (below n), in Montgomery form if the name
// indicates it.
#pragma once
#include "field/inverse.cuh"
#include "field/modulus.cuh"
#if GECC_N_IS_SPARSE
#include "field/montgomery_sparse.cuh"
#else
#include "field/montgomery.cuh"
#endif
#include "field/product.cuh"
#include "field/square.cuh"

struct sc {
    u32 v[8];
};

// r = t / 2^256 mod n, canonical, for t < 2^256 n.
GECC_FN void sc_reduce(u32* r, const u32* t) {
#if GECC_N_IS_SPARSE
    sparse_reduce(r, t);
#else
    montgomery_reduce<OrderModulus>(r, t);
#endif
}

GECC_FN sc sc_add(const sc& a, const sc& b) {
    sc r;
    add_modulo<OrderModulus>(r.v, a.v, b.v);
    return r;
}

GECC_FN sc sc_sub(const sc& a, const sc& b) {
    sc r;
    sub_modulo<OrderModulus>(r.v, a.v, b.v);
    return r;
}

GECC_FN sc sc_neg(const sc& a) {
    sc zero;
    words_set_zero(zero.v);
    return sc_sub(zero, a);
}

// a b / R. One factor may be any number of eight words; the other must be below n.
GECC_FN sc sc_mont_mul(const sc& a, const sc& b) {
    u32 t[16];
    sc r;
    product(t, a.v, b.v);
    sc_reduce(r.v, t);
    return r;
}

GECC_FN sc sc_mont_sqr(const sc& a) {
    u32 t[16];
    sc r;
    square(t, a.v);
    sc_reduce(r.v, t);
    return r;
}

// Any number of eight words, taken modulo n and converted to Montgomery form.
GECC_FN sc sc_to_montgomery(const u32* words) {
    const u32 r2[8] = GECC_N_R2;
    sc value, factor;
    words_copy(value.v, words);
    words_copy(factor.v, r2);
    return sc_mont_mul(value, factor);
}

GECC_FN sc sc_from_montgomery(const sc& a) {
    u32 t[16];
    sc r;
    words_copy(t, a.v);
    words_set_zero(t + 8);
    sc_reduce(r.v, t);
    return r;
}

// a b, with plain operands and result.
GECC_FN sc sc_mul(const sc& a, const sc& b) {
    return sc_mont_mul(sc_to_montgomery(a.v), b);
}

// 1 / a in Montgomery form, and 0 for 0, in a fixed sequence of operations.
GECC_FN sc sc_mont_inv(const sc& a) {
    const u32 r3[8] = GECC_N_R3;
    sc r, factor;
    EightWords argument;
    words_copy(argument.v, a.v);
    argument = divsteps_inverse<OrderModulus>(argument);
    words_copy(r.v, argument.v);
    words_copy(factor.v, r3);
    return sc_mont_mul(r, factor);
}

GECC_FN bool sc_is_canonical(const u32* words) {
    const u32 n[8] = GECC_N;
    return words_less(words, n);
}

// Any number of eight words, taken modulo n > 2^255.
GECC_FN sc sc_from_words(const u32* words) {
    const u32 n[8] = GECC_N;
    u32 reduced[8];
    sc r;
    u32 borrow = sub<8>(reduced, words, n);
    words_select(r.v, borrow, words, reduced);
    return r;
}

GECC_FN bool sc_is_zero(const sc& a) {
    return words_or(a.v) == 0;
}

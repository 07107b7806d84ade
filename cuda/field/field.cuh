// The base field GF(p) of the curve.
//
// A value is "loose": any number below 2^256 congruent to the residue, in Montgomery form unless
// the reduction is `fold` or `fold_255`. Every operation accepts and returns loose values; only
// fe_canonical, the comparisons and the conversions compare with p. As p > 2^255, zero has the two
// forms 0 and p; for p = 2^255 - c (`fold_255`), also 2p. Nothing here branches on a value.
// `GECC_FIELD_IS_PLAIN`: values are not in Montgomery form.
//
// If p has no special shape, addition and subtraction accept only numbers below p, and every
// operation returns such numbers.
#pragma once
#include "field/inverse.cuh"
#include "field/modulus.cuh"
#include "field/product.cuh"
#include "field/square.cuh"
#if GECC_REDUCTION_FOLD
#include "field/fold.cuh"
#elif GECC_REDUCTION_FOLD_255
#include "field/fold_255.cuh"
#elif GECC_REDUCTION_SM2
#include "field/montgomery_sm2.cuh"
#elif GECC_REDUCTION_P256
#include "field/montgomery_p256.cuh"
#else
#include "field/montgomery.cuh"
#endif

#define GECC_FIELD_IS_PLAIN (GECC_REDUCTION_FOLD || GECC_REDUCTION_FOLD_255)

struct fe {
    u32 v[8];
};

GECC_FN fe fe_constant(const u32 (&words)[8]) {
    fe r;
    words_copy(r.v, words);
    return r;
}

GECC_FN fe fe_zero() {
    const u32 zero[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    return fe_constant(zero);
}

GECC_FN fe fe_one() {
    const u32 one[8] = GECC_FIELD_ONE;
    return fe_constant(one);
}

// r = t mod p (t / 2^256 mod p in Montgomery form), loose, for any t of sixteen words.
GECC_FN void fe_reduce(u32* r, const u32* t) {
#if GECC_FIELD_IS_PLAIN
    fold_reduce(r, t);
#elif GECC_REDUCTION_SM2 || GECC_REDUCTION_P256
    u32 open[9];
    p_reduce_open(open, t);
    words_copy(r, open);
    u32 carry = p_subtract(r, open[8]);
    GECC_CHECK(carry == 0);
    (void)carry;
#else
    montgomery_reduce<FieldModulus>(r, t);
#endif
}

GECC_FN fe fe_mul(const fe& a, const fe& b) {
    u32 t[16];
    fe r;
    product(t, a.v, b.v);
    fe_reduce(r.v, t);
    return r;
}

GECC_FN fe fe_sqr(const fe& a) {
    u32 t[16];
    fe r;
    square(t, a.v);
    fe_reduce(r.v, t);
    return r;
}

#if GECC_FIELD_IS_PLAIN
GECC_FN fe fe_add(const fe& a, const fe& b) {
    fe r;
    u32 carry = add<8>(r.v, a.v, b.v);
    fold_carry(r.v, carry);
    return r;
}

GECC_FN fe fe_sub(const fe& a, const fe& b) {
    fe r;
    u32 borrow = sub<8>(r.v, a.v, b.v);
    fold_borrow(r.v, borrow);
    return r;
}
#elif GECC_REDUCTION_SM2 || GECC_REDUCTION_P256
// The number of times p must be subtracted from a + b (added to a - b) is determined from the carry
// and the top word. One p is enough unless the sum is at least 2^256 + p (the difference below -p).
// The comparison with the top word errs on the side of two p, which is then harmless, because 2
// (2^256 - p) covers the margin.
#if GECC_REDUCTION_SM2
static constexpr u32 kTopOfSum = 0xfffffffe, kTopOfDifference = 1;
#else
static constexpr u32 kTopOfSum = 0xffffffff, kTopOfDifference = 0;
#endif

// q (2^256 - p) for q <= 2.
GECC_FN void fe_complement(u32* r, u32 q, u32 nonzero_mask) {
#if GECC_REDUCTION_SM2
    (void)nonzero_mask;
    const u32 words[8] = {q, 0, 0 - q, q >> 1, 0, 0, 0, q};  // q (2^224 + 2^96 - 2^64 + 1)
#else
    // q (2^224 - 2^192 - 2^96 + 1)
    const u32 words[8] = {q, 0, 0, 0 - q, nonzero_mask, nonzero_mask, nonzero_mask - q, q >> 1};
#endif
    words_copy(r, words);
}

GECC_FN fe fe_add(const fe& a, const fe& b) {
    fe r;
    u32 complement[8];
    u32 carry = add<8>(r.v, a.v, b.v);
    fe_complement(complement, r.v[7] >= kTopOfSum ? carry + carry : carry, 0 - carry);
    add<8>(r.v, r.v, complement);
    return r;
}

GECC_FN fe fe_sub(const fe& a, const fe& b) {
    fe r;
    u32 complement[8];
    u32 borrow = sub<8>(r.v, a.v, b.v);
    fe_complement(complement, r.v[7] <= kTopOfDifference ? (0 - borrow) - borrow : 0 - borrow, borrow);
    sub<8>(r.v, r.v, complement);
    return r;
}
#else
GECC_FN fe fe_add(const fe& a, const fe& b) {
    fe r;
    add_modulo<FieldModulus>(r.v, a.v, b.v);
    return r;
}

GECC_FN fe fe_sub(const fe& a, const fe& b) {
    fe r;
    sub_modulo<FieldModulus>(r.v, a.v, b.v);
    return r;
}
#endif

#if GECC_REDUCTION_FOLD_255
// factor a, for a factor below 2^26.
GECC_FN fe fe_mul_small(const fe& a, u32 factor) {
    fe r;
    fold_multiply(r.v, a.v, factor);
    return r;
}
#endif

GECC_FN fe fe_neg(const fe& a) {
    return fe_sub(fe_zero(), a);
}

GECC_FN fe fe_double(const fe& a) {
    return fe_add(a, a);
}

GECC_FN fe fe_triple(const fe& a) {
    return fe_add(fe_double(a), a);
}

// a / 2: an odd number is made even by adding p. (a + p) / 2 < 2^256.
GECC_FN fe fe_half(const fe& a) {
    const u32 p[8] = GECC_P;
    u32 odd = 0 - (a.v[0] & 1), addend[8];
    fe r;
    GECC_UNROLL
    for (int i = 0; i < 8; i++) addend[i] = p[i] & odd;
    u32 carry = add<8>(r.v, a.v, addend);
    GECC_UNROLL
    for (int i = 0; i < 8; i++) r.v[i] = r.v[i] >> 1 | (i < 7 ? r.v[i + 1] : carry) << 31;
    return r;
}

// mask ? a : b, for a mask of all ones or zeros.
GECC_FN fe fe_select(u32 mask, const fe& a, const fe& b) {
    fe r;
    words_select(r.v, mask, a.v, b.v);
    return r;
}

// Returns the representative below p.
GECC_FN fe fe_canonical(const fe& a) {
    fe r;
#if GECC_REDUCTION_FOLD_255
    fold_canonical(r.v, a.v);
#else
    const u32 p[8] = GECC_P;
    u32 reduced[8];
    u32 borrow = sub<8>(reduced, a.v, p);
    words_select(r.v, borrow, a.v, reduced);
#endif
    return r;
}

GECC_FN bool fe_is_zero(const fe& a) {
#if GECC_REDUCTION_FOLD_255
    return words_or(fe_canonical(a).v) == 0;
#else
    const u32 p[8] = GECC_P;
    return (words_or(a.v) == 0) | (words_difference(a.v, p) == 0);
#endif
}

GECC_FN bool fe_equal(const fe& a, const fe& b) {
    return fe_is_zero(fe_sub(a, b));
}

// Returns any number of eight words, taken modulo p.
GECC_FN fe fe_from_words(const u32* words) {
    fe r;
    words_copy(r.v, words);
#if !GECC_FIELD_IS_PLAIN
    const u32 r2[8] = GECC_P_R2;
    r = fe_mul(r, fe_constant(r2));
#endif
    return r;
}

// Returns the number below p that the value represents.
GECC_FN void fe_to_words(u32* words, const fe& a) {
    fe r = a;
#if !GECC_FIELD_IS_PLAIN
    u32 t[16];
    words_copy(t, a.v);
    words_set_zero(t + 8);
    fe_reduce(r.v, t);
#endif
    r = fe_canonical(r);
    words_copy(words, r.v);
}

// 1 / a, and 0 for 0, in a fixed sequence of operations.
GECC_FN fe fe_inv(const fe& a) {
    fe canonical = fe_canonical(a), r;
    EightWords argument;
    words_copy(argument.v, canonical.v);
    argument = divsteps_inverse<FieldModulus>(argument);
    words_copy(r.v, argument.v);
#if !GECC_FIELD_IS_PLAIN
    // (a R)^-1 = a^-1 R^-1; times R^3 in Montgomery form is a^-1 R.
    const u32 r3[8] = GECC_P_R3;
    r = fe_mul(r, fe_constant(r3));
#endif
    return r;
}

// a^((p+1)/4): the square root with unknown sign if a is a square, by the curve's addition chain.
// If p is 5 modulo 8, the chain computes a^((p-5)/8), from which square roots are computed
// (curve/edwards.cuh). The exponent is public. Factors are among the first powers of a long chain.
GECC_SHARED_FN fe fe_sqrt_candidate(fe a) {
    const u32 chain[GECC_SQRT_STEPS] = GECC_SQRT_CHAIN;
    fe power[GECC_SQRT_POWERS];
    GECC_NO_UNROLL
    for (int step = 0; step < GECC_SQRT_STEPS; step++) {
        if (GECC_SQRT_POWERS == GECC_SQRT_STEPS || step < GECC_SQRT_POWERS) power[step] = a;
        u32 squarings = chain[step] & 0xffff, factor = chain[step] >> 16;
        GECC_NO_UNROLL
        for (u32 k = 0; k < squarings; k++) a = fe_sqr(a);
        if (factor != 0) a = fe_mul(a, power[factor - 1]);
    }
    return a;
}

// The table of odd multiples of a point that a windowed multiplication reads.
#pragma once
#include "curve/jacobian.cuh"
#include "curve/recode.cuh"

// An entry: x, y and, if the curve has the endomorphism, beta x. While the table is being built,
// the third number is the quotient of the entry's z and its predecessor's.
struct Multiple {
    fe x, y, third;
};

// Store must provide `void put(int entry, const Multiple&)` and `Multiple get(int entry)`.
//
// Writes (2 m + 1) P for 0 < m < kOddMultiples, with coordinates still over z, and returns the z of
// the last, which is not zero: P has a large prime order, so no sum below meets an exception. The
// sum and 2 P are kept over the same z (co-Z addition, Meloni 2007): 5M + 2S each. The curve's
// coefficients do not matter, because z = 1 on an isomorphic curve.
template <class Store> GECC_FN fe put_multiples(Store& store, const affine& p) {
    jacobian twice = affine_to_jacobian_double(p);
    affine step = {twice.x, twice.y};
    affine sum = scale_by_inverse(p.x, p.y, twice.z);
    fe z = twice.z;
    GECC_NO_UNROLL
    for (int m = 1; m < kOddMultiples; m++) {
        fe h = fe_sub(step.x, sum.x);
        fe slope = fe_sub(step.y, sum.y);
        fe hh = fe_sqr(h);
        step.x = fe_mul(step.x, hh);
        fe v = fe_mul(sum.x, hh);
        step.y = fe_mul(step.y, fe_sub(step.x, v));
        sum.x = open_settle(open_sub(open_sub(open_sqr(slope), step.x), v));
        sum.y = fe_mul_sub(slope, fe_sub(step.x, sum.x), step.y);
        z = fe_mul(z, h);
        Multiple entry = {sum.x, sum.y, h};
        store.put(m, entry);
    }
    return z;
}

GECC_FN Multiple finished_multiple(const affine& p) {
    Multiple r = {p.x, p.y, p.x};
#if GECC_HAS_ENDOMORPHISM
    const u32 beta[8] = GECC_FIELD_BETA;
    r.third = fe_mul(p.x, fe_constant(beta));
#endif
    return r;
}

// Makes the entries affine, given the inverse of the z that put_multiples returned.
template <class Store> GECC_FN void finish_multiples(Store& store, const affine& p, fe z_inverse) {
    GECC_NO_UNROLL
    for (int m = kOddMultiples - 1; m > 0; m--) {
        Multiple entry = store.get(m);
        store.put(m, finished_multiple(scale_by_inverse(entry.x, entry.y, z_inverse)));
        z_inverse = fe_mul(z_inverse, entry.third);
    }
    store.put(0, finished_multiple(p));
}

// Returns the entry for a digit of scalar `which` (0: P, 1: lambda P), with the digit's sign.
GECC_FN affine signed_multiple(const Multiple& entry, int which, u32 negative) {
    affine r = {which == 0 ? entry.x : entry.third, entry.y};
    r.y = fe_select(negative, fe_neg(r.y), r.y);
    return r;
}

// k P by windows. Lookup provides `Multiple get(int index)`, by address (public scalars) or by a
// scan of the whole table, and `void align()`, which is called between steps and may do nothing.
//
// add_distinct suffices before the last window for this reason: the sum so far is 2^5 times
// something, plus lambda times something, with coefficients that are not zero and far below the
// shortest relation between 1 and lambda modulo n (below n, if there is no endomorphism), and the
// addend's coefficient is odd in the same place: the two differ as pairs of integers, so they
// differ modulo n. In the last window every case can occur, including the identity.
template <bool kUniform, class Lookup> GECC_FN jacobian multiply_by_windows(Lookup& table, OddScalar<kWindows>* s) {
    jacobian sum;
    GECC_UNROLL
    for (int which = 0; which < kScalars; which++) {
        OddDigit d = next_odd_digit(s[which]);
        affine addend = signed_multiple(table.get(d.index), which, d.negative);
        sum = which == 0 ? to_jacobian(addend) : add_distinct(sum, addend);
    }
    bool identity = false;
    GECC_NO_UNROLL
    for (int j = kWindows - 2; j >= 0; j--) {
        GECC_NO_UNROLL
        for (int k = 0; k < kWindowBits; k++) {
            table.align();
            sum = jacobian_double(sum);
        }
        GECC_NO_UNROLL
        for (int which = 0; which < kScalars; which++) {
            table.align();
            OddDigit d = next_odd_digit(s[which]);
            affine addend = signed_multiple(table.get(d.index), which, d.negative);
            if (j > 0) sum = add_distinct(sum, addend);
            else if (kUniform) sum = add_uniform(sum, addend);
            else add_var(sum, identity, addend);
        }
    }
    if (identity) sum.z = fe_zero();
    return sum;
}

// The final check of a verification: does x(R) modulo n equal the value in the signature?
#pragma once
#include "curve/jacobian.cuh"
#include "field/scalar.cuh"
#include "scheme/verdict.cuh"

// r = x + n. Returns whether that is a valid coordinate.
GECC_FN bool plus_order(u32* r, const u32* x) {
    const u32 n[8] = GECC_N;
    u32 carry = add<8>(r, x, n);
    return carry == 0 && below_p(r);
}

// Compares without an inversion: x(R) = X / Z^2, and x(R) modulo n is x exactly if x(R) is x or x +
// n.
GECC_FN bool x_matches(const fe& numerator, const fe& zz, const sc& x) {
    u32 second[8];
    if (fe_equal(fe_mul(fe_from_words(x.v), zz), numerator)) return true;
    return plus_order(second, x.v) && fe_equal(fe_mul(fe_from_words(second), zz), numerator);
}

GECC_FN Verdict compare_result(const jacobian& point, const sc& x) {
    if (fe_is_zero(point.z)) return kIdentityResult;
    return x_matches(point.x, fe_sqr(point.z), x) ? kValid : kMismatch;
}

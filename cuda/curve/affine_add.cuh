// Complete affine addition and doubling around an inverse that the caller computes, usually for
// many additions at once. Every case has a nonzero denominator, which is one if no inverse is
// needed.
#pragma once
#include "curve/point.cuh"

// The case of the addition of two points.
enum AdditionCase : u8 { kChord, kTangent, kSumIsIdentity, kSumIsFirst, kSumIsSecond };

// Returns the case, and its denominator. `load_y` is called only if the x-coordinates are equal.
template <class LoadY>
GECC_FN AdditionCase addition_case(
    fe& denominator, bool a_finite, bool b_finite, const fe& ax, const fe& bx, LoadY load_y) {
    denominator = fe_one();
    if (!b_finite) return kSumIsFirst;
    if (!a_finite) return kSumIsSecond;
    fe difference = fe_sub(bx, ax);
    if (!fe_is_zero(difference)) {
        denominator = difference;
        return kChord;
    }
    fe ay, by;
    load_y(ay, by);
    fe twice = fe_double(ay);
    if (!fe_equal(ay, by) || fe_is_zero(twice)) return kSumIsIdentity;
    denominator = twice;
    return kTangent;
}

GECC_FN affine line_through(const affine& a, const fe& bx, const fe& slope) {
    affine r;
    r.x = open_settle(open_sub(open_sub(open_sqr(slope), a.x), bx));
    r.y = fe_mul_sub(slope, fe_sub(a.x, r.x), a.y);
    return r;
}

// a + b in the cases with a line; `inverse` is that of the denominator.
GECC_FN affine add_on_line(AdditionCase which, const affine& a, const affine& b, const fe& inverse) {
    fe numerator = fe_sub(b.y, a.y);
    if (which == kTangent) numerator = tangent_numerator(a.x);
    return line_through(a, b.x, fe_mul(numerator, inverse));
}

// 2 a, given 1 / (2 y).
GECC_FN affine double_on_line(const affine& a, const fe& inverse) {
    return line_through(a, a.x, fe_mul(tangent_numerator(a.x), inverse));
}

// Complete affine addition and doubling around one inverse that somebody else computes, usually for many additions at
// once. Every case has a denominator that is not zero: where no inverse is needed it is one.
#pragma once
#include "curve/point.cuh"

// What the sum of two points calls for.
enum AdditionCase : u8 { kChord, kTangent, kSumIsIdentity, kSumIsFirst, kSumIsSecond };

// Which case, and its denominator. `load_y` is called only where the x-coordinates agree.
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

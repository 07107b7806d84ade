// Points of y^2 = x^3 + a x + b, and the conditions for coordinates to be a point.
#pragma once
#include "codes.cuh"
#include "field/open.cuh"

// A finite point. The identity has no affine coordinates: code in which it can occur keeps a flag
// or a PointKind in addition.
struct affine {
    fe x, y;
};

// (x / z^2, y / z^3); the identity if z = 0.
struct jacobian {
    fe x, y, z;
};

GECC_FN affine generator() {
    const u32 x[8] = GECC_FIELD_GX, y[8] = GECC_FIELD_GY;
    affine r = {fe_constant(x), fe_constant(y)};
    return r;
}

GECC_FN affine affine_neg(const affine& a) {
    affine r = {a.x, fe_neg(a.y)};
    return r;
}

GECC_FN jacobian jacobian_select(u32 mask, const jacobian& a, const jacobian& b) {
    jacobian r = {fe_select(mask, a.x, b.x), fe_select(mask, a.y, b.y), fe_select(mask, a.z, b.z)};
    return r;
}

GECC_FN jacobian to_jacobian(const affine& a) {
    jacobian r = {a.x, a.y, fe_one()};
    return r;
}

GECC_FN fe coefficient_a() {
    const u32 a[8] = GECC_FIELD_A;
    return fe_constant(a);
}

GECC_FN bool below_p(const u32* words) {
    const u32 p[8] = GECC_P;
    return words_less(words, p);
}

// x^3 + a x + b
GECC_FN fe curve_right_side(const fe& x) {
    const u32 b[8] = GECC_FIELD_B;
#if GECC_A_IS_ZERO || GECC_A_IS_MINUS_THREE
    fe cube = fe_mul(fe_sqr(x), x);
#else
    fe cube = fe_mul(fe_add(fe_sqr(x), coefficient_a()), x);
#endif
#if GECC_A_IS_MINUS_THREE
    cube = fe_sub(cube, fe_triple(x));
#endif
    return fe_add(cube, fe_constant(b));
}

// 3 x^2 + a
GECC_FN fe tangent_numerator(const fe& x) {
    fe numerator = fe_triple(fe_sqr(x));
#if GECC_A_IS_MINUS_THREE
    numerator = fe_sub(numerator, fe_triple(fe_one()));
#elif !GECC_A_IS_ZERO
    numerator = fe_add(numerator, coefficient_a());
#endif
    return numerator;
}

GECC_FN bool is_on_curve(const affine& a) {
    return fe_equal(fe_sqr(a.y), curve_right_side(a.x));
}

// Computes the point from its x-coordinate and the parity of y (SEC 1, section 2.3.4). Variable
// time: for public points. Returns kOffCurve if no y exists. No point has y = 0, since the order of
// the group is an odd prime.
GECC_FN PointKind decompress_var(affine& r, const fe& x, bool y_is_odd) {
    u32 words[8];
    fe right = curve_right_side(x);
    r.x = x;
    r.y = fe_sqrt_candidate(right);
    if (!fe_equal(fe_sqr(r.y), right)) return kOffCurve;
    fe_to_words(words, r.y);
    if ((words[0] & 1) != y_is_odd) r.y = fe_neg(r.y);
    return kFinite;
}

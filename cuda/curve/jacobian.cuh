// Jacobian arithmetic: doubling and mixed addition.
//
// Functions that end in _var branch on the points and are for public data. The others run a fixed
// sequence. Independent products are in the order with which the kernels were fastest
// (docs/design/gpu.md); ptxas mostly keeps it.
#pragma once
#include "curve/point.cuh"

// 2 p: 3M + 4S for a = 0, 4M + 4S for a = -3, 4M + 6S for any other. With l = (3 x^2 + a z^4) / 2
// the result is that of the usual formulas divided by (4, 8, 2), which saves five additions. The
// identity gives the identity.
GECC_FN jacobian jacobian_double(const jacobian& p) {
    jacobian r;
    fe s = fe_sqr(p.y);
    fe t = fe_mul(p.x, s);
#if GECC_A_IS_ZERO
    fe third = fe_sqr(p.x);
#elif GECC_A_IS_MINUS_THREE
    fe zz = fe_sqr(p.z);
    fe third = fe_mul(fe_sub(p.x, zz), fe_add(p.x, zz));
#endif
#if GECC_A_IS_ZERO || GECC_A_IS_MINUS_THREE
    fe l = fe_add(third, fe_half(third));
#else
    fe l = fe_half(fe_add(fe_triple(fe_sqr(p.x)), fe_mul(coefficient_a(), fe_sqr(fe_sqr(p.z)))));
#endif
    r.x = fe_sqr_sub_twice(l, t);
    r.y = fe_mul_sub_sqr(l, fe_sub(t, r.x), s);
    r.z = fe_mul(p.y, p.z);
    return r;
}

// 2 p for an affine p, scaled as in jacobian_double: 2M + 4S.
GECC_FN jacobian affine_to_jacobian_double(const affine& p) {
    jacobian r;
    fe l = fe_half(tangent_numerator(p.x));
    fe s = fe_sqr(p.y);
    fe t = fe_mul(p.x, s);
    r.x = fe_sqr_sub_twice(l, t);
    r.y = fe_mul_sub_sqr(l, fe_sub(t, r.x), s);
    r.z = p.y;
    return r;
}

// The common part of both kinds of addition: h = 0 if the points have the same x, slope = 0 if they
// have the same y.
struct MixedDifference {
    fe h, slope;
};

GECC_FN MixedDifference mixed_difference(const jacobian& p, const affine& q) {
    MixedDifference d;
    fe zz = fe_sqr(p.z);
    d.h = fe_mul_sub(q.x, zz, p.x);
    d.slope = fe_mul_sub(q.y, fe_mul(zz, p.z), p.y);
    return d;
}

// p + q for p, q with different x; also correct for q = -p, where h = 0 gives z = 0. 8M + 3S with
// the difference.
GECC_FN jacobian mixed_sum(const jacobian& p, const MixedDifference& d) {
    jacobian r;
    fe hh = fe_sqr(d.h);
    fe v = fe_mul(p.x, hh);
    fe hhh = fe_mul(hh, d.h);
    r.z = fe_mul(p.z, d.h);
    r.x = fe_sqr_sub_sub_twice(d.slope, hhh, v);
    r.y = fe_mul_sub_mul(d.slope, fe_sub(v, r.x), p.y, hhh);
    return r;
}

// p + q. The caller guarantees that p is neither the identity nor q.
GECC_FN jacobian add_distinct(const jacobian& p, const affine& q) {
    return mixed_sum(p, mixed_difference(p, q));
}

// p + q, any p. `p_is_identity` is read and updated, so that z is not tested at every step.
GECC_FN void add_var(jacobian& p, bool& p_is_identity, const affine& q) {
    if (p_is_identity) {
        p = to_jacobian(q);
        p_is_identity = false;
        return;
    }
    MixedDifference d = mixed_difference(p, q);
    if (fe_is_zero(d.h)) {
        if (fe_is_zero(d.slope)) p = jacobian_double(p);
        else p_is_identity = true;
        return;
    }
    p = mixed_sum(p, d);
}

// p + q, any p, in a fixed sequence: computes the sum, the double and q itself, and selects one by
// masks.
GECC_FN jacobian add_uniform(const jacobian& p, const affine& q) {
    MixedDifference d = mixed_difference(p, q);
    u32 same = opaque(mask_if(fe_is_zero(d.h) & fe_is_zero(d.slope)));
    u32 identity = opaque(mask_if(fe_is_zero(p.z)));
    jacobian r = jacobian_select(same, jacobian_double(p), mixed_sum(p, d));
    return jacobian_select(identity, to_jacobian(q), r);
}

// (x, y) / z, given 1 / z.
GECC_FN affine scale_by_inverse(const fe& x, const fe& y, const fe& z_inverse) {
    fe square = fe_sqr(z_inverse);
    affine r = {fe_mul(x, square), fe_mul(y, fe_mul(square, z_inverse))};
    return r;
}

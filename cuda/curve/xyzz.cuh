// Complete arithmetic in the coordinates x / zz, y / zzz, for sums that are added to sums. zz = 0
// represents the identity. Branches on the points: for public data.
#pragma once
#include "curve/table_sum.cuh"

GECC_FN xyzz xyzz_identity() {
    xyzz r = {fe_zero(), fe_zero(), fe_zero(), fe_zero()};
    return r;
}

// 2 p, for p other than the identity: 6M + 4S, and 1M + 2S where a is neither 0 nor -3.
GECC_FN xyzz xyzz_double(const xyzz& p) {
    xyzz r;
    fe twice = fe_double(p.y);
    fe square = fe_sqr(twice);
    fe cube = fe_mul(twice, square);
    fe v = fe_mul(p.x, square);
#if GECC_A_IS_ZERO
    fe slope = fe_triple(fe_sqr(p.x));
#elif GECC_A_IS_MINUS_THREE
    fe slope = fe_triple(fe_mul(fe_sub(p.x, p.zz), fe_add(p.x, p.zz)));
#else
    fe slope = fe_add(fe_triple(fe_sqr(p.x)), fe_mul(coefficient_a(), fe_sqr(p.zz)));
#endif
    r.x = fe_sqr_sub_twice(slope, v);
    r.y = fe_mul_sub_mul(slope, fe_sub(v, r.x), p.y, cube);
    r.zz = fe_mul(p.zz, square);
    r.zzz = fe_mul(p.zzz, cube);
    return r;
}

// p + q, any p and q: 12M + 2S.
GECC_SHARED_FN xyzz xyzz_add_var(xyzz p, xyzz q) {
    if (fe_is_zero(q.zz)) return p;
    if (fe_is_zero(p.zz)) return q;
    fe u = fe_mul(p.x, q.zz), s = fe_mul(p.y, q.zzz);
    fe h = fe_mul_sub(q.x, p.zz, u), slope = fe_mul_sub(q.y, p.zzz, s);
    if (fe_is_zero(h)) return fe_is_zero(slope) ? xyzz_double(p) : xyzz_identity();
    fe hh = fe_sqr(h);
    fe hhh = fe_mul(hh, h);
    fe v = fe_mul(u, hh);
    p.x = fe_sqr_sub_sub_twice(slope, hhh, v);
    p.y = fe_mul_sub_mul(slope, fe_sub(v, p.x), s, hhh);
    p.zz = fe_mul(fe_mul(p.zz, q.zz), hh);
    p.zzz = fe_mul(fe_mul(p.zzz, q.zzz), hhh);
    return p;
}

// 2^count p. A run of doublings takes fewer operations in Jacobian coordinates.
GECC_SHARED_FN xyzz double_times(xyzz p, u32 count) {
    jacobian power = to_jacobian(p);
    GECC_NO_UNROLL
    for (u32 k = 0; k < count; k++) power = jacobian_double(power);
    fe square = fe_sqr(power.z);
    xyzz r = {power.x, power.y, square, fe_mul(square, power.z)};
    return r;
}

// Sums of table entries: mixed additions in the coordinates x / zz, y / zzz with zz^3 = zzz^2,
// which save a squaring per addition if nothing is doubled (8M + 2S). Functions that end in _var
// branch on the points and are for public data.
#pragma once
#include "curve/jacobian.cuh"

struct xyzz {
    fe x, y, zz, zzz;
};

// 2 q: 3M + 3S.
GECC_FN xyzz xyzz_double(const affine& q) {
    xyzz r;
    fe twice = fe_double(q.y);
    fe slope = tangent_numerator(q.x);
    r.zz = fe_sqr(twice);
    r.zzz = fe_mul(twice, r.zz);
    fe v = fe_mul(q.x, r.zz);
    r.x = fe_sqr_sub_twice(slope, v);
    r.y = fe_mul_sub_mul(slope, fe_sub(v, r.x), q.y, r.zzz);
    return r;
}

GECC_FN xyzz to_xyzz(const affine& q) {
    xyzz r = {q.x, q.y, fe_one(), fe_one()};
    return r;
}

// The same point as x / z^2, y / z^3 with z = zz: 2M.
GECC_FN jacobian to_jacobian(const xyzz& p) {
    jacobian r = {fe_mul(p.x, p.zz), fe_mul(p.y, p.zzz), p.zz};
    return r;
}

// p + q, given h = q.x zz - p.x, not 0, and the slope q.y zzz - p.y.
GECC_FN void add_by_slope(xyzz& p, const fe& h, const fe& slope) {
    fe hh = fe_sqr(h);
    p.zz = fe_mul(p.zz, hh);
    fe hhh = fe_mul(hh, h);
    p.zzz = fe_mul(p.zzz, hhh);
    fe v = fe_mul(p.x, hh);
    p.x = fe_sqr_sub_sub_twice(slope, hhh, v);
    p.y = fe_mul_sub_mul(slope, fe_sub(v, p.x), p.y, hhh);
}

// p + q. The caller guarantees that p is neither the identity nor q nor -q.
GECC_FN void add_distinct(xyzz& p, const affine& q) {
    add_by_slope(p, fe_mul_sub(q.x, p.zz, p.x), fe_mul_sub(q.y, p.zzz, p.y));
}

// p + q, any p. `p_is_identity` is read and updated.
GECC_FN void add_var(xyzz& p, bool& p_is_identity, const affine& q) {
    if (p_is_identity) {
        p = to_xyzz(q);
        p_is_identity = false;
        return;
    }
    fe h = fe_mul_sub(q.x, p.zz, p.x);
    fe slope = fe_mul_sub(q.y, p.zzz, p.y);
    if (fe_is_zero(h)) {
        if (fe_is_zero(slope)) p = xyzz_double(q);
        else p_is_identity = true;
        return;
    }
    add_by_slope(p, h, slope);
}

// Computes the sum of all terms of a source, and returns whether it is the identity. The source
// provides `int terms()`; `Place find(int term)`, which may start to fetch the term's entry, and
// whose `digit` is 0 if there is no entry and negative if it must be negated; `affine load(const
// Place&)`; and `void align()`, which is called before each addition and may do nothing.
template <class Source> GECC_FN bool sum_entries_var(xyzz& sum, const Source& source) {
    bool identity = true;
    int terms = source.terms();
    auto next = source.find(0);
    GECC_NO_UNROLL
    for (int term = 0; term < terms; term++) {
        auto place = next;
        if (term + 1 < terms) next = source.find(term + 1);
        source.align();
        if (place.digit == 0) continue;
        affine addend = source.load(place);
        addend.y = fe_select(mask_if(place.digit < 0), fe_neg(addend.y), addend.y);
        add_var(sum, identity, addend);
    }
    return identity;
}

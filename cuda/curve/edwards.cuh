// Points of -x^2 + y^2 = 1 + d x^2 y^2 in extended coordinates (Hisil, Wong, Carter and Dawson
// 2008): x = X / Z, y = Y / Z, x y = T / Z. Since -1 is a square and d is not, the formulas have no
// exceptions, and Z is never 0.
#pragma once
#include "codes.cuh"
#include "field/field.cuh"

struct ed_affine {
    fe x, y;
};

// (X : Y : Z), which is sufficient for a doubling.
struct ed_projective {
    fe x, y, z;
};

struct ed_extended {
    fe x, y, z, t;
};

// A sum or a double, with x = X / Z and y = Y / T. Each coordinate of the other forms takes one
// product.
struct ed_completed {
    fe x, y, z, t;
};

// A point to be added, with Z = 1: y + x, y - x, 2 d x y.
struct ed_niels {
    fe sum, difference, product;
};

// A point to be added: Y + X, Y - X, 2 d T, 2 Z.
struct ed_addend {
    ed_niels niels;
    fe z2;
};

GECC_FN fe ed_d2() {
    const u32 d2[8] = GECC_FIELD_D2;
    return fe_constant(d2);
}

GECC_FN ed_affine ed_generator() {
    const u32 x[8] = GECC_FIELD_GX, y[8] = GECC_FIELD_GY;
    ed_affine r = {fe_constant(x), fe_constant(y)};
    return r;
}

GECC_FN ed_extended ed_identity() {
    ed_extended r = {fe_zero(), fe_one(), fe_one(), fe_zero()};
    return r;
}

GECC_FN ed_completed ed_completed_identity() {
    ed_completed r = {fe_zero(), fe_one(), fe_one(), fe_one()};
    return r;
}

GECC_FN ed_extended to_extended(const ed_affine& a) {
    ed_extended r = {a.x, a.y, fe_one(), fe_mul(a.x, a.y)};
    return r;
}

GECC_FN ed_projective to_projective(const ed_extended& a) {
    ed_projective r = {a.x, a.y, a.z};
    return r;
}

GECC_FN ed_projective to_projective(const ed_completed& a) {
    ed_projective r = {fe_mul(a.x, a.t), fe_mul(a.y, a.z), fe_mul(a.z, a.t)};
    return r;
}

GECC_FN ed_extended to_extended(const ed_completed& a) {
    ed_extended r = {fe_mul(a.x, a.t), fe_mul(a.y, a.z), fe_mul(a.z, a.t), fe_mul(a.x, a.y)};
    return r;
}

GECC_FN ed_niels to_niels(const ed_affine& a) {
    ed_niels r = {fe_add(a.y, a.x), fe_sub(a.y, a.x), fe_mul(fe_mul(a.x, a.y), ed_d2())};
    return r;
}

GECC_FN ed_addend to_addend(const ed_extended& a) {
    ed_addend r = {{fe_add(a.y, a.x), fe_sub(a.y, a.x), fe_mul(a.t, ed_d2())}, fe_double(a.z)};
    return r;
}

// -a if the mask is set.
GECC_FN ed_niels ed_negated(const ed_niels& a, u32 mask) {
    ed_niels r = {fe_select(mask, a.difference, a.sum), fe_select(mask, a.sum, a.difference),
                  fe_select(mask, fe_neg(a.product), a.product)};
    return r;
}

// Four squares.
GECC_FN ed_completed ed_double(const ed_projective& a) {
    fe xx = fe_sqr(a.x), yy = fe_sqr(a.y), zz = fe_sqr(a.z);
    fe sum = fe_add(yy, xx), difference = fe_sub(yy, xx);
    ed_completed r = {fe_sub(fe_sqr(fe_add(a.x, a.y)), sum), sum, difference, fe_sub(fe_double(zz), difference)};
    return r;
}

// `zz2` is twice the product of both Z.
GECC_FN ed_completed ed_add_with(const ed_extended& a, const ed_niels& b, const fe& zz2) {
    fe plus = fe_mul(fe_add(a.y, a.x), b.sum), minus = fe_mul(fe_sub(a.y, a.x), b.difference);
    fe product = fe_mul(a.t, b.product);
    ed_completed r = {fe_sub(plus, minus), fe_add(plus, minus), fe_add(zz2, product), fe_sub(zz2, product)};
    return r;
}

// Four products.
GECC_FN ed_completed ed_add(const ed_extended& a, const ed_addend& b, u32 negative) {
    return ed_add_with(a, ed_negated(b.niels, negative), fe_mul(a.z, b.z2));
}

// Three products.
GECC_FN ed_completed ed_add_affine(const ed_extended& a, const ed_niels& b, u32 negative) {
    return ed_add_with(a, ed_negated(b, negative), fe_double(a.z));
}

GECC_FN bool ed_is_identity(const ed_projective& a) {
    return fe_is_zero(a.x) & fe_equal(a.y, a.z);
}

// Returns whether the cofactor times the point is the identity.
GECC_FN bool ed_is_of_small_order(ed_projective a) {
    GECC_NO_UNROLL
    for (int i = 0; i < GECC_COFACTOR_DOUBLINGS; i++) a = to_projective(ed_double(a));
    return ed_is_identity(a);
}

// Points as 32 bytes (RFC 8032, sections 5.1.2 and 5.1.3), here a number of eight words: y, and in
// the highest bit the parity of x.
GECC_FN fe ed_encoded_y(const u32* encoding) {
    fe r;
    words_copy(r.v, encoding);
    r.v[7] &= 0x7fffffff;
    return r;
}

// Decodes a point. For public points: variable time. Returns kBadEncoding if the encoding must be
// `canonical` and is not: y is p or more, or x is 0 and its parity bit is set. Returns kOffCurve if
// there is no such point. By RFC 8032, section 5.1.3, x^2 = u / v has the root u v^3 (u v^7)^((p -
// 5) / 8), or that times a root of -1; v is not 0, because d is not a square.
GECC_FN PointKind ed_decode_var(ed_affine& r, const u32* encoding, bool canonical) {
    const u32 d[8] = GECC_FIELD_D, root_of_minus_one[8] = GECC_FIELD_ROOT_OF_MINUS_ONE;
    fe y = ed_encoded_y(encoding);
    if (canonical && words_difference(fe_canonical(y).v, y.v) != 0) return kBadEncoding;
    fe yy = fe_sqr(y);
    fe u = fe_sub(yy, fe_one()), v = fe_add(fe_mul(yy, fe_constant(d)), fe_one());
    fe cube = fe_mul(fe_sqr(v), v), factor = fe_mul(u, cube);
    fe x = fe_mul(factor, fe_sqrt_candidate(fe_mul(factor, fe_mul(cube, v))));
    fe found = fe_mul(fe_sqr(x), v);
    if (!fe_equal(found, u)) {
        if (!fe_equal(found, fe_neg(u))) return kOffCurve;
        x = fe_mul(x, fe_constant(root_of_minus_one));
    }
    fe plain = fe_canonical(x);
    u32 is_odd = encoding[7] >> 31;
    if (canonical && is_odd && words_or(plain.v) == 0) return kBadEncoding;
    r.x = (plain.v[0] & 1) == is_odd ? plain : fe_neg(plain);
    r.y = y;
    return kFinite;
}

// Returns whether a point with this encoding has small order, for a cofactor of 8: y is 1, -1 or 0,
// or that of a point whose double has the y 0, which is x^2 + y^2 = 0 or, with the equation of the
// curve, d y^4 + 2 y^2 = 1.
GECC_FN bool ed_encodes_small_order_var(const u32* encoding) {
    const u32 d[8] = GECC_FIELD_D;
    fe yy = fe_sqr(ed_encoded_y(encoding)), one = fe_one();
    fe of_order_8 = fe_mul(fe_add(fe_mul(yy, fe_constant(d)), fe_double(one)), yy);
    return fe_is_zero(yy) | fe_equal(yy, one) | fe_equal(of_order_8, one);
}

// Computes the encoding from the inverse of Z.
GECC_FN void ed_encode(u32* encoding, const ed_projective& a, const fe& z_inverse) {
    fe x = fe_canonical(fe_mul(a.x, z_inverse)), y = fe_canonical(fe_mul(a.y, z_inverse));
    words_copy(encoding, y.v);
    encoding[7] |= x.v[0] << 31;
}

// Elements of ristretto255 (RFC 9496, section 4) as points of ed25519: a fixed sequence. As in the
// RFC, a number is negative if it is odd when it is below p, and the names of intermediate numbers
// are those of the RFC.
#pragma once
#include "curve/edwards.cuh"

GECC_FN fe ed_root_of_minus_one() {
    const u32 root[8] = GECC_FIELD_ROOT_OF_MINUS_ONE;
    return fe_constant(root);
}

// Returns all ones if the number is negative.
GECC_FN u32 fe_odd_mask(const fe& a) {
    return opaque(0 - (fe_canonical(a).v[0] & 1));
}

GECC_FN u32 fe_zero_mask(const fe& a) {
    return opaque(mask_if(fe_is_zero(a)));
}

// -a if the mask is set.
GECC_FN fe fe_negate_masked(const fe& a, u32 mask) {
    return fe_select(mask, fe_neg(a), a);
}

// |a|, loose.
GECC_FN fe fe_even(const fe& a) {
    return fe_negate_masked(a, fe_odd_mask(a));
}

// The steps of the chain of fe_sqrt_candidate. They are apart from the powers, which may be secrets,
// so that loads of both can be told apart.
GECC_TABLE u32 kRootChain[GECC_SQRT_STEPS] = GECC_SQRT_CHAIN;

// a^((p - 5) / 8), as fe_sqrt_candidate, but for secrets.
GECC_SHARED_FN fe fe_root_power(fe a) {
    fe power[GECC_SQRT_POWERS];
    GECC_NO_UNROLL
    for (int step = 0; step < GECC_SQRT_STEPS; step++) {
        if (GECC_SQRT_POWERS == GECC_SQRT_STEPS || step < GECC_SQRT_POWERS) power[step] = a;
        u32 squarings = kRootChain[step] & 0xffff, factor = kRootChain[step] >> 16;
        GECC_NO_UNROLL
        for (u32 k = 0; k < squarings; k++) a = fe_sqr(a);
        if (factor != 0) a = fe_mul(a, power[factor - 1]);
    }
    return a;
}

struct fe_root {
    fe root;
    u32 exists;  // mask
};

// The even square root of u / v, if it exists, and otherwise that of i u / v for the root i of -1
// (section 4.2, SQRT_RATIO_M1). If v is 0, the root is 0, and exists if u is 0.
GECC_FN fe_root fe_root_of_ratio(const fe& u, const fe& v) {
    fe cube = fe_mul(fe_sqr(v), v), factor = fe_mul(u, cube);
    fe root = fe_mul(factor, fe_root_power(fe_mul(factor, fe_mul(cube, v))));
    fe check = fe_mul(fe_sqr(root), v);
    u32 is_of_u = fe_zero_mask(fe_sub(check, u)), is_of_minus_u = fe_zero_mask(fe_add(check, u));
    u32 is_of_minus_iu = fe_zero_mask(fe_add(check, fe_mul(u, ed_root_of_minus_one())));
    root = fe_select(is_of_minus_u | is_of_minus_iu, fe_mul(root, ed_root_of_minus_one()), root);
    return {fe_even(root), is_of_u | is_of_minus_u};
}

// Decodes an element (section 4.3.1). Returns kBadEncoding if the number is negative or not below
// p, kOffCurve if no element has this encoding, and kIdentity for the identity; the point is the
// base point unless the kind is kFinite.
GECC_FN u8 ristretto_decode(ed_affine& r, const u32* encoding) {
    const u32 d[8] = GECC_FIELD_D;
    fe s;
    words_copy(s.v, encoding);
    u32 differs = words_difference(fe_canonical(s).v, s.v) | (s.v[0] & 1);
    fe ss = fe_sqr(s), u1 = fe_sub(fe_one(), ss), u2 = fe_add(fe_one(), ss), u2_squared = fe_sqr(u2);
    fe v = fe_neg(fe_add(fe_mul(fe_constant(d), fe_sqr(u1)), u2_squared));
    fe_root inverse = fe_root_of_ratio(fe_one(), fe_mul(v, u2_squared));
    fe den_x = fe_mul(inverse.root, u2), den_y = fe_mul(fe_mul(inverse.root, den_x), v);
    fe x = fe_even(fe_mul(fe_double(s), den_x)), y = fe_mul(u1, den_y);
    u32 is_canonical = opaque(mask_if(differs == 0)), is_zero = opaque(mask_if(words_or(s.v) == 0));
    u32 is_element = inverse.exists & ~fe_odd_mask(fe_mul(x, y)) & ~fe_zero_mask(y);
    u32 is_finite = is_canonical & is_element & ~is_zero;
    ed_affine base = ed_generator();
    r.x = fe_select(is_finite, x, base.x);
    r.y = fe_select(is_finite, y, base.y);
    u32 of_canonical = (kOffCurve & ~is_element) | (kIdentity & is_element & is_zero) | (kFinite & is_finite);
    return (u8)((kBadEncoding & ~is_canonical) | (of_canonical & is_canonical));
}

// Encodes an element (section 4.3.2).
GECC_FN void ristretto_encode(u32* encoding, const ed_extended& a) {
    const u32 invsqrt_a_minus_d[8] = GECC_FIELD_INVSQRT_A_MINUS_D;
    fe u1 = fe_mul(fe_add(a.z, a.y), fe_sub(a.z, a.y)), u2 = fe_mul(a.x, a.y);
    fe inverse = fe_root_of_ratio(fe_one(), fe_mul(u1, fe_sqr(u2))).root;
    fe den1 = fe_mul(inverse, u1), den2 = fe_mul(inverse, u2);
    fe z_inverse = fe_mul(fe_mul(den1, den2), a.t);
    u32 rotates = fe_odd_mask(fe_mul(a.t, z_inverse));
    fe x = fe_select(rotates, fe_mul(a.y, ed_root_of_minus_one()), a.x);
    fe y = fe_select(rotates, fe_mul(a.x, ed_root_of_minus_one()), a.y);
    fe denominator = fe_select(rotates, fe_mul(den1, fe_constant(invsqrt_a_minus_d)), den2);
    y = fe_negate_masked(y, fe_odd_mask(fe_mul(x, z_inverse)));
    words_copy(encoding, fe_canonical(fe_even(fe_mul(denominator, fe_sub(a.z, y)))).v);
}

// Encoding the double of a point needs an inverse and no root (src/cpu/edwards/ristretto.rs,
// `encode_doubles`): with x(2P) = e / f and y(2P) = g / h, u1 of the RFC is (a - d) e^2 f^2, whose
// root is known.

// The number to invert: e f g h, or 1 if that is 0, which it is for points that represent the
// identity, with e or g equal to 0.
GECC_FN fe ristretto_denominator(const ed_projective& half) {
    ed_completed a = ed_double(half);
    fe product = fe_mul(fe_mul(a.x, a.y), fe_mul(a.z, a.t));
    return fe_select(fe_zero_mask(product), fe_one(), product);
}

// Encodes twice a point, given the inverse of its denominator. By the known root, `den2` of the RFC
// is 1 / (e f sqrt(a - d)) and `enchanted_denominator` 1 / (g h), both with one sign that the last
// step removes. The factors f or h of z - y then cancel.
GECC_FN void ristretto_encode_double(u32* encoding, const ed_projective& half, const fe& inverse) {
    const u32 invsqrt_a_minus_d[8] = GECC_FIELD_INVSQRT_A_MINUS_D;
    ed_completed a = ed_double(half);
    fe e = a.x, g = a.y, f = a.z, h = a.t;
    fe eg = fe_mul(e, g), z_inverse = fe_mul(inverse, eg), t_inverse = fe_mul(inverse, fe_mul(f, h));
    u32 is_identity = fe_zero_mask(eg), rotates = fe_odd_mask(fe_mul(eg, z_inverse));
    fe unit = fe_select(rotates, ed_root_of_minus_one(), fe_one());
    fe x = fe_mul(fe_select(rotates, g, e), unit), left = fe_select(rotates, f, h), y = fe_select(rotates, e, g);
    u32 negates = fe_odd_mask(fe_mul(fe_mul(x, left), z_inverse));
    fe right = fe_negate_masked(fe_mul(y, unit), negates);
    // 1 / g, or 1 / e.
    fe quotient = fe_mul(y, t_inverse);
    fe factor = fe_select(rotates, fe_one(), fe_constant(invsqrt_a_minus_d));
    fe s = fe_canonical(fe_even(fe_mul(fe_mul(fe_sub(left, right), factor), quotient)));
    GECC_UNROLL
    for (int w = 0; w < 8; w++) encoding[w] = s.v[w] & ~is_identity;
}

// Maps a number, of which the highest bit is ignored, to a point (section 4.3.4, MAP).
GECC_FN ed_extended ristretto_map(fe t) {
    const u32 d_words[8] = GECC_FIELD_D, one_minus_d_sq[8] = GECC_FIELD_ONE_MINUS_D_SQ;
    const u32 d_minus_one_sq[8] = GECC_FIELD_D_MINUS_ONE_SQ, sqrt_ad_minus_one[8] = GECC_FIELD_SQRT_AD_MINUS_ONE;
    fe d = fe_constant(d_words), one = fe_one();
    t.v[7] &= 0x7fffffff;
    fe r = fe_mul(ed_root_of_minus_one(), fe_sqr(t));
    fe u = fe_mul(fe_add(r, one), fe_constant(one_minus_d_sq));
    fe v = fe_mul(fe_neg(fe_add(one, fe_mul(r, d))), fe_add(r, d));
    fe_root root = fe_root_of_ratio(u, v);
    fe s = fe_select(root.exists, root.root, fe_neg(fe_even(fe_mul(root.root, t))));
    fe c = fe_select(root.exists, fe_neg(one), r);
    fe n = fe_sub(fe_mul(fe_mul(c, fe_sub(r, one)), fe_constant(d_minus_one_sq)), v);
    fe ss = fe_sqr(s), w0 = fe_mul(fe_double(s), v), w1 = fe_mul(n, fe_constant(sqrt_ad_minus_one));
    fe w2 = fe_sub(one, ss), w3 = fe_add(one, ss);
    ed_extended r_point = {fe_mul(w0, w3), fe_mul(w2, w1), fe_mul(w1, w3), fe_mul(w0, w2)};
    return r_point;
}

// Maps 64 uniform bytes to an element (section 4.3.4). Halves provides both numbers: `fe half(int)`.
template <class Halves> GECC_FN ed_extended ristretto_map_both(const Halves& halves) {
    ed_extended sum = ed_identity();
    GECC_NO_UNROLL
    for (int which = 0; which < 2; which++)
        sum = to_extended(ed_add(sum, to_addend(ristretto_map(halves.half(which))), 0));
    return sum;
}

// The simplified SWU map of RFC 9380 (sections 6.6.2 and 6.6.3): from a field element to a point,
// in a fixed sequence of operations.
//
// The map is to the curve y^2 = g(x) = x^3 + A x + B. Where the suite's curve has a zero
// coefficient (secp256k1), that is another curve, E', and an isogeny leads from it to the suite's
// curve.
//
// RFC 9380 divides twice: by the denominator of x, and in sqrt_ratio. Here both inverses follow
// from the same power as the square root. For x = n / d and g(x) = m / d^3 let w = m d^3 and t =
// w^((p-3)/4). As p = 3 mod 4, t^2 w = w^((p-1)/2) is 1 or -1, so 1 / w = t^2 or -t^2; hence 1 / d
// = m d^2 / w, and y = m t is a square root of g(x) or of -g(x). No w is 0: neither E' nor the
// suite's curve has a point with y = 0, because their order is an odd prime.
#pragma once
#include "curve/point.cuh"

#if GECC_HAS_MAP_TO_CURVE
// The steps of the chain: squarings, and in the upper half the index of the factor plus one. They
// are apart from the powers, which are secrets, so that loads of both can be told apart.
GECC_TABLE u32 kInverseSqrtChain[GECC_INVERSE_SQRT_STEPS] = GECC_INVERSE_SQRT_CHAIN;

// a^((p-3)/4): 1 / sqrt(a) with unknown sign if a is a square other than 0, and 1 / sqrt(-a) if a
// is not a square. The exponent is public.
GECC_SHARED_FN fe fe_inverse_sqrt_candidate(fe a) {
    fe power[GECC_INVERSE_SQRT_POWERS];
    GECC_NO_UNROLL
    for (int step = 0; step < GECC_INVERSE_SQRT_STEPS; step++) {
        if (GECC_INVERSE_SQRT_POWERS == GECC_INVERSE_SQRT_STEPS || step < GECC_INVERSE_SQRT_POWERS) power[step] = a;
        u32 squarings = kInverseSqrtChain[step] & 0xffff, factor = kInverseSqrtChain[step] >> 16;
        GECC_NO_UNROLL
        for (u32 k = 0; k < squarings; k++) a = fe_sqr(a);
        if (factor != 0) a = fe_mul(a, power[factor - 1]);
    }
    return a;
}

#define GECC_MAP_CONSTANT(name) \
    GECC_FN fe map_##name() { \
        const u32 words[8] = GECC_FIELD_MAP_##name; \
        return fe_constant(words); \
    }
GECC_MAP_CONSTANT(Z)
GECC_MAP_CONSTANT(A)
GECC_MAP_CONSTANT(B)
GECC_MAP_CONSTANT(ROOT_OF_MINUS_Z)
#if GECC_MAP_HAS_ISOGENY
GECC_MAP_CONSTANT(ISOGENY_X0)
GECC_MAP_CONSTANT(ISOGENY_X1)
GECC_MAP_CONSTANT(ISOGENY_X2)
GECC_MAP_CONSTANT(ISOGENY_X3)
GECC_MAP_CONSTANT(ISOGENY_Y0)
GECC_MAP_CONSTANT(ISOGENY_Y1)
GECC_MAP_CONSTANT(ISOGENY_Y2)
GECC_MAP_CONSTANT(ISOGENY_Y3)
GECC_MAP_CONSTANT(ISOGENY_KERNEL)
#endif
#undef GECC_MAP_CONSTANT

// A a
GECC_FN fe map_a_times(const fe& a) {
#if GECC_A_IS_MINUS_THREE && !GECC_MAP_HAS_ISOGENY
    return fe_neg(fe_triple(a));
#else
    return fe_mul(map_A(), a);
#endif
}

// sgn0 of RFC 9380, section 4.1, as a mask: whether the number below p is odd.
GECC_FN u32 sign_mask(const fe& a) {
    u32 words[8];
    fe_to_words(words, a);
    return opaque(0 - (words[0] & 1));
}

// The point of y^2 = x^3 + A x + B that the simplified SWU map assigns to u.
GECC_SHARED_FN affine map_to_curve(fe u) {
    fe square = fe_sqr(u);
    fe zuu = fe_mul(map_Z(), square);
    fe sum = fe_add(fe_sqr(zuu), zuu);  // z^2 u^4 + z u^2
    fe numerator = fe_mul(map_B(), fe_add(sum, fe_one()));
    fe denominator = map_a_times(fe_select(opaque(mask_if(fe_is_zero(sum))), map_Z(), fe_neg(sum)));
    fe dd = fe_sqr(denominator), ddd = fe_mul(dd, denominator);
    // g(numerator / denominator) = m / d^3
    fe m = fe_mul(fe_add(fe_sqr(numerator), map_a_times(dd)), numerator);
    m = fe_add(m, fe_mul(map_B(), ddd));
    fe xw = fe_mul(fe_mul(m, dd), numerator), w = fe_mul(m, ddd);
    fe t = fe_inverse_sqrt_candidate(w);
    fe tt = fe_sqr(t);
    u32 is_square = opaque(mask_if(fe_equal(fe_mul(tt, w), fe_one())));
    // If g(x) is no square, z u^2 x is the x-coordinate of a point: g(z u^2 x) = z^3 u^6 g(x).
    affine r = {fe_mul(xw, tt), fe_mul(m, t)};
    r.x = fe_select(is_square, r.x, fe_neg(fe_mul(zuu, r.x)));
    r.y = fe_select(is_square, r.y, fe_mul(fe_mul(zuu, u), fe_mul(map_ROOT_OF_MINUS_Z(), r.y)));
    r.y = fe_select(sign_mask(u) ^ sign_mask(r.y), fe_neg(r.y), r.y);
    return r;
}

// a + b on the curve of the map, for any two points. The slope is (b.y - a.y) / (b.x - a.x), or
// (3 x^2 + A) / (2 y) if the points are equal; its denominator is z. Opposite points have z = 0,
// which is the identity.
GECC_FN jacobian map_sum(const affine& a, const affine& b) {
    fe run = fe_sub(b.x, a.x), rise = fe_sub(b.y, a.y);
    u32 same = opaque(mask_if(fe_is_zero(run) & fe_is_zero(rise)));
    jacobian r;
    r.z = fe_select(same, fe_double(a.y), run);
    rise = fe_select(same, fe_add(fe_triple(fe_sqr(a.x)), map_A()), rise);
    fe zz = fe_sqr(r.z);
    fe v = fe_mul(a.x, zz);
    r.x = fe_sub(fe_sub(fe_sqr(rise), v), fe_mul(b.x, zz));
    r.y = fe_mul_sub_mul(rise, fe_sub(v, r.x), a.y, fe_mul(zz, r.z));
    return r;
}

#if GECC_MAP_HAS_ISOGENY
// k3 x^3 + k2 x^2 + k1 x + k0 for x = n / d, times d^3.
GECC_FN fe cubic_of_fraction(const fe& k0, const fe& k1, const fe& k2, const fe& k3, const fe& n, const fe& d,
                             const fe& dd, const fe& ddd) {
    fe r = fe_add(fe_mul(k3, n), fe_mul(k2, d));
    r = fe_add(fe_mul(r, n), fe_mul(k1, dd));
    return fe_add(fe_mul(r, n), fe_mul(k0, ddd));
}
#endif

// The isogeny from the curve of the map to the suite's curve, if they differ: for a point (x, y),
// (x_num(x) / (x - k)^2, y y_num(x) / (x - k)^3) with the x-coordinate k of its kernel. The
// identity gives the identity; no other point of E' does, because its order is prime and other than
// 3.
GECC_FN jacobian map_to_suite(const jacobian& p) {
#if GECC_MAP_HAS_ISOGENY
    fe zz = fe_sqr(p.z), z4 = fe_sqr(zz), z6 = fe_mul(z4, zz);
    jacobian r;
    r.x = cubic_of_fraction(map_ISOGENY_X0(), map_ISOGENY_X1(), map_ISOGENY_X2(), map_ISOGENY_X3(), p.x, zz, z4, z6);
    r.y = cubic_of_fraction(map_ISOGENY_Y0(), map_ISOGENY_Y1(), map_ISOGENY_Y2(), map_ISOGENY_Y3(), p.x, zz, z4, z6);
    r.y = fe_mul(p.y, r.y);
    r.z = fe_mul(p.z, fe_sub(p.x, fe_mul(map_ISOGENY_KERNEL(), zz)));
    return r;
#else
    return p;
#endif
}
#endif

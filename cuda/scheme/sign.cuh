// The last steps of signing, once R = kG and the inverse of the denominator are known. No branch
// and no address depends on a key or a nonce.
//
// An inverse is given as R^2 / a for a plain number a below n, where R = 2^256. This is the result
// of Montgomery's trick for a plain number, and two Montgomery reductions remove R^2.
#pragma once
#include "field/scalar.cuh"

struct SignatureParts {
    sc r, s;
    u32 usable;  // mask
};

GECC_FN u32 nonzero_mask(const sc& a) {
    return opaque(mask_if(!sc_is_zero(a)));
}

// Returns all ones for a key in 1 .. n - 1.
GECC_FN u32 key_mask(const u32* key) {
    return opaque(mask_if(sc_is_canonical(key))) & opaque(mask_if(words_or(key) != 0));
}

// n - 1 is not a valid key for SM2 signatures: 1 + d must have an inverse.
GECC_FN u32 sm2_key_mask(const u32* key) {
    const u32 n[8] = GECC_N, one[8] = {1, 0, 0, 0, 0, 0, 0, 0};
    u32 successor[8];
    add<8>(successor, key, one);
    return key_mask(key) & opaque(mask_if(words_difference(successor, n) != 0));
}

// mask ? number : 1
GECC_FN void replace_by_one(u32* number, u32 mask) {
    GECC_UNROLL
    for (int w = 0; w < 8; w++) number[w] = (number[w] & mask) | (w == 0 ? ~mask & 1 : 0);
}

// SEC 1, section 4.1.3: x is x(R) below p, inverse is R^2 / k. `key` may be any number of eight
// words.
GECC_FN SignatureParts ecdsa_sign(const u32* digest, const sc& key, const u32* x, const sc& inverse) {
    SignatureParts out;
    // 3: r = x(R) mod n
    out.r = sc_from_words(x);
    // 5: e
    sc e = sc_from_words(digest);
    // 6: s = (e + r d) / k
    out.s = sc_mont_mul(inverse, sc_add(sc_from_montgomery(e), sc_mont_mul(key, out.r)));
    out.usable = nonzero_mask(out.r) & nonzero_mask(out.s);
    return out;
}

// Replaces s by n - s if that is smaller and `policy` is all ones; returns the mask of having done
// so.
GECC_FN u32 make_s_low(sc& s, u32 policy) {
    sc negated = sc_neg(s);
    u32 flip = opaque(mask_if(words_less(negated.v, s.v))) & policy;
    words_select(s.v, flip, negated.v, s.v);
    return flip;
}

// SEC 1, section 4.1.6: bit 0 is the parity of y(R), bit 1 is set if x(R) is not below n. n - s
// belongs to -R.
GECC_FN u32 recovery_id(const u32* x, const u32* y, u32 flip) {
    u32 is_large = opaque(mask_if(!sc_is_canonical(x)));
    return (is_large & 2) | ((y[0] ^ flip) & 1);
}

// GB/T 32918.2, section 6.1: x is x(R) below p, inverse is R^2 / (1 + d).
GECC_FN SignatureParts sm2_sign(const u32* digest, const sc& nonce, const u32* x, const sc& inverse) {
    SignatureParts out;
    // A5: r = e + x1, reject r = 0 and r + k = n
    out.r = sc_add(sc_from_words(digest), sc_from_words(x));
    sc sum = sc_add(out.r, nonce);
    // A6: s = (k - r d) / (1 + d) = (r + k) / (1 + d) - r, reject s = 0
    out.s = sc_sub(sc_mont_mul(inverse, sc_from_montgomery(sum)), out.r);
    out.usable = nonzero_mask(out.r) & nonzero_mask(sum) & nonzero_mask(out.s);
    return out;
}

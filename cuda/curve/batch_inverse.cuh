// Montgomery's trick: many inverses for one inversion and three multiplications each.
#pragma once
#include "field/field.cuh"
#include "field/scalar.cuh"

// The operations that the trick needs for a type of numbers: field elements, or scalars in
// Montgomery form.
template <class N> struct Invertible;

template <> struct Invertible<fe> {
    static GECC_MEMBER fe one() {
        return fe_one();
    }
    static GECC_MEMBER fe mul(const fe& a, const fe& b) {
        return fe_mul(a, b);
    }
    static GECC_MEMBER fe inv(const fe& a) {
        return fe_inv(a);
    }
};

template <> struct Invertible<sc> {
    static GECC_MEMBER sc one() {
        const u32 plain[8] = {1};
        return sc_to_montgomery(plain);
    }
    static GECC_MEMBER sc mul(const sc& a, const sc& b) {
        return sc_mont_mul(a, b);
    }
    static GECC_MEMBER sc inv(const sc& a) {
        return sc_mont_inv(a);
    }
};

// Replaces `count` values by their inverses. Word w of value k is at values[w * pitch + k *
// stride]; prefixes has the same shape and is scratch memory. No value may be zero: a single zero
// would invalidate all inverses, so callers replace it by one.
template <class N> GECC_FN void invert_all(u32* values, u32* prefixes, int count, int stride, int pitch) {
    N product = Invertible<N>::one();
    GECC_NO_UNROLL
    for (int k = 0; k < count; k++) {
        N value;
        GECC_UNROLL
        for (int w = 0; w < 8; w++) {
            prefixes[w * pitch + k * stride] = product.v[w];
            value.v[w] = values[w * pitch + k * stride];
        }
        product = Invertible<N>::mul(product, value);
    }
    N inverse = Invertible<N>::inv(product);  // of values 0 .. k, as k goes down
    GECC_NO_UNROLL
    for (int k = count - 1; k >= 0; k--) {
        N value, prefix;
        GECC_UNROLL
        for (int w = 0; w < 8; w++) {
            value.v[w] = values[w * pitch + k * stride];
            prefix.v[w] = prefixes[w * pitch + k * stride];
        }
        prefix = Invertible<N>::mul(prefix, inverse);
        inverse = Invertible<N>::mul(inverse, value);
        GECC_UNROLL
        for (int w = 0; w < 8; w++) values[w * pitch + k * stride] = prefix.v[w];
    }
}

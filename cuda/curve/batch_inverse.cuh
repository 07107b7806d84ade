// Montgomery's trick: many inverses for one inversion and three multiplications each.
#pragma once
#include "field/field.cuh"

// Replaces `count` values by their inverses. Word w of value k lies at values[w * pitch + k * stride]; prefixes has the
// same shape and is scratch. No value is zero: one zero would spoil all of them, so callers put one in its place.
GECC_FN void invert_all(u32* values, u32* prefixes, int count, int stride, int pitch) {
    fe product = fe_one();
    GECC_NO_UNROLL
    for (int k = 0; k < count; k++) {
        fe value;
        GECC_UNROLL
        for (int w = 0; w < 8; w++) {
            prefixes[w * pitch + k * stride] = product.v[w];
            value.v[w] = values[w * pitch + k * stride];
        }
        product = fe_mul(product, value);
    }
    fe inverse = fe_inv(product);  // of values 0 .. k, as k goes down
    GECC_NO_UNROLL
    for (int k = count - 1; k >= 0; k--) {
        fe value, prefix;
        GECC_UNROLL
        for (int w = 0; w < 8; w++) {
            value.v[w] = values[w * pitch + k * stride];
            prefix.v[w] = prefixes[w * pitch + k * stride];
        }
        prefix = fe_mul(prefix, inverse);
        inverse = fe_mul(inverse, value);
        GECC_UNROLL
        for (int w = 0; w < 8; w++) values[w * pitch + k * stride] = prefix.v[w];
    }
}

// Rows of X, Y, Z, T, and terms of affine points in rows of 24 words (kernels/niels_rows.cuh).
#pragma once
#include "kernels/niels_rows.cuh"

using BucketSum = ed_extended;

GECC_FN ed_extended bucket_identity() {
    return ed_identity();
}

GECC_SHARED_FN ed_extended bucket_add_var(ed_extended p, ed_extended q) {
    return to_extended(ed_add(p, to_addend(q), 0));
}

// 2^count p.
GECC_SHARED_FN ed_extended double_times(ed_extended p, u32 count) {
    GECC_NO_UNROLL
    for (u32 k = 0; k < count; k++) p = to_extended(ed_double(to_projective(p)));
    return p;
}

GECC_FN void prefetch_term(const u32* rows, u64 row) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(rows + 4 * kEdNielsVectors * row));
}

GECC_FN void add_term(ed_extended& sum, bool& identity, const u32* rows, u64 row, u32 negative) {
    if (identity) sum = ed_identity();
    identity = false;
    ed_niels term = load_niels((const uint4*)rows + kEdNielsVectors * row, 1);
    sum = to_extended(ed_add_affine(sum, term, negative));
}

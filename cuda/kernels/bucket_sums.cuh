// Sums of points in memory, in rows of 32 words, and their terms, for the form of the curve.
//
// The header of a form provides: BucketSum, of four numbers; bucket_identity; bucket_add_var, the
// sum of any two; double_times, 2^count p; add_term, which adds the term in a row, negated if the
// mask is set, to a sum, or to nothing if `identity` is true, and sets that to false;
// prefetch_term, which prefetches a term that will be read soon.
#pragma once
#include "curve.cuh"
#if GECC_FORM_EDWARDS
#include "kernels/bucket_sums_edwards.cuh"
#else
#include "kernels/bucket_sums_weierstrass.cuh"
#endif

GECC_FN BucketSum load_sum(const u32* rows, u64 row) {
    const uint4* from = (const uint4*)rows + 8 * row;
    return {load_row(from, 1), load_row(from + 2, 1), load_row(from + 4, 1), load_row(from + 6, 1)};
}

GECC_FN void store_sum(u32* rows, u64 row, const BucketSum& sum) {
    uint4* to = (uint4*)rows + 8 * row;
    const auto& [first, second, third, fourth] = sum;
    store_row(to, 1, first);
    store_row(to + 2, 1, second);
    store_row(to + 4, 1, third);
    store_row(to + 6, 1, fourth);
}

// Returns the sum of the window sums, each of which is a row (kernels/msm.cu).
GECC_FN BucketSum add_up_windows(const u32* window_sums, u32 windows) {
    BucketSum sum = bucket_identity();
    for (u32 window = 0; window < windows; window++) sum = bucket_add_var(sum, load_sum(window_sums, window));
    return sum;
}

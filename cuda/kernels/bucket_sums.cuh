// Sums of points in memory, in rows of 32 words, and their terms, by the form of the curve.
//
// A header of a form gives: BucketSum, which load_sum and store_sum read and write; bucket_identity; bucket_add_var,
// the sum of any two; double_times, 2^count p; add_term, which adds the term in a row, negated where the mask is set,
// to a sum, or to nothing where `identity` is true, and makes that false; prefetch_term asks for one that will be read
// soon.
#pragma once
#include "curve.cuh"
#if GECC_FORM_EDWARDS
#include "kernels/bucket_sums_edwards.cuh"
#else
#include "kernels/bucket_sums_weierstrass.cuh"
#endif

// The sum of a sum's windows, each of which is a row (kernels/msm.cu).
GECC_FN BucketSum add_up_windows(const u32* window_sums, u32 windows) {
    BucketSum sum = bucket_identity();
    for (u32 window = 0; window < windows; window++) sum = bucket_add_var(sum, load_sum(window_sums, window));
    return sum;
}

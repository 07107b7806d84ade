// Multi-scalar multiplication: k_0 P_0 + k_1 P_1 + ... for public scalars, by buckets (Pippenger,
// "On the evaluation of powers and monomials", SIAM Journal on Computing 9, 1980; with signed
// digits).
//
// With an endomorphism a scalar is split into two halves, and item i has the terms i and n + i, the
// second with the image of the point; otherwise it has term i alone. Each part of a scalar has
// `windows` signed digits of `bits` bits. Digit d of window w adds its term to bucket |d| - 1 of
// that window, or subtracts it. There are buckets = windows 2^(bits-1). Then the buckets of each
// window are summed with their weights, and the windows with theirs.
//
// Threads share the terms evenly, whatever the sizes of the buckets: thread t sums the terms at
// `run` positions from t run on, in the order of the buckets. When it leaves a bucket b, it writes
// the sum to row b + t of `partials`. The rows of a bucket are adjacent, and no two sums have the
// same row, because b + t increases from each row to the next.
//
// Steps 4 and 6 to 10 are kernels of kernels/buckets.cu.
//
// Launch contract. n < 2^27, 2 <= bits <= 16, windows = ceil(130 / bits) with an endomorphism,
// ceil(256 / bits) without; segment_bits < bits. In stream order:
// 1. Zero counters (two words) and ends (`buckets` words).
// 2. gecc_msm_points: rows: out, 16 words per term.
// 3. gecc_msm_count: ends: out, the number of terms of each bucket; counters[0]: nonzero if an item
//    has no point of the curve or no scalar below n. Such items have no terms.
// 4. gecc_msm_tiles. tiles: out, a word per 1024 buckets. gecc_msm_starts: ends: the start of each
//    bucket's terms.
// 5. gecc_msm_sort: terms: out, at most terms windows words. ends: the end of each bucket's terms.
// 6. gecc_msm_runs, for at least terms windows / run threads. partials: out, with one row per
//    thread and one per bucket.
// 7. gecc_msm_buckets, for each bucket: adds its rows up in the first one; a bucket with many rows
//    is listed instead. large: out, at most one per 32 threads of step 6; counters[1]: their
//    number.
// 8. gecc_msm_large_buckets: adds up the rows of the listed buckets.
// 9. gecc_msm_segments, for segments = buckets / 2^segment_bits threads. sums: out, two rows per
//    segment.
// 10. gecc_msm_windows, with a block per window. sums: scratch memory. window_sums: out, a row per
//     window.
// 11. gecc_msm_total: item 0 of xyz is the total sum, the other n items are the identity, for
//     gecc_normalize with kinds. If an item is invalid, the sum is kOffCurve.
#include "kernels/bucket_sums.cuh"
#include "kernels/bucket_terms.cuh"
#include "kernels/count_per_warp.cuh"
#include "kernels/point_batch.cuh"

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_msm_points(const Xy* xy, TermRows* rows, u64 n) {
    PointBatch points = {xy, nullptr, n};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        affine p = points.at(i);
        store_entry(rows, i, p);
#if GECC_HAS_ENDOMORPHISM
        const u32 beta[8] = GECC_FIELD_BETA;
        p.x = fe_mul(p.x, fe_constant(beta));
        store_entry(rows, n + i, p);
#endif
    }
}

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_msm_count(const Scalars* scalars, const NumberKinds* scalar_kinds, const PointKinds* kinds, u32 bits, u32 windows,
                   BucketEnds* ends, Counters* counters, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        bool is_point = kinds[i] == kFinite || kinds[i] == kIdentity;
        if (scalar_kinds[i] == kTooLarge || !is_point) counters[0] = 1;
        else if (kinds[i] == kFinite)
            for_each_term(scalars, n, i, bits, windows, [=](u32 bucket, u32) { count_per_warp(ends + bucket); });
    }
}

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_msm_sort(const Scalars* scalars, const NumberKinds* scalar_kinds, const PointKinds* kinds, u32 bits, u32 windows,
                  BucketEnds* ends, BucketTerms* terms, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        if (scalar_kinds[i] == kTooLarge || kinds[i] != kFinite) continue;
        for_each_term(scalars, n, i, bits, windows,
                      [=](u32 bucket, u32 term) { terms[count_per_warp(ends + bucket)] = term; });
    }
}

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(128)
    gecc_msm_total(const XyzzRows* window_sums, u32 windows, const Counters* counters, Xyz* xyz, PointKinds* kinds,
                   u64 n) {
    u64 i = global_thread();
    if (i >= n) return;
    JacobianBatch out = {xyz, n};
    xyzz sum = add_up_windows(window_sums, i == 0 ? windows : 0);
    out.store(i, to_jacobian(sum));
    kinds[i] = i == 0 && counters[0] != 0 ? kOffCurve : kFinite;
}

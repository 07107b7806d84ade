// Multi-scalar multiplication: k_0 P_0 + k_1 P_1 + ... for public scalars, by buckets (Pippenger, "On the evaluation of
// powers and monomials", SIAM Journal on Computing 9, 1980; with signed digits).
//
// With an endomorphism a scalar is two halves, and item i has the terms i and n + i, the second with the image of the
// point; otherwise it has term i alone. Each part of a scalar has `windows` signed digits of `bits` bits. Digit d of
// window w adds its term to bucket |d| - 1 of that window, or subtracts it. There are buckets = windows 2^(bits-1).
// Then each window's buckets are summed up with their weights, and the windows with theirs.
//
// Threads share the terms out evenly, whatever the sizes of the buckets: thread t sums up those at `run` places from t
// run on, in the order of the buckets. Where it leaves a bucket b it writes the sum to row b + t of `partials`. A
// bucket's rows lie side by side and no two fall together, as b + t grows from each row to the next one.
//
// Launch contract. n < 2^27, 2 <= bits <= 16, windows = ceil(130 / bits) with an endomorphism, ceil(256 / bits)
// without; segment_bits < bits. In stream order:
// 1. Zero counters (two words) and ends (`buckets` words).
// 2. gecc_msm_points: rows: out, 16 words for each term.
// 3. gecc_msm_count: ends: out, how many terms each bucket has; counters[0]: not 0 where an item has no point of the
//    curve or no scalar below n. Such items have no terms.
// 4. gecc_msm_tiles. tiles: out, a word for each 1024 buckets. gecc_msm_starts: ends: where each bucket's terms begin.
// 5. gecc_msm_sort: terms: out, terms windows words at most. ends: where each bucket's terms end.
// 6. gecc_msm_runs, for at least terms windows / run threads. partials: out, for that many rows and one for each
//    bucket.
// 7. gecc_msm_buckets, for each bucket: its rows are added up in its first one; where they are many, it is listed.
//    large: out, at most one for each 32 threads of step 6; counters[1]: how many.
// 8. gecc_msm_large_buckets: the same for what is listed.
// 9. gecc_msm_segments, for segments = buckets / 2^segment_bits threads. sums: out, two rows for each segment.
// 10. gecc_msm_windows, for a block for each window. sums: scratch. window_sums: out, a row for each window.
// 11. gecc_msm_total: item 0 of xyz is the sum of all, the other n items are the identity, for gecc_normalize with
//     kinds. A sum
//    without some item is kOffCurve.
#include "kernels/bucket_sums.cuh"
#include "kernels/bucket_terms.cuh"
#include "kernels/count_together.cuh"
#include "kernels/point_batch.cuh"

namespace {
// Rows of a bucket that one thread adds up.
constexpr u32 kFewRows = 32;
// Threads that add up the rows of a large bucket, and the segments of a window.
constexpr u32 kBucketThreads = 256;
constexpr u32 kWindowThreads = 128;
// Buckets whose terms are counted together.
constexpr u32 kTile = 1024;

// The rows of a bucket's partial sums.
struct Rows {
    u64 first;
    u32 count;
};

GECC_FN Rows rows_of(const u32* ends, u32 run, u64 bucket) {
    u32 start = bucket == 0 ? 0 : ends[bucket - 1], end = ends[bucket];
    Rows rows = {bucket + start / run, 0};
    if (start < end) rows.count = (end - 1) / run - start / run + 1;
    return rows;
}

// The bucket of the term at a place: the first that ends behind it.
GECC_FN u64 bucket_at(const u32* ends, u64 buckets, u32 place) {
    u64 low = 0, high = buckets - 1;
    while (low < high) {
        u64 middle = (low + high) / 2;
        if (ends[middle] > place) high = middle;
        else low = middle + 1;
    }
    return low;
}

// Adds up what the first `count` threads of a block have. Their rows begin at `first`, which gets the sum.
GECC_FN void add_rows_of_block(xyzz& sum, u32* rows, u64 first, u32 count) {
    u32 thread = threadIdx.x;
    if (thread < count) store_sum(rows, first + thread, sum);
    for (u32 half = kBucketThreads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (thread >= half || thread + half >= count) continue;
        sum = xyzz_add_var(sum, load_sum(rows, first + thread + half));
        store_sum(rows, first + thread, sum);
    }
}
}  // namespace

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_msm_points(const Xy* xy, XyRows* rows, u64 n) {
    PointBatch points = {xy, nullptr, n};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        affine p = {points.x(i), points.y(i)};
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
            for_each_term(scalars, n, i, bits, windows, [=](u32 bucket, u32) { count_together(ends + bucket); });
    }
}

// Launch: one thread per item, in blocks of 1024, for buckets items.
extern "C" __global__ void __launch_bounds__(1024)
    gecc_msm_tiles(const BucketEnds* ends, u32 buckets, BucketEnds* tiles) {
    __shared__ u32 sum;
    u64 bucket = global_thread();
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    if (bucket < buckets) atomicAdd(&sum, ends[bucket]);
    __syncthreads();
    if (threadIdx.x == 0) tiles[blockIdx.x] = sum;
}

// Launch: one thread per item, in blocks of 1024, for buckets items.
extern "C" __global__ void __launch_bounds__(1024)
    gecc_msm_starts(BucketEnds* ends, u32 buckets, const BucketEnds* tiles) {
    __shared__ u32 before[kTile], earlier;
    u64 bucket = global_thread();
    u32 thread = threadIdx.x, own = bucket < buckets ? ends[bucket] : 0;
    if (thread == 0) earlier = 0;
    __syncthreads();
    for (u32 tile = thread; tile < blockIdx.x; tile += kTile) atomicAdd(&earlier, tiles[tile]);
    before[thread] = own;
    for (u32 step = 1; step < kTile; step *= 2) {
        __syncthreads();
        u32 more = thread >= step ? before[thread - step] : 0;
        __syncthreads();
        before[thread] += more;
    }
    if (bucket < buckets) ends[bucket] = earlier + before[thread] - own;
}

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_msm_sort(const Scalars* scalars, const NumberKinds* scalar_kinds, const PointKinds* kinds, u32 bits, u32 windows,
                  BucketEnds* ends, BucketTerms* terms, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        if (scalar_kinds[i] == kTooLarge || kinds[i] != kFinite) continue;
        for_each_term(scalars, n, i, bits, windows,
                      [=](u32 bucket, u32 term) { terms[count_together(ends + bucket)] = term; });
    }
}

// Launch: one thread per item, in blocks of 128, for runs items.
extern "C" __global__ void __launch_bounds__(128)
    gecc_msm_runs(const XyRows* __restrict__ rows, const BucketTerms* __restrict__ terms,
                  const BucketEnds* __restrict__ ends, u32 buckets, u32 run, XyzzRows* partials) {
    u64 thread = global_thread(), first = thread * run, count = ends[buckets - 1];
    if (first >= count) return;
    u32 place = (u32)first, last = (u32)(first + run < count ? first + run : count);
    u64 bucket = bucket_at(ends, buckets, place);
    u32 end = ends[bucket], next = terms[place];
    xyzz sum;
    bool identity = true;
    GECC_NO_UNROLL
    while (place < last) {
        u32 term = next;
        place++;
        if (place < last) {
            next = terms[place];
            prefetch_entry(rows, next >> 1);
        }
        affine p = load_entry(rows, term >> 1);
        p.y = fe_select(0 - (term & 1), fe_neg(p.y), p.y);
        add_var(sum, identity, p);
        if (place < end && place < last) continue;
        store_sum(partials, bucket + thread, identity ? xyzz_identity() : sum);
        identity = true;
        while (place < last && place >= end) end = ends[++bucket];
    }
}

// Launch: one thread per item, in blocks of 128, for buckets items.
extern "C" __global__ void __launch_bounds__(128)
    gecc_msm_buckets(const BucketEnds* ends, u32 buckets, u32 run, XyzzRows* partials, BucketList* large,
                     Counters* counters) {
    u64 bucket = global_thread();
    if (bucket >= buckets) return;
    Rows rows = rows_of(ends, run, bucket);
    if (rows.count > kFewRows) large[atomicAdd(counters + 1, 1)] = (u32)bucket;
    if (rows.count < 2 || rows.count > kFewRows) return;
    xyzz sum = load_sum(partials, rows.first);
    GECC_NO_UNROLL
    for (u32 k = 1; k < rows.count; k++) sum = xyzz_add_var(sum, load_sum(partials, rows.first + k));
    store_sum(partials, rows.first, sum);
}

// Launch: 2 blocks per multiprocessor, for buckets items.
extern "C" __global__ void __launch_bounds__(256)
    gecc_msm_large_buckets(const BucketEnds* ends, u32 run, XyzzRows* partials, const BucketList* large,
                           const Counters* counters) {
    for (u32 item = blockIdx.x; item < counters[1]; item += gridDim.x) {
        Rows rows = rows_of(ends, run, large[item]);
        xyzz sum = xyzz_identity();
        GECC_NO_UNROLL
        for (u32 k = threadIdx.x; k < rows.count; k += kBucketThreads) sum = xyzz_add_var(sum, load_sum(partials, rows.first + k));
        add_rows_of_block(sum, partials, rows.first, min(rows.count, kBucketThreads));
    }
}

// Launch: one thread per item, in blocks of 128, for segments items.
extern "C" __global__ void __launch_bounds__(128)
    gecc_msm_segments(const BucketEnds* ends, u32 buckets, u32 run, const XyzzRows* partials, u32 segment_bits,
                      XyzzRows* sums) {
    u64 segment = global_thread(), first = segment << segment_bits;
    if (first >= buckets) return;
    xyzz sum = xyzz_identity(), weighted = sum;
    GECC_NO_UNROLL
    for (u64 bucket = first + (1u << segment_bits); bucket-- > first;) {
        Rows rows = rows_of(ends, run, bucket);
        if (rows.count > 0) sum = xyzz_add_var(sum, load_sum(partials, rows.first));
        weighted = xyzz_add_var(weighted, sum);
    }
    store_sum(sums, 2 * segment, sum);
    store_sum(sums, 2 * segment + 1, weighted);
}

// Launch: one thread per item, in blocks of 128, for windows * 128 items.
extern "C" __global__ void __launch_bounds__(128)
    gecc_msm_windows(XyzzRows* sums, u32 bits, u32 segment_bits, XyzzRows* window_sums) {
    u32 segments = 1u << (bits - 1 - segment_bits), threads = min(segments, kWindowThreads), each = segments / threads;
    u32 thread = threadIdx.x, window = blockIdx.x, span_bits = segment_bits + 31 - __clz(each);
    u64 first = (u64)window * segments + (u64)thread * each;
    xyzz sum = xyzz_identity(), weighted = sum;
    if (thread < threads) {
        // The weights within a segment, and in `sum` at last how many segments lie below each.
        GECC_NO_UNROLL
        for (u32 k = each; k-- > 0;) {
            weighted = xyzz_add_var(weighted, sum);
            sum = xyzz_add_var(sum, load_sum(sums, 2 * (first + k)));
        }
        weighted = double_times(weighted, segment_bits);
        GECC_NO_UNROLL
        for (u32 k = 0; k < each; k++) weighted = xyzz_add_var(weighted, load_sum(sums, 2 * (first + k) + 1));
        store_sum(sums, 2 * first, sum);
        store_sum(sums, 2 * first + 1, weighted);
    }
    for (u32 step = 1; step < threads; step *= 2, span_bits++) {
        __syncthreads();
        if (thread % (2 * step) != 0 || thread >= threads) continue;
        u64 upper = first + (u64)step * each;
        xyzz more = load_sum(sums, 2 * upper);
        weighted = xyzz_add_var(weighted, load_sum(sums, 2 * upper + 1));
        weighted = xyzz_add_var(weighted, double_times(more, span_bits));
        sum = xyzz_add_var(sum, more);
        store_sum(sums, 2 * first, sum);
        store_sum(sums, 2 * first + 1, weighted);
    }
    if (thread == 0) store_sum(window_sums, window, double_times(weighted, bits * window));
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

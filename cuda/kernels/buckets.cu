// Sums of many terms by buckets: steps 4 and 6 to 10 of kernels/msm.cu, whose contract applies, for
// curves of both forms. kernels/bucket_sums.cuh defines the types of sums and terms.
#include "kernels/bucket_sums.cuh"
#include "kernels/layout.cuh"

namespace {
// Rows of a bucket up to which a single thread adds them up.
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

// Returns the bucket of the term at a position: the first bucket that ends after it.
GECC_FN u64 bucket_at(const u32* ends, u64 buckets, u32 place) {
    u64 low = 0, high = buckets - 1;
    while (low < high) {
        u64 middle = (low + high) / 2;
        if (ends[middle] > place) high = middle;
        else low = middle + 1;
    }
    return low;
}

// Adds up the values of the first `count` threads of a block. Their rows begin at `first`, which
// receives the sum.
GECC_FN void add_rows_of_block(BucketSum& sum, u32* rows, u64 first, u32 count) {
    u32 thread = threadIdx.x;
    if (thread < count) store_sum(rows, first + thread, sum);
    for (u32 half = kBucketThreads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (thread >= half || thread + half >= count) continue;
        sum = bucket_add_var(sum, load_sum(rows, first + thread + half));
        store_sum(rows, first + thread, sum);
    }
}
}  // namespace

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

// Launch: one thread per item, in blocks of 128, for runs items.
extern "C" __global__ void __launch_bounds__(128)
    gecc_msm_runs(const TermRows* __restrict__ rows, const BucketTerms* __restrict__ terms,
                  const BucketEnds* __restrict__ ends, u32 buckets, u32 run, XyzzRows* partials) {
    u64 thread = global_thread(), first = thread * run, count = ends[buckets - 1];
    if (first >= count) return;
    u32 place = (u32)first, last = (u32)(first + run < count ? first + run : count);
    u64 bucket = bucket_at(ends, buckets, place);
    u32 end = ends[bucket], next = terms[place];
    BucketSum sum;
    bool identity = true;
    GECC_NO_UNROLL
    while (place < last) {
        u32 term = next;
        place++;
        if (place < last) {
            next = terms[place];
            prefetch_term(rows, next >> 1);
        }
        add_term(sum, identity, rows, term >> 1, 0 - (term & 1));
        if (place < end && place < last) continue;
        store_sum(partials, bucket + thread, identity ? bucket_identity() : sum);
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
    BucketSum sum = load_sum(partials, rows.first);
    GECC_NO_UNROLL
    for (u32 k = 1; k < rows.count; k++) sum = bucket_add_var(sum, load_sum(partials, rows.first + k));
    store_sum(partials, rows.first, sum);
}

// Launch: 2 blocks per multiprocessor, for buckets items.
extern "C" __global__ void __launch_bounds__(256)
    gecc_msm_large_buckets(const BucketEnds* ends, u32 run, XyzzRows* partials, const BucketList* large,
                           const Counters* counters) {
    for (u32 item = blockIdx.x; item < counters[1]; item += gridDim.x) {
        Rows rows = rows_of(ends, run, large[item]);
        BucketSum sum = bucket_identity();
        GECC_NO_UNROLL
        for (u32 k = threadIdx.x; k < rows.count; k += kBucketThreads)
            sum = bucket_add_var(sum, load_sum(partials, rows.first + k));
        add_rows_of_block(sum, partials, rows.first, min(rows.count, kBucketThreads));
    }
}

// Launch: one thread per item, in blocks of 128, for segments items.
extern "C" __global__ void __launch_bounds__(128)
    gecc_msm_segments(const BucketEnds* ends, u32 buckets, u32 run, const XyzzRows* partials, u32 segment_bits,
                      XyzzRows* sums) {
    u64 segment = global_thread(), first = segment << segment_bits;
    if (first >= buckets) return;
    BucketSum sum = bucket_identity(), weighted = sum;
    GECC_NO_UNROLL
    for (u64 bucket = first + (1u << segment_bits); bucket-- > first;) {
        Rows rows = rows_of(ends, run, bucket);
        if (rows.count > 0) sum = bucket_add_var(sum, load_sum(partials, rows.first));
        weighted = bucket_add_var(weighted, sum);
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
    BucketSum sum = bucket_identity(), weighted = sum;
    if (thread < threads) {
        // Sums the weighted buckets within a segment. Afterwards, `sum` is multiplied by the number
        // of segments below each.
        GECC_NO_UNROLL
        for (u32 k = each; k-- > 0;) {
            weighted = bucket_add_var(weighted, sum);
            sum = bucket_add_var(sum, load_sum(sums, 2 * (first + k)));
        }
        weighted = double_times(weighted, segment_bits);
        GECC_NO_UNROLL
        for (u32 k = 0; k < each; k++) weighted = bucket_add_var(weighted, load_sum(sums, 2 * (first + k) + 1));
        store_sum(sums, 2 * first, sum);
        store_sum(sums, 2 * first + 1, weighted);
    }
    for (u32 step = 1; step < threads; step *= 2, span_bits++) {
        __syncthreads();
        if (thread % (2 * step) != 0 || thread >= threads) continue;
        u64 upper = first + (u64)step * each;
        BucketSum more = load_sum(sums, 2 * upper);
        weighted = bucket_add_var(weighted, load_sum(sums, 2 * upper + 1));
        weighted = bucket_add_var(weighted, double_times(more, span_bits));
        sum = bucket_add_var(sum, more);
        store_sum(sums, 2 * first, sum);
        store_sum(sums, 2 * first + 1, weighted);
    }
    if (thread == 0) store_sum(window_sums, window, double_times(weighted, bits * window));
}

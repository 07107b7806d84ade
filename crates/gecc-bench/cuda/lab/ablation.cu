// Slower ways to the results of gecc_point_add and gecc_fpmul_var, for benchmarks alone: they
// measure the gain of each choice that the production kernels make.
//
// Launch contract: points are those of kernels/point_batch.cuh.
#include "kernels/point_sum.cuh"
#include "kernels/table_rows.cuh"
#include "kernels/window_base.cuh"
#include "lab/columns.cuh"

namespace {
// Points in rows, read sixteen bytes or one word at a time.
template <bool kVectors> struct PointRows {
    const u32* rows;
    const u8* kind;

    __device__ __forceinline__ bool finite(u64 i) const {
        return kind[i] == kFinite;
    }
    __device__ __forceinline__ u8 kind_at(u64 i) const {
        return kind[i];
    }
    __device__ __forceinline__ fe coordinate(u64 i, int which) const {
        const u32* row = rows + 16 * i + 8 * which;
        fe r;
        if (kVectors) {
            r = load_row((const uint4*)row, 1);
        } else {
            GECC_UNROLL
            for (int w = 0; w < 8; w++) r.v[w] = row[w];
        }
        return r;
    }
    __device__ __forceinline__ fe x(u64 i) const {
        return coordinate(i, 0);
    }
    __device__ __forceinline__ fe y(u64 i) const {
        return coordinate(i, 1);
    }
};

// Room for such points.
template <bool kVectors> struct PointRowsTarget {
    u32* rows;
    u8* kind;

    __device__ __forceinline__ void store(u64 i, const affine& p, u8 what) const {
        u32* row = rows + 16 * i;
        if (kVectors) {
            store_entry(rows, i, p);
        } else {
            GECC_UNROLL
            for (int w = 0; w < 8; w++) row[w] = p.x.v[w];
            GECC_UNROLL
            for (int w = 0; w < 8; w++) row[8 + w] = p.y.v[w];
        }
        kind[i] = what;
    }
};

template <bool kVectors>
GECC_FN void add_rows(const u32* a_rows, const u8* a_kinds, const u32* b_rows, const u8* b_kinds, u32* out_rows,
                      u8* out_kinds, u32* prefixes, u64 n, BlockInverseMemory& memory) {
    using Rows = PointRows<kVectors>;
    PointSum<Rows, Rows, PointRowsTarget<kVectors>> op = {{a_rows, a_kinds}, {b_rows, b_kinds}, {out_rows, out_kinds}};
    run_batched(op, n, prefixes, memory);
}

// The multiples of G for one window of the scalars of a batch, as a batch of points.
struct WindowPoints {
    const u32 *table, *scalars;
    u64 n;
    int window, bits;

    __device__ __forceinline__ i32 digit(u64 i) const {
        ColumnScalar scalar = {scalars, n, i};
        return scalar.digit(window, bits);
    }
    // If the digit is 0, the index of an arbitrary entry.
    __device__ __forceinline__ u64 entry(i32 digit) const {
        return ((u64)window << (bits - 1)) + (digit < 0 ? -digit : digit) - (digit != 0);
    }
    __device__ __forceinline__ bool finite(u64 i) const {
        return digit(i) != 0;
    }
    __device__ __forceinline__ u8 kind_at(u64 i) const {
        return finite(i) ? kFinite : kIdentity;
    }
    __device__ __forceinline__ fe x(u64 i) const {
        return load_x(table, entry(digit(i)));
    }
    __device__ __forceinline__ fe y(u64 i) const {
        i32 d = digit(i);
        fe y = load_y(table, entry(d));
        return d < 0 ? fe_neg(y) : y;
    }
};
}  // namespace

// PADD on points in rows.
// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(256)
    gecc_ablation_add_rows_by_vectors(const XyRows* a_rows, const PointKinds* a_kinds, const XyRows* b_rows,
                                      const PointKinds* b_kinds, XyRows* out_rows, PointKinds* out_kinds,
                                      Prefixes* prefixes, u64 n) {
    __shared__ BlockInverseMemory memory;
    add_rows<true>(a_rows, a_kinds, b_rows, b_kinds, out_rows, out_kinds, prefixes, n, memory);
}

// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(256)
    gecc_ablation_add_rows_by_words(const XyRows* a_rows, const PointKinds* a_kinds, const XyRows* b_rows,
                                    const PointKinds* b_kinds, XyRows* out_rows, PointKinds* out_kinds,
                                    Prefixes* prefixes, u64 n) {
    __shared__ BlockInverseMemory memory;
    add_rows<false>(a_rows, a_kinds, b_rows, b_kinds, out_rows, out_kinds, prefixes, n, memory);
}

// PADD in three kernels: this one, gecc_batch_inverse and gecc_ablation_apply.
// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_ablation_denominators(const Xy* a_xy, const PointKinds* a_kinds, const Xy* b_xy, const PointKinds* b_kinds,
                               FieldElements* denominators, u64 n) {
    PointSum<PointBatch, PointBatch, PointBatch> op = {{a_xy, a_kinds, n}, {b_xy, b_kinds, n}, {a_xy, a_kinds, n}};
    for (u64 i = global_thread(); i < n; i += global_threads()) store_column(denominators, n, i, op.denominator(i).v);
}

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_ablation_apply(const Xy* a_xy, const PointKinds* a_kinds, const Xy* b_xy, const PointKinds* b_kinds,
                        const FieldElements* inverses, Xy* out_xy, PointKinds* out_kinds, u64 n) {
    PointSum<PointBatch, PointBatch, PointTarget> op = {{a_xy, a_kinds, n}, {b_xy, b_kinds, n}, {out_xy, out_kinds, n}};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        fe inverse;
        load_column(inverse.v, inverses, n, i);
        op.finish(i, inverse);
    }
}

// FPMUL with affine sums in device memory: the additions of a window, over all items of a block, share an inversion.
// scalars, table and bits as for gecc_fpmul_var, but bits does not divide 256.
// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(256)
    gecc_ablation_fpmul_affine(const Scalars* scalars, const BaseTable* table, u32 bits, Xy* xy, PointKinds* kinds,
                               Prefixes* prefixes, u64 n) {
    __shared__ BlockInverseMemory memory;
    PointTarget sum = {xy, kinds, n};
    PointBatch sum_before = {xy, kinds, n};
    WindowPoints points = {table, scalars, n, 0, (int)bits};
    // Every thread works on the items that run_batched assigns to it, in every window.
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        affine first = {points.x(i), points.y(i)};
        sum.store(i, first, points.kind_at(i));
    }
    GECC_NO_UNROLL
    for (points.window = 1; points.window < window_count(bits); points.window++) {
        PointSum<PointBatch, WindowPoints, PointTarget> op = {sum_before, points, sum};
        run_batched(op, n, prefixes, memory);
    }
}

// Coordinates from columns to rows, or back.
// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256) gecc_ablation_to_rows(const Xy* xy, XyRows* rows, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        for (int w = 0; w < 16; w++) rows[16 * i + w] = xy[w * n + i];
    }
}

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256) gecc_ablation_from_rows(const XyRows* rows, Xy* xy, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        for (int w = 0; w < 16; w++) xy[w * n + i] = rows[16 * i + w];
    }
}

// Adds the number of items that are the same point in both batches to *count.
// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(256)
    gecc_ablation_count_equal(const Xy* a_xy, const PointKinds* a_kinds, const Xy* b_xy, const PointKinds* b_kinds,
                              EqualCount* count, u64 n) {
    PointBatch a = {a_xy, a_kinds, n}, b = {b_xy, b_kinds, n};
    u32 equal = 0;
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        bool same = fe_equal(a.x(i), b.x(i)) && fe_equal(a.y(i), b.y(i));
        equal += a_kinds[i] == b_kinds[i] && (same || a_kinds[i] != kFinite);
    }
    atomicAdd(count, equal);
}

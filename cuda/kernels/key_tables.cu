// Tables of the keys that occur often, and verification by them: sums of table entries, no doublings. For public data.
//
// The tables have the layout of the public table of G (kernels/table.cu), one after the other: `tables` of them, each
// of windows = ceil(256 / key_bits) windows of entries = 2^(key_bits-1) rows of 64 bytes. key_bits: 3 .. 20, but no
// divisor of 256: 5, 6, 7, 9, 10, 11, 12, 13.
//
// Launch contract. Building, in stream order:
// gecc_key_table_start, with a thread for each table. xy, table_keys: as in kernels/key_groups.cu. xyz: out, tables *
// windows points.
// gecc_key_table_rows, with as many prefixes.
// gecc_table_extend (kernels/table.cu) with table = key_tables, windows = tables * windows, entries, and known = 1, 2,
// 4, ..., entries / 2; prefixes for tables * windows * entries / 2 items.
//
// gecc_verify_with_tables, in blocks of 256 threads exactly. u1, u2, x, table, bits: as in kernels/verify.cu. items,
// item_tables, item_count: with_items, with_tables and counters + 2 of kernels/key_groups.cu. verdicts: written for the
// listed items only: kValid, kIdentityResult or kMismatch.
//
// Which key_bits: the least of windows (entries / 7.5 + uses / 10) nanoseconds on an H200, where `uses` is how often a
// table is used before it is built again: 5 up to 80 uses, 6 to 220, 7 to 840, 9 to 2600, 10 to 7500, 11 to 13600, 12
// to 24500, then 13, as far as the memory goes (64 windows entries bytes a table). A table pays from some 16 uses on;
// all of it, with its chain of launches, where at least 2^17 items gain one.
#include "curve/jacobian.cuh"
#include "curve/table_sum.cuh"
#include "kernels/batched.cuh"
#include "kernels/item_list.cuh"
#include "kernels/point_batch.cuh"
#include "kernels/window_base.cuh"
#include "scheme/compare.cuh"

namespace {
constexpr int kThreads = 256;
constexpr int kBlocks = 2;  // per multiprocessor: 128 registers a thread

// The first entry of window w of table t is point w tables + t of the batch.
struct FirstRows {
    using Number = fe;
    JacobianSource points;
    u32* key_tables;
    u64 tables;
    int bits;

    __device__ __forceinline__ fe denominator(u64 i) const {
        return points.coordinate(i, 2);
    }
    __device__ __forceinline__ void finish(u64 i, const fe& inverse) const {
        u64 window = i / tables, table = i % tables;
        u64 row = (table * window_count(bits) + window) << (bits - 1);
        store_entry(key_tables, row, scale_by_inverse(points.coordinate(i, 0), points.coordinate(i, 1), inverse));
    }
};

// The terms of u1 G + u2 Q: first the windows of u1, then those of u2.
struct TwoTables {
    WindowBase g, key;

    struct Place {
        const u32* row;
        i32 digit;
    };
    __device__ __forceinline__ int terms() const {
        return g.windows() + key.windows();
    }
    __device__ __forceinline__ Place find(int term) const {
        bool of_key = term >= g.windows();
        WindowBase base = of_key ? key : g;
        int window = of_key ? term - g.windows() : term;
        Place place = {base.table, base.scalar.digit(window, base.bits)};
        if (place.digit != 0) {
            place.row += 16 * base.entry(window, place.digit);
            prefetch_entry(place.row, 0);
        }
        return place;
    }
    __device__ __forceinline__ affine load(const Place& place) const {
        return load_entry(place.row, 0);
    }
    // The warps of a block read the code of an addition together.
    __device__ __forceinline__ void align() const {
        __syncthreads();
    }
};
}  // namespace

// Launch: one thread per item, in blocks of 32, for tables items.
extern "C" __global__ void __launch_bounds__(256)
    gecc_key_table_start(const Xy* xy, const ItemNumbers* table_keys, Xyz* xyz, u32 tables, u32 key_bits, u64 n) {
    u64 table = global_thread();
    if (table >= tables) return;
    PointBatch points = {xy, nullptr, n};
    u64 item = table_keys[table];
    int windows = window_count(key_bits);
    JacobianBatch out = {xyz, (u64)tables * windows};
    jacobian p = to_jacobian(affine{points.x(item), points.y(item)});
    GECC_NO_UNROLL
    for (int window = 0; window < windows; window++) {
        out.store((u64)window * tables + table, p);
        if (window + 1 == windows) break;
        GECC_NO_UNROLL
        for (u32 k = 0; k < key_bits; k++) p = jacobian_double(p);
    }
}

// Launch: 2 blocks per multiprocessor, for tables * windows items.
extern "C" __global__ void __launch_bounds__(256)
    gecc_key_table_rows(const Xyz* xyz, KeyTables* key_tables, u32 tables, u32 key_bits, Prefixes* prefixes) {
    __shared__ BlockInverseMemory memory;
    u64 n = (u64)tables * window_count(key_bits);
    FirstRows op = {{xyz, n}, key_tables, tables, (int)key_bits};
    run_batched(op, n, prefixes, memory);
}

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(kThreads, kBlocks)
    gecc_verify_with_tables(const Scalars* u1, const Scalars* u2, const Scalars* x, const BaseTable* table, u32 bits,
                            const KeyTables* key_tables, u32 key_bits, const ItemNumbers* items,
                            const TableNumbers* item_tables, const ItemCount* item_count, Verdicts* verdicts, u64 n) {
    u64 size = *item_count, table_words = 16ull * window_count(key_bits) << (key_bits - 1);
    for (u64 first = (u64)blockIdx.x * kThreads; first < size; first += (u64)gridDim.x * kThreads) {
        bool present = first + threadIdx.x < size;
        // Every thread goes on to the barriers; those without an item repeat the last one.
        u64 place = present ? first + threadIdx.x : size - 1, i = items[place];
        TwoTables source = {{table, {u1, n, i}, (int)bits},
                            {key_tables + table_words * item_tables[place], {u2, n, i}, (int)key_bits}};
        xyzz sum;
        bool identity = sum_entries_var(sum, source);
        sc claimed;
        load_column(claimed.v, x, n, i);
        if (!present) continue;
        if (identity) verdicts[i] = kIdentityResult;
        else verdicts[i] = x_matches(sum.x, sum.zz, claimed) ? kValid : kMismatch;
    }
}

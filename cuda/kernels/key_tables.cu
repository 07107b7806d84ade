// Tables of frequent keys, and verification with them: sums of table entries, without doublings.
// For public data.
//
// The tables have the layout of the public table of G (kernels/table.cu) and are stored one after
// the other: `tables` of them, each with windows = ceil(256 / key_bits) windows of entries =
// 2^(key_bits-1) rows of 64 bytes. key_bits: 3 .. 20, but not a divisor of 256: 5, 6, 7, 9, 10, 11,
// 12, 13.
//
// Launch contract. Building, in stream order:
// gecc_key_table_start, with a thread per table. xy, table_keys: as in kernels/key_groups.cu. xyz: out,
// tables * windows points.
// gecc_key_table_rows, with prefixes for the same number of items.
// gecc_table_extend (kernels/table.cu) with table = key_tables, windows = tables * windows, entries, and
// known = 1, 2, 4, ..., entries / 2; prefixes for tables * windows * entries / 2 items.
//
// gecc_verify_with_tables, in blocks of 256 threads exactly. u1, u2, x, table, bits: as in
// kernels/verify.cu. items, item_tables, item_count: with_items, with_tables and counters + 2 of
// kernels/key_groups.cu. verdicts: written for the listed items only: kValid, kIdentityResult or
// kMismatch.
//
// Choice of key_bits: the minimum of windows (entries / 7.5 + uses / 10) nanoseconds on an H200,
// where `uses` is the number of times a table is used before it is built again: 5 up to 80 uses, 6
// to 220, 7 to 840, 9 to 2600, 10 to 7500, 11 to 13600, 12 to 24500, then 13, as far as the memory
// suffices (64 windows entries bytes per table). A table is profitable from some 16 uses on, and
// building tables at all, with its chain of launches, if at least 2^17 items gain one.
#include "kernels/batched.cuh"
#include "kernels/point_batch.cuh"
#include "kernels/sum_by_tables.cuh"
#include "scheme/compare.cuh"

namespace {
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
    jacobian p = to_jacobian(points.at(item));
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
extern "C" __global__ void __launch_bounds__(kTablesThreads, kTablesBlocks)
    gecc_verify_with_tables(const Scalars* u1, const Scalars* u2, const Scalars* x, const BaseTable* table, u32 bits,
                            const KeyTables* key_tables, u32 key_bits, const ItemNumbers* items,
                            const TableNumbers* item_tables, const ItemCount* item_count, Verdicts* verdicts, u64 n) {
    SumByTables op = {u1, u2, table, (int)bits, key_tables, (int)key_bits, items, item_tables, item_count, n};
    sum_by_tables_each(op, [=](u64 i, const xyzz& sum, bool identity, bool present) {
        sc claimed;
        load_column(claimed.v, x, n, i);
        if (!present) return;
        if (identity) verdicts[i] = kIdentityResult;
        else verdicts[i] = x_matches(sum.x, sum.zz, claimed) ? kValid : kMismatch;
    });
}

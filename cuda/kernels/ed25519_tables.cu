// Tables of B and of frequent keys, and verification with them: sums of table entries, without
// doublings. For public data: variable time.
//
// A table has windows = ceil(253 / bits) windows of entries = 2^(bits-1) rows of 96 bytes
// (kernels/niels_rows.cuh). Row i entries + d - 1 is d 2^(bits i) P. The tables of keys, which are
// tables of -A, are stored one after the other.
//
// Launch contract. The table of B: bits 15 .. 30. In stream order gecc_ed25519_table_start, then
// gecc_ed25519_table_extend with known = 1, 2, 4, ..., entries / 2, and prefixes for windows *
// known items.
//
// Tables of keys: key_bits 3 .. 20. gecc_ed25519_key_table_start, with a thread per table.
// table_keys: as in kernels/key_groups.cu; minus_a: of n items, present for the listed ones. xyz:
// out, tables * windows points. gecc_ed25519_key_table_rows, with prefixes for the same number of
// items. gecc_ed25519_table_extend with table = key_tables, windows = tables * windows.
//
// gecc_ed25519_verify_with_tables, in blocks of 256 threads exactly. signatures, k, rule: as in
// kernels/ed25519.cu. items, item_tables, item_count: with_items, with_tables and counters + 2 of
// kernels/key_groups.cu. verdicts: written for the listed items only.
//
// Curves: ed25519
#include "kernels/batched.cuh"
#include "kernels/edwards_batch.cuh"
#include "kernels/edwards_windows.cuh"
#include "scheme/ed25519.cuh"

namespace {
constexpr int kEdTablesThreads = 256;
constexpr int kEdTablesBlocks = 2;  // per multiprocessor: 128 registers a thread

// Entry known + m of a window is entry known plus entry m, for m = 1 .. known.
struct EdExtend {
    using Number = fe;
    uint4* table;
    u64 entries, known;

    __device__ __forceinline__ u64 row(u64 i) const {
        return i / known * entries + i % known;
    }
    __device__ __forceinline__ ed_completed sum(u64 i) const {
        ed_niels a = load_niels(table + kEdNielsVectors * (i / known * entries + known - 1), 1);
        ed_niels b = load_niels(table + kEdNielsVectors * row(i), 1);
        return ed_add_affine(to_extended(a), b, 0);
    }
    __device__ __forceinline__ fe denominator(u64 i) const {
        ed_completed p = sum(i);
        return fe_mul(p.z, p.t);
    }
    __device__ __forceinline__ void finish(u64 i, const fe& inverse) const {
        store_niels(table + kEdNielsVectors * (row(i) + known), 1, to_niels(sum(i), inverse));
    }
};

// The first entry of window w of table t is point w tables + t of the batch.
struct EdFirstRows {
    using Number = fe;
    const u32* xyz;
    uint4* key_tables;
    u64 n, tables;
    int bits;

    __device__ __forceinline__ fe denominator(u64 i) const {
        return load_coordinate(xyz, n, i, 2);
    }
    __device__ __forceinline__ void finish(u64 i, const fe& inverse) const {
        u64 window = i / tables, table = i % tables;
        u64 row = (table * ed_window_count(bits) + window) << (bits - 1);
        ed_affine p = {fe_mul(load_coordinate(xyz, n, i, 0), inverse), fe_mul(load_coordinate(xyz, n, i, 1), inverse)};
        store_niels(key_tables + kEdNielsVectors * row, 1, to_niels(p));
    }
};

// The terms of S B - k A: first the windows of S, then those of k.
struct EdTwoTables {
    EdWindows base, key;

    __device__ __forceinline__ int terms() const {
        return base.terms() + key.terms();
    }
    __device__ __forceinline__ EdWindows::Place find(int term) const {
        int of_base = base.terms();
        EdWindows from = term < of_base ? base : key;
        return from.find(term < of_base ? term : term - of_base);
    }
    __device__ __forceinline__ ed_niels load(const EdWindows::Place& place) const {
        return base.load(place);
    }
    __device__ __forceinline__ void align() const {
        base.align();
    }
};
}  // namespace

// Launch: one thread per item, for windows items.
extern "C" __global__ void __launch_bounds__(256)
    gecc_ed25519_table_start(BaseTable* table, u32 bits, u32 windows, u64 entries) {
    u64 window = global_thread();
    if (window >= windows) return;
    store_niels((uint4*)table + kEdNielsVectors * window * entries, 1, ed_base_multiple(1, (int)(bits * window)));
}

// Launch: 2 blocks per multiprocessor, for windows * known items.
extern "C" __global__ void __launch_bounds__(256)
    gecc_ed25519_table_extend(AnyTables* table, u32 windows, u64 entries, u64 known, Prefixes* prefixes) {
    __shared__ BlockInverseMemory memory;
    EdExtend op = {(uint4*)table, entries, known};
    run_batched(op, windows * known, prefixes, memory);
}

// Launch: one thread per item, in blocks of 32, for tables items.
extern "C" __global__ void __launch_bounds__(256)
    gecc_ed25519_key_table_start(const Xy* minus_a, const ItemNumbers* table_keys, Xyz* xyz, u32 tables, u32 key_bits,
                                 u64 n) {
    u64 table = global_thread();
    if (table >= tables) return;
    ed_affine a = load_affine(minus_a, n, table_keys[table]);
    ed_projective p = {a.x, a.y, fe_one()};
    int windows = ed_window_count(key_bits);
    u64 points = (u64)tables * windows;
    GECC_NO_UNROLL
    for (int window = 0; window < windows; window++) {
        u64 place = (u64)window * tables + table;
        store_coordinates(xyz, points, place, p);
        if (window + 1 == windows) break;
        GECC_NO_UNROLL
        for (u32 k = 0; k < key_bits; k++) p = to_projective(ed_double(p));
    }
}

// Launch: 2 blocks per multiprocessor, for tables * windows items.
extern "C" __global__ void __launch_bounds__(256)
    gecc_ed25519_key_table_rows(const Xyz* xyz, KeyTables* key_tables, u32 tables, u32 key_bits, Prefixes* prefixes) {
    __shared__ BlockInverseMemory memory;
    u64 n = (u64)tables * ed_window_count(key_bits);
    EdFirstRows op = {xyz, (uint4*)key_tables, n, tables, (int)key_bits};
    run_batched(op, n, prefixes, memory);
}

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(kEdTablesThreads, kEdTablesBlocks)
    gecc_ed25519_verify_with_tables(const Signatures* signatures, const Scalars* k,
                                    const BaseTable* table, u32 bits, const KeyTables* key_tables, u32 key_bits,
                                    u32 rule, const ItemNumbers* items, const TableNumbers* item_tables,
                                    const ItemCount* item_count, Verdicts* verdicts, u64 n) {
    __shared__ BlockInverseMemory memory;
    u64 size = *item_count, table_vectors = (u64)kEdNielsVectors * ed_window_count(key_bits) << (key_bits - 1);
    for (u64 first = (u64)blockIdx.x * kEdTablesThreads; first < size; first += (u64)gridDim.x * kEdTablesThreads) {
        bool present = first + threadIdx.x < size;
        // Every thread must reach the barriers; those without an item repeat the last one.
        u64 place = present ? first + threadIdx.x : size - 1, i = items[place];
        const u32* r = (const u32*)(signatures + 64 * i);
        const uint4* of_key = (const uint4*)key_tables + table_vectors * item_tables[place];
        EdTwoTables source = {{(const uint4*)table, r + 8, 1, (int)bits}, {of_key, k + i, n, (int)key_bits}};
        ed_projective sum = ed_add_entries_var(ed_completed_identity(), source);
        Verdict verdict = ed25519_compare(sum, block_invert(sum.z, memory), r, rule);
        if (present) verdicts[i] = verdict;
    }
}

// u1 G + u2 Q for the items of a batch whose keys have tables: the skeleton of their verification.
#pragma once
#include "curve/table_sum.cuh"
#include "kernels/layout.cuh"
#include "kernels/window_base.cuh"

static constexpr int kTablesThreads = 256;
static constexpr int kTablesBlocks = 2;  // per multiprocessor: 128 registers a thread

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
    // Aligns the warps of a block, so that they read the code of an addition together.
    __device__ __forceinline__ void align() const {
        __syncthreads();
    }
};

struct SumByTables {
    const u32 *u1, *u2;
    const u32* table;
    int bits;
    const u32* key_tables;
    int key_bits;
    const u32 *items, *item_tables, *item_count;
    u64 n;
};

// Finish is called by all threads of a block together, with an item, its sum, whether that is the
// identity, and whether the item is the thread's own.
template <class Finish> GECC_FN void sum_by_tables_each(const SumByTables& op, Finish finish) {
    u64 size = *op.item_count, table_words = 16ull * window_count(op.key_bits) << (op.key_bits - 1);
    for (u64 first = (u64)blockIdx.x * kTablesThreads; first < size; first += (u64)gridDim.x * kTablesThreads) {
        bool present = first + threadIdx.x < size;
        // Every thread must reach the barriers; those without an item repeat the last one.
        u64 place = present ? first + threadIdx.x : size - 1, i = op.items[place];
        TwoTables source = {{op.table, {op.u1, op.n, i}, op.bits},
                            {op.key_tables + table_words * op.item_tables[place], {op.u2, op.n, i}, op.key_bits}};
        xyzz sum;
        bool identity = sum_entries_var(sum, source);
        finish(i, sum, identity, present);
    }
}

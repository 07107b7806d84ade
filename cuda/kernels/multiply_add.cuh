// u2 Q + u1 G for the items of a batch: the skeleton of verification and of recovery.
#pragma once
#include "kernels/block_inverse.cuh"
#include "kernels/item_list.cuh"
#include "kernels/point_batch.cuh"
#include "kernels/tiles.cuh"
#include "kernels/window_base.cuh"
#include "kernels/window_table.cuh"

struct MultiplyAdd {
    const u32 *u1, *u2;
    PointBatch points;
    const u32* table;
    int bits;
    u32* tables;
    Tiles tiles;
};

// Finish is called by all threads of a block together, with an item, its sum, whether the item is
// the thread's own, and memory for an inversion that they share. An item whose point is not finite,
// or whose scalars are meaningless, takes part with G or with these scalars, because all threads
// must reach the barriers.
template <class Finish> GECC_FN void multiply_add_each(const MultiplyAdd& op, const ItemList& list, Finish finish) {
    __shared__ BlockInverseMemory memory;
    __shared__ u32 tile;
    TableStore store = thread_table<false>(op.tables);
    u64 size = list.size(), n = op.points.n;
    for (u64 first = op.tiles.take(tile); first < size; first = op.tiles.take(tile)) {
        bool present = first + threadIdx.x < size;
        // Threads without an item repeat the last one.
        u64 i = list.item(present ? first + threadIdx.x : size - 1);
        affine p = generator();
        if (op.points.finite(i)) p = op.points.at(i);
        fe z_inverse = block_invert(put_multiples(store, p), memory);
        finish_multiples(store, p, z_inverse);
        sc u2;
        load_column(u2.v, op.u2, n, i);
        OddScalar<kWindows> s[kScalars];
        split_scalar(s, u2);
        WindowBase base = {op.table, {op.u1, n, i}, op.bits};
        jacobian sum = multiply_add_var(store, s, base);
        finish(i, sum, present, memory);
    }
}

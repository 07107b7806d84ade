// Verification: is x(u1 G + u2 Q) = x modulo n? For each item once, by windows of u2 over a table of odd multiples of Q
// made for it, and the table of G. For public data: variable time.
//
// Launch contract. Block: 256 threads exactly; grid: one dimension, best twice the number of multiprocessors (each
// block loops over items). Static shared memory only.
// In: u1, u2, x: 8 n words each, column-major, plain scalars below n (kernels/equations.cu). xy, kinds:
// the public keys, as in kernels/point_batch.cuh; any kind. table: the public table of G of ceil(256 / bits) windows
// (kernels/table.cu), 16-byte aligned; bits: 3 .. 26, but no divisor of 256 (15, 17, 20, 22, never 16),
// as scalars above 2^255 need the bit that the last window has to spare.
// tables: scratch of 384 words for each thread of the grid, 16-byte aligned.
// items, item_count: null for all items; else item_count[0] <= n indices of items, in device memory, without
// repetition.
// next_tile: one word, 0 before.
// verdict: n bytes, in and out. What is not 0 stays. Else: 7, 8, 9 by the key's kind, 10 for the identity, 11 for a
// mismatch, 1 for valid. Bytes of items that are not listed stay.
#include "kernels/multiply_add.cuh"
#include "scheme/compare.cuh"

// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(kWindowThreads, kWindowBlocks)
    gecc_verify(const Scalars* u1, const Scalars* u2, const Scalars* x, Xy* xy, PointKinds* kinds,
                const BaseTable* table, u32 bits, ThreadTables* tables, const Optional<ItemNumbers>* items,
                const Optional<ItemCount>* item_count, NextTile* next_tile, Verdicts* verdicts, u64 n) {
    MultiplyAdd op = {u1, u2, {xy, kinds, n}, table, (int)bits, tables, {next_tile}};
    multiply_add_each(op, ItemList{items, item_count, n}, [=](u64 i, const jacobian& sum) {
        u8 before = verdicts[i];
        if (before == kPending) before = key_verdict(kinds[i]);
        if (before == kPending) {
            sc claimed;
            load_column(claimed.v, x, n, i);
            before = compare_result(sum, claimed);
        }
        verdicts[i] = before;
    });
}

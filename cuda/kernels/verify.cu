// Verification: is x(u1 G + u2 Q) = x modulo n? Each item is computed separately, by windows of u2
// over a table of odd multiples of its Q, and the table of G. For public data: variable time.
//
// Launch contract, in blocks of 256 threads exactly.
// u1, u2, x: scalars below n (kernels/equations.cu).
// xy, kinds: the public keys, of any kind.
// table: of ceil(256 / bits) windows (kernels/table.cu).
// bits: 3 .. 26, but not a divisor of 256 (15, 17, 20, 22, never 16), because scalars above 2^255 need the
// spare bit of the last window.
// tables: scratch memory of 384 words for each thread of the grid.
// items, item_count: null for all items; otherwise item_count[0] <= n items, without repetition.
// next_tile: 0 before.
// verdicts: in and out. Verdicts other than kPending are kept. Others become the code of the key's kind,
// kIdentityResult, kMismatch or kValid. Verdicts of items that are not listed are kept.
#include "kernels/multiply_add.cuh"
#include "scheme/compare.cuh"

// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(kWindowThreads, kWindowBlocks)
    gecc_verify(const Scalars* u1, const Scalars* u2, const Scalars* x, const Xy* xy, const PointKinds* kinds,
                const BaseTable* table, u32 bits, ThreadTables* tables, const Optional<ItemNumbers>* items,
                const Optional<ItemCount>* item_count, NextTile* next_tile, Verdicts* verdicts, u64 n) {
    MultiplyAdd op = {u1, u2, {xy, kinds, n}, table, (int)bits, tables, {next_tile}};
    multiply_add_each(op, ItemList{items, item_count, n}, [=](u64 i, const jacobian& sum, bool present, BlockInverseMemory&) {
        if (!present) return;
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

// Verification of BIP 340: is u1 G + u2 Q the point with the x-coordinate r and an even y? For
// public data: variable time.
//
// Launch contract: that of gecc_verify (kernels/verify.cu) and of gecc_verify_with_tables
// (kernels/key_tables.cu), with r in place of x: plain numbers below p (kernels/bip340.cu). The
// threads of a block share an inversion.
//
// Curves: secp256k1
#include "kernels/multiply_add.cuh"
#include "kernels/sum_by_tables.cuh"
#include "scheme/bip340.cuh"

namespace {
GECC_FN Verdict compare_in_block(
    const xyzz& sum, bool identity, const u32* r, u64 n, u64 i, BlockInverseMemory& memory) {
    u32 claimed[8];
    fe inverse = block_invert(comparison_denominator(sum, identity), memory);
    load_column(claimed, r, n, i);
    return compare_even(sum, identity, inverse, claimed);
}
}  // namespace

// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(kWindowThreads, kWindowBlocks)
    gecc_bip340_verify(const Scalars* u1, const Scalars* u2, const Scalars* r, const Xy* xy, const PointKinds* kinds,
                       const BaseTable* table, u32 bits, ThreadTables* tables, const Optional<ItemNumbers>* items,
                       const Optional<ItemCount>* item_count, NextTile* next_tile, Verdicts* verdicts, u64 n) {
    MultiplyAdd op = {u1, u2, {xy, kinds, n}, table, (int)bits, tables, {next_tile}};
    multiply_add_each(op, ItemList{items, item_count, n},
                      [=](u64 i, const jacobian& sum, bool present, BlockInverseMemory& memory) {
                          fe zz = fe_sqr(sum.z);
                          xyzz point = {sum.x, sum.y, zz, fe_mul(zz, sum.z)};
                          Verdict verdict = compare_in_block(point, fe_is_zero(sum.z), r, n, i, memory);
                          if (!present || verdicts[i] != kPending) return;
                          Verdict of_key = key_verdict(kinds[i]);
                          verdicts[i] = of_key == kPending ? verdict : of_key;
                      });
}

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(kTablesThreads, kTablesBlocks)
    gecc_bip340_verify_with_tables(const Scalars* u1, const Scalars* u2, const Scalars* r, const BaseTable* table,
                                   u32 bits, const KeyTables* key_tables, u32 key_bits, const ItemNumbers* items,
                                   const TableNumbers* item_tables, const ItemCount* item_count, Verdicts* verdicts,
                                   u64 n) {
    __shared__ BlockInverseMemory memory;
    SumByTables op = {u1, u2, table, (int)bits, key_tables, (int)key_bits, items, item_tables, item_count, n};
    sum_by_tables_each(op, [=](u64 i, const xyzz& sum, bool identity, bool present) {
        Verdict verdict = compare_in_block(sum, identity, r, n, i, memory);
        if (present) verdicts[i] = verdict;
    });
}

// Public key recovery: Q = u1 G + u2 R with u1 = -e / r, u2 = s / r. For public data: variable
// time.
//
// Launch contract. In stream order: gecc_recover_equations, gecc_multiply_add, gecc_normalize
// (kernels/normalize.cu) with use_kinds = 1 and xy, kinds as out_xy, out_kinds,
// gecc_recover_verdicts; the keys are then exported from xy, kinds, with zeros for the items that
// were rejected. If only some items of a batch are recovered, gecc_recover_scatter then writes
// their results to those of the batch.
//
// gecc_recover_equations. items: the rows of the n items to recover, each below 2^32; if it is
// missing, item i has row i of digests, signatures and ids. Outputs, in the order of items: u1, u2;
// xy, kinds: R, or kBadEncoding for an item that is rejected; verdicts: kPending or the rejection.
// It has a stack frame of local memory.
//
// gecc_multiply_add, in blocks of 256 threads exactly. table, bits, tables, next_tile: as for
// gecc_verify (kernels/verify.cu). A point that is not kFinite gives a result that gecc_normalize
// discards by its kind.
//
// gecc_recover_verdicts: kPending becomes kValid, or kIdentityResult if the kind is not kFinite.
//
// gecc_recover_scatter. items: n numbers below `all`, each at most once. xy, kinds, verdicts: of n
// items. all_xy, all_kinds, all_verdicts: of `all` items, of which item items[i] receives the
// results of item i.
#include "kernels/batched.cuh"
#include "kernels/item_list.cuh"
#include "kernels/multiply_add.cuh"
#include "kernels/rows.cuh"
#include "scheme/recovery.cuh"

namespace {
struct RecoverEquations {
    using Number = sc;
    const u8 *digests, *signatures, *ids;
    ItemList rows;
    u32 *u1, *u2;
    PointTarget points;
    u8* verdict;

    __device__ __forceinline__ Verdict load(Signature& signature, u64 i) const {
        u32 r[8], s[8];
        const u8* row = signatures + 64 * rows.item(i);
        load_number(r, row);
        load_number(s, row + 32);
        return check_signature(signature, r, s);
    }
    __device__ __forceinline__ sc denominator(u64 i) const {
        Signature signature;
        load(signature, i);
        return sc_to_montgomery(signature.r.v);
    }
    __device__ __forceinline__ void finish(u64 i, const sc& inverse) const {
        Signature signature;
        Verdict which = load(signature, i);
        u32 digest[8];
        load_number(digest, digests + 32 * rows.item(i));
        sc first, second;
        recovery_scalars(first, second, digest, signature.s, inverse);
        store_column(u1, points.n, i, first.v);
        store_column(u2, points.n, i, second.v);
        affine point;
        Verdict lifted = lift_r(point, signature.r, ids[rows.item(i)]);
        if (which == kPending) which = lifted;
        points.store(i, point);
        points.kind[i] = which == kPending ? kFinite : kBadEncoding;
        verdict[i] = which;
    }
};
}  // namespace

// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(256)
    gecc_recover_equations(const Digests* digests, const Signatures* signatures, const RecoveryIds* ids,
                           const Optional<ItemNumbers>* items, Scalars* u1, Scalars* u2, Xy* xy, PointKinds* kinds,
                           Verdicts* verdicts, Prefixes* prefixes, u64 n) {
    __shared__ BlockInverseMemory memory;
    RecoverEquations op = {digests, signatures, ids, {items, nullptr, n}, u1, u2, {xy, kinds, n}, verdicts};
    run_batched(op, n, prefixes, memory);
}

// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(kWindowThreads, kWindowBlocks)
    gecc_multiply_add(const Scalars* u1, const Scalars* u2, const Xy* xy, const PointKinds* kinds,
                      const BaseTable* table, u32 bits, ThreadTables* tables, NextTile* next_tile, Xyz* xyz, u64 n) {
    MultiplyAdd op = {u1, u2, {xy, kinds, n}, table, (int)bits, tables, {next_tile}};
    JacobianBatch out = {xyz, n};
    multiply_add_each(op, ItemList{nullptr, nullptr, n}, [=](u64 i, const jacobian& sum, bool present, BlockInverseMemory&) {
        if (present) out.store(i, sum);
    });
}

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_recover_verdicts(const PointKinds* kinds, Verdicts* verdicts, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads())
        if (verdicts[i] == kPending) verdicts[i] = kinds[i] == kFinite ? kValid : kIdentityResult;
}

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_recover_scatter(const ItemNumbers* items, const Xy* xy, const PointKinds* kinds, const Verdicts* verdicts,
                         Xy* all_xy, PointKinds* all_kinds, Verdicts* all_verdicts, u64 all, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u64 item = items[i];
        GECC_UNROLL
        for (int w = 0; w < 16; w++) all_xy[w * all + item] = xy[w * n + i];
        all_kinds[item] = kinds[i];
        all_verdicts[item] = verdicts[i];
    }
}

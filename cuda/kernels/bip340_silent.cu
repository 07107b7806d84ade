// Silent payments (BIP 352).
//
// Launch contract of a scan, in stream order: tweak points; gecc_upmul_fixed by the scan key and
// gecc_normalize for the shared points; gecc_silent_tweaks; gecc_fpmul_uniform and gecc_normalize,
// with the kinds of the tweaks, for their multiples of G; gecc_silent_outputs for each spend key.
// Rows have row_bytes bytes and receive numbers of 32 bytes; row_bytes and the offsets of `rows`
// into the rows are multiples of 32. Launch contract of an index: sums of input keys;
// gecc_silent_input_hashes; gecc_upmul_var and gecc_normalize.
//
// Curves: secp256k1
#include "codes.cuh"
#include "curve/affine_add.cuh"
#include "kernels/batched.cuh"
#include "kernels/point_batch.cuh"
#include "kernels/rows.cuh"
#include "kernels/upmul.cuh"
#include "scheme/silent_payments.cuh"

namespace {
// The x-coordinates, in rows, of points plus a constant point. The cases of an addition are
// selected by masks, so that no branch depends on the points; their kinds are public.
struct SpendOutputs {
    using Number = fe;
    PointBatch points;
    affine spend;
    u8* rows;
    u64 row_bytes;

    // The denominator of the slope of a chord, or of a tangent if the points are equal or opposite.
    // The tangent's slope exists for every point of odd order.
    __device__ __forceinline__ fe denominator(u64 i) const {
        fe difference = fe_sub(spend.x, points.x(i));
        fe r = fe_select(opaque(mask_if(fe_is_zero(difference))), fe_double(points.y(i)), difference);
        return points.finite(i) ? r : fe_one();
    }
    __device__ __forceinline__ void finish(u64 i, const fe& inverse) const {
        affine p = points.at(i);
        fe rise = fe_sub(spend.y, p.y);
        u32 same_x = opaque(mask_if(fe_is_zero(fe_sub(spend.x, p.x)))), same_y = opaque(mask_if(fe_is_zero(rise)));
        fe slope = fe_mul(fe_select(same_x, tangent_numerator(p.x), rise), inverse);
        u32 x[8];
        fe_to_words(x, line_through(p, spend.x, slope).x);
        store_masked(rows + row_bytes * i, (~same_x | same_y) & mask_if(points.finite(i)), x);
    }
};
}  // namespace

// Variable-base multiplication by the scan key: launch contract in kernels/upmul.cuh. scalars: all
// equal.
// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(kWindowThreads, kWindowBlocks)
    gecc_upmul_fixed(const Scalars* scalars, const Xy* xy, const PointKinds* kinds, ThreadTables* tables, Xyz* xyz,
                     NextTile* next_tile, u64 n) {
    upmul<Lookup::kFixed>(scalars, PointBatch{xy, kinds, n}, tables, JacobianBatch{xyz, n}, Tiles{next_tile});
}

// xy, kinds: shared points. counters: k, big-endian. tweaks: out, t_k as scalars, or 1 if there is
// none. tweak_kinds: out, the kind of the shared point if that is not finite; otherwise kFinite, or
// kOutOfRange if t_k is 0 or not below n. rows: out, t_k, or zeros. No branch and no address
// depends on the points.
// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(256)
    gecc_silent_tweaks(const Xy* xy, const PointKinds* kinds, const ByteRows<4>* counters, Scalars* tweaks,
                       PointKinds* tweak_kinds, AnyRows* rows, u64 row_bytes, u64 n) {
    PointBatch points = {xy, kinds, n};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u32 tweak[8];
        silent_tweak(tweak, x_only(points.at(i)), swap_bytes(((const u32*)counters)[i]));
        u32 usable = key_mask(tweak);
        store_masked(rows + row_bytes * i, usable & mask_if(points.finite(i)), tweak);
        replace_by_one(tweak, usable);
        store_column(tweaks, n, i, tweak);
        u8 kind = (u8)((kFinite & usable) | (kOutOfRange & ~usable));
        // The kind of the tweak point is public.
        if (!points.finite(i)) kind = kinds[i];
        tweak_kinds[i] = kind;
    }
}

// xy, kinds: points. spend_xy: spend_count spend keys, one of which is added. rows: out, the
// x-coordinates of the sums, or zeros if there is none. No branch and no address depends on the
// points.
// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(256)
    gecc_silent_outputs(const Xy* xy, Prefixes* prefixes, const PointKinds* kinds, const Xy* spend_xy, u64 spend_count,
                        u64 which, AnyRows* rows, u64 row_bytes, u64 n) {
    __shared__ BlockInverseMemory memory;
    PointBatch spend = {spend_xy, nullptr, spend_count};
    SpendOutputs op = {{xy, kinds, n}, spend.at(which), rows, row_bytes};
    run_batched(op, n, prefixes, memory);
}

// xy, kinds: sums of input keys. hashes: out, or 1 if there is none. hash_kinds: out, kInRange, or
// kTooLarge if the hash is 0 or not below n.
// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(256)
    gecc_silent_input_hashes(const ByteRows<36>* outpoints, const Xy* xy, const PointKinds* kinds, Scalars* hashes,
                             NumberKinds* hash_kinds, u64 n) {
    PointBatch keys = {xy, kinds, n};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u32 outpoint[9], hash[8];
        GECC_UNROLL
        for (int w = 0; w < 9; w++) outpoint[w] = swap_bytes(((const u32*)outpoints)[9 * i + w]);
        silent_input_hash(hash, outpoint, x_only(keys.at(i)));
        u32 usable = key_mask(hash);
        hash_kinds[i] = usable || !keys.finite(i) ? kInRange : kTooLarge;
        replace_by_one(hash, usable);
        store_column(hashes, n, i, hash);
    }
}

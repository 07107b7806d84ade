// Tweaks of public keys: P + t G, where t is given or derived from P (BIP 341).
//
// Launch contract, in stream order: the keys as points; gecc_tap_tweaks or gecc_import_scalars
// (kernels/layout.cu) for the tweaks; gecc_fpmul_var, gecc_normalize and gecc_point_add for the
// sums; gecc_tweak_codes. For public data: variable time.
//
// Curves: secp256k1
#include "codes.cuh"
#include "kernels/point_batch.cuh"
#include "kernels/rows.cuh"
#include "scheme/bip340.cuh"
#include "scheme/verdict.cuh"

// xy, kinds: the keys, which are replaced by their points with an even y. roots: may be missing.
// tweaks: out, modulo n. tweak_kinds: out, kInRange, or kTooLarge if a tweak is not below n.
// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(256)
    gecc_tap_tweaks(const Optional<ByteRows<32>>* roots, Xy* xy, PointKinds* kinds, Scalars* tweaks,
                    NumberKinds* tweak_kinds, u64 n) {
    PointBatch points = {xy, kinds, n};
    PointTarget out = {xy, kinds, n};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        affine p = points.at(i);
        XOnly key = x_only(p);
        u32 root[8], tweak[8];
        if (roots != nullptr) load_number(root, roots + 32 * i);
        tap_tweak(tweak, key.x, roots == nullptr ? nullptr : root);
        p.y = fe_select(key.y_is_odd, fe_neg(p.y), p.y);
        out.store(i, p);
        store_column(tweaks, n, i, sc_from_words(tweak).v);
        tweak_kinds[i] = sc_is_canonical(tweak) ? kInRange : kTooLarge;
    }
}

// Writes the first of these codes that applies: the code of the key's kind, kScalarOutOfRange,
// kIdentityResult.
// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_tweak_codes(const PointKinds* key_kinds, const NumberKinds* tweak_kinds, const PointKinds* sum_kinds,
                     Codes* codes, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u8 code = key_verdict(key_kinds[i]);
        if (code == kPending && tweak_kinds[i] == kTooLarge) code = kScalarOutOfRange;
        if (code == kPending) code = sum_kinds[i] == kFinite ? kValid : kIdentityResult;
        codes[i] = code;
    }
}

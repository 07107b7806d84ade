// Results in the caller's format: codes from the kinds of points, and x-coordinates alone.
//
// Launch contract. Block: up to 256 threads; grid: any size of one dimension (threads loop over
// items). No shared memory, no scratch memory. xy, kinds: points as in kernels/point_batch.cuh.
// rows: out, 32 n bytes, aligned to 16. status: a NumberKind or SignStatus per item; values above
// kZero are bad, and give the code `rejected`; may be missing. identity: the code of a point that
// is the identity. codes: out, n bytes, none of them 0.
#include "curve/point.cuh"
#include "kernels/columns.cuh"
#include "kernels/point_batch.cuh"
#include "kernels/rows.cuh"
#include "scheme/verdict.cuh"

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_point_codes(const Optional<AnyStatuses>* status, u32 rejected, const PointKinds* kinds, u32 identity, Codes* codes,
                     u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u8 kind = kinds[i], code = kMalformedPoint;
        if (kind == kFinite) code = kValid;
        else if (kind == kIdentity) code = (u8)identity;
        else if (kind == kOffCurve) code = kNotOnCurve;
        if (status != nullptr && (status[i] == 0 || status[i] > kZero)) code = (u8)rejected;
        codes[i] = code;
    }
}

// The x-coordinates, big-endian, and zeros for points that are not kFinite.
// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_export_x(Xy* xy, PointKinds* kinds, ByteRows<32>* rows, u64 n) {
    PointBatch in = {xy, kinds, n};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u32 x[8];
        fe_to_words(x, in.x(i));
        store_masked(rows + 32 * i, mask_if(in.finite(i)), x);
    }
}

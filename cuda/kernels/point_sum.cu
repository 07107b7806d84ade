// Sums of points: each thread adds up the points i, i + n, i + 2 n, ... of a batch.
//
// Launch contract. Block: up to 256 threads; grid: any size of one dimension (threads loop over
// sums). No shared memory, no scratch memory. xy, kinds: `points` points as in
// kernels/point_batch.cuh. xyz: out, 24 n words, for gecc_normalize with kinds. out_kinds: out,
// kFinite if all points are points of the curve, otherwise the kind of one that is not.
#include "curve/table_sum.cuh"
#include "kernels/columns.cuh"
#include "kernels/point_batch.cuh"

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_sum_points(Xy* xy, PointKinds* kinds, u64 points, Xyz* xyz, PointKinds* out_kinds, u64 n) {
    PointBatch in = {xy, kinds, points};
    JacobianBatch out = {xyz, n};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        xyzz sum = {fe_one(), fe_one(), fe_zero(), fe_zero()};
        bool identity = true;
        u8 kind = kFinite;
        GECC_NO_UNROLL
        for (u64 k = i; k < points; k += n) {
            if (in.finite(k)) add_var(sum, identity, in.at(k));
            else if (kinds[k] != kIdentity) kind = kinds[k];
        }
        jacobian result = to_jacobian(sum);
        if (identity) result.z = fe_zero();
        out.store(i, result);
        out_kinds[i] = kind;
    }
}

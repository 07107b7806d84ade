// Batches of complete affine point additions (PADD) and doublings (PDBL).
//
// Launch contract: out may be a (or b). If an operand is neither finite nor the identity, the
// result has its kind (that of a takes precedence).
#include "kernels/point_sum.cuh"

namespace {
struct PointDouble {
    using Number = fe;
    PointBatch a;
    PointTarget out;

    __device__ __forceinline__ fe denominator(u64 i) const {
        fe twice = fe_double(a.y(i));
        return a.finite(i) && !fe_is_zero(twice) ? twice : fe_one();
    }
    __device__ __forceinline__ void finish(u64 i, const fe& inverse) const {
        affine p = a.at(i);
        u8 kind = a.kind[i];
        if (kind == kFinite && fe_is_zero(p.y)) kind = kIdentity;
        out.store(i, double_on_line(p, inverse), kind);
    }
};
}  // namespace

// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(256)
    gecc_point_add(const Xy* a_xy, const PointKinds* a_kinds, const Xy* b_xy, const PointKinds* b_kinds, Xy* out_xy,
                   PointKinds* out_kinds, Prefixes* prefixes, u64 n) {
    __shared__ BlockInverseMemory memory;
    PointSum<PointBatch, PointBatch, PointTarget> op = {{a_xy, a_kinds, n}, {b_xy, b_kinds, n}, {out_xy, out_kinds, n}};
    run_batched(op, n, prefixes, memory);
}

// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(256)
    gecc_point_double(const Xy* a_xy, const PointKinds* a_kinds, Xy* out_xy, PointKinds* out_kinds, Prefixes* prefixes,
                      u64 n) {
    __shared__ BlockInverseMemory memory;
    PointDouble op = {{a_xy, a_kinds, n}, {out_xy, out_kinds, n}};
    run_batched(op, n, prefixes, memory);
}

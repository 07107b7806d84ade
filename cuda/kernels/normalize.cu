// Converts Jacobian to affine coordinates.
//
// Launch contract: if use_kinds is nonzero, out_kinds contains the kinds of the operands on entry,
// and kinds other than kFinite are kept. z = 0 gives kIdentity. A fixed sequence per item, so it is
// suitable for secret scalars.
#include "curve/jacobian.cuh"
#include "kernels/batched.cuh"
#include "kernels/point_batch.cuh"

namespace {
struct Normalize {
    using Number = fe;
    JacobianSource in;
    PointTarget out;
    u32 use_kinds;

    __device__ __forceinline__ fe denominator(u64 i) const {
        fe z = in.coordinate(i, 2);
        return fe_select(opaque(mask_if(fe_is_zero(z))), fe_one(), z);
    }
    __device__ __forceinline__ void finish(u64 i, const fe& inverse) const {
        u32 identity = opaque(mask_if(fe_is_zero(in.coordinate(i, 2))));
        out.store(i, scale_by_inverse(in.coordinate(i, 0), in.coordinate(i, 1), inverse));
        u8 kind = (u8)((kIdentity & identity) | (kFinite & ~identity));
        // The operand's kind is public, unlike the result's.
        if (use_kinds && out.kind[i] != kFinite) kind = out.kind[i];
        out.kind[i] = kind;
    }
};
}  // namespace

// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(256)
    gecc_normalize(const Xyz* xyz, Xy* out_xy, PointKinds* out_kinds, u32 use_kinds, Prefixes* prefixes, u64 n) {
    __shared__ BlockInverseMemory memory;
    Normalize op = {{xyz, n}, {out_xy, out_kinds, n}, use_kinds};
    run_batched(op, n, prefixes, memory);
}

// Batch inversion in the field.
//
// Launch contract: out may be values. The inverse of zero is zero.
#include "kernels/batched.cuh"
#include "lab/columns.cuh"

namespace {
struct BatchInverse {
    using Number = fe;
    const u32* values;
    u32* out;
    u64 n;

    __device__ __forceinline__ fe load(u64 i, bool& zero) const {
        fe value;
        load_column(value.v, values, n, i);
        zero = fe_is_zero(value);
        return fe_select(mask_if(zero), fe_one(), value);
    }
    __device__ __forceinline__ fe denominator(u64 i) const {
        bool zero;
        return load(i, zero);
    }
    __device__ __forceinline__ void finish(u64 i, const fe& inverse) const {
        bool zero;
        load(i, zero);
        fe r = fe_select(mask_if(zero), fe_zero(), inverse);
        store_column(out, n, i, r.v);
    }
};
}  // namespace

// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(256)
    gecc_batch_inverse(const FieldElements* values, FieldElements* out, Prefixes* prefixes, u64 n) {
    __shared__ BlockInverseMemory memory;
    BatchInverse op = {values, out, n};
    run_batched(op, n, prefixes, memory);
}

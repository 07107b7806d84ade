// One inversion for a whole block: collects the threads' values in shared memory, lets one warp
// invert, and distributes the results.
#pragma once
#include "curve/batch_inverse.cuh"
#include "kernels/layout.cuh"

static constexpr int kBlockThreads = 256;

struct BlockInverseMemory {
    u32 values[8 * kBlockThreads];
    u32 prefixes[8 * kBlockThreads];
};

// Returns 1 / x for each thread's x, which must not be zero. All threads of the block must call
// this together; their number is a multiple of 32 and at most kBlockThreads. The warp that inverts
// depends on the block, because warp k of every block runs on the same quarter of its
// multiprocessor.
template <class N> GECC_FN N block_invert(const N& x, BlockInverseMemory& memory) {
    int thread = threadIdx.x, threads = blockDim.x;
    N r;
    GECC_UNROLL
    for (int w = 0; w < 8; w++) memory.values[w * threads + thread] = x.v[w];
    __syncthreads();
    if (thread / 32 == (int)(blockIdx.x % (threads / 32))) {
        int lane = thread % 32;
        invert_all<N>(memory.values + lane, memory.prefixes + lane, threads / 32, 32, threads);
    }
    __syncthreads();
    GECC_UNROLL
    for (int w = 0; w < 8; w++) r.v[w] = memory.values[w * threads + thread];
    __syncthreads();
    return r;
}

// One inversion for a whole block: gather the threads' values in shared memory, let one warp invert, scatter back.
#pragma once
#include "curve/batch_inverse.cuh"
#include "kernels/layout.cuh"

static constexpr int kBlockThreads = 256;

struct BlockInverseMemory {
    u32 values[8 * kBlockThreads];
    u32 prefixes[8 * kBlockThreads];
};

// 1 / x for each thread's x, none of them zero. Every thread of a block of at most kBlockThreads threads, a multiple of
// 32, calls this together. The warp that inverts depends on the block, because warp k of every block runs on the same
// quarter of its multiprocessor.
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

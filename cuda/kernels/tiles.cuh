// Items in tiles of a block's threads, each for the block that asks for it first. Of the blocks on a multiprocessor one
// is favoured; with a share of its own it would end early and leave the others' latencies uncovered.
#pragma once
#include "primitives/types.cuh"

struct Tiles {
    u32* next;  // the first tile that nobody has: 0 when the kernel starts

    // The first item of a tile, the same for every thread of the block. `shared` is a word of shared memory; all
    // threads of the block call this together.
    __device__ __forceinline__ u64 take(u32& shared) const {
        __syncthreads();
        if (threadIdx.x == 0) shared = atomicAdd(next, 1u);
        __syncthreads();
        return (u64)shared * blockDim.x;
    }
};

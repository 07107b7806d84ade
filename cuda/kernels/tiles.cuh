// Dynamic tile scheduling: each block claims the next blockDim.x items with an atomic counter. With
// a static split, the block that the scheduler favours on a multiprocessor would finish early, and
// the remaining warps could not hide their latency.
#pragma once
#include "primitives/types.cuh"

struct Tiles {
    u32* next;  // the first unclaimed tile: 0 when the kernel starts

    // Returns the first item of a newly claimed tile, the same for every thread of the block.
    // `shared` is a word of shared memory. All threads of the block must call this together.
    __device__ __forceinline__ u64 take(u32& shared) const {
        __syncthreads();
        if (threadIdx.x == 0) shared = atomicAdd(next, 1u);
        __syncthreads();
        return (u64)shared * blockDim.x;
    }
};

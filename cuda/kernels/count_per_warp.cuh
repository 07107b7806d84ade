// Counters that many threads increment.
#pragma once
#include "primitives/types.cuh"

// Increments *counter once for each lane that calls with the same pointer, with one atomic
// operation for all of them. Returns the lane's own index.
__device__ __forceinline__ u32 count_per_warp(u32* counter) {
    u32 peers = __match_any_sync(__activemask(), (u64)counter);
    u32 lane = threadIdx.x & 31, leader = __ffs(peers) - 1, first = 0;
    if (lane == leader) first = atomicAdd(counter, (u32)__popc(peers));
    return __shfl_sync(peers, first, leader) + __popc(peers & ((1u << lane) - 1));
}

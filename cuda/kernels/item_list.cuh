// Selection of the items that a kernel computes.
#pragma once
#include "kernels/layout.cuh"

// All items if `items` is null; otherwise those that it lists: *count of them, at most n, each at
// most once.
struct ItemList {
    const u32* items;
    const u32* count;
    u64 n;

    __device__ __forceinline__ u64 size() const {
        return items ? *count : n;
    }
    __device__ __forceinline__ u64 item(u64 k) const {
        return items ? items[k] : k;
    }
};

// Entries of tables of signed windows in device memory (kernels/ed25519_tables.cu), as a source for
// sums. The barriers require that every thread of a block adds the same number of entries.
#pragma once
#include "curve/edwards_tables.cuh"
#include "kernels/niels_rows.cuh"

// The terms of k P: its table, and k, whose word w is words[w pitch].
struct EdWindows {
    const uint4* table;
    const u32* words;
    u64 pitch;
    int bits;

    struct Place {
        const uint4* row;
        i32 digit;
    };
    __device__ __forceinline__ Place find(int window) const {
        const EdWindows& self = *this;
        i32 digit = ed_window_digit([&self](int w) { return self.words[w * self.pitch]; }, window, bits);
        u64 entry = ((u64)window << (bits - 1)) + (digit < 0 ? -digit : digit) - 1;
        Place place = {table + kEdNielsVectors * entry, digit};
        if (digit != 0) asm volatile("prefetch.global.L2 [%0];" ::"l"(place.row));
        return place;
    }
    __device__ __forceinline__ int terms() const {
        return ed_window_count(bits);
    }
    __device__ __forceinline__ ed_niels load(const Place& place) const {
        return load_niels(place.row, 1);
    }
    // Aligns the warps of a block, so that they read the code of an addition together.
    __device__ __forceinline__ void align() const {
        __syncthreads();
    }
};

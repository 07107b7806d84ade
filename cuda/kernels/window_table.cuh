// The tables of odd multiples that the threads of a windowed multiplication keep in device memory.
#pragma once
#include "curve/multiples.cuh"
#include "kernels/layout.cuh"
#include "kernels/vector.cuh"

static constexpr int kWindowThreads = 256;
static constexpr int kWindowBlocks = 2;  // per multiprocessor: 128 registers a thread
static constexpr int kRowVectors = 6;  // x, y, third

// Vector v of entry m of a thread is at base[m * entry_pitch + v * vector_pitch].
struct TableStore {
    uint4* base;
    u64 entry_pitch, vector_pitch;

    __device__ __forceinline__ void put(int m, const Multiple& entry) {
        uint4* row = base + m * entry_pitch;
        store_row(row, vector_pitch, entry.x);
        store_row(row + 2 * vector_pitch, vector_pitch, entry.y);
        store_row(row + 4 * vector_pitch, vector_pitch, entry.third);
    }
    __device__ __forceinline__ Multiple get(int m) {
        const uint4* row = base + m * entry_pitch;
        Multiple r = {load_row(row, vector_pitch), load_row(row + 2 * vector_pitch, vector_pitch),
                      load_row(row + 4 * vector_pitch, vector_pitch)};
        return r;
    }
    // Aligns the warps of a block, so that they read the code of a step together: it is larger than
    // the instruction cache next to the cores.
    __device__ __forceinline__ void align() const {
        __syncthreads();
    }
};

// Lanes of a warp share secret-independent addresses, so vectors are interleaved; they do not share
// public ones, so each entry is contiguous.
template <bool kUniform> GECC_FN TableStore thread_table(u32* tables) {
    uint4* vectors = (uint4*)tables;
    u64 thread = global_thread(), threads = global_threads();
    if (kUniform) return TableStore{vectors + thread, kRowVectors * threads, threads};
    return TableStore{vectors + thread * kRowVectors * kOddMultiples, kRowVectors, 1};
}

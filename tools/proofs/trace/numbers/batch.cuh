// Threads of one block for kernels/block_inverse.cuh and kernels/batched.cuh, on the CPU, and
// numbers that record the operations on them.
#pragma once
#include "numbers.cuh"
#include <pthread.h>

struct fe {
    u32 v[8];
};

static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;

template <class N> struct Invertible;
template <> struct Invertible<fe> {
    static fe one() {
        const fe r = {{1}};
        return r;
    }
    static fe mul(const fe& a, const fe& b) {
        pthread_mutex_lock(&printing);
        fe r = recorded<fe>("mul", a.v, b.v);
        pthread_mutex_unlock(&printing);
        return r;
    }
    static fe inv(const fe& a) {
        pthread_mutex_lock(&printing);
        fe r = recorded<fe>("inverse", a.v);
        pthread_mutex_unlock(&printing);
        return r;
    }
};

struct Place {
    int x;
};
static thread_local Place threadIdx, blockIdx;
static Place blockDim, gridDim;
static pthread_barrier_t barrier;
static void __syncthreads() { pthread_barrier_wait(&barrier); }
static u64 global_threads() { return (u64)gridDim.x * blockDim.x; }
static u64 global_thread() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }

// As kernels/layout.cuh has them: word w of item i of n is at w n + i.
static void load_column(u32* words, const u32* columns, u64 n, u64 i) {
    for (int w = 0; w < 8; w++) words[w] = columns[w * n + i];
}
static void store_column(u32* columns, u64 n, u64 i, const u32* words) {
    for (int w = 0; w < 8; w++) columns[w * n + i] = words[w];
}

// The kernels that run one multiplication method in a chain; their launch contract is in
// lab/methods.cu.
#pragma once
#include "kernels/layout.cuh"
#include "modular/method.cuh"

template <int N, class Method>
GECC_FN typename Method::Number load_item(const Method& method, const u32* items, u64 n, u64 i) {
    u32 words[N];
    GECC_UNROLL
    for (int w = 0; w < N; w++) words[w] = items[w * n + i];
    return method.load(words);
}

template <int N, class Method>
GECC_FN void store_item(const Method& method, u32* items, u64 n, u64 i, const typename Method::Number& a) {
    u32 words[N];
    method.store(words, a);
    GECC_UNROLL
    for (int w = 0; w < N; w++) items[w * n + i] = words[w];
}

// Four steps per turn where they fit the instruction cache, so that the loop itself costs nothing.
// Launch: resident blocks per multiprocessor.
#define GECC_METHOD_KERNEL(name, Method, BITS, UNROLL, STEP) \
    extern "C" __global__ void __launch_bounds__(256) \
        name(AnyNumbers* items, const __grid_constant__ ModulusWords<BITS / 32> modulus, u32 rounds, u64 n) { \
        Method method(modulus); \
        for (u64 i = global_thread(); i < n; i += global_threads()) { \
            const Method::Number a = load_item<BITS / 32>(method, items, n, i); \
            Method::Number c = a; \
            UNROLL \
            for (u32 k = 0; k < rounds; k++) c = STEP; \
            store_item<BITS / 32>(method, items, n, i, c); \
        } \
    }
#define GECC_METHOD(NAME, Method, BITS, UNROLL) \
    GECC_METHOD_KERNEL(gecc_method_##NAME##_##BITS##_mul, Method, BITS, UNROLL, method.mul(c, a)) \
    GECC_METHOD_KERNEL(gecc_method_##NAME##_##BITS##_sqr, Method, BITS, UNROLL, method.sqr(c))

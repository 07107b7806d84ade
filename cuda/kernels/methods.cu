// Chained multiplications and squarings by every method, side by side: what a method costs when nothing else is there.
//
// gecc_method_NAME_BITS_mul: item <- item (item / 2^k)^rounds; gecc_method_NAME_BITS_sqr: item <- item^2 / 2^k, rounds
// times; k is the method's kRadixBits: BITS for the methods in words, 52 ceil((BITS + 2) / 52) for the doubles, 0 for
// production_field where the reduction of p is a fold.
//
// Launch contract. Block: any up to 256 threads; grid: any, one dimension; no shared memory, no scratch. `items`: n
// numbers of BITS / 32 words, column-major, below the modulus, read and written in place. `modulus`, by value: its
// BITS / 32 words and -modulus^-1 modulo 2^32; odd, its top bit set. gecc_sm2 needs the SM2 prime there, and
// production_field and production_order use p and n of the curve that the file is compiled for.
#include "kernels/layout.cuh"
#include "methods/cios.cuh"
#include "methods/doubles.cuh"
#include "methods/gecc_sm2.cuh"
#include "methods/gecc_sos.cuh"
#include "methods/half_words.cuh"
#include "methods/karatsuba.cuh"
#include "methods/low_high_rows.cuh"
#include "methods/production.cuh"

namespace {
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
}  // namespace

// Four steps per turn where they fit the instruction cache, so that the loop itself costs nothing.
#define GECC_METHOD_KERNEL(name, Method, BITS, UNROLL, STEP) \
    extern "C" __global__ void __launch_bounds__(256) \
        name(u32* items, const __grid_constant__ ModulusWords<BITS / 32> modulus, u32 rounds, u64 n) { \
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
#define GECC_METHOD_OF_ALL_SIZES(NAME, Method) \
    GECC_METHOD(NAME, Method<4>, 128, GECC_UNROLL_BY_4) \
    GECC_METHOD(NAME, Method<8>, 256, GECC_UNROLL_BY_4) \
    GECC_METHOD(NAME, Method<12>, 384, GECC_NO_UNROLL) \
    GECC_METHOD(NAME, Method<16>, 512, GECC_NO_UNROLL)

GECC_METHOD_OF_ALL_SIZES(gecc_sos, GeccSos)
GECC_METHOD_OF_ALL_SIZES(cios, Cios)
GECC_METHOD_OF_ALL_SIZES(karatsuba, Karatsuba)
GECC_METHOD_OF_ALL_SIZES(low_high_rows, LowHighRows)
GECC_METHOD_OF_ALL_SIZES(doubles, Doubles)
GECC_METHOD(half_words, HalfWords<4>, 128, GECC_UNROLL_BY_4)
GECC_METHOD(half_words, HalfWords<8>, 256, GECC_NO_UNROLL)
GECC_METHOD(half_words, HalfWords<12>, 384, GECC_NO_UNROLL)
GECC_METHOD(half_words, HalfWords<16>, 512, GECC_NO_UNROLL)
GECC_METHOD(gecc_sm2, GeccSm2, 256, GECC_UNROLL_BY_4)
GECC_METHOD(production_field, ProductionField, 256, GECC_UNROLL_BY_4)
GECC_METHOD(production_order, ProductionOrder, 256, GECC_UNROLL_BY_4)

// Batch modular multiplication and squaring: one odd modulus for all items.
//
// gecc_mul_mod_BITS and gecc_square_mod_BITS for BITS = 128, 192, ..., 512. Uniform in the
// operands. Needs no curve.
//
// Launch contract: numbers have BITS bits; results may be a or b. status: kValueInRange, or
// kValueOutOfRange if an operand is not below the modulus (result 0). modulus: BITS / 32 words of
// an odd modulus above 1, the word -modulus^-1 modulo 2^32, and the BITS / 32 words of 2^(2 BITS)
// mod modulus; in memory and not by value, so that it can be wiped.
#include "codes.cuh"
#include "kernels/layout.cuh"
#include "modular/mul_mod.cuh"

namespace {
template <int N> GECC_FN bool load_below(u32* r, const u32* column, u64 n, u64 i, const MulModModulus<N>& modulus) {
    u32 words[N], difference[N];
    GECC_UNROLL
    for (int w = 0; w < N; w++) {
        r[w] = column[w * n + i];
        words[w] = modulus.montgomery.word[w];
    }
    return sub<N>(difference, r, words) != 0;
}

template <int N> GECC_FN void store_valid(u32* column, u8* status, u64 n, u64 i, const u32* a, bool valid) {
    u32 mask = opaque(mask_if(valid));
    GECC_UNROLL
    for (int w = 0; w < N; w++) column[w * n + i] = a[w] & mask;
    status[i] = (u8)((kValueInRange & mask) | (kValueOutOfRange & ~mask));
}
}  // namespace

// Launch: one thread per item.
#define GECC_MUL_MOD_KERNELS(BITS) \
    extern "C" __global__ void __launch_bounds__(256) \
        gecc_mul_mod_##BITS(AnyNumbers* results, ValueStatuses* status, const AnyNumbers* a, const AnyNumbers* b, \
                            const MulModModulus<BITS / 32>* __restrict__ modulus, u64 n) { \
        for (u64 i = global_thread(); i < n; i += global_threads()) { \
            u32 x[BITS / 32], y[BITS / 32]; \
            bool valid = load_below<BITS / 32>(x, a, n, i, *modulus) & load_below<BITS / 32>(y, b, n, i, *modulus); \
            mul_mod<BITS / 32>(x, x, y, *modulus); \
            store_valid<BITS / 32>(results, status, n, i, x, valid); \
        } \
    } \
    extern "C" __global__ void __launch_bounds__(256) \
        gecc_square_mod_##BITS(AnyNumbers* results, ValueStatuses* status, const AnyNumbers* a, \
                               const MulModModulus<BITS / 32>* __restrict__ modulus, u64 n) { \
        for (u64 i = global_thread(); i < n; i += global_threads()) { \
            u32 x[BITS / 32]; \
            bool valid = load_below<BITS / 32>(x, a, n, i, *modulus); \
            square_mod<BITS / 32>(x, x, *modulus); \
            store_valid<BITS / 32>(results, status, n, i, x, valid); \
        } \
    }

GECC_MUL_MOD_KERNELS(128)
GECC_MUL_MOD_KERNELS(192)
GECC_MUL_MOD_KERNELS(256)
GECC_MUL_MOD_KERNELS(320)
GECC_MUL_MOD_KERNELS(384)
GECC_MUL_MOD_KERNELS(448)
GECC_MUL_MOD_KERNELS(512)

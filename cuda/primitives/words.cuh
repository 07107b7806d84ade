// Numbers of eight 32-bit words, least significant first: the part that both back ends share.
#pragma once
#ifdef __CUDACC__
#include "primitives/ptx.cuh"
#else
#include "primitives/host.cuh"
#endif

// Returns all ones if the condition holds, and zero otherwise.
GECC_FN u32 mask_if(bool condition) {
    return condition ? 0xffffffffu : 0;
}

// Returns the value in a way that is opaque to the compiler, so that it cannot turn mask arithmetic
// on a secret into a branch.
GECC_FN u32 opaque(u32 value) {
#ifdef __CUDACC__
    asm volatile("" : "+r"(value));
#else
    __asm__ volatile("" : "+r"(value));
#endif
    return value;
}

GECC_FN void words_set_zero(u32* r) {
    GECC_UNROLL
    for (int i = 0; i < 8; i++) r[i] = 0;
}

GECC_FN void words_copy(u32* r, const u32* a) {
    GECC_UNROLL
    for (int i = 0; i < 8; i++) r[i] = a[i];
}

GECC_FN u32 words_or(const u32* a) {
    return (a[0] | a[1] | a[2]) | (a[3] | a[4] | a[5]) | (a[6] | a[7]);
}

// Zero exactly if a = b.
GECC_FN u32 words_difference(const u32* a, const u32* b) {
    u32 difference = 0;
    GECC_UNROLL
    for (int i = 0; i < 8; i++) difference |= a[i] ^ b[i];
    return difference;
}

// r = mask ? a : b, for a mask of all ones or zeros.
GECC_FN void words_select(u32* r, u32 mask, const u32* a, const u32* b) {
    GECC_UNROLL
    for (int i = 0; i < 8; i++) r[i] = (a[i] & mask) | (b[i] & ~mask);
}

// a < b, without a branch.
GECC_FN bool words_less(const u32* a, const u32* b) {
    u32 difference[8];
    return sub<8>(difference, a, b) != 0;
}

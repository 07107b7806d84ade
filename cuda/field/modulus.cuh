// The two moduli of the curve as types, so that their words are folded into the code.
#pragma once
#include "curve.cuh"
#include "primitives/words.cuh"

#define GECC_DEFINE_MODULUS(Name, PREFIX) \
    struct Name { \
        static GECC_MEMBER u32 word(int i) { \
            const u32 words[8] = PREFIX; \
            return words[i]; \
        } \
        static GECC_MEMBER u32 r2_word(int i) { \
            const u32 words[8] = PREFIX##_R2; \
            return words[i]; \
        } \
        static GECC_MEMBER u32 r3_word(int i) { \
            const u32 words[8] = PREFIX##_R3; \
            return words[i]; \
        } \
        static GECC_MEMBER u32 neg_inv32() { \
            return PREFIX##_NEG_INV32; \
        } \
        static GECC_MEMBER u32 inv30() { \
            return PREFIX##_INV30; \
        } \
    };
GECC_DEFINE_MODULUS(FieldModulus, GECC_P)
GECC_DEFINE_MODULUS(OrderModulus, GECC_N)
#undef GECC_DEFINE_MODULUS

// r = a + b and r = a - b modulo M, for a and b below M; r is below M.
template <class M> GECC_FN void add_modulo(u32* r, const u32* a, const u32* b) {
    u32 modulus[8], reduced[8];
    GECC_UNROLL
    for (int i = 0; i < 8; i++) modulus[i] = M::word(i);
    u32 carry = add<8>(r, a, b);
    u32 borrow = sub<8>(reduced, r, modulus);
    words_select(r, (0 - carry) | ~borrow, reduced, r);
}

template <class M> GECC_FN void sub_modulo(u32* r, const u32* a, const u32* b) {
    u32 correction[8];
    u32 borrow = sub<8>(r, a, b);
    GECC_UNROLL
    for (int i = 0; i < 8; i++) correction[i] = M::word(i) & borrow;
    add<8>(r, r, correction);
}

// Montgomery reduction modulo any odd modulus M with 2^255 < M < 2^256, R = 2^256. M provides
// word(i) and neg_inv32().
//
// Row i adds m_i M 2^(32i), with m_i such that word i becomes zero. Even and odd word positions are
// separate chains as in field/product.cuh; the two halves of word i are added when the row begins,
// and the carry of that addition enters the chain that starts at word i + 1. 64 wide
// multiplications and 8 narrow ones.
#pragma once
#include "field/modulus.cuh"

// `own` starts at word i, `other` at word i + 1; `below` is the part of word i that the other
// accumulator holds. own[8] is still unused, so it takes the carry; the top pair of other is a
// carry and an unused word, so it does not overflow.
template <class M> GECC_FN void montgomery_row(u32* own, u32* other, u32 below, const u32* modulus) {
    u32 word = own[0] + below;
    u32 m = word * M::neg_inv32();
    u32 carry = add_products_after<4>(other, modulus + 1, m, own[0], below);
    GECC_CHECK(carry == 0);
    (void)carry;
    own[0] = word;
    own[8] = add_products<4>(own, modulus, m);
}

// r = t / R mod M, canonical, for t < R M (so one factor below M suffices): t / R + m M / R < 2 M.
template <class M> GECC_FN void montgomery_reduce(u32* r, const u32* t) {
    u32 modulus[8];
    u32 even[16], odd[16];  // even[k] is word k of t mod R plus the rows, odd[k] word k + 1
    GECC_UNROLL
    for (int i = 0; i < 8; i++) {
        modulus[i] = M::word(i);
        even[i] = t[i];
        even[i + 8] = odd[i] = odd[i + 8] = 0;
    }
    GECC_UNROLL
    for (int i = 0; i < 8; i += 2) {
        montgomery_row<M>(even + i, odd + i, i == 0 ? 0 : odd[i - 1], modulus);
        montgomery_row<M>(odd + i, even + i + 2, even[i + 1], modulus);
    }
    u32 top = add<8>(r, even + 8, odd + 7);
    top += add<8>(r, r, t + 8);
    u32 reduced[8];
    u32 borrow = sub<8>(reduced, r, modulus);
    GECC_CHECK(top <= 1);
    words_select(r, (0 - top) | ~borrow, reduced, r);
    GECC_CHECK(words_less(r, modulus));
}

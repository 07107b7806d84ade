// Montgomery reduction modulo a group order n = 2^256 - a 2^224 + b 2^192 - c 2^128 + low, low <
// 2^128: multiplications are only needed for `low`, the rest of n is additions and subtractions. R
// = 2^256, in two blocks of 128 bits.
#pragma once
#include "field/modulus.cuh"

// One row, as in field/montgomery.cuh but for a modulus of four words.
GECC_FN u32 sparse_row(u32* own, u32* other, u32 below, const u32* low) {
    u32 word = own[0] + below;
    u32 m = word * OrderModulus::neg_inv32();
    u32 carry = add_products_after<2>(other, low + 1, m, own[0], below);
    GECC_CHECK(carry == 0);
    (void)carry;
    own[0] = word;
    own[4] = add_products<2>(own, low, m);
    return m;
}

// Computes m of four words with t + m low = 0 modulo 2^128; (t + m low) / 2^128 is `above` plus the
// returned carry times 2^128.
GECC_FN u32 sparse_block(u32* m, u32* above, const u32* t) {
    const u32 n[8] = GECC_N;
    const u32 low[4] = {n[0], n[1], n[2], n[3]};
    u32 even[8], odd[7];  // even[k] is word k, odd[k] word k + 1
    GECC_UNROLL
    for (int i = 0; i < 4; i++) {
        even[i] = t[i];
        odd[i] = even[i + 4] = 0;
    }
    odd[4] = odd[5] = 0;
    m[0] = sparse_row(even, odd, 0, low);
    m[1] = sparse_row(odd, even + 2, even[1], low);
    m[2] = sparse_row(even + 2, odd + 2, odd[1], low);
    m[3] = sparse_row(odd + 2, even + 4, even[3], low);
    return add<4>(above, even + 4, odd + 3);
}

// r = t / R mod n, canonical, for t < R n: t / R + m n / R < 2 n.
GECC_FN void sparse_reduce(u32* r, const u32* t) {
    const u32 n[8] = GECC_N;
    u32 m[8], above[4], middle[4], scaled[9];  // scaled = c m

    // Words 4 .. 7: the carry-over of the first block, and the terms of its m below 2^256. The
    // carry out of word 7 is kept for word 8.
    u32 carry_low = sparse_block(m, above, t);
    u32 carry = add<4>(middle, t + 4, above);
    GECC_UNROLL
    for (int i = 0; i < 4; i++) scaled[i] = GECC_N_MINUS_128 == 1 ? m[i] : m[i] << 1 | (i > 0 ? m[i - 1] >> 31 : 0);
    u32 borrow = sub<4>(middle, middle, scaled);
#if GECC_N_PLUS_192
    u32 carry_192 = add<2>(middle + 2, middle + 2, m);
#endif
#if GECC_N_MINUS_224
    u32 borrow_224 = mask_if(middle[3] < m[0]);
    middle[3] -= m[0];
#endif
    u32 carry_high = sparse_block(m + 4, above, middle);
    GECC_UNROLL
    for (int i = 4; i < 8; i++) scaled[i] = GECC_N_MINUS_128 == 1 ? m[i] : m[i] << 1 | m[i - 1] >> 31;
    scaled[8] = GECC_N_MINUS_128 == 1 ? 0 : m[7] >> 31;

    // Words 8 .. 15.
    u32 top = add_carry<8>(r, t + 8, m, carry);
    u32 upper[8] = {above[0], above[1], above[2], above[3], carry_high, 0, 0, 0};
    top += add_carry<8>(r, r, upper, carry_low);
#if GECC_N_PLUS_192
    u32 shifted_192[8] = {m[2], m[3], m[4], m[5], m[6], m[7], 0, 0};
    top += add_carry<8>(r, r, shifted_192, carry_192);
#endif
    u32 lower[8] = {scaled[4], scaled[5], scaled[6], scaled[7], scaled[8], 0, 0, 0};
    top += sub_borrow<8>(r, r, lower, borrow);
#if GECC_N_MINUS_224
    u32 shifted_224[8] = {m[1], m[2], m[3], m[4], m[5], m[6], m[7], 0};
    top += sub_borrow<8>(r, r, shifted_224, borrow_224);
#endif
    u32 reduced[8];
    borrow = sub<8>(reduced, r, n);
    GECC_CHECK(top <= 1);
    words_select(r, (0 - top) | ~borrow, reduced, r);
    GECC_CHECK(words_less(r, n));
}

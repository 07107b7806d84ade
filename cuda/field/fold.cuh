// Pseudo-Mersenne reduction modulo p = 2^256 - c with c = 2^32 + c0, c0 < 2^31 (secp256k1): the
// high half times c is folded onto the low half. Values are any 256-bit number congruent to the
// residue ("loose"); 9 wide multiplications.
#pragma once
#include "curve.cuh"
#include "primitives/words.cuh"

// r += carry c modulo p, for a carry of 0 or 1.
GECC_FN void fold_carry(u32* r, u32 carry) {
    const u32 c[2] = GECC_FOLD_C;
    u32 fold[8] = {carry * c[0], carry, 0, 0, 0, 0, 0, 0};
    carry = add<8>(r, r, fold);
    // After a carry r < c, so adding c once more affects only the two low words, with no carry
    // beyond word 2.
    u32 again[3] = {carry * c[0], carry, 0};
    carry = add<3>(r, r, again);
    GECC_CHECK(carry == 0);
}

// r -= c modulo p if the mask `borrow` is set.
GECC_FN void fold_borrow(u32* r, u32 borrow) {
    const u32 c[2] = GECC_FOLD_C;
    u32 fold[8] = {borrow & c[0], borrow & c[1], 0, 0, 0, 0, 0, 0};
    borrow = sub<8>(r, r, fold);
    // After a borrow r >= 2^256 - c, so its words 2 .. 7 are all ones, and subtracting c once more
    // borrows nothing from them.
    u32 again[3] = {borrow & c[0], borrow & c[1], 0};
    borrow = sub<3>(r, r, again);
    GECC_CHECK(borrow == 0);
}

// r = t mod p with the part above 2^256 in words 8 and 9, for any t of sixteen words: at most c
// there.
GECC_FN void fold_high_half(u32* r, const u32* t) {
    const u32 c[2] = GECC_FOLD_C;
    const u32* high = t + 8;
    // high c = high c0 + high 2^32. The odd products are added to high 2^32, the even ones to the
    // low half.
    u32 odd[9];  // words 1 ..
    GECC_UNROLL
    for (int i = 0; i < 8; i++) odd[i] = high[i];
    odd[8] = add_products<4>(odd, high + 1, c[0]);
    GECC_UNROLL
    for (int i = 0; i < 8; i++) r[i] = t[i];
    r[8] = add_products<4>(r, high, c[0]);
    r[9] = 0;
    add<9>(r + 1, r + 1, odd);
    // If word 9 is 1, word 8 is at most c0, so that their sum in fold_reduce fits a word.
    GECC_CHECK(r[9] <= 1 && (r[9] == 0 || r[8] <= c[0]));
}

// r = t mod p, loose, for any t of sixteen words.
GECC_FN void fold_reduce(u32* r, const u32* t) {
    const u32 c[2] = GECC_FOLD_C;
    u32 sum[10];
    fold_high_half(sum, t);
    u32 fold[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    products<1>(fold, sum + 8, c[0]);
    u32 shifted[2] = {sum[8] + sum[9] * c[0], sum[9]};
    add<2>(fold + 1, fold + 1, shifted);
    u32 carry = add<8>(r, sum, fold);
    // As in fold_carry: after a carry r is small.
    u32 again[3] = {carry * c[0], carry, 0};
    carry = add<3>(r, r, again);
    GECC_CHECK(carry == 0);
}

// r = open mod p, loose, for a two's-complement number of ten words whose upper two are between
// -2^33 and 2^33.
GECC_FN void fold_settle(u32* r, const u32* open) {
    const u32 c[2] = GECC_FOLD_C;
    // (open8 + open9 2^32) c, below 2^67 in magnitude: three words and their sign.
    u32 low[3] = {0, 0, 0};
    products<1>(low, open + 8, c[0]);
    i64 middle = (i64)open[8] + (i64)(i32)open[9] * c[0];
    u32 shifted[2] = {(u32)middle, (u32)(middle >> 32) + open[9]};
    add<2>(low + 1, low + 1, shifted);
    u32 sign = (u32)((i32)low[2] >> 31);
    u32 fold[8] = {low[0], low[1], low[2], sign, sign, sign, sign, sign};
    u32 carry = add<8>(r, open, fold) + sign;
    // 1, 0 or -1. After 1 r is small, after -1 it is less than 2^67 below 2^256: in either case c
    // stays in the low words.
    u32 carry_sign = (u32)((i32)carry >> 31);
    u32 again[3] = {carry * c[0], carry + carry_sign, carry_sign};
    carry = add<3>(r, r, again);
    GECC_CHECK(carry + carry_sign == 0);
}

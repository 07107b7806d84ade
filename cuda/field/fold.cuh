// Reduction modulo p = 2^256 - c with c = 2^32 + c0, c0 < 2^31 (secp256k1): the high half times c folds onto the low
// half. Values are any 256-bit number congruent to the residue ("loose"); 9 wide multiplications.
#pragma once
#include "curve.cuh"
#include "primitives/words.cuh"

// r += carry c modulo p, for a carry of 0 or 1.
GECC_FN void fold_carry(u32* r, u32 carry) {
    const u32 c[2] = GECC_FOLD_C;
    u32 fold[8] = {carry * c[0], carry, 0, 0, 0, 0, 0, 0};
    carry = add<8>(r, r, fold);
    // After a carry r < c, so adding c once more stays in the two low words and carries nothing beyond word 2.
    u32 again[3] = {carry * c[0], carry, 0};
    carry = add<3>(r, r, again);
    GECC_CHECK(carry == 0);
}

// r -= borrow c modulo p, for a borrow of 0 or 1.
GECC_FN void fold_borrow(u32* r, u32 borrow) {
    const u32 c[2] = GECC_FOLD_C;
    u32 fold[8] = {borrow * c[0], borrow, 0, 0, 0, 0, 0, 0};
    borrow = sub<8>(r, r, fold);
    // After a borrow r >= 2^256 - c, so its words 2 .. 7 are all ones and taking c once more borrows nothing of them.
    u32 again[3] = {borrow * c[0], borrow, 0};
    borrow = sub<3>(r, r, again);
    GECC_CHECK(borrow == 0);
}

// r = t mod p, loose, for any t of sixteen words.
GECC_FN void fold_reduce(u32* r, const u32* t) {
    const u32 c[2] = GECC_FOLD_C;
    const u32* high = t + 8;
    // high c = high c0 + high 2^32. The odd products are added to high 2^32, the even ones to the low half.
    u32 odd[9];  // words 1 ..
    GECC_UNROLL
    for (int i = 0; i < 8; i++) odd[i] = high[i];
    odd[8] = add_products<4>(odd, high + 1, c[0]);
    u32 sum[10];
    GECC_UNROLL
    for (int i = 0; i < 8; i++) sum[i] = t[i];
    sum[8] = add_products<4>(sum, high, c[0]);
    sum[9] = 0;
    add<9>(sum + 1, sum + 1, odd);

    // What is above 2^256, t8 + t9 2^32, is at most c: where t9 = 1, t8 <= c0, so t8 + t9 c0 fits a word.
    GECC_CHECK(sum[9] <= 1 && (sum[9] == 0 || sum[8] <= c[0]));
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

// Pseudo-Mersenne reduction modulo p = 2^255 - c with c < 32 (2^255 - 19): the part above 2^256,
// times 2c, is folded onto the rest, since 2^256 = 2c modulo p. Values are any number below 2^256
// congruent to the residue ("loose"), so each residue has two or three representations; 9 wide
// multiplications.
#pragma once
#include "curve.cuh"
#include "primitives/words.cuh"

static constexpr u32 kFold = 2 * GECC_FOLD_255_C;

// r += 2c carry modulo p, for a carry so small that the product is a word.
GECC_FN void fold_carry(u32* r, u32 carry) {
    u32 fold[8] = {carry * kFold, 0, 0, 0, 0, 0, 0, 0};
    carry = add<8>(r, r, fold);
    // After a carry, the result fits a word, and is so small that adding 2c does not carry.
    r[0] += carry * kFold;
}

// r -= 2c modulo p if the mask `borrow` is set.
GECC_FN void fold_borrow(u32* r, u32 borrow) {
    u32 fold[8] = {borrow & kFold, 0, 0, 0, 0, 0, 0, 0};
    borrow = sub<8>(r, r, fold);
    // After a borrow, the result is at least 2^256 - 2c.
    r[0] -= borrow & kFold;
}

// r = t mod p, loose, for any t of sixteen words.
GECC_FN void fold_reduce(u32* r, const u32* t) {
    const u32* high = t + 8;
    // The products at odd positions, the last of which is below 2^38, and those at even positions
    // plus the lower half.
    u32 odd[8], sum[9];
    products<4>(odd, high + 1, kFold);
    GECC_UNROLL
    for (int i = 0; i < 8; i++) sum[i] = t[i];
    sum[8] = add_products<4>(sum, high, kFold);
    u32 carry = add<8>(sum + 1, sum + 1, odd);
    // The sum is below 2^256 (2c + 1).
    GECC_CHECK(carry == 0 && sum[8] <= kFold);
    (void)carry;
    words_copy(r, sum);
    fold_carry(r, sum[8]);
}

// r = factor a mod p, loose, for a factor below 2^26.
GECC_FN void fold_multiply(u32* r, const u32* a, u32 factor) {
    // The products at odd positions and those at even positions.
    u32 odd[8], sum[9];
    products<4>(odd, a + 1, factor);
    products<4>(sum, a, factor);
    sum[8] = 0;
    u32 carry = add<8>(sum + 1, sum + 1, odd);
    // The product is below 2^256 factor.
    GECC_CHECK(carry == 0 && sum[8] <= factor);
    (void)carry;
    words_copy(r, sum);
    fold_carry(r, sum[8]);
}

// r = a mod p, below p, for any a of eight words.
GECC_FN void fold_canonical(u32* r, const u32* a) {
    // Below 2^255 + c at first, and then below 2^255 except for numbers from p on, which one more
    // subtraction reduces.
    u32 once[8], shifted[8];
    u32 fold[8] = {(a[7] >> 31) * GECC_FOLD_255_C, 0, 0, 0, 0, 0, 0, 0};
    words_copy(once, a);
    once[7] &= 0x7fffffff;
    add<8>(once, once, fold);
    // once >= p exactly if once + c >= 2^255.
    const u32 c[8] = {GECC_FOLD_255_C, 0, 0, 0, 0, 0, 0, 0};
    add<8>(shifted, once, c);
    u32 is_large = 0 - (shifted[7] >> 31);
    shifted[7] &= 0x7fffffff;
    words_select(r, is_large, shifted, once);
}

// Montgomery reduction modulo the P-256 prime p = 2^256 - 2^224 + 2^192 + 2^96 - 1 by additions and
// subtractions.
//
// With R = 2^256: p = -1 mod 2^96, so t + m p = 0 mod R for
//     m = t + m 2^96 + m 2^192 - m 2^224 mod R,
// from which m is computed word by word; (t + m p) / R is the high half of t plus the terms' parts
// above R.
#pragma once
#include "primitives/words.cuh"

// r += top (2^256 - p), for top <= 1.
GECC_FN u32 p_subtract(u32* r, u32 top) {
    u32 mask = 0 - top;
    u32 complement[8] = {top, 0, 0, mask, mask, mask, mask << 1, 0};
    return add<8>(r, r, complement);
}

// r = t / 2^256 mod p with the part above 2^256 in word 8: t < 2^512 gives (t + m p) / R < R + p,
// so it is at most 1.
GECC_FN void p_reduce_open(u32* r, const u32* t) {
    u32 m[8];
    m[0] = t[0];
    m[1] = t[1];
    m[2] = t[2];
    u32 carry96 = add<3>(m + 3, t + 3, m);
    carry96 = add_carry<2>(m + 6, t + 6, m + 3, carry96);
    u32 carry192 = add<2>(m + 6, m + 6, m);
    u32 borrow224 = mask_if(m[7] < m[0]);
    m[7] -= m[0];

    // The part of m 2^96 + m 2^192 above R: words 5 .. 7 and 2 .. 7 of m.
    u32 first[7] = {m[2], m[3], m[4], m[5], m[6], m[7], 0};
    u32 second[7] = {m[5], m[6], m[7], 0, 0, 0, 0};
    u32 middle[8];
    add<7>(middle, first, second);
    middle[7] = 0;
    u32 top = add_carry<8>(r, t + 8, m, carry96);
    top += add_carry<8>(r, r, middle, carry192);
    u32 shifted[8] = {m[1], m[2], m[3], m[4], m[5], m[6], m[7], 0};
    top += sub_borrow<8>(r, r, shifted, borrow224);
    GECC_CHECK(top <= 1);
    r[8] = top;
}

// Since 2^256 - p is below 2^224, a top word counts as beyond the limit only if it is
// (open_settle).
static constexpr u32 kSettleMargin = 0;

// q (2^256 - p) = q (2^224 - 2^192 - 2^96 + 1) modulo 2^256, for a small q of either sign.
GECC_FN void p_complement(u32* r, u32 q) {
    u32 negative = (u32)((i32)q >> 31), positive = (u32)((i32)(0 - q) >> 31);
    const u32 words[8] = {q, negative, negative, negative - q, positive, positive, positive - q, positive + q};
    words_copy(r, words);
}

// Montgomery reduction modulo the SM2 prime p = 2^256 - 2^224 - 2^96 + 2^64 - 1 by additions and
// subtractions.
//
// With R = 2^256 and s = 2^32 - 1: s (2^224 - 2^64) = 2^256 - 2^224 - 2^96 + 2^64 = p + 1. So t + m
// p = 0 mod R for
//     m = t + (m s) 2^224 - (m s) 2^64 mod R,
// from which m is computed two words at a time, and (t + m p) / R is the high half of t plus the
// parts of (m s)(2^224 - 2^64) and of the carries of the low half above R.
#pragma once
#include "primitives/words.cuh"

// r += top (2^256 - p), for top <= 1.
GECC_FN u32 p_subtract(u32* r, u32 top) {
    u32 complement[8] = {top, 0, 0 - top, 0, 0, 0, 0, top};
    return add<8>(r, r, complement);
}

// r = t / 2^256 mod p with the part above 2^256 in word 8: t < 2^512 gives (t + m p) / R < R + p,
// so it is at most 1.
GECC_FN void p_reduce_open(u32* r, const u32* t) {
    u32 m[8], s[9];  // s = m (2^32 - 1); between blocks, `rest` is the carry of the lower words of m into the next
    m[0] = t[0];
    m[1] = t[1];
    u32 rest = 0, borrow = 0, word7 = 0;
    GECC_UNROLL
    for (int k = 0; k < 8; k += 2) {
        u32 minuend[3] = {rest, m[k], m[k + 1]};
        u32 subtrahend[3] = {m[k], m[k + 1], 0};
        u32 block[3];
        sub<3>(block, minuend, subtrahend);
        s[k] = block[0];
        s[k + 1] = block[1];
        rest = block[2];
        if (k < 6) borrow = k == 0 ? sub<2>(m + 2, t + 2, s) : sub_borrow<2>(m + k + 2, t + k + 2, s + k, borrow);
        // (m s) 2^224 starts at word 7; the carry of this addition is recomputed in the long chain
        // below.
        if (k == 4) {
            word7 = m[7];
            m[7] += s[0];
        }
    }
    s[8] = rest;

    u32 low[9], sum[9];
    low[0] = word7;
    GECC_UNROLL
    for (int i = 0; i < 8; i++) low[i + 1] = t[i + 8];
    u32 carry = add<9>(sum, low, s);
    u32 tail[8] = {s[6], s[7], s[8], 0, 0, 0, 0, 0};
    u32 top = carry + sub_borrow<8>(r, sum + 1, tail, borrow);
    GECC_CHECK(top <= 1);
    r[8] = top;
}

// Since 2^256 - p exceeds 2^224 here, a top word next to the limit counts as beyond it
// (open_settle).
static constexpr u32 kSettleMargin = 1;

// q (2^256 - p) = q (2^224 + 2^96 - 2^64 + 1) modulo 2^256, for a small q of either sign.
GECC_FN void p_complement(u32* r, u32 q) {
    u32 negative = (u32)((i32)q >> 31), positive = (u32)((i32)(0 - q) >> 31);
    const u32 words[8] = {q, negative, negative - q, positive + q, negative, negative, negative, negative + q};
    words_copy(r, words);
}

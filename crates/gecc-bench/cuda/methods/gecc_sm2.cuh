// gECC (Xiong et al., TACO 2025) for the SM2 prime p = 2^256 - 2^224 - 2^96 + 2^64 - 1, a constant
// here: as methods/gecc_sos.cuh, with a reduction of additions and subtractions.
//
// -p^-1 = 1 modulo 2^32, so that word i of t is m_i itself, and t + m p = 0 modulo R = 2^256 gives
//     m = t + m 2^64 - m 2^96 - m 2^224 mod R,
// word by word; the carries of these chains wait until the words above are known. (t + m p) / R is
// the high half of t and m, plus what the chains leave above R.
#pragma once
#include "modular/rows.cuh"

struct GeccSm2 : WordMethod<8> {
    typedef WordNumber<8> Number;
    using WordMethod<8>::WordMethod;

    // r = t / R mod p, below R, for any t of sixteen words: (t + m p) / R < R + p.
    static GECC_MEMBER void reduce(u32* r, const u32* t) {
        u32 m[8] = {t[0], t[1]};
        u32 carry = add<2>(m + 2, t + 2, m);
        u32 borrow = mask_if(m[3] < m[0]);
        m[3] -= m[0];
        carry = add_carry<2>(m + 4, t + 4, m + 2, carry);
        borrow = sub_borrow<2>(m + 4, m + 4, m + 1, borrow);
        carry = add_carry<2>(m + 6, t + 6, m + 4, carry);
        borrow = sub_borrow<2>(m + 6, m + 6, m + 3, borrow);
        u32 borrow_224 = mask_if(m[7] < m[0]);
        m[7] -= m[0];

        const u32 above_64[8] = {m[6], m[7], 0, 0, 0, 0, 0, 0}, above_96[8] = {m[5], m[6], m[7], 0, 0, 0, 0, 0};
        const u32 above_224[8] = {m[1], m[2], m[3], m[4], m[5], m[6], m[7], 0};
        u32 top = add<8>(r, t + 8, m);
        top += add_carry<8>(r, r, above_64, carry);
        top += sub_borrow<8>(r, r, above_96, borrow);
        top += sub_borrow<8>(r, r, above_224, borrow_224);
        GECC_CHECK(top <= 1);
        const u32 complement[8] = {top, 0, 0 - top, 0, 0, 0, 0, top};  // top (R - p)
        add<8>(r, r, complement);
    }
    GECC_MEMBER Number mul(const Number& a, const Number& b) const {
        u32 t[16];
        Number r;
        rows_product<8>(t, a.v, b.v);
        reduce(r.v, t);
        return r;
    }
    GECC_MEMBER Number sqr(const Number& a) const {
        u32 t[16];
        Number r;
        rows_square<8>(t, a.v);
        reduce(r.v, t);
        return r;
    }
};

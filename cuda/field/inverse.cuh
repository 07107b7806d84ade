// Inversion by division steps (Bernstein and Yang, "Fast constant-time gcd computation and modular
// inversion", 2019; half-delta variant). No branch and no address depends on the value.
//
// f, g start as the modulus and the value; 590 steps reach g = 0, f = +-gcd for any 256-bit odd
// modulus. The steps run in blocks of 30 on the low words alone; the resulting 2 x 2 matrix, with
// entries of at most 2^30 in magnitude, is then applied to f, g (divided by 2^30 exactly) and,
// modulo M, to the cofactors d, e. Numbers are nine limbs of 30 bits, least significant first;
// limbs are in [0, 2^30) except the top one, which carries the sign.
#pragma once
#include "field/modulus.cuh"

static constexpr int kLimbs = 9;
static constexpr int kStepBlocks = 20;  // 600 >= 590 steps
static constexpr u32 kLimbMask = 0x3fffffff;

struct DivstepMatrix {
    i32 u, v, q, r;
};

// Returns limb i of a number of eight words.
GECC_FN i32 limb30(const u32* words, int i) {
    int bit = 30 * i, word = bit >> 5, shift = bit & 31;
    u32 low = words[word] >> shift;
    u32 high = shift > 2 && word < 7 ? words[word + 1] << (32 - shift) : 0;
    return (i32)((low | high) & kLimbMask);
}

// Makes thirty steps on the low words of f and g. theta is the negated half-delta: a swap happens
// if it is negative.
GECC_FN i32 divsteps_30(DivstepMatrix& t, i32 theta, u32 f, u32 g) {
    u32 u = 1, v = 0, q = 0, r = 1;
    GECC_UNROLL_BY_6
    for (int i = 0; i < 30; i++) {
        // Invariant: (u f0 + v g0) = 2^i f and (q f0 + r g0) = 2^i g modulo 2^32.
        u32 odd = 0 - (g & 1);
        u32 swap = odd & (u32)(theta >> 31);
        // g odd, delta positive: (f, g) <- (g, (g - f) / 2); g odd otherwise: g <- (g + f) / 2; g
        // even: g <- g / 2.
        u32 old_f = f, old_u = u, old_v = v;
        f ^= (f ^ g) & swap;
        u ^= (u ^ q) & swap;
        v ^= (v ^ r) & swap;
        g += ((old_f ^ swap) - swap) & odd;
        q += ((old_u ^ swap) - swap) & odd;
        r += ((old_v ^ swap) - swap) & odd;
        theta = (theta ^ (i32)swap) - 1;
        g >>= 1;
        u <<= 1;
        v <<= 1;
    }
    t.u = (i32)u;
    t.v = (i32)v;
    t.q = (i32)q;
    t.r = (i32)r;
    return theta;
}

// (f, g) <- t (f, g) / 2^30, exactly.
GECC_FN void apply_to_values(i32* f, i32* g, const DivstepMatrix& t) {
    i64 cf = (i64)t.u * f[0] + (i64)t.v * g[0];
    i64 cg = (i64)t.q * f[0] + (i64)t.r * g[0];
    GECC_CHECK(((u32)cf & kLimbMask) == 0 && ((u32)cg & kLimbMask) == 0);
    cf >>= 30;
    cg >>= 30;
    GECC_UNROLL
    for (int i = 1; i < kLimbs; i++) {
        i32 fi = f[i], gi = g[i];
        cf += (i64)t.u * fi + (i64)t.v * gi;
        cg += (i64)t.q * fi + (i64)t.r * gi;
        f[i - 1] = (i32)((u32)cf & kLimbMask);
        g[i - 1] = (i32)((u32)cg & kLimbMask);
        cf >>= 30;
        cg >>= 30;
    }
    f[kLimbs - 1] = (i32)cf;
    g[kLimbs - 1] = (i32)cg;
}

// (d, e) <- t (d, e) / 2^30 modulo M. Input and output are in (-2M, M): M is first added to a
// negative input (through the matrix), then the multiple of M in [0, 2^30) that makes the division
// exact.
template <class M> GECC_FN void apply_to_cofactors(i32* d, i32* e, const DivstepMatrix& t, const i32* modulus) {
    i32 d_negative = d[kLimbs - 1] >> 31, e_negative = e[kLimbs - 1] >> 31;
    i32 md = (t.u & d_negative) + (t.v & e_negative);
    i32 me = (t.q & d_negative) + (t.r & e_negative);
    i64 cd = (i64)t.u * d[0] + (i64)t.v * e[0];
    i64 ce = (i64)t.q * d[0] + (i64)t.r * e[0];
    md -= (i32)((M::inv30() * (u32)cd + (u32)md) & kLimbMask);
    me -= (i32)((M::inv30() * (u32)ce + (u32)me) & kLimbMask);
    cd += (i64)modulus[0] * md;
    ce += (i64)modulus[0] * me;
    GECC_CHECK(((u32)cd & kLimbMask) == 0 && ((u32)ce & kLimbMask) == 0);
    cd >>= 30;
    ce >>= 30;
    GECC_UNROLL
    for (int i = 1; i < kLimbs; i++) {
        i32 di = d[i], ei = e[i];
        cd += (i64)t.u * di + (i64)t.v * ei + (i64)modulus[i] * md;
        ce += (i64)t.q * di + (i64)t.r * ei + (i64)modulus[i] * me;
        d[i - 1] = (i32)((u32)cd & kLimbMask);
        e[i - 1] = (i32)((u32)ce & kLimbMask);
        cd >>= 30;
        ce >>= 30;
    }
    d[kLimbs - 1] = (i32)cd;
    e[kLimbs - 1] = (i32)ce;
}

// Adds M if the top limb is negative, and propagates carries.
GECC_FN void add_modulus_if_negative(i32* d, const i32* modulus) {
    i32 mask = d[kLimbs - 1] >> 31;
    i32 carry = 0;
    GECC_UNROLL
    for (int i = 0; i < kLimbs; i++) {
        i32 limb = d[i] + (modulus[i] & mask) + carry;
        carry = limb >> 30;
        d[i] = i < kLimbs - 1 ? (i32)((u32)limb & kLimbMask) : limb;
    }
}

GECC_FN void negate_limbs(i32* d, i32 mask) {
    i32 carry = 0;
    GECC_UNROLL
    for (int i = 0; i < kLimbs; i++) {
        i32 limb = ((d[i] ^ mask) - mask) + carry;
        carry = limb >> 30;
        d[i] = i < kLimbs - 1 ? (i32)((u32)limb & kLimbMask) : limb;
    }
}

// Passed by value, so that a call passes registers and not a stack frame.
struct EightWords {
    u32 v[8];
};

// 1 / a modulo M, canonical, for a below M; 0 for 0.
template <class M> GECC_SHARED_FN EightWords divsteps_inverse(EightWords a) {
    EightWords r;
    i32 modulus[kLimbs], f[kLimbs], g[kLimbs], d[kLimbs], e[kLimbs];
    u32 modulus_words[8];
    GECC_UNROLL
    for (int i = 0; i < 8; i++) modulus_words[i] = M::word(i);
    GECC_UNROLL
    for (int i = 0; i < kLimbs; i++) {
        f[i] = modulus[i] = limb30(modulus_words, i);
        g[i] = limb30(a.v, i);
        d[i] = 0;
        e[i] = i == 0;
    }
    // delta = 1/2 is theta = -1.
    i32 theta = -1;
    GECC_NO_UNROLL
    for (int block = 0; block < kStepBlocks; block++) {
        DivstepMatrix t;
        theta = divsteps_30(t, theta, (u32)f[0] | (u32)f[1] << 30, (u32)g[0] | (u32)g[1] << 30);
        apply_to_values(f, g, t);
        apply_to_cofactors<M>(d, e, t, modulus);
    }
    // f = +-1 (for a = 0: f = M and d = 0), and d f is the inverse: mapped from (-2M, M) to [0, M).
    add_modulus_if_negative(d, modulus);
    negate_limbs(d, f[kLimbs - 1] >> 31);
    add_modulus_if_negative(d, modulus);
    GECC_UNROLL
    for (int i = 0; i < 8; i++) {
        int bit = 32 * i, limb = bit / 30, shift = bit % 30;
        u32 word = (u32)d[limb] >> shift | (u32)d[limb + 1] << (30 - shift);
        r.v[i] = word;
    }
    return r;
}

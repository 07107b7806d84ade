// Montgomery multiplication in double precision (Emmart, Zheng, Weems, 2018): limbs of 52 bits,
// which the paper calls samples, held as doubles, over a group of T lanes with S limbs each. Any
// odd modulus, at run time.
//
// For limbs a, b <= 2^52, rounding toward zero, h = fma(a, b, 2^104) is 2^104 plus the high 52 bits
// of the product, and fma(a, b, 2^104 + 2^52 - h) is 2^52 plus its low 52 bits, both exact. Their
// bit patterns are the halves plus a constant (the exponent), and are added as 64-bit integers; the
// constants that a column accumulates are known beforehand and are part of its initial value.
//
// With R = 2^(52TS) >= 4M and numbers below 2M, a b / R + q M / R < 2M: no subtraction is ever
// needed (Walter). A limb may equal 2^52, so that carries only need to move one lane.
//
// A lane is a thread; on the CPU, and for T = 1, one thread plays all lanes. All lanes of a warp
// must call together.
#pragma once
#include "modular/method.cuh"

static constexpr int kSampleBits = 52;
static constexpr u64 kSampleMask = ((u64)1 << kSampleBits) - 1;
static constexpr u64 kLowBias = 0x4330000000000000ull;   // the bits of 2^52
static constexpr u64 kHighBias = 0x4670000000000000ull;  // the bits of 2^104

#ifdef __CUDACC__
GECC_FN double fma_toward_zero(double a, double b, double c) {
    return __fma_rz(a, b, c);
}
GECC_FN u64 bits_of(double a) {
    return (u64)__double_as_longlong(a);
}
GECC_FN double double_of(u64 bits) {
    return __longlong_as_double((i64)bits);
}
#else
// The program must have set the rounding mode to toward zero. All other operations here are exact.
GECC_FN double fma_toward_zero(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}
GECC_FN u64 bits_of(double a) {
    u64 bits;
    __builtin_memcpy(&bits, &a, sizeof bits);
    return bits;
}
GECC_FN double double_of(u64 bits) {
    double a;
    __builtin_memcpy(&a, &bits, sizeof a);
    return a;
}
#endif

// Returns the double of an integer up to 2^52.
GECC_FN double sample_of(u64 integer) {
    return double_of(integer + kLowBias) - 0x1p52;
}

GECC_FN u64 integer_of(double sample) {
    return bits_of(sample + 0x1p52) - kLowBias;
}

// Returns 52 bits from bit 52k on of a number of `count` words, whose word w is words(w).
template <class Words> GECC_FN u64 sample_bits(const Words& words, int count, int k) {
    int bit = kSampleBits * k, w = bit >> 5, shift = bit & 31;
    u64 low = w < count ? words(w) : 0, middle = w + 1 < count ? words(w + 1) : 0;
    u64 bits = (low | middle << 32) >> shift;
    if (shift > 0 && w + 2 < count) bits |= (u64)words(w + 2) << (64 - shift);
    return bits & kSampleMask;
}

// Returns word w of a number in `count` limbs below 2^52, whose limb k is sample(k).
template <class Samples> GECC_FN u32 word_of_samples(const Samples& sample, int count, int w) {
    int bit = 32 * w, k = bit / kSampleBits, shift = bit % kSampleBits;
    u64 bits = k < count ? sample(k) >> shift : 0;
    if (shift > kSampleBits - 32 && k + 1 < count) bits |= sample(k + 1) << (kSampleBits - shift);
    return (u32)bits;
}

template <int T, int S> struct SampleGroup {
    static_assert(T == 1 || S >= 2, "a carry from the lane below stops at the second sample");
    static constexpr int kSamples = T * S;
#ifdef __CUDACC__
    static constexpr int kLanesHere = 1;
#else
    static constexpr int kLanesHere = T;
#endif
    struct Number {
        double v[kLanesHere][S];
    };
    Number modulus;
    double neg_inv;  // -M^-1 modulo 2^52

    // Returns the index in the group of the thread's lane `here`.
    static GECC_MEMBER int lane(int here) {
#ifdef __CUDACC__
        return T == 1 ? here : (int)(threadIdx.x & (T - 1));
#else
        return here;
#endif
    }
    // Returns the value of lane `source`, for all lanes.
    static GECC_MEMBER double broadcast(const double (&x)[kLanesHere], int source) {
#ifdef __CUDACC__
        return T == 1 ? x[0] : __shfl_sync(0xffffffffu, x[0], source, T);
#else
        return x[source];
#endif
    }
    // Returns the value of the lane `offset` below, or zero if it does not exist.
    static GECC_MEMBER void shift_lanes(u64 (&r)[kLanesHere], const u64 (&x)[kLanesHere], int offset) {
#ifdef __CUDACC__
        int source = lane(0) - offset;
        u64 value = T == 1 ? 0 : __shfl_sync(0xffffffffu, x[0], source, T);
        r[0] = source >= 0 && source < T ? value : 0;
#else
        for (int l = 0; l < T; l++) r[l] = l - offset >= 0 && l - offset < T ? x[l - offset] : 0;
#endif
    }

    // column[j] += low halves, column[j + 1] += high halves of a[j] b.
    static GECC_MEMBER void add_row(u64* column, const double* a, double b) {
        GECC_UNROLL
        for (int j = 0; j < S; j++) {
            double high = fma_toward_zero(a[j], b, 0x1p104);
            double low = fma_toward_zero(a[j], b, (0x1p104 + 0x1p52) - high);
            column[j] += bits_of(low);
            column[j + 1] += bits_of(high);
        }
    }
    // (column modulo 2^52) (-M^-1) modulo 2^52.
    GECC_MEMBER double quotient(double lowest) const {
        double high = fma_toward_zero(lowest, neg_inv, 0x1p104);
        return fma_toward_zero(lowest, neg_inv, (0x1p104 + 0x1p52) - high) - 0x1p52;
    }
    // Returns the sum of the constants that the remaining rows will add to a column at position j,
    // before it leaves the lane.
    static GECC_MEMBER constexpr u64 bias_to_come(int j) {
        return 2 * (u64)(j + 1) * kLowBias + 2 * (u64)j * kHighBias;
    }
    // Adds a row of the product and a row of the reduction, and moves all columns down by one
    // position. A column takes at most four halves per row and stays for TS rows: below 2^60 for 40
    // limbs.
    GECC_MEMBER void step(u64 (&column)[kLanesHere][S + 1], const Number& a, double factor) const {
        double lowest[kLanesHere];
        GECC_UNROLL
        for (int l = 0; l < kLanesHere; l++) {
            add_row(column[l], a.v[l], factor);
            lowest[l] = sample_of(column[l][0] & kSampleMask);
        }
        double q = quotient(broadcast(lowest, 0));
        u64 leaving[kLanesHere], arriving[kLanesHere];
        GECC_UNROLL
        for (int l = 0; l < kLanesHere; l++) {
            add_row(column[l], modulus.v[l], q);
            leaving[l] = column[l][0];
        }
        shift_lanes(arriving, leaving, -1);
        GECC_UNROLL
        for (int l = 0; l < kLanesHere; l++) {
            // The lowest column of all is now a multiple of 2^52.
            column[l][1] += lane(l) == 0 ? leaving[l] >> kSampleBits : 0;
            GECC_UNROLL
            for (int j = 0; j < S; j++) column[l][j] = column[l][j + 1];
            column[l][S - 1] += arriving[l];
            // The highest column takes high halves here, and then moves through all positions of
            // the lane.
            column[l][S] = 0 - bias_to_come(S - 1) - 2 * kHighBias;
        }
    }
    // Converts columns to limbs of at most 2^52 each.
    static GECC_MEMBER Number resolve(u64 (&column)[kLanesHere][S + 1]) {
        u64 leaving[kLanesHere], arriving[kLanesHere];
        GECC_UNROLL
        for (int l = 0; l < kLanesHere; l++) {
            u64 carry = 0;
            GECC_UNROLL
            for (int j = 0; j < S; j++) {
                column[l][j] += bias_to_come(j) + carry;
                carry = column[l][j] >> kSampleBits;
                column[l][j] &= kSampleMask;
            }
            leaving[l] = carry;
            GECC_CHECK(lane(l) < T - 1 || carry == 0);
        }
        shift_lanes(arriving, leaving, 1);
        Number r;
        GECC_UNROLL
        for (int l = 0; l < kLanesHere; l++) {
            if (T > 1) {
                column[l][0] += arriving[l];
                column[l][1] += column[l][0] >> kSampleBits;
                column[l][0] &= kSampleMask;
            }
            GECC_UNROLL
            for (int j = 0; j < S; j++) r.v[l][j] = sample_of(column[l][j]);
        }
        return r;
    }

    // a b / R, below 2M, for a b < 4M^2.
    GECC_MEMBER Number mul(const Number& a, const Number& b) const {
        u64 column[kLanesHere][S + 1];
        GECC_UNROLL
        for (int l = 0; l < kLanesHere; l++) {
            GECC_UNROLL
            for (int j = 0; j < S; j++) column[l][j] = 0 - bias_to_come(j);
            column[l][S] = 0 - bias_to_come(S - 1) - 2 * kHighBias;
        }
        GECC_NO_UNROLL
        for (int source = 0; source < T; source++) {
            GECC_UNROLL
            for (int s = 0; s < S; s++) {
                double samples[kLanesHere];
                GECC_UNROLL
                for (int l = 0; l < kLanesHere; l++) samples[l] = b.v[l][s];
                step(column, a, broadcast(samples, source));
            }
        }
        return resolve(column);
    }
};

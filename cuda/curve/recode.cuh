// Digits of scalars.
#pragma once
#include "curve.cuh"
#include "field/scalar.cuh"

// r >>= bits, for 0 < bits < 32.
template <int N> GECC_FN void shift_right(u32* r, int bits) {
    GECC_UNROLL
    for (int i = 0; i < N; i++) r[i] = r[i] >> bits | (i + 1 < N ? r[i + 1] << (32 - bits) : 0);
}

// Signed digits of `bits` bits in (-2^(bits-1), 2^(bits-1)], lowest first, of a number of N words.
// Variable time, for public scalars.
template <int N> struct SignedDigits {
    u32 rest[N];
    u32 carry, negate;
    int bits;
};

// A scalar above n / 2 is replaced by n - k, which gives the negated point. The result is below
// 2^255, so that ceil(256 / bits) digits suffice, including the carry out of the last.
GECC_FN SignedDigits<8> signed_digits_var(const sc& k, int bits) {
    SignedDigits<8> s;
    sc opposite = sc_neg(k);
    s.negate = words_less(opposite.v, k.v);
    words_copy(s.rest, s.negate ? opposite.v : k.v);
    s.carry = 0;
    s.bits = bits;
    return s;
}

// The digits of -a, for a number a of 128 bits: ceil(129 / bits) digits suffice.
GECC_FN SignedDigits<4> opposite_digits_var(const u32* a, int bits) {
    SignedDigits<4> s = {{a[0], a[1], a[2], a[3]}, 0, 1, bits};
    return s;
}

template <int N> GECC_FN i32 next_digit(SignedDigits<N>& s) {
    u32 window = (s.rest[0] & ((1u << s.bits) - 1)) + s.carry;
    shift_right<N>(s.rest, s.bits);
    s.carry = window > 1u << (s.bits - 1);
    i32 digit = (i32)window - (i32)(s.carry << s.bits);
    return s.negate ? -digit : digit;
}

// Odd digits: an odd k < 2^(W T) is the sum of d_i 2^(W i) for i < T, d_i = 2 b_i + 1 - 2^W, where
// the b_i are the windows of (k - 1) / 2 + 2^(W T - 1). No digit is zero and every scalar has the
// same number of them, so no branch is needed.
static constexpr int kWindowBits = 5;
static constexpr int kOddMultiples = 1 << (kWindowBits - 1);  // 1, 3, ..., 31

struct OddDigit {
    u32 index;     // |d| = 2 index + 1
    u32 negative;  // all ones or zero
};

template <int W> GECC_FN OddDigit odd_digit(u32 window) {
    OddDigit d;
    d.negative = (window >> (W - 1)) - 1;
    d.index = (window ^ d.negative) & ((1 << (W - 1)) - 1);
    return d;
}

static constexpr int kFullWindows = 52;  // for a scalar below n
#if GECC_HAS_ENDOMORPHISM
static constexpr int kScalars = 2;
static constexpr int kWindows = 26;  // k = k1 + k2 lambda with odd k1, k2 of at most 130 bits
static constexpr int kPartWords = 5;
#else
static constexpr int kScalars = 1;
static constexpr int kWindows = kFullWindows;
static constexpr int kPartWords = 8;
#endif

// A scalar of T windows of W bits, prepared for reading them from the top.
template <int T, int W = kWindowBits> struct OddScalar {
    static constexpr int kBits = W * T;
    static constexpr int kWords = (kBits + 31) / 32;
    u32 windows[kWords];  // (|k| - 1) / 2 + 2^(W T - 1), shifted so that the next window is on top
    u32 negative;         // all ones if the scalar is negated
};

// Prepares the windows from |k|, which must be odd, in windows[].
template <int T, int W> GECC_FN void prepare_windows(OddScalar<T, W>& s) {
    constexpr int words = OddScalar<T, W>::kWords, top = OddScalar<T, W>::kBits - 1, spare = 32 * words - 1 - top;
    GECC_CHECK(s.windows[0] & 1);
    shift_right<words>(s.windows, 1);
    s.windows[top >> 5] |= 1u << (top & 31);
    GECC_UNROLL
    for (int i = words - 1; i >= 0; i--)
        s.windows[i] = s.windows[i] << spare | (i > 0 ? s.windows[i - 1] >> (32 - spare) : 0);
}

template <int T, int W> GECC_FN OddDigit next_odd_digit(OddScalar<T, W>& s) {
    constexpr int words = OddScalar<T, W>::kWords;
    OddDigit d = odd_digit<W>(s.windows[words - 1] >> (32 - W));
    GECC_UNROLL
    for (int i = words - 1; i >= 0; i--)
        s.windows[i] = s.windows[i] << W | (i > 0 ? s.windows[i - 1] >> (32 - W) : 0);
    d.negative ^= s.negative;
    return d;
}

// For k < n: an even k is replaced by n - k, which is odd, and the sign is kept. Zero becomes n.
template <int T, int W> GECC_FN void odd_scalar(OddScalar<T, W>& s, const sc& k) {
    static_assert(OddScalar<T, W>::kBits > 256 && OddScalar<T, W>::kWords == 9, "nine words hold a scalar's windows");
    const u32 n[8] = GECC_N;
    u32 opposite[8];
    sub<8>(opposite, n, k.v);
    s.negative = (k.v[0] & 1) - 1;
    words_select(s.windows, s.negative, opposite, k.v);
    s.windows[8] = 0;
    prepare_windows(s);
}

#if GECC_HAS_ENDOMORPHISM
// Low five words of a b.
GECC_FN void product_160(u32* r, const u32* a, const u32* b) {
    u64 columns = 0;
    u32 high = 0;
    GECC_UNROLL
    for (int k = 0; k < 5; k++) {
        GECC_UNROLL
        for (int i = 0; i <= k; i++) {
            u64 term = (u64)a[i] * b[k - i];
            columns += term;
            high += columns < term;
        }
        r[k] = (u32)columns;
        columns = columns >> 32 | (u64)high << 32;
        high = 0;
    }
}

GECC_FN void sub_160(u32* r, const u32* a, const u32* b) {
    u32 borrow = 0;
    GECC_UNROLL
    for (int i = 0; i < 5; i++) {
        u64 difference = (u64)a[i] - b[i] - borrow;
        r[i] = (u32)difference;
        borrow = (u32)(difference >> 32) & 1;
    }
}

// r += a where mask is all ones.
GECC_FN void add_masked_160(u32* r, const u32* a, u32 mask) {
    u32 carry = 0;
    GECC_UNROLL
    for (int i = 0; i < 5; i++) {
        u64 sum = (u64)r[i] + (a[i] & mask) + carry;
        r[i] = (u32)sum;
        carry = (u32)(sum >> 32);
    }
}

// |a|, for a in two's complement; returns the mask that is set if a is negative.
GECC_FN u32 to_magnitude_160(u32* r, const u32* a) {
    const u32 zero[5] = {0, 0, 0, 0, 0};
    u32 opposite[5], negative = 0 - (a[4] >> 31);
    sub_160(opposite, zero, a);
    GECC_UNROLL
    for (int i = 0; i < 5; i++) r[i] = (opposite[i] & negative) | (a[i] & ~negative);
    return negative;
}

// round(k g / 2^384), five words.
GECC_FN void multiply_round_384(u32* r, const sc& k, const u32* g) {
    const u32 half[5] = {0x80000000, 0, 0, 0, 0};
    u32 t[16], tail[5], sum[5];
    product(t, k.v, g);
    GECC_UNROLL
    for (int i = 0; i < 5; i++) {
        tail[i] = t[11 + i];
        sum[i] = half[i];
    }
    add_masked_160(sum, tail, ~0u);
    GECC_UNROLL
    for (int i = 0; i < 4; i++) r[i] = sum[i + 1];
    r[4] = 0;
}

// Guide to Elliptic Curve Cryptography, algorithm 3.74, in two's complement modulo 2^160: |k1|,
// |k2| stay below 2^129.
GECC_FN void scalar_halves(u32* k1, u32* k2, const sc& k) {
    const u32 a1[5] = GECC_GLV_A1, b1[5] = GECC_GLV_B1, a2[5] = GECC_GLV_A2, b2[5] = GECC_GLV_B2;
    const u32 g1[8] = GECC_GLV_G1, g2[8] = GECC_GLV_G2;
    const u32 zero[5] = {0, 0, 0, 0, 0};
    u32 c1[5], c2[5], t[5];
    multiply_round_384(c1, k, g1);
    multiply_round_384(c2, k, g2);
    product_160(t, c1, a1);
    sub_160(k1, k.v, t);
    product_160(t, c2, a2);
    sub_160(k1, k1, t);
    product_160(t, c1, b1);
    sub_160(k2, zero, t);
    product_160(t, c2, b2);
    sub_160(k2, k2, t);
}

// The signed digits of both halves: k = k1 + k2 lambda. ceil(130 / bits) digits suffice.
GECC_FN void signed_parts_var(SignedDigits<kPartWords>* s, const sc& k, int bits) {
    u32 halves[kScalars][kPartWords];
    scalar_halves(halves[0], halves[1], k);
    GECC_UNROLL
    for (int half = 0; half < kScalars; half++) {
        s[half].negate = to_magnitude_160(s[half].rest, halves[half]);
        s[half].carry = 0;
        s[half].bits = bits;
    }
}

// Computes halves that are both odd, by adding a short lattice vector. The lattice has a vector
// that is odd in both components, (a1, b1), and one that is even in the first, (a2, b2), by the
// parities checked below; the three sums cover the three cases, and keep |k1|, |k2| below 2^130.
GECC_FN void split_scalar(OddScalar<kWindows>* s, const sc& k) {
    const u32 a1[5] = GECC_GLV_A1, b1[5] = GECC_GLV_B1, a2[5] = GECC_GLV_A2, b2[5] = GECC_GLV_B2;
    u32 k1[5], k2[5];
    scalar_halves(k1, k2, k);
    // (even, even) + (a1, b1); (odd, even) + (a2, b2); (even, odd) + both.
    u32 first = (k1[0] & 1) - 1, second = (k2[0] & 1) - 1;
    u32 use2 = first ^ second;
    add_masked_160(k1, a1, first);
    add_masked_160(k2, b1, first);
    add_masked_160(k1, a2, use2);
    add_masked_160(k2, b2, use2);
    s[0].negative = to_magnitude_160(s[0].windows, k1);
    s[1].negative = to_magnitude_160(s[1].windows, k2);
    prepare_windows(s[0]);
    prepare_windows(s[1]);
}

GECC_FN constexpr bool glv_parities_hold() {
    const u32 a1[5] = GECC_GLV_A1, b1[5] = GECC_GLV_B1, a2[5] = GECC_GLV_A2, b2[5] = GECC_GLV_B2;
    return (a1[0] & 1) && (b1[0] & 1) && !(a2[0] & 1) && (b2[0] & 1);
}
static_assert(glv_parities_hold(), "the lattice basis must be odd, odd / even, odd");
#else
GECC_FN void signed_parts_var(SignedDigits<kPartWords>* s, const sc& k, int bits) {
    *s = signed_digits_var(k, bits);
}

GECC_FN void split_scalar(OddScalar<kWindows>* s, const sc& k) {
    odd_scalar(*s, k);
}
#endif

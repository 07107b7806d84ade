// A scalar k as a ratio d / c of two numbers that are half as long (Antipa, Brown, Gallant,
// Lambert, Struik and Vanstone, SAC 2005), for a twisted Edwards curve. For public data: variable
// time.
//
// The equations S B - k A = R and c S B - d A = c R are equivalent, also for points with components
// of small order, if c k = d modulo the number of all points, h n, and c is coprime to it: h is a
// power of 2, so c must be odd, and below n.
#pragma once
#include "curve.cuh"
#include "field/scalar.cuh"

static constexpr int kHalfWords = 4;  // of a d that is short enough
static constexpr int kRowWords = 5;   // of a c

// c k = d modulo h n, or -d if the mask `opposite` is set.
struct EdRow {
    u32 c[kRowWords], d[8], opposite;
};

// Returns how many times the shorter d can be subtracted from the longer one, which is 2^128 or
// more, as far as their highest 32 bits determine it: at least once, and never too many times.
// Returns 0 if they do not determine it, because the other is shorter by 32 bits or so.
GECC_FN u32 ed_quotient(const u32* longer, const u32* shorter) {
    u32 high = longer[kHalfWords], low = longer[kHalfWords - 1];
    u32 other_high = shorter[kHalfWords], other_low = shorter[kHalfWords - 1];
    GECC_UNROLL
    for (int w = kHalfWords + 1; w < 8; w++) {
        bool is_higher = longer[w] != 0;
        high = is_higher ? longer[w] : high, low = is_higher ? longer[w - 1] : low;
        other_high = is_higher ? shorter[w] : other_high, other_low = is_higher ? shorter[w - 1] : other_low;
    }
    int zeros = leading_zeros(high);
    u32 of_longer = (u32)(((u64)high << 32 | low) << zeros >> 32);
    u32 of_shorter = (u32)(((u64)other_high << 32 | other_low) << zeros >> 32);
    if (of_shorter == 0) return 0;
    u32 quotient = of_shorter == ~0u ? 1 : of_longer / (of_shorter + 1);
    return quotient == 0 ? 1 : quotient;
}

// Subtracts a multiple of another row, whose sign is opposite, from this one: d - times d', c +
// times c'.
GECC_FN void ed_reduce(EdRow& row, const EdRow& other, u32 times) {
    u32 carry = 0, borrow = 0;
    GECC_UNROLL
    for (int w = 0; w < 8; w++) {
        u64 product = (u64)other.d[w] * times + carry;
        carry = (u32)(product >> 32);
        u64 difference = (u64)row.d[w] - (u32)product - borrow;
        row.d[w] = (u32)difference;
        borrow = (u32)(difference >> 32) & 1;
    }
    GECC_CHECK(carry == 0 && borrow == 0);
    carry = 0;
    GECC_UNROLL
    for (int w = 0; w < kRowWords; w++) {
        u64 sum = (u64)other.c[w] * times + row.c[w] + carry;
        row.c[w] = (u32)sum;
        carry = (u32)(sum >> 32);
    }
    GECC_CHECK(carry == 0);
}

// Returns the number of bits of the longer of both numbers.
GECC_FN int ed_bits(const EdRow& row) {
    int bits = 0;
    GECC_UNROLL
    for (int w = 0; w < 8; w++) {
        u32 both = row.d[w] | (w < kRowWords ? row.c[w] : 0);
        if (both != 0) bits = 32 * (w + 1) - leading_zeros(both);
    }
    return bits;
}

// Returns a row with an odd c: about 128 bits, and 131 or more for one in a hundred k. k must be
// below n.
//
// This is Euclid's algorithm on h n and k. Its two rows are a basis of all (c, d) with c k = d, and
// one of them has an odd c, because (1, k) is a sum of multiples of both. Their signs differ, and
// the sum of d of either row times c of the other is always h n: c is below 2^128 while the shorter
// d is 2^128 or more, and after one more step below 2^160, because d of the shorter row is then
// above 2^96.
GECC_FN EdRow ed_halves_var(const u32* k) {
    const u32 n[8] = GECC_N;
    EdRow longer = {}, shorter = {};
    GECC_UNROLL
    for (int w = 0; w < 8; w++) {
        u32 below = w > 0 ? n[w - 1] >> (32 - GECC_COFACTOR_DOUBLINGS) : 0;
        longer.d[w] = n[w] << GECC_COFACTOR_DOUBLINGS | below;
        shorter.d[w] = k[w];
    }
    longer.opposite = ~0u;
    shorter.c[0] = 1;
    GECC_NO_UNROLL
    while (shorter.d[4] | shorter.d[5] | shorter.d[6] | shorter.d[7]) {
        u32 times = ed_quotient(longer.d, shorter.d);
        if (times == 0) break;
        ed_reduce(longer, shorter, times);
        if (words_less(longer.d, shorter.d)) {
            EdRow other = longer;
            longer = shorter;
            shorter = other;
        }
    }
    if (shorter.c[0] & 1) return shorter;
    u32 times = ed_quotient(longer.d, shorter.d);
    if (times == 0) return longer;
    EdRow reduced = longer;
    ed_reduce(reduced, shorter, times);
    return ed_bits(reduced) < ed_bits(longer) ? reduced : longer;
}

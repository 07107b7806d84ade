// Sums of multiples from tables of signed windows on a twisted Edwards curve, and the construction
// of such tables. For public data: variable time.
#pragma once
#include "curve/edwards.cuh"
#include "curve/window_digit.cuh"

static constexpr int kEdScalarBits = 253;

GECC_FN constexpr bool ed_order_is_just_above_2_252() {
    const u32 n[8] = GECC_N;
    return n[7] == 1u << 28 && n[6] == 0 && n[5] == 0 && n[4] == 0;
}
static_assert(ed_order_is_just_above_2_252(), "the highest digit has to be in tables");

GECC_FN int ed_window_count(int bits) {
    return (kEdScalarBits + bits - 1) / bits;
}

// Returns digit i of k, for k below the order. The last window keeps the value of its highest bit:
// if bit 252 is set, the 124 bits below it are not, so that no digit exceeds 2^(bits-1).
template <class Word> GECC_FN i32 ed_window_digit(Word word, int i, int bits) {
    i32 digit = window_digit(word, i, bits);
    return i + 1 == ed_window_count(bits) && digit < 0 ? digit + (1 << bits) : digit;
}

// Adds `sum` and all terms of a source. It provides `int terms()`; `Place find(int term)`, which
// may start to fetch the term's entry, and whose `digit` is 0 if there is no entry and negative if
// it must be negated; `ed_niels load(const Place&)`; and `void align()`, which is called before
// each addition and may do nothing.
template <class Source> GECC_FN ed_projective ed_add_entries_var(ed_completed sum, const Source& source) {
    int terms = source.terms();
    auto next = source.find(0);
    GECC_NO_UNROLL
    for (int term = 0; term < terms; term++) {
        auto place = next;
        if (term + 1 < terms) next = source.find(term + 1);
        source.align();
        if (place.digit == 0) continue;
        u32 negative = (u32)(place.digit >> 31);
        sum = ed_add_affine(to_extended(sum), source.load(place), negative);
    }
    return to_projective(sum);
}

// 4 x : 4 y : 4 : 4 x y, which avoids halving y + x and y - x.
GECC_FN ed_extended to_extended(const ed_niels& a) {
    fe x2 = fe_sub(a.sum, a.difference), y2 = fe_add(a.sum, a.difference);
    ed_extended r = {fe_double(x2), fe_double(y2), fe_double(fe_double(fe_one())), fe_mul(x2, y2)};
    return r;
}

// Converts to affine form, given the inverse of Z T.
GECC_FN ed_niels to_niels(const ed_completed& a, const fe& inverse) {
    fe of_z = fe_mul(inverse, a.t), of_t = fe_mul(inverse, a.z);
    return to_niels(ed_affine{fe_mul(a.x, of_z), fe_mul(a.y, of_t)});
}

// Products of points of a twisted Edwards curve: of two points that are not known in advance, with
// a table of multiples that is computed for each, for public data and in variable time; of one such
// point with a secret scalar; and of the base point with secret scalars.
#pragma once
#include "curve/edwards.cuh"

// Digits are between -2^(w-1) and 2^(w-1) - 1.
static constexpr int kEdWindow = 4;
static constexpr int kEdWindows = 64;  // for numbers below 2^253
static constexpr int kEdMultiples = 1 << (kEdWindow - 1);

// Adds half of 2^width to `value` in each window except the last one, whose digits are not
// negative: digits are then windows minus that half. For values below 2^253 the sum is below 2^256.
template <int kWidth> GECC_FN void ed_add_halves(u32* r, const u32* value) {
    u32 halves[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    GECC_UNROLL
    for (int bit = kWidth - 1; bit + 1 < kEdWindow * kEdWindows; bit += kWidth) halves[bit >> 5] |= 1u << (bit & 31);
    u32 carry = add<8>(r, value, halves);
    GECC_CHECK(carry == 0);
    (void)carry;
}

// Returns the digit of a window, from the sum. The window is the same for all threads.
template <int kWidth> GECC_FN i32 ed_digit(const u32* sum, int window) {
    static_assert(32 % kWidth == 0, "a window lies in one word");
    int bit = kWidth * window, word = bit >> 5;
    u32 value = 0;
    GECC_UNROLL
    for (int w = 0; w < 8; w++) {
        if (w == word) value = sum[w];
    }
    u32 bits = value >> (bit & 31) & ((1u << kWidth) - 1);
    bool is_last = bit + kWidth >= kEdWindow * kEdWindows;
    return (i32)bits - (is_last ? 0 : 1 << (kWidth - 1));
}

// Returns the index of the multiple for a nonzero digit.
GECC_FN int ed_place(i32 digit) {
    return (digit < 0 ? -digit : digit) - 1;
}

// Store keeps the multiples of two points: `void put(int point, int m, const ed_addend&)` and
// `ed_addend get(int point, int m)` access (m + 1) P.
template <class Store> GECC_FN void ed_put_multiples(Store& store, int point, const ed_affine& p) {
    ed_extended multiple = to_extended(p);
    ed_addend step = to_addend(multiple);
    store.put(point, 0, step);
    GECC_NO_UNROLL
    for (int m = 1; m < kEdMultiples; m++) {
        multiple = to_extended(ed_add(multiple, step, 0));
        store.put(point, m, to_addend(multiple));
    }
}

// k P + l Q, for numbers below 2^253 whose digits above the first `windows` are 0. Store also
// provides `void align()`, for threads that read the code of a window together.
template <class Store>
GECC_FN ed_completed ed_multiply_two_var(Store& store, const u32* k, const u32* l, int windows) {
    u32 of_k[8], of_l[8];
    ed_add_halves<kEdWindow>(of_k, k);
    ed_add_halves<kEdWindow>(of_l, l);
    ed_completed sum = ed_completed_identity();
    GECC_NO_UNROLL
    for (int window = windows - 1; window >= 0; window--) {
        store.align();
        GECC_NO_UNROLL
        for (int i = window + 1 < windows ? 0 : kEdWindow; i < kEdWindow; i++) sum = ed_double(to_projective(sum));
        i32 first = ed_digit<kEdWindow>(of_k, window), second = ed_digit<kEdWindow>(of_l, window);
        GECC_NO_UNROLL
        for (int point = 0; point < 2; point++) {
            i32 digit = point == 0 ? first : second;
            if (digit != 0) {
                u32 negative = (u32)(digit >> 31);
                sum = ed_add(to_extended(sum), store.get(point, ed_place(digit)), negative);
            }
        }
    }
    return sum;
}

// Returns the number of windows for numbers of `bits` bits: they cover two bits more, so that the
// highest digit has no carry.
GECC_FN int ed_windows(int bits) {
    return (bits + 1 + kEdWindow) / kEdWindow;
}

// k P for a secret k below 2^255. Table keeps the multiples of a point: `void put(int m, const
// ed_addend&)` stores (m + 1) P, and `ed_addend get(u32 m)` reads all and returns (m + 1) P, and
// zeros if m + 1 is 0; `u32* words()` is memory for eight words; `void align()` is called once per
// window and may do nothing. A fixed sequence: the formulas have no exceptions. The highest digit
// is at most 8.
template <class Table> GECC_FN ed_completed ed_multiply_point_uniform(Table& table, const ed_affine& p, const u32* k) {
    // In registers, the digits would displace coordinates.
    u32* digits = table.words();
    ed_add_halves<kEdWindow>(digits, k);
    ed_extended multiple = to_extended(p);
    ed_niels step = to_niels(p);
    table.put(0, to_addend(multiple));
    GECC_NO_UNROLL
    for (int m = 1; m < kEdMultiples; m++) {
        multiple = to_extended(ed_add_affine(multiple, step, 0));
        table.put(m, to_addend(multiple));
    }
    ed_completed sum = ed_completed_identity();
    GECC_NO_UNROLL
    for (int window = kEdWindows - 1; window >= 0; window--) {
        table.align();
        GECC_NO_UNROLL
        for (int i = window + 1 < kEdWindows ? 0 : kEdWindow; i < kEdWindow; i++) sum = ed_double(to_projective(sum));
        u32 digit = (u32)ed_digit<kEdWindow>(digits, window), negative = opaque(0 - (digit >> 31));
        u32 absolute = (digit ^ negative) - negative;
        ed_addend entry = table.get(absolute - 1);
        // The identity for 0: Y + X and Y - X are 1, and 2 Z is 2.
        u32 is_zero = (absolute - 1) >> 31;
        entry.niels.sum.v[0] |= is_zero;
        entry.niels.difference.v[0] |= is_zero;
        entry.z2.v[0] |= is_zero << 1;
        sum = ed_add(to_extended(sum), entry, negative);
    }
    return sum;
}

// For secret scalars: digits between -2^7 and 2^7 - 1, over the multiples of B for every window.
static constexpr int kEdUniformWindow = 8, kEdUniformWindows = 32;  // for orders below 2^253
static constexpr int kEdUniformMultiples = 1 << (kEdUniformWindow - 1);

// k B, for k below 2^253. Table provides `ed_niels get(int window, u32 m)`, which is (m + 1) 2^(8
// window) B, and zeros if m + 1 is 0. A fixed sequence: the formulas have no exceptions.
template <class Table> GECC_FN ed_projective ed_multiply_uniform(const Table& table, const u32* k) {
    u32 digits[8];
    ed_add_halves<kEdUniformWindow>(digits, k);
    ed_completed sum = ed_completed_identity();
    GECC_NO_UNROLL
    for (int window = 0; window < kEdUniformWindows; window++) {
        u32 digit = (u32)ed_digit<kEdUniformWindow>(digits, window), negative = opaque(0 - (digit >> 31));
        u32 absolute = (digit ^ negative) - negative;
        ed_niels entry = table.get(window, absolute - 1);
        // The identity for 0: y + x and y - x are 1.
        u32 is_zero = (absolute - 1) >> 31;
        entry.sum.v[0] |= is_zero;
        entry.difference.v[0] |= is_zero;
        sum = ed_add_affine(to_extended(sum), entry, negative);
    }
    return to_projective(sum);
}

// k P + s B on a twisted Edwards curve: windows of k over a table of multiples of P that is made for it, and wider
// windows of s over a table of multiples of B. For public data: variable time.
#pragma once
#include "curve/edwards.cuh"

// Digits of k are between -2^(w-1) and 2^(w-1) - 1, those of s, whose windows are as wide as three of k, likewise.
static constexpr int kEdWindow = 5;
static constexpr int kEdWindows = 51;  // for orders below 2^253
static constexpr int kEdMultiples = 1 << (kEdWindow - 1);
static constexpr int kEdOfBase = 3;
static constexpr int kEdBaseWindow = kEdOfBase * kEdWindow;
static constexpr int kEdBaseMultiples = 1 << (kEdBaseWindow - 1);

// `value` plus half of 2^width in each of the windows but the last one, whose digits are not negative: digits are then
// windows less that half. For values below 2^253 the sum is below 2^256.
template <int kWidth> GECC_FN void ed_add_halves(u32* r, const u32* value) {
    u32 halves[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    GECC_UNROLL
    for (int bit = kWidth - 1; bit + 1 < kEdWindow * kEdWindows; bit += kWidth) halves[bit >> 5] |= 1u << (bit & 31);
    u32 carry = add<8>(r, value, halves);
    GECC_CHECK(carry == 0);
    (void)carry;
}

// The digit of a window, from the sum. Which one is the same for all threads.
template <int kWidth> GECC_FN i32 ed_digit(const u32* sum, int window) {
    int bit = kWidth * window, word = bit >> 5;
    u32 low = 0, high = 0;
    GECC_UNROLL
    for (int w = 0; w < 8; w++) {
        if (w == word) low = sum[w];
        if (w == word + 1) high = sum[w];
    }
    u32 bits = (u32)(((u64)high << 32 | low) >> (bit & 31)) & ((1u << kWidth) - 1);
    bool is_last = bit + kWidth >= kEdWindow * kEdWindows;
    return (i32)bits - (is_last ? 0 : 1 << (kWidth - 1));
}

// Where the multiple for a digit other than 0 is.
GECC_FN int ed_place(i32 digit) {
    return (digit < 0 ? -digit : digit) - 1;
}

// Store gives `void put(int m, const ed_addend&)` and `ed_addend get(int m)`: (m + 1) P.
template <class Store> GECC_FN void ed_put_multiples(Store& store, const ed_affine& p) {
    ed_extended multiple = to_extended(p);
    ed_addend step = to_addend(multiple);
    store.put(0, step);
    GECC_NO_UNROLL
    for (int m = 1; m < kEdMultiples; m++) {
        multiple = to_extended(ed_add(multiple, step, 0));
        store.put(m, to_addend(multiple));
    }
}

// Base gives `ed_niels get(int m)`, which is (m + 1) B, and `void align()`, for threads that read the code of a window
// together. k and s are below 2^253.
template <class Store, class Base>
GECC_FN ed_projective ed_multiply_add_var(Store& store, const u32* k, const Base& base, const u32* s) {
    u32 of_k[8], of_s[8];
    ed_add_halves<kEdWindow>(of_k, k);
    ed_add_halves<kEdBaseWindow>(of_s, s);
    ed_completed sum = {fe_zero(), fe_one(), fe_one(), fe_one()};  // the identity
    GECC_NO_UNROLL
    for (int window = kEdWindows - 1; window >= 0; window--) {
        base.align();
        GECC_NO_UNROLL
        for (int i = window + 1 < kEdWindows ? 0 : kEdWindow; i < kEdWindow; i++) sum = ed_double(to_projective(sum));
        i32 digit = ed_digit<kEdWindow>(of_k, window);
        if (digit != 0) {
            u32 negative = (u32)(digit >> 31);
            sum = ed_add(to_extended(sum), store.get(ed_place(digit)), negative);
        }
        i32 wide = window % kEdOfBase == 0 ? ed_digit<kEdBaseWindow>(of_s, window / kEdOfBase) : 0;
        if (wide != 0) {
            u32 negative = (u32)(wide >> 31);
            sum = ed_add_affine(to_extended(sum), base.get(ed_place(wide)), negative);
        }
    }
    return to_projective(sum);
}

// For secret scalars: digits between -2^7 and 2^7 - 1, over the multiples of B for every window.
static constexpr int kEdUniformWindow = 8, kEdUniformWindows = 32;  // for orders below 2^253
static constexpr int kEdUniformMultiples = 1 << (kEdUniformWindow - 1);

// k B, for k below 2^253. Table gives `ed_niels get(int window, u32 m)`, which is (m + 1) 2^(8 window) B, and zeros
// where m + 1 is 0. A fixed sequence: the formulas have no exceptions.
template <class Table> GECC_FN ed_projective ed_multiply_uniform(const Table& table, const u32* k) {
    u32 digits[8];
    ed_add_halves<kEdUniformWindow>(digits, k);
    ed_completed sum = {fe_zero(), fe_one(), fe_one(), fe_one()};  // the identity
    GECC_NO_UNROLL
    for (int window = 0; window < kEdUniformWindows; window++) {
        u32 digit = (u32)ed_digit<kEdUniformWindow>(digits, window), negative = opaque(0 - (digit >> 31));
        u32 absolute = (digit ^ negative) - negative;
        ed_niels entry = table.get(window, absolute - 1);
        // For 0 the identity: y + x and y - x are 1.
        u32 is_zero = (absolute - 1) >> 31;
        entry.sum.v[0] |= is_zero;
        entry.difference.v[0] |= is_zero;
        sum = ed_add_affine(to_extended(sum), entry, negative);
    }
    return to_projective(sum);
}

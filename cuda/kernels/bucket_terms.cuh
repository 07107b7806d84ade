// Terms of multi-scalar multiplication by buckets (kernels/msm.cu): the buckets to which an item
// contributes.
#pragma once
#include "curve/recode.cuh"
#include "kernels/layout.cuh"

// Calls take(bucket, term) for each nonzero digit of a scalar whose point is in `row`.
template <int N, class Take> GECC_FN void for_each_digit(SignedDigits<N>& digits, u64 row, u32 windows, Take take) {
    GECC_NO_UNROLL
    for (u32 window = 0; window < windows; window++) {
        i32 digit = next_digit(digits);
        u32 size = digit < 0 ? -digit : digit;
        if (digit != 0) take((window << (digits.bits - 1)) + size - 1, (u32)row << 1 | (u32)(digit < 0));
    }
}

// Calls take(bucket, term) for each nonzero digit of each part of item i's scalar. The points of
// the parts are in the rows i and, with an endomorphism, n + i.
template <class Take> GECC_FN void for_each_term(const u32* scalars, u64 n, u64 i, u32 bits, u32 windows, Take take) {
    SignedDigits<kPartWords> digits[kScalars];
    sc k;
    load_column(k.v, scalars, n, i);
    signed_parts_var(digits, k, bits);
    GECC_UNROLL
    for (int part = 0; part < kScalars; part++) for_each_digit(digits[part], part * n + i, windows, take);
}

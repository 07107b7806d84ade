// Multiples of a point from its table of signed windows, for public scalars.
#pragma once
#include "curve/multiply_add.cuh"
#include "kernels/table_rows.cuh"

// A scalar of the batch, whose digits are read directly from memory, so that it occupies no
// registers.
struct ColumnScalar {
    const u32* column;
    u64 n, i;

    __device__ __forceinline__ i32 digit(int window, int bits) const {
        const ColumnScalar& self = *this;
        return window_digit([&self](int w) { return self.column[w * self.n + self.i]; }, window, bits);
    }
};

struct WindowBase {
    const u32* table;
    ColumnScalar scalar;
    int bits;

    __device__ __forceinline__ int windows() const {
        return window_count(bits);
    }
    __device__ __forceinline__ u64 entry(int window, i32 digit) const {
        return ((u64)window << (bits - 1)) + (digit < 0 ? -digit : digit) - 1;
    }
    __device__ __forceinline__ void prefetch(int window) const {
        i32 digit = scalar.digit(window, bits);
        if (digit != 0) prefetch_entry(table, entry(window, digit));
    }
    __device__ __forceinline__ i32 get(affine& r, int window) const {
        i32 digit = scalar.digit(window, bits);
        if (digit != 0) r = load_entry(table, entry(window, digit));
        return digit;
    }
};

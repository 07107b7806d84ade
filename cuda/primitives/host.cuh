// Words on the CPU: the portable counterpart of primitives/ptx.cuh, function by function.
#pragma once
#include "primitives/types.cuh"

// Returns the number of leading zeros of a nonzero number.
GECC_FN int leading_zeros(u32 value) {
    return __builtin_clz(value);
}

// r = a + b + carry, returns the carry. r may be a or b.
template <int N> GECC_FN u32 add_carry(u32* r, const u32* a, const u32* b, u32 carry) {
    for (int i = 0; i < N; i++) {
        u64 sum = (u64)a[i] + b[i] + carry;
        r[i] = (u32)sum;
        carry = (u32)(sum >> 32);
    }
    return carry;
}

template <int N> GECC_FN u32 add(u32* r, const u32* a, const u32* b) {
    return add_carry<N>(r, a, b, 0);
}

// r = a - b, less one where the mask `borrow` is set; returns the borrow as a mask. r may be a or
// b.
template <int N> GECC_FN u32 sub_borrow(u32* r, const u32* a, const u32* b, u32 borrow) {
    for (int i = 0; i < N; i++) {
        u64 difference = (u64)a[i] - b[i] - (borrow & 1);
        r[i] = (u32)difference;
        borrow = (u32)(difference >> 32);
    }
    return borrow;
}

template <int N> GECC_FN u32 sub(u32* r, const u32* a, const u32* b) {
    return sub_borrow<N>(r, a, b, 0);
}

// r[2k .. 2k+1] = a[2k] b for k < N.
template <int N> GECC_FN void products(u32* r, const u32* a, u32 b) {
    for (int k = 0; k < N; k++) {
        u64 product = (u64)a[2 * k] * b;
        r[2 * k] = (u32)product;
        r[2 * k + 1] = (u32)(product >> 32);
    }
}

// acc[0 .. 2N-1] += the sum of a[2k] b 2^(64k), with the carry of x + y entering at the bottom;
// returns the carry.
template <int N> GECC_FN u32 add_products_after(u32* acc, const u32* a, u32 b, u32 x, u32 y) {
    u64 carry = ((u64)x + y) >> 32;
    for (int k = 0; k < N; k++) {
        u64 product = (u64)a[2 * k] * b;
        u64 low = (u64)acc[2 * k] + (u32)product + carry;
        u64 high = (u64)acc[2 * k + 1] + (product >> 32) + (low >> 32);
        acc[2 * k] = (u32)low;
        acc[2 * k + 1] = (u32)high;
        carry = high >> 32;
    }
    return (u32)carry;
}

template <int N> GECC_FN u32 add_products(u32* acc, const u32* a, u32 b) {
    return add_products_after<N>(acc, a, b, 0, 0);
}

// acc[0 .. 15] += the sum of a[k]^2 2^(64k). The caller guarantees that there is no carry out.
GECC_FN void add_squares(u32* acc, const u32* a) {
    u64 carry = 0;
    for (int k = 0; k < 8; k++) {
        u64 square = (u64)a[k] * a[k];
        u64 low = (u64)acc[2 * k] + (u32)square + carry;
        u64 high = (u64)acc[2 * k + 1] + (square >> 32) + (low >> 32);
        acc[2 * k] = (u32)low;
        acc[2 * k + 1] = (u32)high;
        carry = high >> 32;
    }
    GECC_CHECK(carry == 0);
}

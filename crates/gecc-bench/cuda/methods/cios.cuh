// Coarsely integrated operand scanning (Koc, Acar, Kaliski 1996; Zhao on GPUs): rows of the product
// and rows of the Montgomery reduction in turn, a state of N + 2 words, each step one wide product
// with two words added. Any odd modulus, at run time. It has no squaring of its own.
#pragma once
#include "modular/method.cuh"

template <int N> struct Cios : WordMethod<N> {
    typedef WordNumber<N> Number;
    using WordMethod<N>::WordMethod;

    // t + a b at word `j`, with the word carry of the step before: at most (2^32 - 1)^2 + 2 (2^32 -
    // 1) < 2^64.
    static GECC_MEMBER u32 step(u32& t, u32 a, u32 b, u32 carry) {
        u64 sum = (u64)a * b + t;
        sum += carry;
        t = (u32)sum;
        return (u32)(sum >> 32);
    }
    GECC_MEMBER Number mul(const Number& a, const Number& b) const {
        u32 t[N + 2];
        GECC_UNROLL
        for (int j = 0; j < N + 2; j++) t[j] = 0;
        GECC_UNROLL
        for (int i = 0; i < N; i++) {
            u32 carry = 0;
            GECC_UNROLL
            for (int j = 0; j < N; j++) carry = step(t[j], a.v[j], b.v[i], carry);
            u64 top = (u64)t[N] + carry;
            t[N] = (u32)top;
            t[N + 1] = (u32)(top >> 32);

            u32 m = t[0] * this->modulus.neg_inv, lowest = t[0];
            carry = step(lowest, this->modulus.word[0], m, 0);
            GECC_UNROLL
            for (int j = 1; j < N; j++) {
                carry = step(t[j], this->modulus.word[j], m, carry);
                t[j - 1] = t[j];
            }
            top = (u64)t[N] + carry;
            t[N - 1] = (u32)top;
            t[N] = t[N + 1] + (u32)(top >> 32);
        }
        Number r;
        GECC_UNROLL
        for (int j = 0; j < N; j++) r.v[j] = t[j];
        subtract_after_carry<N>(r.v, t[N], this->modulus);
        return r;
    }
    GECC_MEMBER Number sqr(const Number& a) const {
        return mul(a, a);
    }
};

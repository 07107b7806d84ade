// The common part of the multiplication methods: the modulus, and the interface of a method.
//
// A method is a struct with
//     kRadixBits                    it computes a b / 2^kRadixBits modulo the modulus (0: a b itself),
//     Number                        its representation of a number,
//     Method(modulus)               precomputes values from the modulus, once per thread,
//     load(words), store(r, a)      convert from and to words below the modulus,
//     mul(a, b), sqr(a).
// Numbers between operations are "almost Montgomery": below 2^(32N), or below 2M if the file
// specifies it, but not below M.
#pragma once
#include "modular/chains.cuh"

// An odd modulus M of N words, given at run time, and -M^-1 modulo 2^32. Passed to kernels by
// value, so that its words are operands in the constant bank.
template <int N> struct ModulusWords {
    u32 word[N];
    u32 neg_inv;
};

template <int N> struct WordNumber {
    u32 v[N];
};

// -m^-1 modulo 2^64 for an odd m: Newton's iteration doubles the number of correct bits, and m is
// its own inverse modulo 8.
GECC_FN u64 negated_inverse(u64 m) {
    u64 inverse = m;
    GECC_UNROLL
    for (int i = 0; i < 5; i++) inverse *= 2 - m * inverse;
    return 0 - inverse;
}

// (top 2^(32N) + r) - M if top = 1: below 2^(32N) again for a number below 2^(32N) + M.
template <int N> GECC_FN void subtract_after_carry(u32* r, u32 top, const ModulusWords<N>& modulus) {
    u32 masked[N];
    GECC_CHECK(top <= 1);
    GECC_UNROLL
    for (int i = 0; i < N; i++) masked[i] = modulus.word[i] & (0 - top);
    sub<N>(r, r, masked);
}

// a mod M for a below 2M.
template <int N> GECC_FN void reduce_once(u32* r, const u32* a, const ModulusWords<N>& modulus) {
    u32 words[N], reduced[N];
    GECC_UNROLL
    for (int i = 0; i < N; i++) words[i] = modulus.word[i];
    u32 borrow = sub<N>(reduced, a, words);
    GECC_UNROLL
    for (int i = 0; i < N; i++) r[i] = (a[i] & borrow) | (reduced[i] & ~borrow);
}

// The parts of a method that represents numbers as N words below 2^(32N), in Montgomery form with R
// = 2^(32N). Such a number is below 2M if the modulus has its top bit set, which store relies on.
template <int N> struct WordMethod {
    static constexpr int kRadixBits = 32 * N;
    typedef WordNumber<N> Number;
    ModulusWords<N> modulus;

    GECC_MEMBER explicit WordMethod(const ModulusWords<N>& m) : modulus(m) {}
    GECC_MEMBER Number load(const u32* words) const {
        Number r;
        GECC_UNROLL
        for (int i = 0; i < N; i++) r.v[i] = words[i];
        return r;
    }
    GECC_MEMBER void store(u32* words, const Number& a) const {
        reduce_once<N>(words, a.v, modulus);
    }
};

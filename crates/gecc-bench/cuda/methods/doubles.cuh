// Double precision (Emmart, Zheng, Weems, 2018), one thread for a number of 32N bits. Numbers are
// below 2M. It has no squaring of its own.
#pragma once
#include "modular/samples.cuh"

template <int N> struct Doubles {
    static constexpr int S = (32 * N + 2 + kSampleBits - 1) / kSampleBits;  // R >= 4M
    static constexpr int kRadixBits = kSampleBits * S;
    typedef SampleGroup<1, S> Group;
    typedef typename Group::Number Number;
    Group group;
    ModulusWords<N> modulus;

    GECC_MEMBER explicit Doubles(const ModulusWords<N>& m) : modulus(m) {
        group.modulus = load(m.word);
        group.neg_inv = sample_of(negated_inverse(m.word[0] | (u64)m.word[1] << 32) & kSampleMask);
    }
    GECC_MEMBER Number load(const u32* words) const {
        Number r;
        GECC_UNROLL
        for (int k = 0; k < S; k++) r.v[0][k] = sample_of(sample_bits([=](int w) { return words[w]; }, N, k));
        return r;
    }
    GECC_MEMBER void store(u32* words, const Number& a) const {
        u32 loose[N + 1], reduced[N + 1], m[N + 1];
        GECC_UNROLL
        for (int w = 0; w < N + 1; w++) {
            loose[w] = word_of_samples([&](int k) { return integer_of(a.v[0][k]); }, S, w);
            m[w] = w < N ? modulus.word[w] : 0;
        }
        u32 borrow = 0;
        GECC_UNROLL
        for (int w = 0; w < N + 1; w++) {
            u64 difference = (u64)loose[w] - m[w] - borrow;
            reduced[w] = (u32)difference;
            borrow = (u32)(difference >> 32) & 1;
        }
        GECC_UNROLL
        for (int w = 0; w < N; w++) words[w] = (loose[w] & (0 - borrow)) | (reduced[w] & (borrow - 1));
    }
    GECC_MEMBER Number mul(const Number& a, const Number& b) const {
        return group.mul(a, b);
    }
    GECC_MEMBER Number sqr(const Number& a) const {
        return group.mul(a, a);
    }
};

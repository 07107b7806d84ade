// Modular exponentiation over a group of lanes, in double precision (modular/samples.cuh), with
// fixed windows.
//
// Uniform: no branch and no address depends on base, exponent or result. The whole table of powers
// is scanned for each window. Windows of 4 bits: 5 would save 3 % of the multiplications, but the
// tables of all threads would no longer fit the L1 caches.
#pragma once
#include "modular/samples.cuh"

static constexpr int kWindowBits = 4;  // divides 32
static constexpr int kPowers = 1 << kWindowBits;

// Lane counts and limbs per lane; R = 2^(52TS) >= 4M.
template <int Bits> struct ModexpShape;
template <> struct ModexpShape<1024> {
    static constexpr int T = 4, S = 5;
};
template <> struct ModexpShape<1536> {
    static constexpr int T = 8, S = 4;
};
template <> struct ModexpShape<2048> {
    static constexpr int T = 8, S = 5;
};

template <int Bits> struct Modexp {
    static constexpr int T = ModexpShape<Bits>::T, S = ModexpShape<Bits>::S;
    static constexpr int kSamples = T * S, kWords = Bits / 32;
    typedef SampleGroup<T, S> Group;
    typedef typename Group::Number Number;
    static constexpr int kHere = Group::kLanesHere;
    static_assert(kSampleBits * kSamples >= Bits + 2, "R >= 4M");
    Group group;

    // parameters: the limbs of M, the limbs of R^2 mod M, -M^-1 modulo 2^52.
    GECC_MEMBER explicit Modexp(const u64* parameters) {
        group.modulus = from_samples(parameters);
        group.neg_inv = sample_of(parameters[2 * kSamples]);
    }
    static GECC_MEMBER Number from_samples(const u64* samples) {
        Number r;
        GECC_UNROLL
        for (int l = 0; l < kHere; l++) {
            GECC_UNROLL
            for (int j = 0; j < S; j++) r.v[l][j] = sample_of(samples[Group::lane(l) * S + j]);
        }
        return r;
    }
    // Returns the number whose word w is words(w).
    template <class Words> static GECC_MEMBER Number from_words(const Words& words) {
        Number r;
        GECC_UNROLL
        for (int l = 0; l < kHere; l++) {
            GECC_UNROLL
            for (int j = 0; j < S; j++) {
                r.v[l][j] = sample_of(sample_bits(words, kWords, Group::lane(l) * S + j));
            }
        }
        return r;
    }
    static GECC_MEMBER Number small(u32 value) {
        Number r;
        GECC_UNROLL
        for (int l = 0; l < kHere; l++) {
            GECC_UNROLL
            for (int j = 0; j < S; j++) r.v[l][j] = Group::lane(l) == 0 && j == 0 ? value : 0;
        }
        return r;
    }

    // The powers 0 .. 2^4 - 1 of a base, as bit patterns.
    struct Table {
        u64 v[kPowers][kHere][S];

        GECC_MEMBER void set(int power, const Number& a) {
            GECC_UNROLL
            for (int l = 0; l < kHere; l++) {
                GECC_UNROLL
                for (int j = 0; j < S; j++) v[power][l][j] = bits_of(a.v[l][j]);
            }
        }
        GECC_MEMBER Number scan(u32 digit) const {
            u64 found[kHere][S] = {};
            GECC_UNROLL_BY_4
            for (u32 power = 0; power < kPowers; power++) {
                u32 half = opaque(mask_if(power == digit));
                u64 mask = half | (u64)half << 32;
                GECC_UNROLL
                for (int l = 0; l < kHere; l++) {
                    GECC_UNROLL
                    for (int j = 0; j < S; j++) found[l][j] |= v[power][l][j] & mask;
                }
            }
            Number r;
            GECC_UNROLL
            for (int l = 0; l < kHere; l++) {
                GECC_UNROLL
                for (int j = 0; j < S; j++) r.v[l][j] = double_of(found[l][j]);
            }
            return r;
        }
    };
    // Returns window `index` of an exponent whose word w is exponent(w).
    template <class Words> static GECC_MEMBER u32 window(const Words& exponent, u32 index) {
        constexpr u32 windows = 32 / kWindowBits;
        return exponent(index / windows) >> (kWindowBits * (index % windows)) & (kPowers - 1);
    }

    // Computes base^exponent, at most M, for a base below 2^Bits and an exponent of `count` words.
    // Time depends on `count` only.
    template <class Words>
    GECC_MEMBER Number power(const Number& base, const Words& exponent, u32 count, const u64* parameters) const {
        Table table;
        const Number r2 = from_samples(parameters + kSamples);
        const Number factor = group.mul(base, r2);
        Number entry = group.mul(small(1), r2);
        GECC_NO_UNROLL
        for (int k = 0; k < kPowers; k++) {
            table.set(k, entry);
            entry = group.mul(entry, factor);
        }
        u32 windows = 32 / kWindowBits * count;
        Number r = table.scan(window(exponent, windows - 1));
        GECC_NO_UNROLL
        for (u32 index = windows - 1; index-- > 0;) {
            entry = table.scan(window(exponent, index));
            GECC_NO_UNROLL
            for (int k = 0; k < kWindowBits; k++) r = group.mul(r, r);
            r = group.mul(r, entry);
        }
        return group.mul(r, small(1));
    }

    // Writes the number below M in limbs below 2^52, for a number of at most M. `samples` is memory
    // that the lanes share, and the caller synchronises before and after. One lane does this, which
    // is a hundredth of the work of a multiplication.
    static GECC_MEMBER void put_samples(u64* samples, const Number& a) {
        GECC_UNROLL
        for (int l = 0; l < kHere; l++) {
            GECC_UNROLL
            for (int j = 0; j < S; j++) samples[Group::lane(l) * S + j] = integer_of(a.v[l][j]);
        }
    }
    static GECC_MEMBER void make_canonical(u64* samples, const u64* parameters) {
        u64 carry = 0, difference = 0;
        GECC_NO_UNROLL
        for (int k = 0; k < kSamples; k++) {
            u64 sum = samples[k] + carry;
            samples[k] = sum & kSampleMask;
            carry = sum >> kSampleBits;
            difference |= samples[k] ^ parameters[k];
        }
        GECC_CHECK(carry == 0);
        // M itself represents zero.
        u32 keep = opaque(mask_if(difference != 0));
        GECC_NO_UNROLL
        for (int k = 0; k < kSamples; k++) samples[k] &= keep | (u64)keep << 32;
    }
};

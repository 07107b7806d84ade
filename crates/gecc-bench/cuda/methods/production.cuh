// The multiplication that the library's kernels use, for the curve that the code is compiled for:
// modulo its p, and modulo the order n. The modulus is a constant; the argument is not used.
#pragma once
#include "field/field.cuh"
#include "field/scalar.cuh"
#include "modular/method.cuh"

struct ProductionField {
#if GECC_REDUCTION_FOLD
    static constexpr int kRadixBits = 0;
#else
    static constexpr int kRadixBits = 256;
#endif
    typedef fe Number;

    GECC_MEMBER explicit ProductionField(const ModulusWords<8>&) {}
    GECC_MEMBER fe load(const u32* words) const {
        fe r;
        words_copy(r.v, words);
        return r;
    }
    GECC_MEMBER void store(u32* words, const fe& a) const {
        fe r = fe_canonical(a);
        words_copy(words, r.v);
    }
    GECC_MEMBER fe mul(const fe& a, const fe& b) const {
        return fe_mul(a, b);
    }
    GECC_MEMBER fe sqr(const fe& a) const {
        return fe_sqr(a);
    }
};

struct ProductionOrder {
    static constexpr int kRadixBits = 256;
    typedef sc Number;

    GECC_MEMBER explicit ProductionOrder(const ModulusWords<8>&) {}
    GECC_MEMBER sc load(const u32* words) const {
        sc r;
        words_copy(r.v, words);
        return r;
    }
    GECC_MEMBER void store(u32* words, const sc& a) const {
        words_copy(words, a.v);
    }
    GECC_MEMBER sc mul(const sc& a, const sc& b) const {
        return sc_mont_mul(a, b);
    }
    GECC_MEMBER sc sqr(const sc& a) const {
        return sc_mont_sqr(a);
    }
};

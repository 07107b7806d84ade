// gECC (Xiong et al., TACO 2025): separate operand scanning in even and odd rows; any odd modulus,
// at run time.
#pragma once
#include "modular/rows.cuh"

template <int N> struct GeccSos : WordMethod<N> {
    typedef WordNumber<N> Number;
    using WordMethod<N>::WordMethod;

    GECC_MEMBER Number mul(const Number& a, const Number& b) const {
        u32 t[2 * N];
        Number r;
        rows_product<N>(t, a.v, b.v);
        rows_reduce<N>(r.v, t, this->modulus);
        return r;
    }
    GECC_MEMBER Number sqr(const Number& a) const {
        u32 t[2 * N];
        Number r;
        rows_square<N>(t, a.v);
        rows_reduce<N>(r.v, t, this->modulus);
        return r;
    }
};

// The skeleton of every batched affine operation: each thread multiplies the denominators of its
// items, the block inverts once, and the thread processes its items in reverse order, giving each
// its own inverse.
#pragma once
#include "kernels/block_inverse.cuh"

// Op names its type of numbers, `Number`: fe, or sc in Montgomery form. It provides, for item i,
// `Number denominator(u64 i)`, which is never zero and returns the same value in both calls, and
// `void finish(u64 i, const Number& inverse)`. prefixes is scratch memory of 8 n words,
// column-major. Costs three multiplications per item in addition to those of Op.
template <class Op> GECC_FN void run_batched(const Op& op, u64 n, u32* prefixes, BlockInverseMemory& memory) {
    using N = typename Op::Number;
    u64 step = global_threads(), first = global_thread();
    u64 count = first < n ? (n - first + step - 1) / step : 0;
    N product = Invertible<N>::one();
    GECC_NO_UNROLL
    for (u64 k = 0; k < count; k++) {
        u64 i = first + k * step;
        store_column(prefixes, n, i, product.v);
        product = Invertible<N>::mul(product, op.denominator(i));
    }
    N inverse = block_invert(product, memory);
    GECC_NO_UNROLL
    for (u64 k = count; k-- > 0;) {
        u64 i = first + k * step;
        N prefix;
        load_column(prefix.v, prefixes, n, i);
        N own = Invertible<N>::mul(inverse, prefix);
        if (k > 0) inverse = Invertible<N>::mul(inverse, op.denominator(i));
        op.finish(i, own);
    }
}

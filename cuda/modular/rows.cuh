// Products in rows of whole 32 x 32 bit products, with even and odd word positions separate, for
// any even number of words (field/product.cuh is the case of eight words).
//
// gECC (Xiong et al., TACO 2025): the full product first, the reduction after (separate operand
// scanning); the products at even and at odd positions are one unbroken carry chain each;
// accumulators are written back in place. N^2 wide multiplications for the product, N^2 and N
// narrow ones for the reduction.
#pragma once
#include "modular/method.cuh"

// r = even + odd 2^32.
template <int N> GECC_FN void rows_merge(u32* r, const u32* even, const u32* odd) {
    r[0] = even[0];
    u32 carry = add<2 * N - 1>(r + 1, even + 1, odd);
    GECC_CHECK(carry == 0);
    (void)carry;
}

// r[0 .. 2N-1] = a b.
template <int N> GECC_FN void rows_product(u32* r, const u32* a, const u32* b) {
    static_assert(N % 2 == 0, "rows come in pairs");
    constexpr int H = N / 2;
    u32 even[2 * N], odd[2 * N - 1];
    products<H>(even, a, b[0]);
    products<H>(odd, a + 1, b[0]);
    even[N] = 0;
    GECC_UNROLL
    for (int i = 1; i < N - 1; i += 2) {
        odd[i + N - 1] = add_products<H>(odd + i - 1, a, b[i]);
        even[i + N] = 0;
        add_products<H>(even + i + 1, a + 1, b[i]);
        even[i + N + 1] = add_products<H>(even + i + 1, a, b[i + 1]);
        odd[i + N] = 0;
        add_products<H>(odd + i + 1, a + 1, b[i + 1]);
    }
    odd[2 * N - 2] = add_products<H>(odd + N - 2, a, b[N - 1]);
    even[2 * N - 1] = 0;
    add_products<H>(even + N, a + 1, b[N - 1]);
    rows_merge<N>(r, even, odd);
}

// Adds the chain of `Count` products of the triangle to acc[First ..], whose words from `Reached`
// on are still zero. A chain that ends there leaves its carry in the next word; one that ends in an
// unused pair has no carry. triangle_reach returns the first word that is still zero afterwards.
template <int First, int Count, int Reached> GECC_FN void triangle_chain(u32* acc, const u32* a, u32 b) {
    if constexpr (Count > 0) {
        u32 carry = add_products<Count>(acc + First, a, b);
        if constexpr (First + 2 * Count == Reached) acc[Reached] = carry;
    }
}

GECC_FN constexpr int triangle_reach(int first, int count, int reached) {
    return count == 0 ? reached : first + 2 * count == reached ? reached + 1 : first + 2 * count;
}

// Rows I .. N-2 of the triangle: row I has the products a[I] a[j] with j > I. even holds words 0,
// 1, ...; odd words 1, 2, ....
template <int N, int I, int EvenReached, int OddReached>
GECC_FN void triangle_rows(u32* even, u32* odd, const u32* a) {
    if constexpr (I < N - 1) {
        constexpr int odd_count = (N - I) / 2, even_count = (N - 1 - I) / 2;
        triangle_chain<2 * I, odd_count, OddReached>(odd, a + I + 1, a[I]);
        triangle_chain<2 * I + 2, even_count, EvenReached>(even, a + I + 2, a[I]);
        triangle_rows<N, I + 1, triangle_reach(2 * I + 2, even_count, EvenReached),
                      triangle_reach(2 * I, odd_count, OddReached)>(even, odd, a);
    }
}

// r[0 .. 2N-1] = a^2: the triangle, doubled once, and the squares of the words. (N^2 + N) / 2 wide
// multiplications.
template <int N> GECC_FN void rows_square(u32* r, const u32* a) {
    u32 even[2 * N], odd[2 * N];
    GECC_UNROLL
    for (int i = 0; i < 2 * N; i++) even[i] = odd[i] = 0;
    products<N / 2>(odd, a + 1, a[0]);
    if constexpr (N > 2) products<N / 2 - 1>(even + 2, a + 2, a[0]);
    triangle_rows<N, 1, N, N>(even, odd, a);

    u32 cross[2 * N - 2];  // words 1 .. 2N-2
    cross[0] = odd[0];
    cross[2 * N - 3] = odd[2 * N - 3];
    if constexpr (N > 2) cross[2 * N - 3] += add<2 * N - 4>(cross + 1, even + 2, odd + 1);
    r[0] = 0;
    r[1] = cross[0] << 1;
    GECC_UNROLL
    for (int i = 1; i < 2 * N - 2; i++) r[i + 1] = cross[i] << 1 | cross[i - 1] >> 31;
    r[2 * N - 1] = cross[2 * N - 3] >> 31;
    add_squares_of<N>(r, a);
}

// Row i adds m_i M 2^(32i), with m_i such that word i becomes zero (see field/montgomery.cuh).
// `own` starts at word i, `other` at word i + 1; `below` is the part of word i that the other
// accumulator holds.
template <int N> GECC_FN void rows_reduce_row(u32* own, u32* other, u32 below, const ModulusWords<N>& modulus) {
    u32 word = own[0] + below;
    u32 m = word * modulus.neg_inv;
    u32 carry = add_products_after<N / 2>(other, modulus.word + 1, m, own[0], below);
    GECC_CHECK(carry == 0);
    (void)carry;
    own[0] = word;
    own[N] = add_products<N / 2>(own, modulus.word, m);
}

// r = t / R mod M, below R, for t below R^2: t / R + m M / R < R + M.
template <int N> GECC_FN void rows_reduce(u32* r, const u32* t, const ModulusWords<N>& modulus) {
    u32 even[2 * N], odd[2 * N];  // even[k] is word k of t mod R plus the rows, odd[k] word k + 1
    GECC_UNROLL
    for (int i = 0; i < N; i++) {
        even[i] = t[i];
        even[i + N] = odd[i] = odd[i + N] = 0;
    }
    GECC_UNROLL
    for (int i = 0; i < N; i += 2) {
        rows_reduce_row<N>(even + i, odd + i, i == 0 ? 0 : odd[i - 1], modulus);
        rows_reduce_row<N>(odd + i, even + i + 2, even[i + 1], modulus);
    }
    u32 top = add<N>(r, even + N, odd + N - 1);
    top += add<N>(r, r, t + N);
    subtract_after_carry<N>(r, top, modulus);
}

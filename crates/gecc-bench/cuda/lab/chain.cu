// Chained arithmetic: what an operation costs when nothing but arithmetic is there.
//
// Launch contract: items are numbers of eight words, in place: item <- item op^rounds.
#include "curve/jacobian.cuh"
#include "field/scalar.cuh"
#include "kernels/layout.cuh"

// Launch: one thread per item.
#define GECC_CHAIN_KERNEL(name, Type, STEP) \
    extern "C" __global__ void __launch_bounds__(256) name(AnyNumbers* items, u64 n, u32 rounds) { \
        for (u64 i = global_thread(); i < n; i += global_threads()) { \
            Type a, c; \
            load_column(a.v, items, n, i); \
            c = a; \
            GECC_UNROLL_BY_4 \
            for (u32 k = 0; k < rounds; k++) c = STEP; \
            store_column(items, n, i, c.v); \
        } \
    }

GECC_CHAIN_KERNEL(gecc_chain_field_mul, fe, fe_mul(c, a))
GECC_CHAIN_KERNEL(gecc_chain_field_sqr, fe, fe_sqr(c))
GECC_CHAIN_KERNEL(gecc_chain_field_add, fe, fe_add(c, a))
GECC_CHAIN_KERNEL(gecc_chain_field_inv, fe, fe_add(fe_inv(c), a))
GECC_CHAIN_KERNEL(gecc_chain_scalar_mul, sc, sc_mont_mul(c, a))
GECC_CHAIN_KERNEL(gecc_chain_scalar_sqr, sc, sc_mont_sqr(c))

// The point formulas on whatever numbers the items are: x = y = z = item at the start, x of the result at the end.
// Launch: one thread per item.
#define GECC_CHAIN_POINT_KERNEL(name, STEP) \
    extern "C" __global__ void __launch_bounds__(256) name(AnyNumbers* items, u64 n, u32 rounds) { \
        for (u64 i = global_thread(); i < n; i += global_threads()) { \
            fe a; \
            load_column(a.v, items, n, i); \
            affine q = {a, fe_add(a, fe_one())}; \
            jacobian c = {q.y, a, a}; \
            GECC_NO_UNROLL \
            for (u32 k = 0; k < rounds; k++) c = STEP; \
            store_column(items, n, i, fe_add(fe_add(c.x, c.y), c.z).v); \
        } \
    }

GECC_CHAIN_POINT_KERNEL(gecc_chain_point_double, jacobian_double(c))
GECC_CHAIN_POINT_KERNEL(gecc_chain_point_add, add_distinct(c, q))

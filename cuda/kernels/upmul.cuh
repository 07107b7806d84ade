// Variable-base multiplication (UPMUL): k P for a batch of scalars and points, by 5-bit windows
// over a table of 16 odd multiples per item, and with the endomorphism if the curve has one.
//
// Launch contract of its kernels, in blocks of 256 threads exactly, which claim tiles of items
// until none are left. next_tile: 0 before. scalars: below the order. An item whose kind is not
// kFinite gets a result that gecc_normalize discards if it is given the kinds. tables: scratch
// memory of 384 words for each thread of the grid. xyz is for gecc_normalize.
#pragma once
#include "curve/multiples.cuh"
#include "kernels/block_inverse.cuh"
#include "kernels/point_batch.cuh"
#include "kernels/tiles.cuh"
#include "kernels/window_table.cuh"

namespace {
struct TableScan {
    TableStore& store;

    __device__ __forceinline__ void align() const {
        store.align();
    }

    __device__ __forceinline__ Multiple get(u32 index) {
        Multiple r = {fe_zero(), fe_zero(), fe_zero()};
        GECC_NO_UNROLL
        for (int m = 0; m < kOddMultiples; m++) {
            Multiple entry = store.get(m);
            u32 mask = opaque(mask_if(m == (int)index));
            accumulate_masked(r.x, mask, entry.x);
            accumulate_masked(r.y, mask, entry.y);
#if GECC_HAS_ENDOMORPHISM
            accumulate_masked(r.third, mask, entry.third);
#endif
        }
        return r;
    }
};

// The method by which a thread looks up an entry of its table.
enum class Lookup {
    kVar,   // by address, in variable time: for public scalars
    kScan,  // by a scan of the whole table, a fixed sequence of operations: for secret scalars
    // By address, with a fixed sequence of operations, at the same position as all other threads:
    // for a secret scalar that all items share, whose digits determine the addresses.
    kFixed,
};

template <Lookup kLookup>
GECC_FN void upmul(const u32* scalars, const PointBatch& points, u32* tables, const JacobianBatch& out,
                   const Tiles& tiles) {
    __shared__ BlockInverseMemory memory;
    __shared__ u32 tile;
    TableStore store = thread_table<kLookup != Lookup::kVar>(tables);
    u64 n = points.n;
    for (u64 first = tiles.take(tile); first < n; first = tiles.take(tile)) {
        u64 i = first + threadIdx.x;
        bool present = i < n;
        affine p = generator();
        if (present && points.finite(i)) p = points.at(i);
        fe z_inverse = block_invert(put_multiples(store, p), memory);
        finish_multiples(store, p, z_inverse);
        // Every thread must reach the barriers; those without an item repeat the last one.
        sc k;
        load_column(k.v, scalars, n, present ? i : n - 1);
        OddScalar<kWindows> s[kScalars];
        split_scalar(s, k);
        jacobian product;
        if constexpr (kLookup == Lookup::kScan) {
            TableScan scan = {store};
            product = multiply_by_windows<true>(scan, s);
        } else {
            product = multiply_by_windows<kLookup == Lookup::kFixed>(store, s);
        }
        if (present) out.store(i, product);
    }
}
}  // namespace

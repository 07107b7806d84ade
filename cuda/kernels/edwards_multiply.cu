// Products of points of a twisted Edwards curve by secret scalars: a fixed sequence per item.
//
// Launch contract, in blocks of 256 threads exactly, which claim tiles of items until none are
// left. next_tile: 0 before. scalars: below 2^255, in columns. xy: points. multiples: scratch
// memory of 256 words for each thread of the grid. xyz: X, Y and Z of the products. scalars,
// multiples and xyz are secrets: the caller wipes them.
//
// Curves: ed25519
#include "curve/edwards_multiply.cuh"
#include "kernels/edwards_batch.cuh"
#include "kernels/niels_rows.cuh"
#include "kernels/tiles.cuh"

namespace {
constexpr int kEdThreads = 256;
constexpr int kEdBlocks = 2;  // per multiprocessor: 128 registers a thread
constexpr int kEdAddendVectors = 8;

// The multiples of one thread. Vector v of multiple m is at base[(kEdAddendVectors m + v) kLanes]:
// all lanes of a warp read the same multiple, so that their vectors are neighbours.
struct EdScannedMultiples {
    uint4* base;
    u32* shared;

    __device__ __forceinline__ u32* words() const {
        return shared;
    }
    __device__ __forceinline__ void put(int m, const ed_addend& entry) const {
        uint4* row = base + kEdAddendVectors * kLanes * m;
        store_niels(row, kLanes, entry.niels);
        store_row(row + kEdNielsVectors * kLanes, kLanes, entry.z2);
    }
    // Reads all multiples.
    __device__ __forceinline__ ed_addend get(u32 index) const {
        ed_addend r = {{fe_zero(), fe_zero(), fe_zero()}, fe_zero()};
        GECC_NO_UNROLL
        for (int m = 0; m < kEdMultiples; m++) {
            const uint4* row = base + kEdAddendVectors * kLanes * m;
            u32 mask = opaque(mask_if(m == (int)index));
            ed_niels entry = load_niels(row, kLanes);
            accumulate_masked(r.niels.sum, mask, entry.sum);
            accumulate_masked(r.niels.difference, mask, entry.difference);
            accumulate_masked(r.niels.product, mask, entry.product);
            accumulate_masked(r.z2, mask, load_row(row + kEdNielsVectors * kLanes, kLanes));
        }
        return r;
    }
    // Aligns the warps of a block, so that they read the code of a window together.
    __device__ __forceinline__ void align() const {
        __syncthreads();
    }
};

// The multiples of a thread, given those of all threads.
GECC_FN uint4* multiples_of_thread(u32* multiples) {
    u64 thread = global_thread(), of_warp = kEdAddendVectors * kEdMultiples * kLanes;
    return (uint4*)multiples + thread / kLanes * of_warp + thread % kLanes;
}
}  // namespace

// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(kEdThreads, kEdBlocks)
    gecc_edwards_multiply(const Scalars* scalars, const Xy* xy, EdwardsMultiples* multiples, Xyz* xyz,
                          NextTile* next_tile, u64 n) {
    __shared__ u32 tile, words[8 * kEdThreads];
    Tiles tiles = {next_tile};
    EdScannedMultiples table = {multiples_of_thread(multiples), words + 8 * threadIdx.x};
    for (u64 first = tiles.take(tile); first < n; first = tiles.take(tile)) {
        u64 i = first + threadIdx.x;
        // Every thread must reach the barriers; those without an item repeat the last one.
        u64 taken = i < n ? i : n - 1;
        u32 k[8];
        load_column(k, scalars, n, taken);
        ed_completed product = ed_multiply_point_uniform(table, load_affine(xy, n, taken), k);
        if (i < n) store_coordinates(xyz, n, i, to_projective(product));
    }
}

// Ethereum addresses of public keys: the last 20 bytes of Keccak-256(x || y).
//
// Launch contract: the rows of keys that are not kFinite are zeros.
#include "hash/keccak.cuh"
#include "kernels/point_batch.cuh"

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_ethereum_addresses(const Xy* xy, const PointKinds* kinds, Addresses* rows, u64 n) {
    PointBatch in = {xy, kinds, n};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u32 finite = mask_if(in.finite(i)), x[8], y[8];
        fe_to_words(x, in.x(i));
        fe_to_words(y, in.y(i));
        HashState digest = keccak256_of_point(x, y);
        u32* address = (u32*)(rows + 20 * i);
        GECC_UNROLL
        for (int w = 0; w < 5; w++) address[w] = swap_bytes(digest.v[3 + w]) & finite;
    }
}

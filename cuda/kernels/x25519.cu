// X25519 (RFC 7748): shared secrets and public keys. A fixed sequence per item.
//
// Launch contract. keys, peers: the 32 bytes of item i are at offset i key_stride and i
// peer_stride. statuses: kValid, or why item i is rejected in any case; that of item i is at offset
// i status_stride. A stride is 0 if all items share the value. fractions: X and Z of the products.
// Rows are 32 little-endian bytes. keys, fractions, prefixes and rows are secrets: the caller wipes
// them.
//
// Curves: ed25519
#include "kernels/batched.cuh"
#include "kernels/edwards_batch.cuh"
#include "kernels/vector.cuh"
#include "scheme/x25519.cuh"

namespace {
struct X25519Encode {
    using Number = fe;
    const u32* fractions;
    u64 n;
    u8* rows;
    const u8* statuses;
    u64 status_stride;
    u32 rejects_zero;
    u8* codes;

    __device__ __forceinline__ fe denominator(u64 i) const {
        return x25519_denominator(load_coordinate(fractions, n, i, 1));
    }
    __device__ __forceinline__ void finish(u64 i, const fe& inverse) const {
        u_fraction product = {load_coordinate(fractions, n, i, 0), load_coordinate(fractions, n, i, 1)};
        fe encoding;
        x25519_encode(encoding.v, product, inverse);
        store_row((uint4*)(rows + 32 * i), 1, encoding);
        u8 status = statuses[i * status_stride], code = x25519_code(encoding.v, rejects_zero);
        codes[i] = status == kValid ? code : status;
    }
};
}  // namespace

// Multiplies the point of each peer by the private key.
// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(128, 4)
    gecc_x25519_multiply(const SecretKeys* keys, u64 key_stride, const AnyRows* peers, u64 peer_stride,
                         Fractions* fractions, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u_fraction product = x25519_multiply((const u32*)(keys + i * key_stride), (const u32*)(peers + i * peer_stride));
        store_column(fractions, n, i, product.x.v);
        store_column(fractions + 8 * n, n, i, product.z.v);
    }
}

// Divides, and writes results and their codes. With rejects_zero, an item whose result is zero is
// rejected.
// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(256)
    gecc_x25519_encode(const Fractions* fractions, const AnyStatuses* statuses, u64 status_stride, u32 rejects_zero,
                       AnyRows* rows, Codes* codes, Prefixes* prefixes, u64 n) {
    __shared__ BlockInverseMemory memory;
    u32 mask = mask_if(rejects_zero != 0);
    X25519Encode op = {fractions, n, rows, statuses, status_stride, mask, codes};
    run_batched(op, n, prefixes, memory);
}

// The nonces of signatures (RFC 6979), and private keys as scalars.
//
// Launch contract: the key of item i is at offset i key_stride in bytes, where key_stride is 32, or
// 0 for one key for all items. additional, additional_stride: additional data of nonces, likewise
// 32 bytes per item. nonces, scalars: out, numbers in 1 .. n - 1: secrets, for the uniform kernels.
// status: out, kSigned, or kSecretKeyOutOfRange if the key is zero or not below the order (for
// gecc_nonces_sm3 also if it is the order - 1); the number of such an item is 1. A fixed sequence
// per item, except when a candidate is rejected (scheme/nonce.cuh).
#include "codes.cuh"
#include "hash/sha256.cuh"
#include "hash/sm3.cuh"
#include "kernels/layout.cuh"
#include "kernels/rows.cuh"
#include "scheme/nonce.cuh"
#include "scheme/sign.cuh"

namespace {
GECC_FN u8 key_status(u32 mask) {
    return (u8)((kSigned & mask) | (kSecretKeyOutOfRange & ~mask));
}

// `data_row` is ignored unless kWithData.
template <class H, bool kWithData>
GECC_FN void store_nonce(const u8* digest_row, const u8* key_row, const u8* data_row, bool sm2, u32* nonces, u8* status,
                         u64 n, u64 i) {
    u32 digest[8], key[8];
    load_number(digest, digest_row);
    load_number(key, key_row);
    u32 usable = sm2 ? sm2_key_mask(key) : key_mask(key);
    sc nonce;
    if (kWithData) {
        u32 data[8];
        load_number(data, data_row);
        nonce = rfc6979_nonce_with_data<H>(key, digest, data, 0);
    } else {
        nonce = rfc6979_nonce<H>(key, digest, 0);
    }
    replace_by_one(nonce.v, usable);
    store_column(nonces, n, i, nonce.v);
    status[i] = key_status(usable);
}
}  // namespace

// For ECDSA.
// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(256)
    gecc_nonces_sha256(const Digests* digests, const SecretKeys* keys, u64 key_stride, Scalars* nonces,
                       SignStatuses* status, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads())
        store_nonce<Sha256, false>(digests + 32 * i, keys + i * key_stride, nullptr, false, nonces, status, n, i);
}

// For SM2.
// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(256)
    gecc_nonces_sm3(const Digests* digests, const SecretKeys* keys, u64 key_stride, Scalars* nonces,
                    SignStatuses* status, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads())
        store_nonce<Sm3, false>(digests + 32 * i, keys + i * key_stride, nullptr, true, nonces, status, n, i);
}

// Separate kernels, so that those without additional data do not change.
// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(256)
    gecc_nonces_with_data_sha256(const Digests* digests, const SecretKeys* keys, u64 key_stride,
                                 const SecretKeys* additional, u64 additional_stride, Scalars* nonces,
                                 SignStatuses* status, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads())
        store_nonce<Sha256, true>(digests + 32 * i, keys + i * key_stride, additional + i * additional_stride, false,
                                  nonces, status, n, i);
}

// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(256)
    gecc_nonces_with_data_sm3(const Digests* digests, const SecretKeys* keys, u64 key_stride,
                              const SecretKeys* additional, u64 additional_stride, Scalars* nonces,
                              SignStatuses* status, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads())
        store_nonce<Sm3, true>(digests + 32 * i, keys + i * key_stride, additional + i * additional_stride, true,
                               nonces, status, n, i);
}

// For public keys (d G) and shared secrets (d Q).
// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_secret_scalars(const SecretKeys* keys, u64 key_stride, Scalars* scalars, SignStatuses* status, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u32 key[8];
        load_number(key, keys + i * key_stride);
        u32 usable = key_mask(key);
        replace_by_one(key, usable);
        store_column(scalars, n, i, key);
        status[i] = key_status(usable);
    }
}

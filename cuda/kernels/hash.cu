// Digests of messages of any length.
//
// Launch contract: message i consists of the bytes offsets[i] .. offsets[i + 1] - 1 of data.
// offsets: n + 1 non-decreasing numbers. Messages start at any byte, but the allocation of data
// (and ids) is a multiple of 4 bytes long. Time and addresses depend on lengths.
#include "kernels/point_batch.cuh"
#include "kernels/rows.cuh"
#include "kernels/texts.cuh"
#include "hash/sha256.cuh"
#include "scheme/sm2_digest.cuh"

namespace {
GECC_FN void store_digest(u8* digests, u64 i, const HashState& digest) {
    u32 number[8];
    number_from_digest(number, digest);
    store_number(digests + 32 * i, number);
}
}  // namespace

// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(256)
    gecc_sha256(const Texts* data, const Offsets* offsets, Digests* digests, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads())
        store_digest(digests, i, hash_message<Sha256>(bytes_between(data, offsets, i)));
}

// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(256)
    gecc_sha256d(const Texts* data, const Offsets* offsets, Digests* digests, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads())
        store_digest(digests, i, sha256d_message(bytes_between(data, offsets, i)));
}

// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(256)
    gecc_keccak256(const Texts* data, const Offsets* offsets, Digests* digests, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads())
        store_digest(digests, i, keccak256_message(bytes_between(data, offsets, i)));
}

// Computes e = SM3(Z_A || M) for SM2. ids, id_offsets: user ids, stored like messages in data and
// offsets, none longer than 8191 bytes. id_stride: 1, or 0 for one id for all items (id_offsets
// then has two numbers). xy, kinds: the public keys; keys that are not kFinite give a digest of
// zeros.
// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(256)
    gecc_sm3_za(const Texts* data, const Offsets* offsets, const Texts* ids, const Offsets* id_offsets, u64 id_stride,
                const Xy* xy, const PointKinds* kinds, Digests* digests, u64 n) {
    PointBatch points = {xy, kinds, n};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        HashState digest = {};
        if (points.finite(i)) {
            u32 x[8], y[8];
            fe_to_words(x, points.x(i));
            fe_to_words(y, points.y(i));
            HashState za = sm2_za(bytes_between(ids, id_offsets, i * id_stride), x, y);
            digest = sm2_message_digest(za, bytes_between(data, offsets, i));
        }
        store_digest(digests, i, digest);
    }
}

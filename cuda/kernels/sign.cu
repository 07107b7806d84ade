// ECDSA and SM2 signatures from nonces and their points. gecc_nonces_* (kernels/nonces.cu) computes
// the nonces and the status, gecc_fpmul_uniform and gecc_normalize the points R = kG.
//
// Launch contract: keys, key_stride: as in kernels/nonces.cu. r_xy, r_kinds: the points. status: on
// entry as written by gecc_nonces_*; kSecretKeyOutOfRange is kept; otherwise kSigned, or kDrawAgain
// if this nonce gives no signature: the host signs such an item again with the next nonce of RFC
// 6979. Items that are not signed have zeros as signature and recovery id. prefixes and nonces are
// secrets that remain in memory: the caller wipes them. A fixed sequence per item: uniform in keys
// and nonces.
#include "codes.cuh"
#include "kernels/batched.cuh"
#include "kernels/point_batch.cuh"
#include "kernels/rows.cuh"
#include "scheme/sign.cuh"

namespace {
struct Signing {
    const u8* digests;
    const u8* keys;
    u64 key_stride;
    const u32* nonces;
    PointBatch points;
    u8* signatures;
    u8* status;

    __device__ __forceinline__ sc nonce(u64 i) const {
        sc r;
        load_column(r.v, nonces, points.n, i);
        return r;
    }
    __device__ __forceinline__ sc key(u64 i) const {
        sc r;
        load_number(r.v, keys + i * key_stride);
        return r;
    }
    // Writes the signature and its status; returns the mask of being signed.
    __device__ __forceinline__ u32 store(u64 i, const SignatureParts& parts) const {
        u32 has_key = mask_if(status[i] != kSecretKeyOutOfRange);
        u32 is_signed = parts.usable & has_key & mask_if(points.finite(i));
        store_masked(signatures + 64 * i, is_signed, parts.r.v);
        store_masked(signatures + 64 * i + 32, is_signed, parts.s.v);
        status[i] = (u8)((kSigned & is_signed) | (kSecretKeyOutOfRange & ~has_key));
        return is_signed;
    }
};

struct EcdsaSign {
    using Number = sc;
    Signing batch;
    u32 low_s;  // mask
    u8* recovery_ids;

    __device__ __forceinline__ sc denominator(u64 i) const {
        return batch.nonce(i);
    }
    __device__ __forceinline__ void finish(u64 i, const sc& inverse) const {
        u32 digest[8], x[8], y[8];
        load_number(digest, batch.digests + 32 * i);
        fe_to_words(x, batch.points.x(i));
        fe_to_words(y, batch.points.y(i));
        SignatureParts parts = ecdsa_sign(digest, batch.key(i), x, inverse);
        u32 id = recovery_id(x, y, make_s_low(parts.s, low_s));
        recovery_ids[i] = (u8)(id & batch.store(i, parts));
    }
};

struct Sm2Sign {
    using Number = sc;
    Signing batch;

    // 1 + d, which is nonzero for every key that can sign.
    __device__ __forceinline__ sc denominator(u64 i) const {
        const sc one = {{1, 0, 0, 0, 0, 0, 0, 0}};
        sc sum = sc_add(sc_from_words(batch.key(i).v), one);
        replace_by_one(sum.v, nonzero_mask(sum));
        return sum;
    }
    __device__ __forceinline__ void finish(u64 i, const sc& inverse) const {
        u32 digest[8], x[8];
        load_number(digest, batch.digests + 32 * i);
        fe_to_words(x, batch.points.x(i));
        batch.store(i, sm2_sign(digest, batch.nonce(i), x, inverse));
    }
};
}  // namespace

// If low_s is nonzero, s is at most n / 2.
// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(256)
    gecc_ecdsa_sign(const Digests* digests, const SecretKeys* keys, u64 key_stride, const Scalars* nonces,
                    const Xy* r_xy, const PointKinds* r_kinds, u32 low_s, Signatures* signatures,
                    RecoveryIds* recovery_ids, SignStatuses* status, Prefixes* prefixes, u64 n) {
    __shared__ BlockInverseMemory memory;
    EcdsaSign op = {{digests, keys, key_stride, nonces, {r_xy, r_kinds, n}, signatures, status}, mask_if(low_s != 0),
                    recovery_ids};
    run_batched(op, n, prefixes, memory);
}

// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(256)
    gecc_sm2_sign(const Digests* digests, const SecretKeys* keys, u64 key_stride, const Scalars* nonces, const Xy* r_xy,
                  const PointKinds* r_kinds, Signatures* signatures, SignStatuses* status, Prefixes* prefixes, u64 n) {
    __shared__ BlockInverseMemory memory;
    Sm2Sign op = {{digests, keys, key_stride, nonces, {r_xy, r_kinds, n}, signatures, status}};
    run_batched(op, n, prefixes, memory);
}

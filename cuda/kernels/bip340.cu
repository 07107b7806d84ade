// BIP 340: equations of a verification, nonces and signatures.
//
// Launch contract. data, offsets: message i consists of the bytes offsets[i] .. offsets[i + 1] - 1
// of data, whose allocation is a multiple of 4 bytes long; without offsets, of the 32 bytes from 32
// i on. Time and addresses depend on the lengths of messages. xy, kinds: the public keys, whose y
// may be odd.
//
// Curves: secp256k1
#include "codes.cuh"
#include "kernels/point_batch.cuh"
#include "kernels/rows.cuh"
#include "scheme/bip340.cuh"
#include "scheme/verdict.cuh"

namespace {
struct MessageBatch {
    const u8* data;
    const u64* offsets;

    __device__ __forceinline__ BytesSource get(u64 i) const {
        if (offsets == nullptr) return BytesSource{(const u32*)data, 32 * i, 32};
        return BytesSource{(const u32*)data, offsets[i], offsets[i + 1] - offsets[i]};
    }
};

GECC_FN XOnly x_only_of(const PointBatch& points, u64 i) {
    return x_only(points.at(i));
}

struct SigningBatch {
    MessageBatch messages;
    const u8* keys;
    u64 key_stride;
    PointBatch points;

    // Sets key to 1 if it is out of range; returns the mask of being in range.
    __device__ __forceinline__ u32 key(sc& key, u64 i) const {
        load_number(key.v, keys + i * key_stride);
        u32 usable = key_mask(key.v);
        replace_by_one(key.v, usable);
        return usable;
    }
};
}  // namespace

// Converts messages, signatures and keys to the equations R = u1 G + u2 Q, where x(R) must be r and
// y(R) even, and makes every check that does not need a valid key. u1, u2, r, verdicts: out, for
// kernels/bip340_verify.cu; the numbers of an item that is rejected here are meaningless.
// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(256)
    gecc_bip340_equations(const Texts* data, const Optional<Offsets>* offsets, const Signatures* signatures,
                          const Xy* xy, const PointKinds* kinds, Scalars* u1, Scalars* u2, Scalars* r,
                          Verdicts* verdicts, u64 n) {
    MessageBatch messages = {data, offsets};
    PointBatch points = {xy, kinds, n};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u32 of_r[8], s[8];
        load_number(of_r, signatures + 64 * i);
        load_number(s, signatures + 64 * i + 32);
        Equation q;
        verdicts[i] = bip340_equation(q, of_r, s, x_only_of(points, i), messages.get(i));
        store_column(u1, n, i, q.u1.v);
        store_column(u2, n, i, q.u2.v);
        store_column(r, n, i, q.x.v);
    }
}

// Sets the verdicts of items whose messages were too long for the device to kPending, for the host.
// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_bip340_reopen(const Codes* on_device, Verdicts* verdicts, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads())
        if (on_device[i] == 0) verdicts[i] = kPending;
}

// Computes k' of each item. keys, key_stride: as in kernels/nonces.cu. auxiliary: 32 bytes at
// offset i auxiliary_stride; the stride is 32, or 0 if all items share the same bytes. xy, kinds:
// the points of the keys; a wrong one gives a different nonce, because both coordinates are hashed,
// y indirectly through d. nonces: out, numbers in 1 .. n - 1, secrets. status: out, kSigned or the
// first of these that applies: kSecretKeyOutOfRange, the code of the key's kind, kIdentityResult if
// k' is 0. A fixed sequence per item: uniform in keys, auxiliary bytes and nonces.
// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(256)
    gecc_bip340_nonces(const Texts* data, const Optional<Offsets>* offsets, const SecretKeys* keys, u64 key_stride,
                       const SecretKeys* auxiliary, u64 auxiliary_stride, const Xy* xy, const PointKinds* kinds,
                       Scalars* nonces, SignStatuses* status, u64 n) {
    SigningBatch batch = {{data, offsets}, keys, key_stride, {xy, kinds, n}};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        sc key, nonce;
        u32 random[8], has_key = batch.key(key, i);
        load_number(random, auxiliary + i * auxiliary_stride);
        u32 has_nonce = bip340_nonce(nonce, key, x_only_of(batch.points, i), random, batch.messages.get(i));
        store_column(nonces, n, i, nonce.v);
        u32 of_point = key_verdict(kinds[i]);
        u32 point_is_good = mask_if(of_point == kPending);
        u32 what = (has_nonce & kSigned) | (~has_nonce & kIdentityResult);
        what = (point_is_good & what) | (~point_is_good & of_point);
        status[i] = (u8)((has_key & what) | (~has_key & kSecretKeyOutOfRange));
    }
}

// Computes signatures from the nonces and their points. status: in and out. on_device: 0 if the
// message was too long for the device; may be missing. The status of such an item becomes
// kDrawAgain, for the host. Items that are not kSigned have a signature of zeros. A fixed sequence
// per item: uniform in keys and nonces.
// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(256)
    gecc_bip340_sign(const Texts* data, const Optional<Offsets>* offsets, const Optional<Codes>* on_device,
                     const SecretKeys* keys, u64 key_stride, const Xy* xy, const PointKinds* kinds,
                     const Scalars* nonces, const Xy* r_xy, const PointKinds* r_kinds, Signatures* signatures,
                     SignStatuses* status, u64 n) {
    SigningBatch batch = {{data, offsets}, keys, key_stride, {xy, kinds, n}};
    PointBatch nonce_points = {r_xy, r_kinds, n};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        sc key, nonce;
        batch.key(key, i);
        load_column(nonce.v, nonces, n, i);
        XOnly r = x_only_of(nonce_points, i);
        sc s = bip340_sign(nonce, r, key, x_only_of(batch.points, i), batch.messages.get(i));
        u32 is_here = mask_if(on_device == nullptr || on_device[i] != 0);
        u32 is_signed = is_here & mask_if(status[i] == kSigned);
        store_masked(signatures + 64 * i, is_signed, r.x);
        store_masked(signatures + 64 * i + 32, is_signed, s.v);
        status[i] = (u8)(status[i] & is_here);
    }
}

// Signing with Ed25519, and public keys: a fixed sequence per item for messages of one length.
//
// Launch contract. seeds: the 32 bytes of item i are at offset i seed_stride. keys: the secret
// scalar modulo n, and the prefix; the 64 bytes of item i are at offset i key_stride. A stride is 0
// if all items share the value. public_keys: encodings, likewise. Messages and dom2: as in
// kernels/ed25519.cu. scalars, nonces: numbers below n. xyz: X, Y and Z of their multiples of B.
// rows: encodings of these points, among them the first halves of signatures. keys, scalars,
// nonces, xyz and prefixes are secrets: the caller wipes them.
//
// Curves: ed25519
#include "kernels/batched.cuh"
#include "kernels/edwards_batch.cuh"
#include "kernels/niels_rows.cuh"
#include "kernels/texts.cuh"
#include "scheme/ed25519.cuh"

namespace {
constexpr int kEdGroups = kEdUniformMultiples / kLanes;

// The position of an entry as in kernels/uniform_table.cuh.
GECC_FN u64 ed_uniform_place(int window, int group, u32 lane) {
    return (u64)(window * kEdGroups + group) * (kEdNielsVectors * kLanes) + lane;
}

struct EdUniform {
    const uint4* __restrict__ table;

    // Must be called by all lanes of the warp together.
    GECC_MEMBER ed_niels get(int window, u32 m) const {
        ed_niels r = {fe_zero(), fe_zero(), fe_zero()};
        u32 lane = threadIdx.x % kLanes, source = m % kLanes;
        GECC_UNROLL
        for (int group = 0; group < kEdGroups; group++) {
            ed_niels entry = load_niels(table + ed_uniform_place(window, group, lane), kLanes);
            u32 mask = opaque(mask_if(m / kLanes == (u32)group));
            exchange_masked(r.sum, mask, entry.sum, source);
            exchange_masked(r.difference, mask, entry.difference, source);
            exchange_masked(r.product, mask, entry.product, source);
        }
        return r;
    }
};

struct EdEncode {
    using Number = fe;
    const u32* xyz;
    u64 n;
    u8* rows;
    u64 stride;

    __device__ __forceinline__ fe denominator(u64 i) const {
        return load_coordinate(xyz, n, i, 2);
    }
    __device__ __forceinline__ void finish(u64 i, const fe& inverse) const {
        fe encoding;
        ed_encode(encoding.v, {load_coordinate(xyz, n, i, 0), load_coordinate(xyz, n, i, 1), fe_one()}, inverse);
        store_row((uint4*)(rows + i * stride), 1, encoding);
    }
};
}  // namespace

// table: the multiples 1 to 128 of 2^(8 i) B for 32 windows i, in the layout of
// kernels/uniform_table.cuh: 393 216 bytes.
// Launch: one thread per item, in blocks of 128, for entries items.
extern "C" __global__ void __launch_bounds__(256) gecc_ed25519_uniform_table(Ed25519UniformTable* table) {
    int window = (int)global_thread() / kEdUniformMultiples, m = (int)global_thread() % kEdUniformMultiples;
    if (window >= kEdUniformWindows) return;
    uint4* place = (uint4*)table + ed_uniform_place(window, m / kLanes, m % kLanes);
    store_niels(place, kLanes, ed_base_multiple(m + 1, kEdUniformWindow * window));
}

// Expands seeds to keys, whose scalars are also written as a column.
// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(256)
    gecc_ed25519_expand(const SecretKeys* seeds, u64 seed_stride, Ed25519Keys* keys, Scalars* scalars, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        fe prefix, number;
        sc scalar = ed25519_expand(prefix.v, (const u32*)(seeds + i * seed_stride));
        store_column(scalars, n, i, scalar.v);
        words_copy(number.v, scalar.v);
        uint4* row = (uint4*)(keys + 64 * i);
        store_row(row, 1, number);
        store_row(row + 2, 1, prefix);
    }
}

// Computes SHA-512(dom2 || prefix || M) modulo n.
// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(256)
    gecc_ed25519_nonces(const Ed25519Keys* keys, u64 key_stride, const Optional<Texts>* dom2, u64 dom2_bytes,
                        const Texts* data, const Offsets* offsets, Scalars* nonces, u64 n) {
    BytesSource before = {(const u32*)dom2, 0, dom2_bytes};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        const u32* prefix = (const u32*)(keys + i * key_stride + 32);
        sc nonce = ed25519_hash(before, SecretSource{{prefix}, bytes_between(data, offsets, i)});
        store_column(nonces, n, i, nonce.v);
    }
}

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(128, 4)
    gecc_ed25519_multiply(const Scalars* scalars, const Ed25519UniformTable* __restrict__ table, Xyz* xyz, u64 n) {
    EdUniform multiples = {(const uint4*)table};
    // Lanes without an item repeat the last one, because all take part in the exchanges. The loop
    // is uniform in the block, so that the compiler can see that they do.
    for (u64 first = global_thread() - threadIdx.x; first < n; first += global_threads()) {
        u64 i = first + threadIdx.x;
        u32 k[8];
        load_column(k, scalars, n, i < n ? i : n - 1);
        ed_projective product = ed_multiply_uniform(multiples, k);
        if (i < n) store_coordinates(xyz, n, i, product);
    }
}

// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(256)
    gecc_ed25519_encode(const Xyz* xyz, AnyRows* rows, u64 row_stride, Prefixes* prefixes, u64 n) {
    __shared__ BlockInverseMemory memory;
    EdEncode op = {xyz, n, rows, row_stride};
    run_batched(op, n, prefixes, memory);
}

// signatures: in and out. R is already present.
// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(256)
    gecc_ed25519_sign(const Ed25519Keys* keys, u64 key_stride, const AnyRows* public_keys, u64 public_stride,
                      const Optional<Texts>* dom2, u64 dom2_bytes, const Texts* data, const Offsets* offsets,
                      const Scalars* nonces, Signatures* signatures, u64 n) {
    BytesSource before = {(const u32*)dom2, 0, dom2_bytes};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u32* signature = (u32*)(signatures + 64 * i);
        const u32* key = (const u32*)(public_keys + i * public_stride);
        sc k = ed25519_hash(before, ChallengeSource{{signature, key}, bytes_between(data, offsets, i)});
        sc nonce, scalar;
        load_column(nonce.v, nonces, n, i);
        words_copy(scalar.v, (const u32*)(keys + i * key_stride));
        fe s;
        words_copy(s.v, ed25519_sign(nonce, k, scalar).v);
        store_row((uint4*)(signature + 8), 1, s);
    }
}

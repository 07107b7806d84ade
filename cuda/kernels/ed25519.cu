// Verification of Ed25519 by the rule that the caller names. For public data: variable time.
//
// Launch contract. signatures: R || S as they are given. keys: 32 bytes each. Message i is the bytes offsets[i] ..
// offsets[i + 1] - 1 of data: offsets are n + 1 numbers that never decrease; messages start at any byte, but the
// allocation of data is a multiple of 4 bytes long. rule: the bits of Ed25519Rule, the same for all kernels.
// k: scalars below n. minus_a, minus_r: -A, and -R where the rule has it decoded; they mean nothing where the verdict
// is not kPending. The kernels come in this order: challenges and checks in either, then the equations.
#include "kernels/block_inverse.cuh"
#include "kernels/niels_rows.cuh"
#include "kernels/texts.cuh"
#include "kernels/tiles.cuh"
#include "scheme/ed25519.cuh"

namespace {
constexpr int kEdThreads = 256;
constexpr int kEdBlocks = 2;  // per multiprocessor: 128 registers a thread
constexpr int kEdAddendVectors = 8;

GECC_FN const u32* signature_r(const u8* signatures, u64 i) {
    return (const u32*)(signatures + 64 * i);
}

GECC_FN void store_affine(u32* xy, u64 n, u64 i, const ed_affine& p) {
    store_column(xy, n, i, p.x.v);
    store_column(xy + 8 * n, n, i, p.y.v);
}

GECC_FN ed_affine load_affine(const u32* xy, u64 n, u64 i) {
    ed_affine r;
    load_column(r.x.v, xy, n, i);
    load_column(r.y.v, xy + 8 * n, n, i);
    return r;
}

// Of one thread, one entry after the other.
struct EdMultiples {
    uint4* rows;

    GECC_MEMBER void put(int m, const ed_addend& entry) {
        uint4* row = rows + kEdAddendVectors * m;
        store_niels(row, 1, entry.niels);
        store_row(row + kEdNielsVectors, 1, entry.z2);
    }
    GECC_MEMBER ed_addend get(int m) {
        const uint4* row = rows + kEdAddendVectors * m;
        return {load_niels(row, 1), load_row(row + kEdNielsVectors, 1)};
    }
};

struct EdBase {
    const uint4* rows;

    GECC_MEMBER ed_niels get(int m) const {
        return load_niels(rows + kEdNielsVectors * m, 1);
    }
    GECC_MEMBER void align() const {
        __syncthreads();
    }
};
}  // namespace

// The multiples 1 to 16384 of B, 24 words each: y + x, y - x, 2 d x y.
// Launch: one thread per item, in blocks of 128, for entries items.
extern "C" __global__ void __launch_bounds__(256) gecc_ed25519_base_table(Ed25519BaseTable* table) {
    for (u64 m = global_thread(); m < kEdBaseMultiples; m += global_threads())
        store_niels((uint4*)table + kEdNielsVectors * m, 1, ed_base_multiple((u32)m + 1, 0));
}

// k = SHA-512(R || A || M) modulo n.
// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(256)
    gecc_ed25519_challenge(const Signatures* signatures, const ByteRows<32>* keys, const Texts* data,
                           const Offsets* offsets, Scalars* k, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        const u32* key = (const u32*)(keys + 32 * i);
        sc challenge = ed25519_hash(ChallengeSource{{signature_r(signatures, i), key}, bytes_between(data, offsets, i)});
        store_column(k, n, i, challenge.v);
    }
}

// verdicts: out. kPending, or the first check that fails.
// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_ed25519_check(const Signatures* signatures, const ByteRows<32>* keys, u32 rule, Xy* minus_a, Xy* minus_r,
                       Verdicts* verdicts, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        const u32* r = signature_r(signatures, i);
        ed_affine of_key = ed_generator(), of_r = of_key;
        verdicts[i] = ed25519_check(of_key, of_r, r, r + 8, (const u32*)(keys + 32 * i), rule);
        store_affine(minus_a, n, i, of_key);
        if (rule & kCofactored) store_affine(minus_r, n, i, of_r);
    }
}

// table: of gecc_ed25519_base_table. multiples: scratch of 512 words for each thread of the grid. next_tile: 0 before.
// on_device: 0 for an item that the CPU has to verify, whose verdict becomes kPending.
// verdicts: in and out. What is not kPending stays.
// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(kEdThreads, kEdBlocks)
    gecc_ed25519_verify(const Signatures* signatures, const Scalars* k, const Xy* minus_a, const Xy* minus_r,
                        const Ed25519BaseTable* table, u32 rule, Ed25519Multiples* multiples, NextTile* next_tile,
                        const Codes* on_device, Verdicts* verdicts, u64 n) {
    __shared__ BlockInverseMemory memory;
    __shared__ u32 tile;
    Tiles tiles = {next_tile};
    EdMultiples store = {(uint4*)multiples + global_thread() * kEdAddendVectors * kEdMultiples};
    EdBase base = {(const uint4*)table};
    for (u64 first = tiles.take(tile); first < n; first = tiles.take(tile)) {
        bool present = first + threadIdx.x < n;
        // Threads without an item repeat the last one, and all of them share inversions.
        u64 i = present ? first + threadIdx.x : n - 1;
        // Those that failed a check compute with B.
        bool pending = verdicts[i] == kPending;
        ed_put_multiples(store, pending ? load_affine(minus_a, n, i) : ed_generator());
        u32 of_k[8], s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        load_column(of_k, k, n, i);
        const u32* r = signature_r(signatures, i);
        if (pending) words_copy(s, r + 8);
        ed_projective sum = ed_multiply_add_var(store, of_k, base, s);
        Verdict verdict;
        if (rule & kCofactored) {
            verdict = ed25519_compare_cofactored(sum, pending ? load_affine(minus_r, n, i) : ed_generator());
        } else {
            verdict = ed25519_compare(sum, block_invert(sum.z, memory), r);
        }
        if (!present) continue;
        if (!on_device[i]) verdict = kPending;
        if (pending || !on_device[i]) verdicts[i] = verdict;
    }
}

// Verification of Ed25519 by a rule that the caller selects. For public data: variable time.
//
// Launch contract. signatures: R || S as given. keys: 32 bytes each. Message i consists of the
// bytes offsets[i] .. offsets[i + 1] - 1 of data: offsets are n + 1 non-decreasing numbers;
// messages start at any byte, but the allocation of data is a multiple of 4 bytes long. dom2: the
// prefix that is hashed before everything else, null if dom2_bytes is 0, as for Ed25519 itself. For
// Ed25519ph, the messages are their hashes. rule: the bits of Ed25519Rule, the same for all
// kernels. k: scalars below n. key_columns: the keys for kernels/key_groups.cu. representative:
// null, or for each item a representative with the same key, from that file. minus_a, kinds: -A of
// representative items, and the kinds of their keys; they are meaningless if the verdict is not
// kPending.
//
// In stream order: challenges; keys, after grouping if they are grouped; checks; the equations of
// all items or of those without a table; items for the CPU.
//
// Curves: ed25519
#include "kernels/edwards_batch.cuh"
#include "kernels/edwards_windows.cuh"
#include "kernels/item_list.cuh"
#include "kernels/texts.cuh"
#include "kernels/tiles.cuh"
#include "scheme/ed25519.cuh"
#include "scheme/key_hash.cuh"

namespace {
constexpr int kEdThreads = 256;
constexpr int kEdBlocks = 2;  // per multiprocessor: 128 registers a thread
constexpr int kEdAddendVectors = 8;

GECC_FN const u32* signature_r(const u8* signatures, u64 i) {
    return (const u32*)(signatures + 64 * i);
}

// Returns the item whose key was decoded for this one.
GECC_FN u64 decoded_for(const u32* representative, u64 i) {
    return representative ? representative[i] : i;
}

// The multiples of one thread, one entry after the other.
struct EdMultiples {
    uint4* rows;

    __device__ __forceinline__ uint4* row(int point, int m) const {
        return rows + kEdAddendVectors * (kEdMultiples * point + m);
    }
    __device__ __forceinline__ void put(int point, int m, const ed_addend& entry) {
        store_niels(row(point, m), 1, entry.niels);
        store_row(row(point, m) + kEdNielsVectors, 1, entry.z2);
    }
    __device__ __forceinline__ ed_addend get(int point, int m) {
        return {load_niels(row(point, m), 1), load_row(row(point, m) + kEdNielsVectors, 1)};
    }
    __device__ __forceinline__ void align() const {
        __syncthreads();
    }
    // Returns the largest number of windows in the block; most blocks contain a number of 131 to
    // 134 bits.
    __device__ __forceinline__ int most(int windows) const {
        int most = ed_windows(134);
        while (__syncthreads_or(windows > most)) most++;
        return most;
    }
};

struct EdBase {
    const uint4* table;
    int bits;

    __device__ __forceinline__ EdWindows times(const u32* words) const {
        return {table, words, 1, bits};
    }
};
}  // namespace

// Computes k = SHA-512(dom2 || R || A || M) modulo n.
// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(256)
    gecc_ed25519_challenge(const Signatures* signatures, const ByteRows<32>* keys, const Optional<Texts>* dom2,
                           u64 dom2_bytes, const Texts* data, const Offsets* offsets, Scalars* k,
                           Optional<KeyColumns>* key_columns, u64 n) {
    BytesSource before = {(const u32*)dom2, 0, dom2_bytes};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        const u32* key = (const u32*)(keys + 32 * i);
        ChallengeSource source = {{signature_r(signatures, i), key}, bytes_between(data, offsets, i)};
        sc challenge = ed25519_hash(before, source);
        store_column(k, n, i, challenge.v);
        if (!key_columns) continue;
        KeyWords words;
        words_copy(words.v, key);
        store_key(key_columns, n, i, words);
    }
}

// counts: null for all items; otherwise from kernels/key_groups.cu, and the count of a key without
// a point becomes 0. In that case kinds must be kFinite before. minus_a, kinds: out, for items with
// a count.
// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_ed25519_keys(const ByteRows<32>* keys, u32 rule, Optional<KeyUses>* counts, Xy* minus_a, PointKinds* kinds,
                      u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        if (counts && counts[i] == 0) continue;
        ed_affine a = ed_generator();
        PointKind kind = ed_decode_var(a, (const u32*)(keys + 32 * i), rule & kCanonical);
        kinds[i] = kind;
        if (counts && kind != kFinite) counts[i] = 0;
        a.x = fe_neg(a.x);
        store_affine(minus_a, n, i, a);
    }
}

// verdicts: out. kPending, or the first check that fails.
// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_ed25519_check(const Signatures* signatures, const ByteRows<32>* keys,
                       const Optional<ItemNumbers>* representative, const PointKinds* kinds, u32 rule,
                       Verdicts* verdicts, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        const u32* r = signature_r(signatures, i);
        u8 kind = kinds[decoded_for(representative, i)];
        verdicts[i] = ed25519_check(kind, r, r + 8, (const u32*)(keys + 32 * i), rule);
    }
}

// table, bits: the table of B (kernels/ed25519_tables.cu). multiples: scratch memory of 512 words
// for each thread of the grid. items, item_count: null for all items; otherwise item_count[0] <= n
// items, without repetition. next_tile: 0 before. verdicts: in and out. Verdicts other than
// kPending are kept, and so are those of items that are not listed.
// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(kEdThreads, kEdBlocks)
    gecc_ed25519_verify(const Signatures* signatures, const Scalars* k, const Optional<ItemNumbers>* representative,
                        const Xy* minus_a, const BaseTable* table, u32 bits, u32 rule,
                        Ed25519Multiples* multiples, const Optional<ItemNumbers>* items,
                        const Optional<ItemCount>* item_count, NextTile* next_tile, Verdicts* verdicts, u64 n) {
    __shared__ u32 tile;
    Tiles tiles = {next_tile};
    ItemList list = {items, item_count, n};
    u64 size = list.size();
    EdMultiples store = {(uint4*)multiples + global_thread() * kEdAddendVectors * kEdMultiples * 2};
    EdBase base = {(const uint4*)table, (int)bits};
    for (u64 first = tiles.take(tile); first < size; first = tiles.take(tile)) {
        bool present = first + threadIdx.x < size;
        // Every thread must reach the barriers; those without an item repeat the last one.
        u64 i = list.item(present ? first + threadIdx.x : size - 1);
        // Items that failed a check compute with B.
        bool pending = verdicts[i] == kPending;
        ed_affine of_a = pending ? load_affine(minus_a, n, decoded_for(representative, i)) : ed_generator();
        const u32* r = signature_r(signatures, i);
        sc of_k, s = {};
        load_column(of_k.v, k, n, i);
        if (pending) words_copy(s.v, r + 8);
        Verdict verdict = ed25519_verify_var(store, base, of_k, of_a, r, s, rule);
        if (present && pending) verdicts[i] = verdict;
    }
}

// on_device: 0 for an item that the CPU must verify, whose verdict becomes kPending.
// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_ed25519_reopen(const Codes* on_device, Verdicts* verdicts, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads())
        if (!on_device[i]) verdicts[i] = kPending;
}

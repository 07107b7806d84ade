// Keys that repeat within a batch: which items share a key, which keys get a table, and the lists of items with and
// without one. For public data. Verdicts do not depend on which items end up in which list.
//
// Launch contract. Every kernel: block of 32 .. 256 threads, a multiple of 32; grid: any size of one dimension; no
// shared memory. n < 2^32 - 1. In stream order:
// 1. Fill slots with bytes 0xff; zero counts and counters.
// 2. gecc_group_keys, after the keys are imported and kernels/equations.cu has run. slots: 2^slot_bits words, where
//    2^slot_bits >= 2 n; seed: any number, best a random one. Out: representative: n words; counts: n words.
// 3. gecc_pick_keys: keys that occur at least `threshold` times get table numbers from 0 on, at most max_tables of
//    them. Out: table_keys: max_tables words, an item that has the key of each table; counts: per item, the number of
//    the table if it represents a key that has one; counters[0]: how many keys asked for a table (perhaps more than
//    max_tables), counters[1]: how many items the keys with a table have.
// 4. The host reads counters: tables = min(counters[0], max_tables). With 0 it runs gecc_verify on all items. Otherwise
//    it builds the tables (kernels/key_tables.cu) and launches gecc_split_items.
// 5. gecc_split_items: items that are already rejected, or have a key that is no point, get their verdict and are in no
//    list. Out: with_items, with_tables: n words each, items and the numbers of their tables, counters[2] of them;
//    without_items: n words, counters[3] of them; verdict.
// 6. gecc_verify with items = without_items, item_count = counters + 3; gecc_verify_with_tables with item_count =
//    counters + 2, in any order.
// counters: 4 words.
#include "kernels/point_batch.cuh"
#include "scheme/key_hash.cuh"
#include "scheme/verdict.cuh"

namespace {
// Crafted keys can fill the slots that another key wants, but not make anybody search longer: an item that finds no
// place among these is treated as having a key of its own.
constexpr u32 kProbes = 32;
constexpr u32 kNone = 0xffffffff;

__device__ __forceinline__ bool same_key(const PointBatch& points, u64 i, u64 j) {
    u32 difference = 0;
    GECC_UNROLL
    for (int w = 0; w < 16; w++) difference |= points.xy[w * points.n + i] ^ points.xy[w * points.n + j];
    return difference == 0;
}

// The first item that had the same key, or i itself. Slots are never emptied, so equal keys meet in the same slot.
__device__ __forceinline__ u32 find_or_insert(const PointBatch& points, u32* slots, u32 slot_bits, u64 seed, u64 i) {
    u32 mask = (u32)((1ull << slot_bits) - 1);
    fe x = points.x(i);
    u32 slot = key_hash(x, seed) & mask;
    GECC_NO_UNROLL
    for (u32 probe = 0; probe < kProbes; probe++) {
        u32 owner = *(volatile u32*)(slots + slot);
        if (owner == kNone) owner = atomicCAS(slots + slot, kNone, (u32)i);
        if (owner == kNone || same_key(points, i, owner)) return owner == kNone ? (u32)i : owner;
        slot = (slot + 1) & mask;
    }
    return (u32)i;
}

// Adds one to *counter for each lane that calls with the same pointer, by one atomic operation for all of them, and
// returns the lane's own place.
__device__ __forceinline__ u32 count_together(u32* counter) {
    u32 peers = __match_any_sync(__activemask(), (u64)counter);
    u32 lane = threadIdx.x & 31, leader = __ffs(peers) - 1, first = 0;
    if (lane == leader) first = atomicAdd(counter, (u32)__popc(peers));
    return __shfl_sync(peers, first, leader) + __popc(peers & ((1u << lane) - 1));
}
}  // namespace

extern "C" __global__ void __launch_bounds__(256)
    gecc_group_keys(u32* points_xy, u8* points_kind, const u8* verdict, u64 seed, u32* slots, u32 slot_bits,
                    u32* representative, u32* counts, u64 n) {
    PointBatch points = {points_xy, points_kind, n};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u32 found = kNone;
        if (verdict[i] == kPending && points.finite(i)) {
            found = find_or_insert(points, slots, slot_bits, seed, i);
            count_together(counts + found);
        }
        representative[i] = found;
    }
}

extern "C" __global__ void __launch_bounds__(256)
    gecc_pick_keys(u32* counts, u32 threshold, u32 max_tables, u32* table_keys, u32* counters, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u32 uses = counts[i], table = kNone;
        if (uses != 0 && uses >= threshold) {
            u32 number = count_together(counters);
            if (number < max_tables) {
                table = number;
                table_keys[table] = (u32)i;
                atomicAdd(counters + 1, uses);
            }
        }
        counts[i] = table;
    }
}

extern "C" __global__ void __launch_bounds__(256)
    gecc_split_items(const u32* representative, const u32* counts, const u8* points_kind, u32* with_items,
                     u32* with_tables, u32* without_items, u32* counters, u8* verdict, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        if (verdict[i] != kPending) continue;
        u8 key = key_verdict(points_kind[i]);
        if (key != kPending) {
            verdict[i] = key;
            continue;
        }
        u32 table = counts[representative[i]];
        if (table == kNone) {
            without_items[count_together(counters + 3)] = (u32)i;
        } else {
            u32 place = count_together(counters + 2);
            with_items[place] = (u32)i;
            with_tables[place] = table;
        }
    }
}

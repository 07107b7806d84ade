// Repeated keys within a batch: finds the items that share a key, selects the keys that get a
// table, looks up existing tables, and lists the items with and without one. For public data.
// Verdicts do not depend on the list that an item is in.
//
// Launch contract: n < 2^32 - 1. In stream order:
// 1. Fill slots with bytes 0xff; zero counts and counters.
// 2. gecc_group_keys, after keys and verdicts have been written (kernels/equations.cu). keys: the
//    words by which keys are compared (scheme/key_hash.cuh); kinds: items that are not kFinite are
//    in no group. slots: 2^slot_bits words, where 2^slot_bits >= 2 n; seed: any number, preferably
//    random. Out: counts: for a representative item the number of items with its key, for the
//    others 0.
// 3. gecc_pick_keys: selects keys that occur at least `threshold` times, at most max_tables of
//    them. Out: table_keys: an item with the key, for each of max_tables; counters[0]: the number
//    of such keys (possibly more than max_tables), counters[1]: the number of items with the listed
//    keys.
// 4. With tables of an earlier batch, or of this one: zero counters[4], then gecc_find_keys.
//    index_keys, tables, index_seed, index_slots, index_slot_bits: as gecc_index_keys has left
//    them. Out: found: per representative the number of its key's table, or 0xffffffff;
//    counters[4]: the number of items whose key has a table. The host may read the counters and
//    repeat this step with other tables.
// 5. gecc_split_items: items that are already rejected, or whose key is not a point, get their
//    verdict and are in no list. Out: with_items, with_tables: counters[2] items and the numbers of
//    their tables; without_items: counters[3] items; verdicts.
// 6. gecc_verify with items = without_items, item_count = counters + 3; gecc_verify_with_tables
//    with item_count = counters + 2, in any order.
//
// gecc_index_keys builds the index of step 4 along with the tables (kernels/key_tables.cu).
// table_keys: `tables` items; key t is that of item table_keys[t]. index_slots: 2^index_slot_bits
// words, at least 4 tables, filled with bytes 0xff before; index_seed: as above. Out: index_keys:
// of `tables` items; index_slots.
#include "kernels/count_per_warp.cuh"
#include "kernels/layout.cuh"
#include "scheme/key_index.cuh"
#include "scheme/verdict.cuh"

namespace {
// Returns the first item found with the same key, or i itself, also if no slot is found for i,
// which then counts as having a key of its own. Slots are never emptied, so equal keys meet in the
// same slot.
__device__ __forceinline__ u32 find_or_insert(const u32* keys, u64 n, u32* slots, u32 slot_bits, u64 seed, u64 i) {
    u32 found = (u32)i;
    KeyWords key = load_key(keys, n, i);
    probe_slots(key_hash(key, seed), slot_bits, [&](u32 slot) {
        u32 owner = *(volatile u32*)(slots + slot);
        if (owner == kNoKey) owner = atomicCAS(slots + slot, kNoKey, (u32)i);
        if (owner != kNoKey && !same_key(keys, n, owner, key)) return false;
        if (owner != kNoKey) found = owner;
        return true;
    });
    return found;
}
}  // namespace

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_group_keys(const KeyColumns* keys, const PointKinds* kinds, const Verdicts* verdicts, u64 seed,
                    KeySlots* slots, u32 slot_bits, ItemNumbers* representative, KeyUses* counts, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u32 found = kNoKey;
        if (verdicts[i] == kPending && kinds[i] == kFinite) {
            found = find_or_insert(keys, n, slots, slot_bits, seed, i);
            count_per_warp(counts + found);
        }
        representative[i] = found;
    }
}

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_pick_keys(const KeyUses* counts, u32 threshold, u32 max_tables, ItemNumbers* table_keys, Counters* counters,
                   u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u32 uses = counts[i];
        if (uses == 0 || uses < threshold) continue;
        u32 number = count_per_warp(counters);
        if (number >= max_tables) continue;
        table_keys[number] = (u32)i;
        atomicAdd(counters + 1, uses);
    }
}

// Launch: one thread per item, for tables items.
extern "C" __global__ void __launch_bounds__(256)
    gecc_index_keys(const KeyColumns* keys, const ItemNumbers* table_keys, KeyColumns* index_keys, u64 index_seed,
                    IndexSlots* index_slots, u32 index_slot_bits, u32 tables, u64 n) {
    for (u64 table = global_thread(); table < tables; table += global_threads()) {
        KeyWords key = load_key(keys, n, table_keys[table]);
        store_key(index_keys, tables, table, key);
        // A key without a slot is not found later.
        probe_slots(key_hash(key, index_seed), index_slot_bits,
                    [=](u32 slot) { return atomicCAS(index_slots + slot, kNoKey, (u32)table) == kNoKey; });
    }
}

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_find_keys(const KeyColumns* keys, const KeyUses* counts, const KeyColumns* index_keys, u32 tables,
                   u64 index_seed, const IndexSlots* index_slots, u32 index_slot_bits, TableNumbers* found,
                   Counters* counters, u64 n) {
    KeyIndex index = {index_keys, tables, index_seed, index_slots, index_slot_bits};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u32 uses = counts[i];
        if (uses == 0) continue;
        u32 table = find_key(index, load_key(keys, n, i));
        found[i] = table;
        if (table != kNoKey) atomicAdd(counters + 4, uses);
    }
}

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_split_items(const ItemNumbers* representative, const TableNumbers* found, const PointKinds* kinds,
                     ItemNumbers* with_items, TableNumbers* with_tables, ItemNumbers* without_items, Counters* counters,
                     Verdicts* verdicts, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        if (verdicts[i] != kPending) continue;
        u8 key = key_verdict(kinds[i]);
        if (key != kPending) {
            verdicts[i] = key;
            continue;
        }
        u32 table = found[representative[i]];
        if (table == kNoKey) {
            without_items[count_per_warp(counters + 3)] = (u32)i;
        } else {
            u32 place = count_per_warp(counters + 2);
            with_items[place] = (u32)i;
            with_tables[place] = table;
        }
    }
}

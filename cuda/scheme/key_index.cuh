// Hash tables from keys to numbers, with open addressing.
#pragma once
#include "scheme/key_hash.cuh"

// An empty slot, and the number of a missing key.
constexpr u32 kNoKey = 0xffffffff;
// Maximum number of probes. Adversarial keys can fill the slots of another key, but cannot make a
// search longer: a key that finds no slot within this limit counts as missing.
constexpr u32 kProbes = 32;

// Calls `at` with the slots of a hash, one after the other, until it returns true. slot_bits: 5 ..
// 32 for distinct slots; with fewer bits some of them repeat.
template <class At> GECC_FN void probe_slots(u32 hash, u32 slot_bits, const At& at) {
    u32 mask = (u32)((1ull << slot_bits) - 1), slot = hash & mask;
    GECC_NO_UNROLL
    for (u32 probe = 0; probe < kProbes; probe++) {
        if (at(slot)) return;
        slot = (slot + 1) & mask;
    }
}

// `keys` keys, with their words and their slots. Slots are never emptied, so a search may end at an
// empty one.
struct KeyIndex {
    const u32* words;
    u64 keys;
    u64 seed;
    const u32* slots;
    u32 slot_bits;
};

// Returns the number of a key, or kNoKey.
GECC_FN u32 find_key(const KeyIndex& index, const KeyWords& key) {
    u32 found = kNoKey;
    probe_slots(key_hash(key, index.seed), index.slot_bits, [&index, &found, &key](u32 slot) {
        u32 number = index.slots[slot];
        if (number != kNoKey && !same_key(index.words, index.keys, number, key)) return false;
        found = number;
        return true;
    });
    return found;
}

// The words by which public keys are compared, and their hash in a table of keys.
#pragma once
#include "curve.cuh"
#include "primitives/types.cuh"

// On a short Weierstrass curve both coordinates, x before y; on a twisted Edwards curve the
// encoding, so that frequent keys are decoded once. Equal keys must have equal words: coordinates
// come from fe_from_words of canonical numbers, which gives equal words for equal numbers.
struct KeyWords {
    u32 v[GECC_KEY_WORDS];
};

// Mixes the first eight words. Q and -Q share them, which costs at most a second probe.
GECC_FN u32 key_hash(const KeyWords& key, u64 seed) {
    u64 h = seed;
    GECC_UNROLL
    for (int w = 0; w < 8; w += 2) {
        h ^= key.v[w] | (u64)key.v[w + 1] << 32;
        h *= 0x9e3779b97f4a7c15;
        h ^= h >> 32;
    }
    return (u32)h;
}

// Word w of key i of n is at keys[w n + i].
GECC_FN KeyWords load_key(const u32* keys, u64 n, u64 i) {
    KeyWords r;
    GECC_UNROLL
    for (int w = 0; w < GECC_KEY_WORDS; w++) r.v[w] = keys[w * n + i];
    return r;
}

GECC_FN void store_key(u32* keys, u64 n, u64 i, const KeyWords& key) {
    GECC_UNROLL
    for (int w = 0; w < GECC_KEY_WORDS; w++) keys[w * n + i] = key.v[w];
}

GECC_FN bool same_key(const u32* keys, u64 n, u64 i, const KeyWords& key) {
    u32 difference = 0;
    GECC_UNROLL
    for (int w = 0; w < GECC_KEY_WORDS; w++) difference |= keys[w * n + i] ^ key.v[w];
    return difference == 0;
}

// Where a public key stands in a table of keys.
#pragma once
#include "field/field.cuh"

// Mixes all words of the x-coordinate; Q and -Q share it, which costs no more than a second probe. Equal keys must have
// equal words: coordinates come from fe_from_words of canonical numbers, which gives equal words for equal numbers.
GECC_FN u32 key_hash(const fe& x, u64 seed) {
    u64 h = seed;
    GECC_UNROLL
    for (int w = 0; w < 8; w += 2) {
        h ^= x.v[w] | (u64)x.v[w + 1] << 32;
        h *= 0x9e3779b97f4a7c15;
        h ^= h >> 32;
    }
    return (u32)h;
}

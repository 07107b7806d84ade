// Tables of affine points: an entry is a row of sixteen words, x and y in field form. Tables are
// 16-byte aligned.
#pragma once
#include "curve/point.cuh"
#include "kernels/vector.cuh"

GECC_FN fe load_x(const u32* table, u64 entry) {
    return load_row((const uint4*)table + 4 * entry, 1);
}

GECC_FN fe load_y(const u32* table, u64 entry) {
    return load_row((const uint4*)table + 4 * entry + 2, 1);
}

GECC_FN affine load_entry(const u32* table, u64 entry) {
    affine r = {load_x(table, entry), load_y(table, entry)};
    return r;
}

GECC_FN void store_entry(u32* table, u64 entry, const affine& p) {
    uint4* row = (uint4*)table + 4 * entry;
    store_row(row, 1, p.x);
    store_row(row + 2, 1, p.y);
}

// Prefetches an entry that will be read soon, because tables are larger than the cache.
GECC_FN void prefetch_entry(const u32* table, u64 entry) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(table + 16 * entry));
}

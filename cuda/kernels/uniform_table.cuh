// The table of multiples of G for secret scalars, and its lookup.
//
// The entries of a window are stored in groups of 32: in each group the first sixteen bytes of all
// entries, then the next sixteen, so that the loads of a warp, an entry per lane, are coalesced.
// Every lane then gets the entry of its digit from the lane that holds it. The whole window is read
// whatever the digits are, no address depends on a digit, and an exchange between lanes takes the
// same time for any choice of sources, because each lane's register has a bank of its own.
#pragma once
#include "curve/recode.cuh"
#include "kernels/vector.cuh"

// Wider windows have fewer additions and more exchanges.
static constexpr int kUniformBits = 9, kUniformWindows = (256 + kUniformBits - 1) / kUniformBits;
static constexpr int kUniformEntries = 1 << (kUniformBits - 1);  // 1, 3, ..., 511
static constexpr int kUniformGroups = kUniformEntries / kLanes;

// Returns the position of the first sixteen bytes of an entry; the others follow at intervals of
// kLanes.
GECC_FN u64 uniform_place(int window, int group, u32 lane) {
    return ((u64)(window * kUniformGroups + group) * 4) * kLanes + lane;
}

GECC_FN void store_uniform_entry(u32* table, int window, int index, const affine& p) {
    uint4* place = (uint4*)table + uniform_place(window, index / kLanes, index % kLanes);
    store_row(place, kLanes, p.x);
    store_row(place + 2 * kLanes, kLanes, p.y);
}

// Returns the multiple of G for the digit of each lane. All lanes of the warp must call this
// together.
GECC_FN affine exchange_window(const u32* __restrict__ table, int window, const OddDigit& digit) {
    affine r = {fe_zero(), fe_zero()};
    u32 lane = threadIdx.x % kLanes, source = digit.index % kLanes;
    GECC_UNROLL
    for (int group = 0; group < kUniformGroups; group++) {
        const uint4* place = (const uint4*)table + uniform_place(window, group, lane);
        u32 mask = opaque(mask_if(group == (int)(digit.index / kLanes)));
        exchange_masked(r.x, mask, load_row(place, kLanes), source);
        exchange_masked(r.y, mask, load_row(place + 2 * kLanes, kLanes), source);
    }
    r.y = fe_select(digit.negative, fe_neg(r.y), r.y);
    return r;
}

// Rows of field elements, read and written sixteen bytes at a time.
#pragma once
#include "field/field.cuh"

GECC_FN fe load_row(const uint4* row, u64 pitch) {
    uint4 low = row[0], high = row[pitch];
    fe r = {{low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w}};
    return r;
}

GECC_FN void store_row(uint4* row, u64 pitch, const fe& a) {
    row[0] = make_uint4(a.v[0], a.v[1], a.v[2], a.v[3]);
    row[pitch] = make_uint4(a.v[4], a.v[5], a.v[6], a.v[7]);
}

static constexpr int kLanes = 32;

// r |= value of lane `source` where mask is all ones. All lanes of the warp must call this
// together.
GECC_FN void exchange_masked(fe& r, u32 mask, const fe& value, u32 source) {
    GECC_UNROLL
    for (int w = 0; w < 8; w++) r.v[w] |= __shfl_sync(0xffffffffu, value.v[w], source) & mask;
}

// r |= entry where mask is all ones: one step of a scan over entries.
GECC_FN void accumulate_masked(fe& r, u32 mask, const fe& entry) {
    GECC_UNROLL
    for (int w = 0; w < 8; w++) r.v[w] |= entry.v[w] & mask;
}

// Batches of points of a twisted Edwards curve in device memory, in columns: x before y, or X
// before Y before Z.
#pragma once
#include "curve/edwards.cuh"
#include "kernels/layout.cuh"

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

GECC_FN void store_coordinates(u32* xyz, u64 n, u64 i, const ed_projective& p) {
    store_column(xyz, n, i, p.x.v);
    store_column(xyz + 8 * n, n, i, p.y.v);
    store_column(xyz + 16 * n, n, i, p.z.v);
}

// Returns X, Y or Z of point i; `which` is the index of the coordinate.
GECC_FN fe load_coordinate(const u32* xyz, u64 n, u64 i, int which) {
    fe r;
    load_column(r.v, xyz + which * 8 * n, n, i);
    return r;
}

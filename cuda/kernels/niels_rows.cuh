// Multiples of points in the format of tables: y + x, y - x, 2 d x y, each in two parts of sixteen
// bytes, which are `pitch` parts apart.
#pragma once
#include "curve/edwards.cuh"
#include "kernels/vector.cuh"

static constexpr int kEdNielsVectors = 6;

GECC_FN ed_niels load_niels(const uint4* row, u64 pitch) {
    return {load_row(row, pitch), load_row(row + 2 * pitch, pitch), load_row(row + 4 * pitch, pitch)};
}

GECC_FN void store_niels(uint4* row, u64 pitch, const ed_niels& a) {
    store_row(row, pitch, a.sum);
    store_row(row + 2 * pitch, pitch, a.difference);
    store_row(row + 4 * pitch, pitch, a.product);
}

// Returns m 2^doublings B, for m below 2^16.
GECC_FN ed_niels ed_base_multiple(u32 m, int doublings) {
    ed_extended multiple = ed_identity();
    GECC_NO_UNROLL
    for (int bit = 15; bit >= -doublings; bit--) {
        multiple = to_extended(ed_double(to_projective(multiple)));
        if (bit >= 0 && (m >> bit & 1)) multiple = to_extended(ed_add_affine(multiple, to_niels(ed_generator()), 0));
    }
    fe inverse = fe_inv(multiple.z);
    return to_niels({fe_mul(multiple.x, inverse), fe_mul(multiple.y, inverse)});
}

// Sums of points in memory, in rows of 32 words: x, y, zz, zzz.
#pragma once
#include "curve/xyzz.cuh"
#include "kernels/table_rows.cuh"

GECC_FN xyzz load_sum(const u32* rows, u64 row) {
    const uint4* from = (const uint4*)rows + 8 * row;
    xyzz r = {load_row(from, 1), load_row(from + 2, 1), load_row(from + 4, 1), load_row(from + 6, 1)};
    return r;
}

GECC_FN void store_sum(u32* rows, u64 row, const xyzz& sum) {
    uint4* to = (uint4*)rows + 8 * row;
    store_row(to, 1, sum.x);
    store_row(to + 2, 1, sum.y);
    store_row(to + 4, 1, sum.zz);
    store_row(to + 6, 1, sum.zzz);
}

// The sum of a sum's windows, each of which is a row (kernels/msm.cu).
GECC_FN xyzz add_up_windows(const u32* window_sums, u32 windows) {
    xyzz sum = xyzz_identity();
    for (u32 window = 0; window < windows; window++) sum = xyzz_add_var(sum, load_sum(window_sums, window));
    return sum;
}

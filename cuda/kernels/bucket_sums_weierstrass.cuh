// Rows of x, y, zz, zzz (curve/xyzz.cuh), and terms of affine points in rows of 16 words.
#pragma once
#include "curve/xyzz.cuh"
#include "kernels/table_rows.cuh"

using BucketSum = xyzz;

GECC_FN xyzz bucket_identity() {
    return xyzz_identity();
}

GECC_FN xyzz bucket_add_var(xyzz p, xyzz q) {
    return xyzz_add_var(p, q);
}

GECC_FN void prefetch_term(const u32* rows, u64 row) {
    prefetch_entry(rows, row);
}

GECC_FN void add_term(xyzz& sum, bool& identity, const u32* rows, u64 row, u32 negative) {
    affine p = load_entry(rows, row);
    p.y = fe_select(negative, fe_neg(p.y), p.y);
    add_var(sum, identity, p);
}

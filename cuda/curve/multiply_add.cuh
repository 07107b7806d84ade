// u2 Q + u1 G for public scalars: u2 Q by the windows of curve/multiples.cuh, and then, without
// doublings, one entry of a table of G for each window of u1.
#pragma once
#include "curve/multiples.cuh"
#include "curve/window_digit.cuh"

// Table provides `Multiple get(int index)` and `void align()` as in multiply_by_windows, for s made
// of u2. Base provides `int windows()`, `void prefetch(int window)` and `i32 get(affine& entry, int
// window)`, which returns the digit of u1 there and, unless that is zero, |digit| 2^(bits window)
// G.
//
// All sums share one addition, which is complete because the two halves may be equal, opposite or
// the identity. A second copy of it would compete for the instruction cache.
template <class Table, class Base>
GECC_FN jacobian multiply_add_var(Table& table, OddScalar<kWindows>* s, const Base& base) {
    jacobian sum = {fe_one(), fe_one(), fe_zero()};
    bool identity = true;
    int last = -base.windows();
    GECC_NO_UNROLL
    for (int j = kWindows - 1; j >= last; j--) {
        // Windows 0 and above are those of u2, the others those of u1.
        int doublings = j >= 0 && j < kWindows - 1 ? kWindowBits : 0, additions = j >= 0 ? kScalars : 1;
        GECC_NO_UNROLL
        for (int k = 0; k < doublings; k++) {
            table.align();
            sum = jacobian_double(sum);
        }
        if (j <= 0 && j > last) base.prefetch(-j);
        GECC_NO_UNROLL
        for (int which = 0; which < additions; which++) {
            table.align();
            affine addend;
            u32 negative;
            bool present = true;
            if (j >= 0) {
                OddDigit d = next_odd_digit(s[which]);
                Multiple entry = table.get(d.index);
                addend.x = which == 0 ? entry.x : entry.third;
                addend.y = entry.y;
                negative = d.negative;
            } else {
                i32 digit = base.get(addend, -1 - j);
                negative = mask_if(digit < 0);
                present = digit != 0;
            }
            if (present) {
                addend.y = fe_select(negative, fe_neg(addend.y), addend.y);
                add_var(sum, identity, addend);
            }
        }
    }
    if (identity) sum.z = fe_zero();
    return sum;
}

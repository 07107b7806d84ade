// The input and output of drivers of short Weierstrass curves other than numbers.
#pragma once
#include "curve/multiples.cuh"
#include "numbers.hpp"

static affine point(const Numbers& in, int i) {
    affine r = {fe_from_words(in.words[i]), fe_from_words(in.words[i + 1])};
    return r;
}

// x and y as plain numbers, or two zeros for the identity, which are the coordinates of no point.
static void put_point(Numbers& out, const jacobian& p, bool identity) {
    u32 x[8] = {}, y[8] = {};
    if (!identity && !fe_is_zero(p.z)) {
        affine a = scale_by_inverse(p.x, p.y, fe_inv(p.z));
        fe_to_words(x, a.x);
        fe_to_words(y, a.y);
    }
    put(out, x);
    put(out, y);
}

struct HostTable {
    Multiple entries[kOddMultiples];
    void put(int m, const Multiple& entry) {
        entries[m] = entry;
    }
    Multiple get(int m) {
        return entries[m];
    }
    void align() {}
};

// Products of points of curve25519, v^2 = u^3 + A u^2 + u with A = 486662, by their u-coordinates
// alone: the Montgomery ladder (RFC 7748, section 5). The same formulas compute on the curve and on
// its twist, so every number is the u-coordinate of a point.
#pragma once
#include "field/field.cuh"

// (A - 2) / 4.
static constexpr u32 kLadderA24 = 121665;

// u = X / Z. Z is 0 for the identity, and for some representations of the point with u = 0.
struct u_fraction {
    fe x, z;
};

// Exchanges two points if the mask is set.
GECC_FN void u_exchange(u_fraction& a, u_fraction& b, u32 mask) {
    u_fraction first = {fe_select(mask, b.x, a.x), fe_select(mask, b.z, a.z)};
    b.x = fe_select(mask, a.x, b.x);
    b.z = fe_select(mask, a.z, b.z);
    a = first;
}

// Replaces `near` and `far`, whose difference has the u-coordinate u, by 2 near and near + far: five
// products and four squares.
GECC_FN void u_double_and_add(u_fraction& near, u_fraction& far, const fe& u) {
    fe sum = fe_add(near.x, near.z), difference = fe_sub(near.x, near.z);
    fe crossed = fe_mul(fe_sub(far.x, far.z), sum), other = fe_mul(fe_add(far.x, far.z), difference);
    sum = fe_sqr(sum);
    difference = fe_sqr(difference);
    fe quadruple = fe_sub(sum, difference);  // 4 X Z
    near.x = fe_mul(sum, difference);
    near.z = fe_mul(quadruple, fe_add(fe_mul_small(quadruple, kLadderA24), sum));
    far.x = fe_sqr(fe_add(crossed, other));
    far.z = fe_mul(fe_sqr(fe_sub(crossed, other)), u);
}

// k P for a k below 2^255 and the u-coordinate of P. `Words` provides the words of k, `u32
// word(int)`, which are read once each, the highest first. A fixed sequence.
template <class Words> GECC_FN u_fraction u_multiply(const Words& k, const fe& u) {
    // With the bits of k so far as m: m P and (m + 1) P, exchanged if the last bit is set.
    u_fraction near = {fe_one(), fe_zero()}, far = {u, fe_one()};
    u32 last = 0;
    GECC_NO_UNROLL
    for (int w = 7; w >= 0; w--) {
        // The next bit is at the top.
        u32 word = k.word(w), bits = 32;
        if (w == 7) {
            word <<= 1;
            bits = 31;
        }
        GECC_NO_UNROLL
        for (; bits > 0; bits--, word <<= 1) {
            u32 mask = opaque(0 - (word >> 31));
            u_exchange(near, far, mask ^ last);
            last = mask;
            u_double_and_add(near, far, u);
        }
    }
    u_exchange(near, far, last);
    return near;
}

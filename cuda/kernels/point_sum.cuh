// The complete sum of two batches of points, item by item, for run_batched.
#pragma once
#include "curve/affine_add.cuh"
#include "kernels/batched.cuh"
#include "kernels/point_batch.cuh"

GECC_FN bool is_point(u8 kind) {
    return kind == kFinite || kind == kIdentity;
}

// A and B provide `bool finite(u64 i)`, `u8 kind_at(u64 i)`, and `fe x(u64 i)` and `fe y(u64 i)`,
// which are meaningful if the point is finite; Out provides `void store(u64 i, const affine&, u8
// kind)`. out may be a or b. If an operand is neither finite nor the identity, the result has its
// kind (that of a takes precedence).
template <class A, class B, class Out> struct PointSum {
    using Number = fe;
    A a;
    B b;
    Out out;

    __device__ __forceinline__ AdditionCase classify(u64 i, fe& denominator, const fe& ax, const fe& bx) const {
        const PointSum& op = *this;
        return addition_case(denominator, a.finite(i), b.finite(i), ax, bx, [&op, i](fe& ay, fe& by) {
            ay = op.a.y(i);
            by = op.b.y(i);
        });
    }
    __device__ __forceinline__ fe denominator(u64 i) const {
        fe r;
        classify(i, r, a.x(i), b.x(i));
        return r;
    }
    __device__ __forceinline__ void finish(u64 i, const fe& inverse) const {
        affine p = {a.x(i), a.y(i)}, q = {b.x(i), b.y(i)};
        fe unused;
        AdditionCase which = classify(i, unused, p.x, q.x);
        u8 a_kind = a.kind_at(i), b_kind = b.kind_at(i), kind = kFinite;
        if (which == kChord || which == kTangent) p = add_on_line(which, p, q, inverse);
        else if (which == kSumIsSecond) p = q;
        if (!is_point(a_kind)) kind = a_kind;
        else if (!is_point(b_kind)) kind = b_kind;
        else if (which == kSumIsIdentity) kind = kIdentity;
        else if (which == kSumIsFirst) kind = a_kind;
        out.store(i, p, kind);
    }
};

// Batches of points in device memory.
#pragma once
#include "curve/point.cuh"
#include "kernels/layout.cuh"

// A batch of n points: x in words 0 .. 7 and y in words 8 .. 15 of a column-major array of sixteen
// words, and one PointKind byte per point. The coordinates of a point that is not kFinite are
// meaningless.
struct PointBatch {
    const u32* xy;
    const u8* kind;
    u64 n;

    __device__ __forceinline__ bool finite(u64 i) const {
        return kind[i] == kFinite;
    }
    __device__ __forceinline__ u8 kind_at(u64 i) const {
        return kind[i];
    }
    __device__ __forceinline__ fe x(u64 i) const {
        fe r;
        load_column(r.v, xy, n, i);
        return r;
    }
    __device__ __forceinline__ fe y(u64 i) const {
        fe r;
        load_column(r.v, xy + 8 * n, n, i);
        return r;
    }
    __device__ __forceinline__ affine at(u64 i) const {
        return {x(i), y(i)};
    }
};

// Memory for the points of a batch, to be written.
struct PointTarget {
    u32* xy;
    u8* kind;
    u64 n;

    __device__ __forceinline__ void store(u64 i, const affine& p) const {
        store_column(xy, n, i, p.x.v);
        store_column(xy + 8 * n, n, i, p.y.v);
    }
    __device__ __forceinline__ void store(u64 i, const affine& p, u8 what) const {
        store(i, p);
        kind[i] = what;
    }
};

// Memory for n points in Jacobian coordinates, to be written: x, y, z in a column-major array of 24
// words.
struct JacobianBatch {
    u32* xyz;
    u64 n;

    __device__ __forceinline__ void store(u64 i, const jacobian& p) const {
        store_column(xyz, n, i, p.x.v);
        store_column(xyz + 8 * n, n, i, p.y.v);
        store_column(xyz + 16 * n, n, i, p.z.v);
    }
};

// A batch of points in Jacobian coordinates, to be read.
struct JacobianSource {
    const u32* xyz;
    u64 n;

    __device__ __forceinline__ fe coordinate(u64 i, int which) const {
        fe r;
        load_column(r.v, xyz + 8 * which * n, n, i);
        return r;
    }
};

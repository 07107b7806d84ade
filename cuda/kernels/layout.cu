// Converts rows of big-endian bytes, the callers' format, to columns of words, the other kernels'
// format, and back, and makes the checks that determine the kind of each item.
#include "codes.cuh"
#include "curve/point.cuh"
#include "field/scalar.cuh"
#include "kernels/point_batch.cuh"
#include "kernels/rows.cuh"

namespace {
GECC_FN u8 number_kind(bool in_range, const u32* words) {
    return !in_range ? kTooLarge : words_or(words) == 0 ? kZero : kInRange;
}

// Checks and converts a point. On any failure the stored point is G, with which later kernels can
// compute.
GECC_FN void store_checked(const PointTarget& out, u64 i, const u32* x, const u32* y) {
    affine p = {fe_from_words(x), fe_from_words(y)};
    u8 kind = kFinite;
    if (!below_p(x) || !below_p(y)) kind = kOutOfRange;
    else if (!is_on_curve(p)) kind = kOffCurve;
    out.store(i, kind == kFinite ? p : generator());
    out.kind[i] = kind;
}

// Stores the point with an x-coordinate and the parity of y, or G if there is none.
GECC_FN void store_decompressed(const PointTarget& out, u64 i, const u32* x, bool y_is_odd) {
    affine p;
    u8 kind = decompress_var(p, fe_from_words(x), y_is_odd);
    if (!below_p(x)) kind = kOutOfRange;
    out.store(i, kind == kFinite ? p : generator());
    out.kind[i] = kind;
}
}  // namespace

// Rows are x || y. If zero_is_identity is nonzero, a row of zeros is the identity (it is on no
// curve, since b is not zero).
// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_import_points_raw(const ByteRows<64>* rows, u32 zero_is_identity, Xy* xy, PointKinds* kinds, u64 n) {
    PointTarget out = {xy, kinds, n};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u32 x[8], y[8];
        load_number(x, rows + 64 * i);
        load_number(y, rows + 64 * i + 32);
        store_checked(out, i, x, y);
        if (zero_is_identity && (words_or(x) | words_or(y)) == 0) kinds[i] = kIdentity;
    }
}

// Rows are 02 or 03 || x. Variable time, for public points.
// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_import_points_compressed(const ByteRows<33>* rows, Xy* xy, PointKinds* kinds, u64 n) {
    PointTarget out = {xy, kinds, n};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        const u8* row = rows + 33 * i;
        u32 x[8];
        load_number_unaligned(x, row + 1);
        store_decompressed(out, i, x, row[0] & 1);
        if ((row[0] & 0xfe) != 2) kinds[i] = kBadEncoding;
    }
}

// Rows are x, of points with an even y (BIP 340, lift_x). Variable time, for public points.
// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_import_points_x_only(const ByteRows<32>* rows, Xy* xy, PointKinds* kinds, u64 n) {
    PointTarget out = {xy, kinds, n};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u32 x[8];
        load_number(x, rows + 32 * i);
        store_decompressed(out, i, x, false);
    }
}

// Rows are 04 || x || y, or 02 or 03 || x || 32 ignored bytes, or 00 || 64 ignored bytes for the
// identity. tags: the accepted first bytes, as a sum of TagSet. Variable time, for public points.
// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_import_points_sec1(const ByteRows<65>* rows, u32 tags, Xy* xy, PointKinds* kinds, u64 n) {
    PointTarget out = {xy, kinds, n};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        const u8* row = rows + 65 * i;
        u8 tag = row[0];
        bool accepted = false;
        u32 x[8], y[8];
        load_number_unaligned(x, row + 1);
        if (tag == 2 || tag == 3) {
            accepted = tags & kCompressedTag;
            store_decompressed(out, i, x, tag & 1);
        } else {
            accepted = tag == 4 ? tags & kUncompressedTag : tag == 0 && (tags & kIdentityTag);
            load_number_unaligned(y, row + 33);
            store_checked(out, i, x, y);
            if (tag == 0) kinds[i] = kIdentity;
        }
        if (!accepted) kinds[i] = kBadEncoding;
    }
}

// Rows are x || y, and zeros for points that are not kFinite.
// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_export_points_raw(const Xy* xy, const PointKinds* kinds, ByteRows<64>* rows, u64 n) {
    PointBatch in = {xy, kinds, n};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u32 finite = mask_if(in.finite(i)), x[8], y[8];
        fe_to_words(x, in.x(i));
        fe_to_words(y, in.y(i));
        store_masked(rows + 64 * i, finite, x);
        store_masked(rows + 64 * i + 32, finite, y);
    }
}

// Reduces the numbers modulo the order.
// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_import_scalars(const ByteRows<32>* rows, Scalars* scalars, NumberKinds* kinds, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u32 words[8];
        load_number(words, rows + 32 * i);
        store_column(scalars, n, i, sc_from_words(words).v);
        kinds[i] = number_kind(sc_is_canonical(words), words);
    }
}

// Masked points: their encodings, and codes for the host.
//
// Launch contract. Block: up to 256 threads; grid: any size of one dimension (threads loop over
// items). No shared memory, no scratch memory. xy, kinds: points as in kernels/point_batch.cuh.
#include "kernels/point_batch.cuh"
#include "scheme/verdict.cuh"

namespace {
// Stores the first `count` bytes of a big-endian number. The count is public.
GECC_FN void store_bytes(u8* row, const u32* number, u32 count) {
    GECC_UNROLL
    for (u32 k = 0; k < 32; k++)
        if (k < count) row[k] = (u8)(number[7 - k / 4] >> (24 - 8 * (k % 4)));
}
}  // namespace

// Rows of row_bytes bytes at any alignment, zeros for points that are not kFinite: with is_tagged,
// 02 or 03 || x in 33 bytes, or 04 || x || y in 65; otherwise the first 1 to 64 bytes of x || y. A
// fixed sequence per item.
// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_export_masked(const Xy* xy, const PointKinds* kinds, u32 is_tagged, u32 row_bytes, AnyRows* rows, u64 n) {
    PointBatch in = {xy, kinds, n};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u32 x[8], y[8], finite = mask_if(in.finite(i));
        u8* row = rows + row_bytes * i;
        fe_to_words(x, in.x(i));
        fe_to_words(y, in.y(i));
        GECC_UNROLL
        for (int w = 0; w < 8; w++) {
            x[w] &= finite;
            y[w] &= finite;
        }
        u32 count = row_bytes;
        if (is_tagged) {
            *row++ = (u8)((row_bytes == 33 ? 2 | (y[0] & 1) : 4) & finite);
            count--;
        }
        store_bytes(row, x, count);
        store_bytes(row + 32, y, count > 32 ? count - 32 : 0);
    }
}

// Sets the codes of items whose messages were too long for the device to kPending, for the host.
// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_reopen(const Codes* on_device, Codes* codes, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads())
        if (on_device[i] == 0) codes[i] = kPending;
}

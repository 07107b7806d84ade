// Fixed-base multiplication (FPMUL): k G for a batch of scalars, from a table of multiples of G
// (kernels/table.cu).
//
// Launch contract: xyz is for gecc_normalize. gecc_fpmul_var is for public scalars; its table has
// ceil(256 / bits) windows. gecc_fpmul_uniform is for secret ones: every warp reads all of its
// table.
#include "curve/jacobian.cuh"
#include "curve/recode.cuh"
#include "curve/table_sum.cuh"
#include "kernels/point_batch.cuh"
#include "kernels/table_rows.cuh"
#include "kernels/uniform_table.cuh"

namespace {
// Returns the multiple of G for one nonzero digit.
GECC_FN affine digit_point_var(const u32* __restrict__ table, u64 window_start, i32 digit) {
    affine p = load_entry(table, window_start + (digit < 0 ? -digit : digit) - 1);
    if (digit < 0) p.y = fe_neg(p.y);
    return p;
}

GECC_FN jacobian fpmul_var(const u32* __restrict__ table, const sc& k, int bits) {
    SignedDigits<8> digits = signed_digits_var(k, bits);
    xyzz sum = to_xyzz(generator());
    bool identity = true;
    u64 entries = 1ull << (bits - 1);
    int windows = (256 + bits - 1) / bits;
    GECC_NO_UNROLL
    for (int i = 0; i < windows; i++) {
        i32 digit = next_digit(digits);
        if (digit != 0) add_var(sum, identity, digit_point_var(table, i * entries, digit));
    }
    jacobian r = to_jacobian(sum);
    if (identity) r.z = fe_zero();
    return r;
}

// Adds the windows from the top. Before the last window, the sum is an even multiple of the
// window's unit and the addend an odd one below it, so they are neither equal nor opposite, also
// modulo the odd n; and the sum is positive, below 2 n. In the last window, the sum may be equal to
// the addend (k = n - 2, ...) or to its opposite (k = 0).
GECC_FN jacobian fpmul_uniform(const u32* __restrict__ table, const sc& k) {
    OddScalar<kUniformWindows, kUniformBits> s;
    odd_scalar(s, k);
    xyzz sum = to_xyzz(exchange_window(table, kUniformWindows - 1, next_odd_digit(s)));
    GECC_NO_UNROLL
    for (int i = kUniformWindows - 2; i > 0; i--) add_distinct(sum, exchange_window(table, i, next_odd_digit(s)));
    return add_uniform(to_jacobian(sum), exchange_window(table, 0, next_odd_digit(s)));
}
}  // namespace

// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(256)
    gecc_fpmul_var(const Scalars* scalars, const BaseTable* __restrict__ table, u32 bits, Xyz* xyz, u64 n) {
    JacobianBatch out = {xyz, n};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        sc k;
        load_column(k.v, scalars, n, i);
        out.store(i, fpmul_var(table, k, bits));
    }
}

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(128, 3)
    gecc_fpmul_uniform(const Scalars* scalars, const UniformTable* __restrict__ table, Xyz* xyz, u64 n) {
    JacobianBatch out = {xyz, n};
    // Lanes without an item repeat the last one, because all take part in the exchanges. The loop
    // is uniform in the block, so that the compiler can see that they do.
    for (u64 first = global_thread() - threadIdx.x; first < n; first += global_threads()) {
        u64 i = first + threadIdx.x;
        sc k;
        load_column(k.v, scalars, n, i < n ? i : n - 1);
        jacobian product = fpmul_uniform(table, k);
        if (i < n) out.store(i, product);
    }
}

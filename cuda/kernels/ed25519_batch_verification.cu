// Batch verification of Ed25519 by the cofactored rules, with cofactor h: one sum over a chunk. For
// public data: variable time.
//
// The equation of an item is that h (S B - k A - R) is the identity. The item takes part with a
// coefficient a of 128 bits if it has passed all checks so far. If
//
// h ((sum a S) B - sum (a k) A - sum a R)
//
// is the identity, all items that take part are valid, except with a probability of 2^-128.
// Components of points whose order divides h do not affect either equation, even if a k is reduced
// modulo n (src/schemes/ed25519/verify/batch_verification.rs).
//
// Launch contract: that of kernels/batch_verification.cu, whose steps these are. gecc_ed25519_batch_verify_items
// is its step 2. signatures, k, representative, minus_a, verdicts, rule: as in kernels/ed25519.cu,
// after its checks. The verdict of an item whose R is not a point becomes the reason. scalars: out,
// a k, for the rows 0 .. n - 1, which are written too, -A. Rows n .. 2 n - 1: R. A row has 24 words
// (kernels/niels_rows.cuh). gecc_ed25519_batch_verify_compare is step 4. table: as in
// kernels/ed25519_tables.cu.
//
// Curves: ed25519
#include "kernels/bucket_sums.cuh"
#include "kernels/coefficients.cuh"
#include "kernels/count_per_warp.cuh"
#include "kernels/edwards_batch.cuh"
#include "scheme/ed25519.cuh"

// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(256, 2)
    gecc_ed25519_batch_verify_items(const Signatures* signatures, const Scalars* k,
                                const Optional<ItemNumbers>* representative, const Xy* minus_a, u32 rule,
                                Verdicts* verdicts, const Codes* on_device, u64 seed0, u64 seed1, u64 seed2,
                                u64 seed3, Scalars* scalars, Coefficients* coefficients, TermRows* rows,
                                ScalarRows* of_base, ItemNumbers* others, Counters* counters, u64 n) {
    __shared__ u32 memory[8 * kItemThreads];
    sc sum = {};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        bool is_open = verdicts[i] == kPending && on_device[i] != 0;
        Coefficient a = {};
        ed_affine minus_r = ed_generator();
        if (is_open) {
            verdicts[i] = ed25519_decode_r(minus_r, (const u32*)(signatures + 64 * i), rule);
            is_open = verdicts[i] == kPending;
        }
        if (is_open) a = coefficient_of(Seed{{seed0, seed1, seed2, seed3}}, i);
        bool takes_part = !is_zero(a);
        sc of_key = {};
        if (takes_part) {
            sc factor = montgomery_factor(a), number;
            words_copy(number.v, (const u32*)(signatures + 64 * i + 32));
            sum = sc_add(sum, sc_mont_mul(factor, number));
            load_column(number.v, k, n, i);
            of_key = sc_mont_mul(factor, number);
            uint4* to = (uint4*)rows + kEdNielsVectors * i;
            store_niels(to, 1, to_niels(load_affine(minus_a, n, representative ? representative[i] : i)));
            store_niels(to + kEdNielsVectors * n, 1, ed_negated(to_niels(minus_r), ~0u));
        }
        store_coefficient(coefficients, n, i, a);
        store_column(scalars, n, i, of_key.v);
        if (is_open && !takes_part) others[count_per_warp(counters + 1)] = (u32)i;
    }
    store_block_sum(sum, memory, of_base);
}

// Launch: one thread per item, in blocks of 128, for 128 items.
extern "C" __global__ void __launch_bounds__(128)
    gecc_ed25519_batch_verify_compare(const ScalarRows* of_base, u32 sums, const BaseTable* table, u32 bits,
                                  const XyzzRows* window_sums, u32 windows, Counters* counters) {
    __shared__ u32 memory[8 * kCompareThreads];
    add_up_rows(of_base, sums, memory);
    if (threadIdx.x != 0) return;
    ed_extended total = add_up_windows(window_sums, windows);
    GECC_NO_UNROLL
    for (int window = 0; window < ed_window_count((int)bits); window++) {
        i32 digit = ed_window_digit([](int w) { return memory[w * kCompareThreads]; }, window, (int)bits);
        if (digit == 0) continue;
        u64 entry = ((u64)window << (bits - 1)) + (digit < 0 ? -digit : digit) - 1;
        ed_niels multiple = load_niels((const uint4*)table + kEdNielsVectors * entry, 1);
        total = to_extended(ed_add_affine(total, multiple, (u32)(digit >> 31)));
    }
    counters[0] = ed_is_of_small_order(to_projective(total)) ? 1 : 0;
}

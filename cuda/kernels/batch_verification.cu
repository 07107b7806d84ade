// Batch verification: signatures whose R is known are verified together, by one sum over a chunk.
// For public data: variable time.
//
// The equation of an item is u1 G + u2 Q = R. The item takes part with a coefficient a of 128 bits
// if it has passed all checks so far, its key is a point, and R is one. If
//
// (sum a u1) G + sum (a u2) Q - sum a R = O
//
// all items that take part are valid, except with a probability of 2^-128 (scheme/batch_verification.cuh;
// src/schemes/common/batch_verification).
//
// Launch contract. n < 2^27. The sum is computed by buckets, as in kernels/msm.cu: rows, bits,
// windows, ends, terms, window_sums and the kernels of its steps 1, 2, 4 and 6 to 10 are the same.
// rows has n more, those of R, whose scalars are -a: ceil(129 / bits) windows. In stream order:
// 1. Zero counters (two words) and of_base (8 words for each of `sums` rows, and at least as many
//    rows as blocks of step 2).
// 2. gecc_batch_verify_items, after the kernels of equations (kernels/equations.cu, kernels/bip340.cu):
//    u1, u2, x, kinds, verdicts. ids: missing if R has an even y and x(R) is x; otherwise x(R) is x
//    modulo n, and recovery ids select R. on_device: may be missing; items for which it is 0 are
//    left unchanged. seed0 .. seed3: 32 random bytes, drawn after the items were fixed and used
//    once. scalars: out, a u2. coefficients: out, a; 0 if an item does not take part, and then the
//    scalar is 0, too. rows: out, R. of_base: out, rows whose sum is the sum of a u1. others: out,
//    the items that do not take part, for any reason, although they have passed all checks so far;
//    if list_all is 1, all items that do not take part, so that these are all that step 5 does not
//    accept; counters[1]: their number. It has a stack frame of local memory.
// 3. gecc_batch_verify_count (kernels/group_terms.cu) in place of step 3 of kernels/msm.cu,
//    gecc_batch_verify_sort in place of step 5.
// 4. gecc_batch_verify_compare. table, bits: those of G, as for gecc_verify (kernels/verify.cu).
//    counters[0]: 1 if the equation holds.
// 5. gecc_batch_verify_accept. verdicts: kValid for the items that take part, if counters[0] is 1.
#include "kernels/bucket_sums.cuh"
#include "kernels/coefficients.cuh"
#include "kernels/count_per_warp.cuh"
#include "kernels/window_base.cuh"
#include "scheme/recovery.cuh"

// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(256, 2)
    gecc_batch_verify_items(const Scalars* u1, const Scalars* u2, const Scalars* x, const PointKinds* kinds,
                        const Verdicts* verdicts, const Optional<RecoveryIds>* ids, const Optional<Codes>* on_device,
                        u64 seed0, u64 seed1, u64 seed2, u64 seed3, u32 list_all, Scalars* scalars,
                        Coefficients* coefficients, TermRows* rows, ScalarRows* of_base, ItemNumbers* others,
                        Counters* counters, u64 n) {
    __shared__ u32 memory[8 * kItemThreads];
    sc sum = {};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        bool is_open = verdicts[i] == kPending && (on_device == nullptr || on_device[i] != 0);
        bool takes_part = is_open && kinds[i] == kFinite;
        if (takes_part) {
            sc claimed;
            affine r;
            load_column(claimed.v, x, n, i);
            takes_part = lift_r(r, claimed, ids == nullptr ? 0 : ids[i]) == kPending;
            store_entry(rows, kScalars * n + i, r);
        }
        Coefficient a = {};
        if (takes_part) {
            a = coefficient_of(Seed{{seed0, seed1, seed2, seed3}}, i);
            takes_part = !is_zero(a);
        }
        sc of_key = {};
        if (takes_part) {
            sc factor = montgomery_factor(a), u;
            load_column(u.v, u1, n, i);
            sum = sc_add(sum, sc_mont_mul(factor, u));
            load_column(u.v, u2, n, i);
            of_key = sc_mont_mul(factor, u);
        }
        store_coefficient(coefficients, n, i, a);
        store_column(scalars, n, i, of_key.v);
        if (!takes_part && (is_open || list_all != 0)) others[count_per_warp(counters + 1)] = (u32)i;
    }
    store_block_sum(sum, memory, of_base);
}

// Launch: one thread per item, in blocks of 128, for 128 items.
extern "C" __global__ void __launch_bounds__(128)
    gecc_batch_verify_compare(const ScalarRows* of_base, u32 sums, const BaseTable* table, u32 bits,
                          const XyzzRows* window_sums, u32 windows, Counters* counters) {
    __shared__ u32 memory[8 * kCompareThreads];
    add_up_rows(of_base, sums, memory);
    if (threadIdx.x != 0) return;
    WindowBase base = {table, {memory, kCompareThreads, 0}, (int)bits};
    xyzz total = add_up_windows(window_sums, windows);
    GECC_NO_UNROLL
    for (int window = 0; window < base.windows(); window++) {
        affine entry;
        i32 digit = base.get(entry, window);
        if (digit == 0) continue;
        if (digit < 0) entry = affine_neg(entry);
        total = xyzz_add_var(total, to_xyzz(entry));
    }
    counters[0] = fe_is_zero(total.zz) ? 1 : 0;
}

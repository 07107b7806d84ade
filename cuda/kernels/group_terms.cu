// Terms of batch verification, for curves of both forms: steps 3 and 5 of kernels/batch_verification.cu, whose
// contract applies.
#include "kernels/bucket_terms.cuh"
#include "kernels/coefficients.cuh"
#include "kernels/count_per_warp.cuh"
#include "scheme/verdict.cuh"

namespace {
// Calls take(bucket, term) for each nonzero digit of an item.
template <class Take>
GECC_FN void for_each_term_of_equation(
    const u32* scalars, const u32* coefficients, u64 n, u64 i, u32 bits, u32 windows, Take take) {
    Coefficient a = load_coefficient(coefficients, n, i);
    if (is_zero(a)) return;
    for_each_term(scalars, n, i, bits, windows, take);
    SignedDigits<kCoefficientWords> of_r = opposite_digits_var(a.v, bits);
    for_each_digit(of_r, kScalars * n + i, (128 + bits) / bits, take);
}
}  // namespace

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_batch_verify_count(const Scalars* scalars, const Coefficients* coefficients, u32 bits, u32 windows,
                        BucketEnds* ends, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads())
        for_each_term_of_equation(scalars, coefficients, n, i, bits, windows,
                                  [=](u32 bucket, u32) { count_per_warp(ends + bucket); });
}

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_batch_verify_sort(const Scalars* scalars, const Coefficients* coefficients, u32 bits, u32 windows,
                       BucketEnds* ends, BucketTerms* terms, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads())
        for_each_term_of_equation(scalars, coefficients, n, i, bits, windows,
                                  [=](u32 bucket, u32 term) { terms[count_per_warp(ends + bucket)] = term; });
}

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_batch_verify_accept(const Coefficients* coefficients, const Counters* counters, Verdicts* verdicts, u64 n) {
    if (counters[0] != 1) return;
    for (u64 i = global_thread(); i < n; i += global_threads())
        if (!is_zero(load_coefficient(coefficients, n, i))) verdicts[i] = kValid;
}

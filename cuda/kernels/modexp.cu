// Batch modular exponentiation: one odd modulus for all items, a base and an exponent per item.
//
// gecc_modexp_BITS for BITS = 1024, 1536, 2048. Uniform in base and exponent, so it is suitable for
// secret ones (the private exponent of RSA). Needs no curve.
//
// Launch contract, in blocks of 128 threads exactly, of which 4, 8 and 8 share an item (2 to 4
// blocks per multiprocessor fill the device; the table of powers is in local memory):
//     results, bases   of BITS bits; results may be bases
//     status           kValueInRange, or kValueOutOfRange if the base is not below the modulus (result 0)
//     exponents        of exponent_words words, exponent_words >= 1; time depends on it
//     modulus          BITS / 32 words, odd, above 1
//     parameters       64-bit words, L = 20, 32, 40: the L limbs (52 bits each, least significant first) of the
//                      modulus, the L limbs of 2^(104 L) mod modulus, -modulus^-1 mod 2^52
#include "codes.cuh"
#include "kernels/layout.cuh"
#include "modular/modexp.cuh"

namespace {
constexpr int kModexpThreads = 128;

template <int Bits>
GECC_FN void modexp(u32* results, u8* status, const u32* bases, const u32* exponents, u32 exponent_words,
                    const u32* modulus, const u64* parameters, u64 n) {
    typedef Modexp<Bits> Power;
    constexpr int T = Power::T;
    __shared__ u64 shared_samples[kModexpThreads / T][Power::kSamples];
    u64* samples = shared_samples[threadIdx.x / T];
    const Power method(parameters);
    int lane = Power::Group::lane(0);
    // All groups of a warp run the same number of iterations, because shuffles need every lane.
    u64 first_of_warp = (global_thread() & ~(u64)31) / T, groups = global_threads() / T;
    u64 group = global_thread() / T;
    for (u64 turn = 0; first_of_warp + turn < n; turn += groups) {
        bool active = group + turn < n;
        u64 i = active ? group + turn : n - 1;
        auto base_word = [=](int w) { return bases[w * n + i]; };
        auto exponent_word = [=](u32 w) { return exponents[w * n + i]; };
        u32 borrow = 0;
        for (int w = 0; w < Power::kWords; w++) {
            u64 difference = (u64)base_word(w) - modulus[w] - borrow;
            borrow = (u32)(difference >> 32) & 1;
        }
        auto result = method.power(Power::from_words(base_word), exponent_word, exponent_words, parameters);
        __syncwarp();
        Power::put_samples(samples, result);
        __syncwarp();
        if (lane == 0) Power::make_canonical(samples, parameters);
        __syncwarp();
        if (active) {
            for (int w = lane; w < Power::kWords; w += T) {
                u32 word = word_of_samples([=](int k) { return samples[k]; }, Power::kSamples, w);
                results[w * n + i] = word & (0 - borrow);
            }
            if (lane == 0) status[i] = borrow ? kValueInRange : kValueOutOfRange;
        }
    }
}
}  // namespace

// Launch: 3 blocks per multiprocessor, for lanes * n items.
#define GECC_MODEXP_KERNEL(BITS) \
    extern "C" __global__ void __launch_bounds__(kModexpThreads) \
        gecc_modexp_##BITS(AnyNumbers* results, ValueStatuses* status, const AnyNumbers* bases, \
                           const AnyNumbers* exponents, u32 exponent_words, const ModexpModulus* modulus, \
                           const ModexpParameters* parameters, u64 n) { \
        modexp<BITS>(results, status, bases, exponents, exponent_words, modulus, parameters, n); \
    }

GECC_MODEXP_KERNEL(1024)
GECC_MODEXP_KERNEL(1536)
GECC_MODEXP_KERNEL(2048)

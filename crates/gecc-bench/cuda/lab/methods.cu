// Chained multiplications and squarings by every method, side by side: the cost of a method in
// isolation.
//
// gecc_method_NAME_BITS_mul: item <- item (item / 2^k)^rounds; gecc_method_NAME_BITS_sqr: item <-
// item^2 / 2^k, rounds times; k is the method's kRadixBits: BITS for the methods in words, 52
// ceil((BITS + 2) / 52) for the doubles. Needs no curve: lab/production.cu has the methods that are
// compiled for one.
//
// Launch contract: items are numbers of BITS / 32 words below the modulus, in place. `modulus`, by
// value: its BITS / 32 words and -modulus^-1 modulo 2^32; odd, its top bit set. gecc_sm2 needs the
// SM2 prime there.
#include "lab/methods.cuh"
#include "methods/cios.cuh"
#include "methods/doubles.cuh"
#include "methods/gecc_sm2.cuh"
#include "methods/gecc_sos.cuh"
#include "methods/half_words.cuh"
#include "methods/karatsuba.cuh"
#include "methods/low_high_rows.cuh"

// src/kernels/methods/gpu.rs knows which kernels are unrolled.
#define GECC_METHOD_OF_ALL_SIZES(NAME, Method) \
    GECC_METHOD(NAME, Method<4>, 128, GECC_UNROLL_BY_4) \
    GECC_METHOD(NAME, Method<8>, 256, GECC_UNROLL_BY_4) \
    GECC_METHOD(NAME, Method<12>, 384, GECC_NO_UNROLL) \
    GECC_METHOD(NAME, Method<16>, 512, GECC_NO_UNROLL)

GECC_METHOD_OF_ALL_SIZES(gecc_sos, GeccSos)
GECC_METHOD_OF_ALL_SIZES(cios, Cios)
GECC_METHOD_OF_ALL_SIZES(karatsuba, Karatsuba)
GECC_METHOD_OF_ALL_SIZES(low_high_rows, LowHighRows)
GECC_METHOD_OF_ALL_SIZES(doubles, Doubles)
GECC_METHOD(half_words, HalfWords<4>, 128, GECC_UNROLL_BY_4)
GECC_METHOD(half_words, HalfWords<8>, 256, GECC_NO_UNROLL)
GECC_METHOD(half_words, HalfWords<12>, 384, GECC_NO_UNROLL)
GECC_METHOD(half_words, HalfWords<16>, 512, GECC_NO_UNROLL)
GECC_METHOD(gecc_sm2, GeccSm2, 256, GECC_UNROLL_BY_4)

// The common part of SHA-256 and SM3: chaining values of eight big-endian words, blocks of sixteen,
// the same padding.
#pragma once
#include "hash/bytes.cuh"

struct HashState {
    u32 v[8];
};

struct HashBlock {
    u32 v[16];
};

static constexpr u32 kPaddingMark = 0x80000000;

#ifdef __CUDACC__
static __device__ __constant__ u32 kOne = 1;
#endif

// The way in which a compression adds. kBesideLogic: as a multiplication by one and an addition,
// with a one that the compiler cannot see. Rotations and logic alone fill the pipe that also adds
// three numbers at a time, while that of multiplications is idle. kFoldable: with plain additions,
// for arguments that are constants, which the compiler then folds.
enum Adding { kBesideLogic, kFoldable };

template <Adding kAdding> GECC_FN u32 add_words(u32 a, u32 b) {
#ifdef __CUDACC__
    if (kAdding == kBesideLogic) {
        u32 r;
        asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(kOne), "r"(b));
        return r;
    }
#endif
    return a + b;
}

// One copy of H::compress for all its callers in a kernel. Arguments are passed by value, so that a
// call passes registers.
template <class H> GECC_SHARED_FN HashState compress_shared(HashState state, HashBlock block) {
    return H::compress(state, block);
}

// Converts a digest to a number of eight words, least significant first, and back.
GECC_FN void number_from_digest(u32* number, const HashState& digest) {
    GECC_UNROLL
    for (int w = 0; w < 8; w++) number[w] = digest.v[7 - w];
}

GECC_FN HashState digest_from_number(const u32* number) {
    HashState r;
    GECC_UNROLL
    for (int w = 0; w < 8; w++) r.v[w] = number[7 - w];
    return r;
}

// The rest of a hash from the chaining value after kBlocks blocks: 32 bytes and the padding. One
// compression.
template <class H, u32 kBlocks = 1> GECC_FN HashState finish_with_digest(const HashState& state, const HashState& digest) {
    HashBlock block = {{digest.v[0], digest.v[1], digest.v[2], digest.v[3], digest.v[4], digest.v[5], digest.v[6],
                        digest.v[7], kPaddingMark, 0, 0, 0, 0, 0, 0, 8 * (64 * kBlocks + 32)}};
    return compress_shared<H>(state, block);
}

// Returns two numbers of 32 bytes as a block.
GECC_FN HashBlock block_of_numbers(const u32* first, const u32* second) {
    HashBlock r;
    GECC_UNROLL
    for (int w = 0; w < 8; w++) {
        r.v[w] = first[7 - w];
        r.v[8 + w] = second[7 - w];
    }
    return r;
}

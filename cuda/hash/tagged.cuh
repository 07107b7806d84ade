// Tagged hashes of BIP 340: SHA-256 of SHA-256(tag) || SHA-256(tag) || input.
#pragma once
#include "hash/sha256.cuh"

// Returns the chaining value after the two digests of a tag of at most 55 characters. The compiler
// evaluates both compressions, because their arguments are constants.
template <int kSize> GECC_FN HashState tag_state(const char (&tag)[kSize]) {
    static_assert(kSize <= 56, "the tag and its padding are one block");
    constexpr int length = kSize - 1;
    HashBlock block = {};
    GECC_UNROLL
    for (int i = 0; i < length; i++) block.v[i / 4] |= (u32)(u8)tag[i] << (24 - 8 * (i % 4));
    block.v[length / 4] |= kPaddingMark >> (8 * (length % 4));
    block.v[15] = 8 * length;
    HashState digest = Sha256::compress<kFoldable>(Sha256::initial(), block);
    HashBlock twice;
    GECC_UNROLL
    for (int w = 0; w < 8; w++) twice.v[w] = twice.v[8 + w] = digest.v[w];
    return Sha256::compress<kFoldable>(Sha256::initial(), twice);
}

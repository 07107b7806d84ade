// Batch verification: the contribution of an item to the equation of its group,
//
// (sum a_i u1_i) G + sum (a_i u2_i) Q_i - sum a_i R_i = O
//
// (BIP 340, "Batch Verification"). For Ed25519, S B - k A takes the place of u1 G + u2 Q. Variable
// time: signatures are public.
#pragma once
#include "hash/sha256.cuh"
#include "field/scalar.cuh"

static constexpr int kCoefficientWords = 4;

// A number of 128 bits that is unpredictable without the seed.
struct Coefficient {
    u32 v[kCoefficientWords];
};

// 32 bytes from the operating system's randomness.
struct Seed {
    u64 v[4];
};

// Computes the first 128 bits of SHA-256(seed || item), all in big-endian byte order. One
// compression gives a coefficient where it is needed; transferring the coefficients from the host
// would add a tenth to the data that is transferred to the device.
GECC_FN Coefficient coefficient_of(const Seed& seed, u64 item) {
    HashBlock block = {};
    GECC_UNROLL
    for (int w = 0; w < 4; w++) {
        block.v[2 * w] = (u32)(seed.v[w] >> 32);
        block.v[2 * w + 1] = (u32)seed.v[w];
    }
    block.v[8] = (u32)(item >> 32);
    block.v[9] = (u32)item;
    block.v[10] = kPaddingMark;
    block.v[15] = 8 * 40;
    HashState digest = Sha256::compress(Sha256::initial(), block);
    Coefficient a = {{digest.v[3], digest.v[2], digest.v[1], digest.v[0]}};
    return a;
}

GECC_FN bool is_zero(const Coefficient& a) {
    return (a.v[0] | a.v[1] | a.v[2] | a.v[3]) == 0;
}

// Returns a, as a factor for products with sc_mont_mul.
GECC_FN sc montgomery_factor(const Coefficient& a) {
    const u32 words[8] = {a.v[0], a.v[1], a.v[2], a.v[3], 0, 0, 0, 0};
    return sc_to_montgomery(words);
}

// Deterministic nonces (RFC 6979, section 3.2) for orders and hash functions of 256 bits: ECDSA
// with SHA-256, SM2 with SM3. Sixteen compressions, and two more with additional data (section
// 3.6). The only branch on a secret is the rejection of a candidate that is not in 1 .. n - 1,
// which reveals nothing about the nonce that is used. Its probability is below 2^-31 for an n close
// to 2^256, and one in three for that of brainpoolP256r1.
#pragma once
#include "field/scalar.cuh"
#include "hash/hmac.cuh"

// V || separator || int2octets(x) || bits2octets(h1), optionally followed by 32 bytes of additional
// data: the part after V as words, with space for the separator and the padding mark.
template <int kNumbers> struct NonceSeed {
    static constexpr int kWords = 8 * kNumbers + 1;
    u32 v[kWords];
};

template <int kNumbers> struct SeedNumbers {
    u32 v[kNumbers][8];

    // Returns word i of the octets.
    GECC_MEMBER u32 octets(int i) const {
        return v[i / 8][7 - i % 8];
    }
};

template <int kNumbers> GECC_FN NonceSeed<kNumbers> nonce_seed(const SeedNumbers<kNumbers>& numbers) {
    constexpr int kLast = NonceSeed<kNumbers>::kWords - 1;
    NonceSeed<kNumbers> r;
    r.v[0] = numbers.octets(0) >> 8;
    GECC_UNROLL
    for (int i = 1; i < kLast; i++) r.v[i] = funnel_bytes(numbers.octets(i - 1), numbers.octets(i), 3);
    r.v[kLast] = numbers.octets(kLast - 1) << 24 | kPaddingMark >> 8;
    return r;
}

// HMAC of V || separator || seed. Three compressions for two numbers, four for three.
template <class H, int kNumbers>
GECC_FN HashState hmac_of_seed(const HmacKey& key, const HashState& value, u32 separator,
                               const NonceSeed<kNumbers>& seed) {
    constexpr int kWords = NonceSeed<kNumbers>::kWords;
    HashBlock block;
    GECC_UNROLL
    for (int i = 0; i < 8; i++) {
        block.v[i] = value.v[i];
        block.v[8 + i] = seed.v[i];
    }
    block.v[8] |= separator << 24;
    HashState inner = compress_shared<H>(key.inner, block);
    constexpr int kWhole = kNumbers == 3 ? 24 : 8;
    if (kWhole == 24) {
        GECC_UNROLL
        for (int i = 0; i < 16; i++) block.v[i] = seed.v[(8 + i) % kWords];
        inner = compress_shared<H>(inner, block);
    }
    GECC_UNROLL
    for (int i = 0; i < 15; i++) block.v[i] = kWhole + i < kWords ? seed.v[(kWhole + i) % kWords] : 0;
    block.v[15] = 8 * (64 + 32 + 1 + 32 * kNumbers);
    return finish_with_digest<H>(key.outer, compress_shared<H>(inner, block));
}

// HMAC of V || 00.
template <class H> GECC_FN HashState hmac_of_rejected(const HmacKey& key, const HashState& value) {
    HashBlock block = {{value.v[0], value.v[1], value.v[2], value.v[3], value.v[4], value.v[5], value.v[6], value.v[7],
                        kPaddingMark >> 8, 0, 0, 0, 0, 0, 0, 8 * (64 + 33)}};
    return finish_with_digest<H>(key.outer, compress_shared<H>(key.inner, block));
}

// Returns the candidate with index `skip`, counted from 0, among those in 1 .. n - 1.
template <class H, int kNumbers> GECC_FN sc nonce_of_seed(const NonceSeed<kNumbers>& seed, u32 skip) {
    // b, c
    HashState value;
    GECC_UNROLL
    for (int i = 0; i < 8; i++) value.v[i] = 0x01010101;
    HmacKey state = hmac_zero_key<H>();
    // d and e, f and g
    GECC_NO_UNROLL
    for (u32 separator = 0; separator < 2; separator++) {
        state = hmac_key<H>(hmac_of_seed<H>(state, value, separator, seed));
        value = hmac_of_digest<H>(state, value);
    }
    // h
    while (true) {
        value = hmac_of_digest<H>(state, value);
        sc candidate;
        number_from_digest(candidate.v, value);
        bool usable = sc_is_canonical(candidate.v) & !sc_is_zero(candidate);
        if (usable && skip-- == 0) return candidate;
        state = hmac_key<H>(hmac_of_rejected<H>(state, value));
        value = hmac_of_digest<H>(state, value);
    }
}

// Returns the nonce of x and a digest. `key` is x; a key out of range gives a nonce too, which must
// not be used.
template <class H> GECC_FN sc rfc6979_nonce(const u32* key, const u32* digest, u32 skip) {
    SeedNumbers<2> numbers;
    sc reduced = sc_from_words(digest);
    words_copy(numbers.v[0], key);
    words_copy(numbers.v[1], reduced.v);
    return nonce_of_seed<H>(nonce_seed(numbers), skip);
}

// Returns the nonce of x, a digest and additional data: octets taken as they are, as a number that
// need not be below the order.
template <class H> GECC_FN sc rfc6979_nonce_with_data(const u32* key, const u32* digest, const u32* data, u32 skip) {
    SeedNumbers<3> numbers;
    sc reduced = sc_from_words(digest);
    words_copy(numbers.v[0], key);
    words_copy(numbers.v[1], reduced.v);
    words_copy(numbers.v[2], data);
    return nonce_of_seed<H>(nonce_seed(numbers), skip);
}

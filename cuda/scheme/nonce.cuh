// Deterministic nonces (RFC 6979, section 3.2) for orders and hash functions of 256 bits: ECDSA with SHA-256, SM2 with
// SM3. Sixteen compressions. Nothing branches on a secret but the rejection of a candidate that is not in 1 .. n - 1,
// which says nothing of the nonce that is used. Its probability is below 2^-31 for an n close to 2^256, and one in three for
// that of brainpoolP256r1.
#pragma once
#include "field/scalar.cuh"
#include "hash/hmac.cuh"

// V || separator || int2octets(x) || bits2octets(h1): the 65 bytes after V as words, with room for the separator and
// the padding mark in place.
struct NonceSeed {
    u32 v[17];
};

GECC_FN NonceSeed nonce_seed(const u32* key, const sc& digest) {
    NonceSeed r;
    r.v[0] = key[7] >> 8;
    GECC_UNROLL
    for (int i = 1; i < 8; i++) r.v[i] = funnel_bytes(key[8 - i], key[7 - i], 3);
    r.v[8] = funnel_bytes(key[0], digest.v[7], 3);
    GECC_UNROLL
    for (int i = 1; i < 8; i++) r.v[8 + i] = funnel_bytes(digest.v[8 - i], digest.v[7 - i], 3);
    r.v[16] = digest.v[0] << 24 | kPaddingMark >> 8;
    return r;
}

// HMAC of V || separator || seed. Three compressions.
template <class H>
GECC_FN HashState hmac_of_seed(const HmacKey& key, const HashState& value, u32 separator, const NonceSeed& seed) {
    HashBlock first, second = {};
    GECC_UNROLL
    for (int i = 0; i < 8; i++) {
        first.v[i] = value.v[i];
        first.v[8 + i] = seed.v[i];
        second.v[i] = seed.v[8 + i];
    }
    first.v[8] |= separator << 24;
    second.v[8] = seed.v[16];
    second.v[15] = 8 * (64 + 32 + 65);
    HashState inner = compress_shared<H>(compress_shared<H>(key.inner, first), second);
    return finish_with_digest<H>(key.outer, inner);
}

// HMAC of V || 00.
template <class H> GECC_FN HashState hmac_of_rejected(const HmacKey& key, const HashState& value) {
    HashBlock block = {{value.v[0], value.v[1], value.v[2], value.v[3], value.v[4], value.v[5], value.v[6], value.v[7],
                        kPaddingMark >> 8, 0, 0, 0, 0, 0, 0, 8 * (64 + 33)}};
    return finish_with_digest<H>(key.outer, compress_shared<H>(key.inner, block));
}

// The candidate number `skip` (from 0) among those in 1 .. n - 1. `key` is x; one out of range gives a nonce too, of no
// use.
template <class H> GECC_FN sc rfc6979_nonce(const u32* key, const u32* digest, u32 skip) {
    NonceSeed seed = nonce_seed(key, sc_from_words(digest));
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

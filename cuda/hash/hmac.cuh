// HMAC (RFC 2104) with keys of 32 bytes, for the messages of RFC 6979: their lengths are constants.
#pragma once
#include "hash/state.cuh"

// The two chaining values that depend on the key alone: after its inner and after its outer block.
struct HmacKey {
    HashState inner, outer;
};

GECC_FN HashBlock padded_key(const HashState& key, u32 pad) {
    HashBlock r;
    GECC_UNROLL
    for (int i = 0; i < 8; i++) {
        r.v[i] = key.v[i] ^ pad;
        r.v[i + 8] = pad;
    }
    return r;
}

static constexpr u32 kInnerPad = 0x36363636, kOuterPad = 0x5c5c5c5c;

// Two compressions.
template <class H> GECC_FN HmacKey hmac_key(const HashState& key) {
    HmacKey r;
    r.inner = compress_shared<H>(H::initial(), padded_key(key, kInnerPad));
    r.outer = compress_shared<H>(H::initial(), padded_key(key, kOuterPad));
    return r;
}

// The key of zeros. It has its own copies of the compression, whose arguments are constants, so
// that the compiler evaluates them.
template <class H> GECC_FN HmacKey hmac_zero_key() {
    HashState zero = {{0, 0, 0, 0, 0, 0, 0, 0}};
    HmacKey r;
    r.inner = H::template compress<kFoldable>(H::initial(), padded_key(zero, kInnerPad));
    r.outer = H::template compress<kFoldable>(H::initial(), padded_key(zero, kOuterPad));
    return r;
}

// HMAC of 32 bytes. Two compressions.
template <class H> GECC_FN HashState hmac_of_digest(const HmacKey& key, const HashState& message) {
    return finish_with_digest<H>(key.outer, finish_with_digest<H>(key.inner, message));
}

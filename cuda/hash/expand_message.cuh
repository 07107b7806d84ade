// expand_message_xmd with SHA-256 (RFC 9380, section 5.3.1). Time and addresses depend on lengths
// only.
//
// The domain separation tag is the same for all items, so the host prepares what follows the
// varying part of each hashed message, once for a batch.
#pragma once
#include "hash/message.cuh"

struct Expansion {
    // I2OSP(bytes of the result, 2) || I2OSP(0, 1) || DST_prime, which follows the message.
    BytesSource suffix;
    // I2OSP(0, 1) || DST_prime, which follows the 32 bytes of b_0 or of b_0 xor b_(i-1), with the
    // padding: eight words, and sixteen for each further block of the hash. Big-endian. The zero
    // becomes i.
    const u32* tail;
    u32 tail_blocks;
};

// A message and its suffix.
struct SuffixedSource {
    BytesSource message, suffix;

    GECC_MEMBER u64 length() const {
        return message.count + suffix.count;
    }
    GECC_MEMBER u32 byte(u64 p) const {
        return p < message.count ? message.byte(p) : suffix.byte(p - message.count);
    }
    GECC_MEMBER u32 word(u64 p) const {
        if (p + 4 <= message.count) return message.word(p);
        if (p >= message.count) return suffix.word(p - message.count);
        u32 word = 0;
        GECC_NO_UNROLL
        for (u32 k = 0; k < 4; k++) word = word << 8 | byte(p + k);
        return word;
    }
};

// The chaining value of SHA-256 after Z_pad, a block of zeros. The compiler evaluates it.
GECC_FN HashState state_after_zeros() {
    HashBlock zeros = {};
    return Sha256::compress<kFoldable>(Sha256::initial(), zeros);
}

GECC_FN HashState expand_first(const Expansion& expansion, const BytesSource& message) {
    SuffixedSource source = {message, expansion.suffix};
    return hash_rest<Sha256>(state_after_zeros(), 64, source);
}

// b_i of the 32 bytes before I2OSP(i, 1).
GECC_FN HashState expand_next(const Expansion& expansion, const HashState& before, u32 i) {
    HashBlock block;
    GECC_UNROLL
    for (int w = 0; w < 8; w++) {
        block.v[w] = before.v[w];
        block.v[8 + w] = expansion.tail[w];
    }
    block.v[8] |= i << 24;
    HashState state = compress_shared<Sha256>(Sha256::initial(), block);
    GECC_NO_UNROLL
    for (u32 b = 1; b < expansion.tail_blocks; b++) {
        const u32* words = expansion.tail + 16 * b - 8;
        GECC_UNROLL
        for (int w = 0; w < 16; w++) block.v[w] = words[w];
        state = compress_shared<Sha256>(state, block);
    }
    return state;
}

GECC_FN HashState digest_xor(const HashState& a, const HashState& b) {
    HashState r;
    GECC_UNROLL
    for (int w = 0; w < 8; w++) r.v[w] = a.v[w] ^ b.v[w];
    return r;
}

// The first 4 kWords bytes of b_1 || b_2 || .., for at most 96 bytes.
template <int kWords> GECC_FN void expand_message(u32 (&words)[kWords], const Expansion& expansion, const BytesSource& message) {
    static_assert(kWords > 8 && kWords <= 24, "two or three digests");
    HashState b0 = expand_first(expansion, message), b1 = expand_next(expansion, b0, 1);
    HashState b2 = expand_next(expansion, digest_xor(b0, b1), 2), b3 = b2;
    if (kWords > 16) b3 = expand_next(expansion, digest_xor(b0, b2), 3);
    GECC_UNROLL
    for (int w = 0; w < kWords; w++) words[w] = w < 8 ? b1.v[w & 7] : w < 16 ? b2.v[w & 7] : b3.v[w & 7];
}

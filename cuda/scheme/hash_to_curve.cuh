// From messages to points: the suites of RFC 9380, and those that try x-coordinates.
#pragma once
#include "curve/map_to_curve.cuh"
#include "hash/expand_message.cuh"
#include "hash/sm3.cuh"

// Any number of sixteen words below 2^256 p, taken modulo p.
GECC_FN fe fe_from_wide(const u32* words) {
    fe r;
    fe_reduce(r.v, words);
#if !GECC_FIELD_IS_PLAIN
    // t / R; times R^3 in Montgomery form it is t R.
    const u32 r3[8] = GECC_P_R3;
    r = fe_mul(r, fe_constant(r3));
#endif
    return r;
}

#if GECC_HAS_MAP_TO_CURVE
// 48 big-endian bytes, modulo p: an element of hash_to_field (RFC 9380, section 5.2).
GECC_FN fe fe_from_48_bytes(const u32* words) {
    u32 t[16] = {};
    GECC_UNROLL
    for (int w = 0; w < 12; w++) t[w] = words[11 - w];
    return fe_from_wide(t);
}

// encode_to_curve (section 3), the suites with NU.
GECC_FN jacobian encode_to_curve(const Expansion& expansion, const BytesSource& message) {
    u32 uniform[12];
    expand_message(uniform, expansion, message);
    return map_to_suite(to_jacobian(map_to_curve(fe_from_48_bytes(uniform))));
}

// hash_to_curve (section 3), the suites with RO. The isogeny is a homomorphism, so the points are
// added before it.
GECC_FN jacobian hash_to_curve(const Expansion& expansion, const BytesSource& message) {
    u32 uniform[24];
    expand_message(uniform, expansion, message);
    fe u1 = fe_from_48_bytes(uniform + 12);
    affine first = map_to_curve(fe_from_48_bytes(uniform));
    return map_to_suite(map_sum(first, map_to_curve(u1)));
}
#endif

// The suites that try x-coordinates define their sequence: the first x of a message, and the step
// from one that belongs to no point to the next. Variable time.

GECC_FN fe fe_from_digest(const HashState& digest) {
    u32 words[8];
    number_from_digest(words, digest);
    return fe_from_words(words);
}

// x = H(message); next the digest is hashed.
template <class H> struct RehashedX {
    HashState digest;

    GECC_MEMBER void start(const BytesSource& message) {
        digest = hash_message<H>(message);
    }
    GECC_MEMBER void step() {
        digest = finish_with_digest<H, 0>(H::initial(), digest);
    }
    GECC_MEMBER fe x() const {
        return fe_from_digest(digest);
    }
};

// x = H(message); next x + 1.
template <class H> struct IncrementedX {
    fe value;

    GECC_MEMBER void start(const BytesSource& message) {
        value = fe_from_digest(hash_message<H>(message));
    }
    GECC_MEMBER void step() {
        value = fe_add(value, fe_one());
    }
    GECC_MEMBER fe x() const {
        return value;
    }
};

// A byte and a message.
struct PrefixedSource {
    u32 prefix;
    BytesSource message;

    GECC_MEMBER u64 length() const {
        return message.count + 1;
    }
    GECC_MEMBER u32 byte(u64 p) const {
        return p == 0 ? prefix : message.byte(p - 1);
    }
    GECC_MEMBER u32 word(u64 p) const {
        if (p != 0) return message.word(p - 1);
        return prefix << 24 | message.byte(0) << 16 | message.byte(1) << 8 | message.byte(2);
    }
};

// x = H(01 || m) || H(02 || m) for the message m; next the m of big-endian x without leading zeros.
template <class H> struct RehashedWideX {
    fe value;

    GECC_MEMBER void start(const BytesSource& message) {
        PrefixedSource source = {1, message};
        HashState high = hash_message<H>(source);
        source.prefix = 2;
        set(high, hash_message<H>(source));
    }
    GECC_MEMBER void step() {
        u32 number[8], zeros = 0;
        fe_to_words(number, value);
        GECC_NO_UNROLL
        for (; zeros < 32 && number[7] >> 24 == 0; zeros++) {
            GECC_UNROLL
            for (int w = 7; w > 0; w--) number[w] = funnel_bytes(number[w], number[w - 1], 1);
            number[0] <<= 8;
        }
        HashState high = hash_bytes(1, number, 32 - zeros);
        set(high, hash_bytes(2, number, 32 - zeros));
    }
    GECC_MEMBER fe x() const {
        return value;
    }

private:
    GECC_MEMBER void set(const HashState& high, const HashState& low) {
        u32 words[16];
        number_from_digest(words, low);
        number_from_digest(words + 8, high);
        value = fe_from_wide(words);
    }
    // The digest of a byte and the first `count` bytes of the number, big-endian; the rest are
    // zero.
    static GECC_MEMBER HashState hash_bytes(u32 prefix, const u32* number, u32 count) {
        HashBlock block = {};
        block.v[0] = prefix << 24 | number[7] >> 8;
        GECC_UNROLL
        for (int w = 1; w < 8; w++) block.v[w] = funnel_bytes(number[8 - w], number[7 - w], 3);
        block.v[8] = number[0] << 24;
        GECC_UNROLL
        for (u32 w = 0; w < 9; w++)
            if (w == (count + 1) / 4) block.v[w] |= kPaddingMark >> (8 * ((count + 1) % 4));
        block.v[15] = 8 * (count + 1);
        return compress_shared<H>(H::initial(), block);
    }
};

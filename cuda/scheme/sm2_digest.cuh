// e = SM3(Z_A || M) of SM2 (GB/T 32918.2, sections 5.5 and 6.1).
#pragma once
#include "curve.cuh"
#include "hash/message.cuh"
#include "hash/sm3.cuh"

GECC_TABLE u32 kDomainParameters[32] = GECC_DOMAIN_PARAMETERS;

// ENTL_A || ID_A || a || b || x_G || y_G || x_A || y_A, the input whose digest is Z_A. ID_A has at
// most 8191 bytes.
struct IdentitySource {
    BytesSource id;
    u32 point[16];  // x_A || y_A as big-endian words

    static constexpr u32 kDomainWords = 32, kFixedWords = kDomainWords + 16;

    GECC_MEMBER u64 length() const {
        return 2 + id.count + 4 * kFixedWords;
    }
    // Returns word i of a || .. || y_A, and zero after it.
    GECC_MEMBER u32 fixed_word(u32 i) const {
        if (i < kDomainWords) return kDomainParameters[i];
        return i < kFixedWords ? point[i - kDomainWords] : 0;
    }
    GECC_MEMBER u32 byte(u64 p) const {
        if (p < 2) return (u32)(8 * id.count >> (8 - 8 * p)) & 0xff;
        p -= 2;
        if (p < id.count) return id.byte(p);
        p -= id.count;
        return fixed_word((u32)p >> 2) >> (24 - 8 * ((u32)p & 3)) & 0xff;
    }
    GECC_MEMBER u32 word(u64 p) const {
        u64 head = 2 + id.count;
        if (p >= head) {
            u32 offset = (u32)(p - head);
            return funnel_bytes(fixed_word(offset >> 2), fixed_word((offset >> 2) + 1), offset & 3);
        }
        if (p >= 2 && p + 4 <= head) return id.word(p - 2);
        u32 word = 0;
        GECC_NO_UNROLL
        for (u32 k = 0; k < 4; k++) word = word << 8 | byte(p + k);
        return word;
    }
};

// Z_A || M
struct SignedSource {
    HashState za;
    BytesSource message;

    GECC_MEMBER u64 length() const {
        return 32 + message.count;
    }
    // Never called for a byte of Z_A, which consists of whole words.
    GECC_MEMBER u32 byte(u64 p) const {
        return message.byte(p - 32);
    }
    GECC_MEMBER u32 word(u64 p) const {
        return p < 32 ? za.v[p >> 2] : message.word(p - 32);
    }
};

GECC_FN HashState sm2_za(const BytesSource& id, const u32* x, const u32* y) {
    IdentitySource source;
    source.id = id;
    GECC_UNROLL
    for (int w = 0; w < 8; w++) {
        source.point[w] = x[7 - w];
        source.point[8 + w] = y[7 - w];
    }
    return hash_message<Sm3>(source);
}

GECC_FN HashState sm2_message_digest(const HashState& za, const BytesSource& message) {
    SignedSource source = {za, message};
    return hash_message<Sm3>(source);
}

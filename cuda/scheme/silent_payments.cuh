// The hashes of silent payments (BIP 352).
#pragma once
#include "scheme/bip340.cuh"

// The compressed form of a point as nine big-endian words, the last of which has one byte, its
// highest.
struct CompressedWords {
    u32 v[9];
};

GECC_FN CompressedWords compressed_words(const XOnly& p) {
    CompressedWords r;
    u32 before = 2 | (p.y_is_odd & 1);
    GECC_UNROLL
    for (int w = 0; w < 8; w++) {
        u32 word = p.x[7 - w];
        r.v[w] = before << 24 | word >> 8;
        before = word & 0xff;
    }
    r.v[8] = before << 24;
    return r;
}

// Computes t = int(hash_BIP0352/SharedSecret(P || k)). May be n or more. No branch and no address
// depends on P.
GECC_FN void silent_tweak(u32* t, const XOnly& p, u32 k) {
    CompressedWords key = compressed_words(p);
    HashBlock block = {};
    GECC_UNROLL
    for (int w = 0; w < 9; w++) block.v[w] = key.v[w];
    block.v[8] |= k >> 8;
    block.v[9] = k << 24 | kPaddingMark >> 8;
    block.v[15] = 8 * (64 + 37);
    number_from_digest(t, compress_shared<Sha256>(tag_state("BIP0352/SharedSecret"), block));
}

// Computes int(hash_BIP0352/Inputs(outpoint || A)), for an outpoint of nine big-endian words. May
// be n or more.
GECC_FN void silent_input_hash(u32* hash, const u32* outpoint, const XOnly& key) {
    CompressedWords compressed = compressed_words(key);
    HashBlock first, second = {};
    GECC_UNROLL
    for (int w = 0; w < 9; w++) first.v[w] = outpoint[w];
    GECC_UNROLL
    for (int w = 9; w < 16; w++) first.v[w] = compressed.v[w - 9];
    second.v[0] = compressed.v[7];
    second.v[1] = compressed.v[8] | kPaddingMark >> 8;
    second.v[15] = 8 * (64 + 69);
    HashState state = compress_shared<Sha256>(tag_state("BIP0352/Inputs"), first);
    number_from_digest(hash, compress_shared<Sha256>(state, second));
}

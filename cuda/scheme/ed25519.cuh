// Ed25519 (RFC 8032, section 5.1): verification by the rules of src/schemes/ed25519/rule.rs, for
// public data and in variable time, and signing, a fixed sequence for messages of one length.
#pragma once
#include "curve/edwards_multiply.cuh"
#include "curve/edwards_tables.cuh"
#include "curve/halves.cuh"
#include "hash/sha512.cuh"
#include "scheme/verdict.cuh"

// The requirements of a rule, as the bits of a number.
enum Ed25519Rule : u32 {
    kCanonical = 1,          // the encodings of A, and of R if the equation is cofactored
    kRejectsSmallOrder = 2,  // A and R
    kCofactored = 4,         // the equation holds for eight times its points; otherwise R is the sum's encoding
};

// One or two parts of 32 bytes, in arrays of whole words, followed by a message.
template <int kParts> struct PartsSource {
    static constexpr u64 kBefore = 32 * kParts;
    const u32* parts[kParts];
    BytesSource message;

    GECC_MEMBER u64 length() const {
        return kBefore + message.length();
    }
    GECC_MEMBER u32 byte(u64 p) const {
        if (p >= kBefore) return message.byte(p - kBefore);
        return ((const u8*)(p < 32 ? parts[0] : parts[kParts - 1]))[p & 31];
    }
    GECC_MEMBER u32 word(u64 p) const {
        if (p >= kBefore) return message.word(p - kBefore);
        return swap_bytes((p < 32 ? parts[0] : parts[kParts - 1])[(p & 31) >> 2]);
    }
};

// dom2 (RFC 8032, section 2), of any length, followed by the rest. It is read byte by byte, because
// it is not a whole number of words.
template <class Rest> struct AfterDom2 {
    BytesSource dom2;
    Rest rest;

    GECC_MEMBER u64 length() const {
        return dom2.length() + rest.length();
    }
    GECC_MEMBER u32 byte(u64 p) const {
        return p < dom2.length() ? dom2.byte(p) : rest.byte(p - dom2.length());
    }
    GECC_MEMBER u32 word(u64 p) const {
        u32 r = 0;
        GECC_NO_UNROLL
        for (int k = 0; k < 4; k++) r = r << 8 | byte(p + k);
        return r;
    }
};

// The source R || A || M.
using ChallengeSource = PartsSource<2>;
// The source of the prefix of a private key || M.
using SecretSource = PartsSource<1>;

// Reduces a number of sixteen words modulo n: below n. The Montgomery products with R and R^2 leave
// the two halves in plain form.
GECC_FN sc sc_from_wide(const u32* words) {
    const u32 r[8] = GECC_N_R, r2[8] = GECC_N_R2;
    sc low, high, of_low, of_high;
    words_copy(low.v, words);
    words_copy(high.v, words + 8);
    words_copy(of_low.v, r);
    words_copy(of_high.v, r2);
    return sc_add(sc_mont_mul(low, of_low), sc_mont_mul(high, of_high));
}

// Computes SHA-512 modulo n: k of dom2 || R || A || M, and the nonce of dom2, a prefix and M. dom2
// is empty for Ed25519 itself, whose messages are read by whole words.
template <int kParts> GECC_FN sc ed25519_hash(const BytesSource& dom2, const PartsSource<kParts>& source) {
    u32 number[16];
    sha512_number(number, dom2.length() == 0 ? sha512_message(source)
                                             : sha512_message(AfterDom2<PartsSource<kParts>>{dom2, source}));
    return sc_from_wide(number);
}

// Computes the secret scalar of a seed modulo n, and the prefix (RFC 8032, section 5.1.5).
GECC_FN sc ed25519_expand(u32* prefix, const u32* seed) {
    Sha512Block block = {};
    GECC_UNROLL
    for (int w = 0; w < 4; w++) block.v[w] = (u64)swap_bytes(seed[2 * w]) << 32 | swap_bytes(seed[2 * w + 1]);
    block.v[4] = (u64)kPaddingMark << 32;
    block.v[15] = 8 * 32;
    u32 number[16];
    sha512_number(number, sha512_compress(sha512_initial(), block));
    words_copy(prefix, number + 8);
    words_set_zero(number + 8);
    number[0] &= ~7u;
    number[7] = (number[7] & 0x7fffffff) | 0x40000000;
    return sc_from_wide(number);
}

// Computes S: r + k a modulo n.
GECC_FN sc ed25519_sign(const sc& nonce, const sc& k, const sc& scalar) {
    return sc_add(nonce, sc_mul(k, scalar));
}

// Checks a signature and its key, whose decoding gave this kind, in the order of rejections.
// Returns kPending if only the decoding of R and the equation remain to be checked.
GECC_FN Verdict ed25519_check(u8 kind, const u32* r, const u32* s, const u32* key, u32 rule) {
    if (!sc_is_canonical(s)) return kSOutOfRange;
    Verdict of_key = key_verdict(kind);
    if (of_key != kPending) return of_key;
    if (rule & kRejectsSmallOrder) {
        if (ed_encodes_small_order_var(key)) return kSmallOrderKey;
        if (ed_encodes_small_order_var(r)) return kSmallOrderR;
    }
    return kPending;
}

// Decodes -R and returns kPending, or returns the rejection. The encoding of a sum is canonical and
// that of a point, so an R that is not is the encoding of no sum.
GECC_FN Verdict ed25519_decode_r(ed_affine& minus_r, const u32* r, u32 rule) {
    bool is_cofactored = rule & kCofactored;
    PointKind kind = ed_decode_var(minus_r, r, !is_cofactored || rule & kCanonical);
    minus_r.x = fe_neg(minus_r.x);
    if (kind == kFinite) return kPending;
    if (!is_cofactored) return kMismatch;
    return kind == kBadEncoding ? kROutOfRange : kNoSuchR;
}

// Returns whether eight times S B - k A, which is `sum`, is eight times R.
GECC_FN Verdict ed25519_compare_cofactored(const ed_projective& sum, const ed_affine& minus_r) {
    ed_extended extended = {fe_mul(sum.x, sum.z), fe_mul(sum.y, sum.z), fe_sqr(sum.z), fe_mul(sum.x, sum.y)};
    ed_completed difference = ed_add_affine(extended, to_niels(minus_r), 0);
    return ed_is_of_small_order(to_projective(difference)) ? kValid : kMismatch;
}

// Returns whether S B - k A, which is `sum`, is R, given the inverse of Z. Encodings are compared
// first, which are equal for most signatures that are valid by any rule. If they differ, R is
// decoded for a cofactored rule.
GECC_FN Verdict ed25519_compare(const ed_projective& sum, const fe& z_inverse, const u32* r, u32 rule) {
    u32 encoding[8];
    ed_encode(encoding, sum, z_inverse);
    if (words_difference(encoding, r) == 0) return kValid;
    if (!(rule & kCofactored)) return kMismatch;
    ed_affine minus_r = ed_generator();
    Verdict of_r = ed25519_decode_r(minus_r, r, rule);
    return of_r == kPending ? ed25519_compare_cofactored(sum, minus_r) : of_r;
}

// Returns whether the equation holds for a signature that has passed its checks: S B - k A is R, or
// eight times that. It computes with numbers half as long as k, for which R is decoded. `Store` is
// that of ed_multiply_two_var with `int most(int)`, the maximum number of windows among threads
// that proceed together. `Base` provides `times(words)`, a source of ed_add_entries_var for a
// multiple of B. Every thread must reach their barriers.
template <class Store, class Base>
GECC_FN Verdict ed25519_verify_var(Store& store, const Base& base, const sc& k, ed_affine minus_a, const u32* r,
                                   const sc& s, u32 rule) {
    EdRow row = ed_halves_var(k.v);
    minus_a.x = fe_select(row.opposite, fe_neg(minus_a.x), minus_a.x);
    ed_affine minus_r = ed_generator();
    Verdict verdict = ed25519_decode_r(minus_r, r, rule);
    GECC_NO_UNROLL
    for (int point = 0; point < 2; point++) ed_put_multiples(store, point, point == 0 ? minus_a : minus_r);
    sc c = {{row.c[0], row.c[1], row.c[2], row.c[3], row.c[4], 0, 0, 0}}, of_base = sc_mul(c, s);
    ed_completed sum = ed_multiply_two_var(store, row.d, c.v, store.most(ed_windows(ed_bits(row))));
    ed_projective difference = ed_add_entries_var(sum, base.times(of_base.v));
    if (verdict != kPending) return verdict;
    bool holds = rule & kCofactored ? ed_is_of_small_order(difference) : ed_is_identity(difference);
    return holds ? kValid : kMismatch;
}

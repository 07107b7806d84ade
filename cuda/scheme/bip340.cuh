// Schnorr signatures of BIP 340 and the tweaks of BIP 341.
//
// A public key is an x-coordinate, which denotes the point with an even y. The functions here
// accept points with any y, and use their x.
#pragma once
#include "curve/table_sum.cuh"
#include "hash/message.cuh"
#include "hash/tagged.cuh"
#include "scheme/equation.cuh"
#include "scheme/sign.cuh"

// A point as plain words: the x-coordinate, which is hashed, and the mask of an odd y.
struct XOnly {
    u32 x[8];
    u32 y_is_odd;
};

GECC_FN XOnly x_only(const affine& p) {
    XOnly r;
    u32 y[8];
    fe_to_words(r.x, p.x);
    fe_to_words(y, p.y);
    r.y_is_odd = opaque(mask_if(y[0] & 1));
    return r;
}

// mask ? n - a : a
GECC_FN sc negate_if(u32 mask, const sc& a) {
    sc negated = sc_neg(a), r;
    words_select(r.v, mask, negated.v, a.v);
    return r;
}

// Returns the tagged hash of two numbers and a message. Time and addresses depend only on the
// length of the message.
GECC_FN HashState hash_with_message(
    const HashState& tag, const u32* first, const u32* second, const BytesSource& message) {
    HashState state = compress_shared<Sha256>(tag, block_of_numbers(first, second));
    // Almost all messages are themselves digests.
    if (message.count == 32) {
        HashState words;
        GECC_UNROLL
        for (int w = 0; w < 8; w++) words.v[w] = message.word(4 * w);
        return finish_with_digest<Sha256, 2>(state, words);
    }
    return hash_rest<Sha256>(state, 128, message);
}

GECC_FN sc scalar_from_digest(const HashState& digest) {
    u32 number[8];
    number_from_digest(number, digest);
    return sc_from_words(number);
}

// e = int(hash_challenge(bytes(r) || bytes(P) || m)) mod n
GECC_FN sc challenge(const u32* r, const u32* key_x, const BytesSource& message) {
    return scalar_from_digest(hash_with_message(tag_state("BIP0340/challenge"), r, key_x, message));
}

// Checks r and s, and computes the equation R = s G - e P. `x` is r, which is below p. If the y of
// the key's point is odd, the point is -P, and the second scalar has the opposite sign. A rejected
// signature gives scalars with which later steps can compute.
GECC_FN Verdict bip340_equation(
    Equation& out, const u32* r, const u32* s, const XOnly& key, const BytesSource& message) {
    Verdict verdict = !below_p(r) ? kROutOfRange : !sc_is_canonical(s) ? kSOutOfRange : kPending;
    out.u1 = sc_from_words(s);
    out.u2 = negate_if(~key.y_is_odd, challenge(r, key.x, message));
    words_copy(out.x.v, r);
    return verdict;
}

// Returns the number to invert for a comparison, which is never zero.
GECC_FN fe comparison_denominator(const xyzz& sum, bool identity) {
    return identity ? fe_one() : sum.zzz;
}

// Returns whether R has the x-coordinate r, which is below p, and an even y.
GECC_FN Verdict compare_even(const xyzz& sum, bool identity, const fe& zzz_inverse, const u32* r) {
    if (identity) return kIdentityResult;
    u32 y[8];
    fe_to_words(y, fe_mul(sum.y, zzz_inverse));
    return fe_equal(fe_mul(fe_from_words(r), sum.zz), sum.x) && (y[0] & 1) == 0 ? kValid : kMismatch;
}

// Computes k' for a private key in 1 .. n - 1 and its point; if it is 0, the nonce is 1 and the
// result false. No branch and no address depends on the key or the nonce.
GECC_FN u32 bip340_nonce(
    sc& nonce, const sc& key, const XOnly& point, const u32* auxiliary, const BytesSource& message) {
    // d, so that d G has an even y; t = bytes(d) xor hash_aux(a)
    sc d = negate_if(point.y_is_odd, key);
    HashState mask = finish_with_digest<Sha256>(tag_state("BIP0340/aux"), digest_from_number(auxiliary));
    u32 t[8];
    number_from_digest(t, mask);
    GECC_UNROLL
    for (int w = 0; w < 8; w++) t[w] ^= d.v[w];
    // rand = hash_nonce(t || bytes(P) || m), k' = int(rand) mod n
    nonce = scalar_from_digest(hash_with_message(tag_state("BIP0340/nonce"), t, point.x, message));
    u32 usable = nonzero_mask(nonce);
    replace_by_one(nonce.v, usable);
    return usable;
}

// Computes s = k + e d, for a nonce k' with its point R = k' G and a private key with its point.
GECC_FN sc bip340_sign(const sc& nonce, const XOnly& r, const sc& key, const XOnly& point, const BytesSource& message) {
    sc k = negate_if(r.y_is_odd, nonce), d = negate_if(point.y_is_odd, key);
    return sc_add(k, sc_mul(challenge(r.x, point.x, message), d));
}

// Computes t = int(hash_TapTweak(bytes(P) || root)) of BIP 341, without a root if `root` is null.
// May be n or more.
GECC_FN void tap_tweak(u32* t, const u32* key_x, const u32* root) {
    HashState tag = tag_state("TapTweak");
    if (root == nullptr) {
        number_from_digest(t, finish_with_digest<Sha256>(tag, digest_from_number(key_x)));
        return;
    }
    HashState state = compress_shared<Sha256>(tag, block_of_numbers(key_x, root));
    HashBlock padding = {};
    padding.v[0] = kPaddingMark;
    padding.v[15] = 8 * 128;
    number_from_digest(t, compress_shared<Sha256>(state, padding));
}

// Converts a digest and a signature to the equation x(u1 G + u2 Q) = x modulo n, and makes every
// check that does not need a key. Everything here is public.
#pragma once
#include "field/scalar.cuh"
#include "scheme/verdict.cuh"

struct Signature {
    sc r, s;
};

struct Equation {
    sc u1, u2, x;
};

GECC_FN sc sc_small(u32 value) {
    sc r = {{value}};
    return r;
}

GECC_FN bool is_in_range(const u32* words) {
    return sc_is_canonical(words) && words_or(words) != 0;
}

// Returns whether s > n / 2, that is s > n - s.
GECC_FN bool is_high(const sc& s) {
    return words_less(sc_neg(s).v, s.v);
}

// Checks that r and s are in 1..n. A rejected signature is replaced by (1, 1), with which later
// steps can compute.
GECC_FN Verdict check_signature(Signature& out, const u32* r, const u32* s) {
    Verdict verdict = !is_in_range(r) ? kROutOfRange : !is_in_range(s) ? kSOutOfRange : kPending;
    out.r = out.s = sc_small(1);
    if (verdict != kPending) return verdict;
    words_copy(out.r.v, r);
    words_copy(out.s.v, s);
    return kPending;
}

// SEC 1, section 4.1.4, step 1, and the low-s policy.
GECC_FN Verdict check_ecdsa_signature(Signature& out, const u32* r, const u32* s, bool low_s) {
    Verdict verdict = check_signature(out, r, s);
    if (verdict != kPending || !low_s || !is_high(out.s)) return verdict;
    out.r = out.s = sc_small(1);
    return kHighS;
}

// Steps 3 and 4: u1 = e / s, u2 = r / s. The digest is any number of eight words; 1 / s is given in
// Montgomery form.
GECC_FN Equation ecdsa_equation(const u32* digest, const sc& r, const sc& s_inverse) {
    sc e;
    words_copy(e.v, digest);
    Equation q = {sc_mont_mul(e, s_inverse), sc_mont_mul(r, s_inverse), r};
    return q;
}

// GB/T 32918.2, section 7.1.
GECC_FN Verdict sm2_equation(Equation& out, const u32* digest, const u32* r, const u32* s) {
    // B1, B2: r and s in 1..n.
    Signature signature;
    Verdict verdict = check_signature(signature, r, s);
    // B5: t = r + s, reject t = 0.
    sc t = sc_add(signature.r, signature.s);
    if (sc_is_zero(t)) verdict = kZeroT;
    // B6, B7: x(s G + t P) must be r - e.
    out.u1 = signature.s;
    out.u2 = t;
    out.x = sc_sub(signature.r, sc_from_words(digest));
    return verdict;
}

// Public key recovery (SEC 1, section 4.1.6). Variable time: signatures are public.
#pragma once
#include "scheme/compare.cuh"
#include "scheme/equation.cuh"

// Steps 1.1 to 1.3: x = r + j n, which must be a coordinate; R from x and the parity of y, or G if
// it does not exist.
GECC_FN Verdict lift_r(affine& out, const sc& r, u8 recovery_id) {
    u32 x[8];
    words_copy(x, r.v);
    out = generator();
    if (recovery_id > 3) return kRecoveryIdOutOfRange;
    if ((recovery_id & 2) && !plus_order(x, r.v)) return kNoSuchR;
    affine lifted;
    if (decompress_var(lifted, fe_from_words(x), recovery_id & 1) != kFinite) return kNoSuchR;
    out = lifted;
    return kPending;
}

// Step 1.6.1: Q = (s R - e G) / r, so u1 = -e / r and u2 = s / r. 1 / r is given in Montgomery
// form.
GECC_FN void recovery_scalars(sc& u1, sc& u2, const u32* digest, const sc& s, const sc& r_inverse) {
    sc e;
    words_copy(e.v, digest);
    u1 = sc_neg(sc_mont_mul(e, r_inverse));
    u2 = sc_mont_mul(s, r_inverse);
}

// X25519 (RFC 7748, section 5), for one item: a fixed sequence.
#pragma once
#include "codes.cuh"
#include "curve/ladder.cuh"

// The scalar of a private key, of which some bits are set and cleared (decodeScalar25519).
struct X25519Scalar {
    const u32* key;

    GECC_MEMBER u32 word(int w) const {
        u32 kept = w == 0 ? 0xfffffff8 : w == 7 ? 0x7fffffff : 0xffffffff;
        u32 set = w == 7 ? 0x40000000 : 0;
        return (key[w] & kept) | set;
    }
};

// The product of a point, given as a public key, by a private key. The highest bit of the public
// key is ignored (decodeUCoordinate).
GECC_FN u_fraction x25519_multiply(const u32* key, const u32* peer) {
    fe u;
    words_copy(u.v, peer);
    u.v[7] &= 0x7fffffff;
    return u_multiply(X25519Scalar{key}, u);
}

// A denominator to invert: Z, or 1 if Z is 0.
GECC_FN fe x25519_denominator(const fe& z) {
    return fe_select(opaque(mask_if(fe_is_zero(z))), fe_one(), z);
}

// The u-coordinate below p, given the inverse of the denominator; 0 if Z is 0.
GECC_FN void x25519_encode(u32* r, const u_fraction& a, const fe& inverse) {
    u32 nonzero = opaque(~mask_if(fe_is_zero(a.z)));
    fe u = fe_canonical(fe_mul(a.x, inverse));
    GECC_UNROLL
    for (int w = 0; w < 8; w++) r[w] = u.v[w] & nonzero;
}

// The code of an item: a shared secret of zeros is rejected if the mask is set.
GECC_FN u8 x25519_code(const u32* encoding, u32 rejects_zero) {
    u32 is_rejected = opaque(mask_if(words_or(encoding) == 0)) & rejects_zero;
    return (u8)((kIdentityResult & is_rejected) | (kValid & ~is_rejected));
}

// ristretto255 (RFC 9496), for one item: a fixed sequence. Numbers are little-endian.
#pragma once
#include "codes.cuh"
#include "curve/ristretto.cuh"
#include "scheme/sign.cuh"

// Half of a key modulo n, because products are doubled when they are encoded. Returns kSigned, or
// kSecretKeyOutOfRange for a key that is not in 1 .. n - 1, whose half is that of 1.
GECC_FN u8 ristretto255_half(u32* half, const u32* key) {
    const u32 n[8] = GECC_N;
    u32 number[8], order[8], usable = key_mask(key);
    words_copy(number, key);
    replace_by_one(number, usable);
    u32 is_odd = opaque(0 - (number[0] & 1));
    GECC_UNROLL
    for (int w = 0; w < 8; w++) order[w] = n[w] & is_odd;
    // Below 2 n < 2^254.
    add<8>(number, number, order);
    GECC_UNROLL
    for (int w = 0; w < 8; w++) half[w] = number[w] >> 1 | (w < 7 ? number[w + 1] << 31 : 0);
    return (u8)((kSigned & usable) | (kSecretKeyOutOfRange & ~usable));
}

// The code of a product, from the status of the key and the kind of the element. Neither is secret;
// without branches, compilers do not put the code into a register with other bits of secrets.
GECC_FN u32 ristretto255_code(u32 status, u32 kind) {
    u32 of_kind = (kValid & mask_if(kind == kFinite)) | (kIdentityKey & mask_if(kind == kIdentity)) |
                  (kNotOnCurve & mask_if(kind == kOffCurve)) | (kMalformedPoint & mask_if(kind == kBadEncoding));
    u32 is_signed = mask_if(status == kSigned);
    return opaque((of_kind & is_signed) | (status & ~is_signed));
}

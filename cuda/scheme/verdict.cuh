// What a check says of an item, in the numbers of src/error.rs.
#pragma once
#include "curve/point.cuh"

enum Verdict : u8 {
    kPending = 0,  // nothing was wrong so far; no finished item has it
    kValid = 1,
    kROutOfRange = 3,
    kSOutOfRange = 4,
    kHighS = 5,
    kZeroT = 6,
    kMalformedPoint = 7,
    kNotOnCurve = 8,
    kIdentityKey = 9,
    kIdentityResult = 10,
    kMismatch = 11,
    kRecoveryIdOutOfRange = 12,
    kNoSuchR = 13
};

// What the kind of a public key means.
GECC_FN Verdict key_verdict(u8 kind) {
    if (kind == kFinite) return kPending;
    if (kind == kIdentity) return kIdentityKey;
    return kind == kOffCurve ? kNotOnCurve : kMalformedPoint;
}

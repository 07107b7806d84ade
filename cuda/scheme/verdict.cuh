// From the kind of a point to a verdict on it.
#pragma once
#include "codes.cuh"
#include "primitives/types.cuh"

// What the kind of a public key means.
GECC_FN Verdict key_verdict(u8 kind) {
    if (kind == kFinite) return kPending;
    if (kind == kIdentity) return kIdentityKey;
    return kind == kOffCurve ? kNotOnCurve : kMalformedPoint;
}

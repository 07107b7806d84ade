// Verdicts from the kinds of points.
#pragma once
#include "codes.cuh"
#include "primitives/types.cuh"

// Returns the verdict for the kind of a public key.
GECC_FN Verdict key_verdict(u8 kind) {
    if (kind == kFinite) return kPending;
    if (kind == kIdentity) return kIdentityKey;
    return kind == kOffCurve ? kNotOnCurve : kMalformedPoint;
}

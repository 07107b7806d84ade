// The codes of items that device code and the crate share: Rejection in src/types/verdict.rs, which
// documents the reasons, and src/gpu/codes.rs. tests/library/verdict_codes.rs compares the numbers.
//
// A byte that was never written is 0, and 0 never means success.
#pragma once
#include "primitives/types.cuh"

// The verdict of a check on an item. Other programs store the numbers of rejections: none is changed,
// and none is used again for another reason.
enum Verdict : u8 {
    kPending = 0,  // Nothing was wrong so far; no finished item has it.
    kValid = 1,  // Every check passed.
    kMalformedSignature = 2,
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
    kNoSuchR = 13,
    kScalarOutOfRange = 14,
    kSecretKeyOutOfRange = 15,
    kUserIdTooLong = 16,
    kValueOutOfRange = 17,
    kFaultySignature = 18,
    kSmallOrderKey = 19,
    kSmallOrderR = 20,
};

// The kind of an item in a batch of points. Only finite points have coordinates.
enum PointKind : u8 {
    kFinite = 1,
    kIdentity = 2,
    kOutOfRange = 3,  // A coordinate is p or more.
    kOffCurve = 4,
    kBadEncoding = 5,
};

// The kind of an item in a batch of numbers, relative to the modulus.
enum NumberKind : u8 {
    kInRange = 1,
    kZero = 2,
    kTooLarge = 3,
};

// The state of an item that is signed, or of its key: one of these, or kSecretKeyOutOfRange.
enum SignStatus : u8 {
    kDrawAgain = 0,  // This nonce gives no signature (probability about 2^-255).
    kSigned = 1,  // There is a signature, or so far a key that is in range.
};

// The state of a number in modular arithmetic: this, or kValueOutOfRange.
enum ValueStatus : u8 {
    kValueInRange = 1,
};

// Encodings of points that a kernel accepts, as a sum.
enum TagSet : u32 {
    kIdentityTag = 1,
    kCompressedTag = 2,
    kUncompressedTag = 4,
};

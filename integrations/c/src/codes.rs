//! The codes of items.

use gecc::{Rejection, Verdict};
use std::ffi::{CString, c_char};
use std::slice;
use std::sync::LazyLock;

/// The result of checking an item, in one byte: valid, or the first check that failed. Numbers
/// never change and are never reused. Later versions may add numbers.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeccCode {
    /// The item was not computed, because its call did not succeed.
    None = 0,
    /// Every check passed, and the item's results are valid.
    Valid = 1,
    /// The encoding of the signature is malformed (`gecc_signatures_from_der`).
    MalformedSignature = 2,
    /// r is 0 or not below the group order. For BIP 340, r is not below p. For Ed25519, the
    /// encoding of R is not permitted by the rule.
    ROutOfRange = 3,
    /// s is 0 or not below the group order. For BIP 340 and Ed25519, s is not below the group
    /// order.
    SOutOfRange = 4,
    /// s is above n/2 and the policy requires low s.
    HighS = 5,
    /// SM2: r + s is 0 modulo n.
    ZeroT = 6,
    /// The point's encoding has the wrong tag, or a coordinate that is not below p.
    MalformedPoint = 7,
    /// The encoding is well-formed, but no point of the curve has these coordinates.
    NotOnCurve = 8,
    /// The public key is the identity.
    IdentityKey = 9,
    /// The result of the computation is the identity, which the standard rejects. For X25519, the
    /// shared secret is zero.
    IdentityResult = 10,
    /// The signature does not match the digest and the key.
    Mismatch = 11,
    /// The recovery id is not in 0..=3.
    RecoveryIdOutOfRange = 12,
    /// No point of the curve has the x-coordinate that follows from r and the recovery id. For
    /// Ed25519, R is not a point.
    NoSuchR = 13,
    /// A public scalar is not below the group order.
    ScalarOutOfRange = 14,
    /// A private key is 0 or not below the group order (SM2 signing also rejects n - 1).
    SecretKeyOutOfRange = 15,
    /// An SM2 user id is longer than 8191 bytes.
    UserIdTooLong = 16,
    /// A value is not below the modulus. No call of this interface returns it.
    ValueOutOfRange = 17,
    /// The computed signature does not verify, because of a hardware error. Only if the engine
    /// checks signatures.
    FaultySignature = 18,
    /// Ed25519: 8 times the public key is the identity, and the rule rejects that.
    SmallOrderKey = 19,
    /// Ed25519: 8 times R is the identity, and the rule rejects that.
    SmallOrderR = 20,
}

/// The messages by code, as C strings.
static TEXTS: LazyLock<Vec<(u8, CString)>> = LazyLock::new(|| {
    let rejections = (0..=u8::MAX).filter_map(Rejection::from_code);
    let rejections = rejections.map(|rejection| (rejection.code(), rejection.to_string()));
    let valid = (Verdict::VALID_CODE, Verdict::Valid.to_string());
    let texts = [valid].into_iter().chain(rejections);
    texts
        .map(|(code, text)| (code, CString::new(text).unwrap_or_default()))
        .collect()
});

/// Returns the meaning of a code in English, for example `the signature does not match`, or `no
/// such code` for another byte.
///
/// Never returns null. The text is valid until the program ends. Any thread may call this at any
/// time.
#[unsafe(no_mangle)]
pub extern "C" fn gecc_code_text(code: u8) -> *const c_char {
    let found = TEXTS.iter().find(|(other, _)| *other == code);
    found.map_or(c"no such code".as_ptr(), |(_, text)| text.as_ptr())
}

/// Returns the number of codes that are `GECC_CODE_VALID`. All items are valid if it equals
/// `items`.
///
/// `codes` has `items` bytes; for null, the result is 0. Any thread may call this at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_count_valid(codes: *const u8, items: usize) -> usize {
    if codes.is_null() {
        return 0;
    }
    // SAFETY: not null; the caller promises that `items` bytes may be read.
    let codes = unsafe { slice::from_raw_parts(codes, items) };
    codes
        .iter()
        .filter(|&&code| code == Verdict::VALID_CODE)
        .count()
}

//! Hashing to points, and masks for private set intersection.

use super::choices;
use super::engine::GeccEngine;
use super::memory::{GeccBytes, GeccKeys, GeccRows};
use super::operation::{CallInputs, NO_RESULT, SignedContents, compute};
use super::status::GeccStatus;
use gecc::call::Operation;

/// Hashes messages of any length to points of the suite's curve (RFC 9380). **Constant-time** in
/// the bytes of the messages, though not in their lengths, with the suites of RFC 9380 (see
/// `GeccSuite`). With the others the time of a message depends on its bytes.
///
/// Reads `messages`, one per item. Writes `points`, 64 bytes `x || y`; `codes`. `suite` is a
/// `GeccSuite`. Codes other than valid: `GECC_CODE_IDENTITY_RESULT`, and `GECC_CODE_NOT_ON_CURVE`
/// if none of 100 x-coordinates belongs to a point. No message with such a code is known.
///
/// `dst` is the domain separation tag of the protocol, for example
/// `myapp-V01-CS02-with-P256_XMD:SHA-256_SSWU_RO_`. The suites of RFC 9380 require one; it has no
/// bytes for the other suites. Tags above 255 bytes are hashed, as section 5.3.3 of the RFC
/// specifies.
///
/// Messages are read in place. If they are secret, so are the points, and the caller has to wipe
/// both.
///
/// Returns `GECC_STATUS_INVALID_ARGUMENT` if the suite requires a tag and there is none, or the
/// other way round, and the statuses listed at the head of this file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_hash_to_curve(
    engine: *const GeccEngine,
    suite: i32,
    dst: GeccBytes,
    items: usize,
    messages: *const GeccBytes,
    points: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    let inputs = CallInputs {
        signed: Some(SignedContents::messages(messages)),
        dst,
        ..CallInputs::NONE
    };
    // SAFETY: the caller's promises, passed on.
    unsafe {
        compute(
            engine,
            || Ok(Operation::HashToCurve(choices::suite(suite)?)),
            items,
            inputs,
            [("points", points), NO_RESULT],
            codes,
        )
    }
}

/// Hashes messages to points like `gecc_hash_to_curve`, and multiplies each point by a private key:
/// `d * H(message)`. For private set intersection all items have the same key, passed with a stride
/// of 0. **Constant-time** in the private keys; in the bytes of the messages, though not in their
/// lengths, with the suites of RFC 9380 (see `GeccSuite`).
///
/// Reads `secret_keys`, 32 bytes each, big-endian; `messages`, one per item. Writes `masked`,
/// points in the given form; `codes`. `suite` is a `GeccSuite`, `form` a `GeccMaskForm`, or a
/// number from 1 to 31 for as many bytes of x. `dst` is that of `gecc_hash_to_curve`. Codes other
/// than valid: `GECC_CODE_SECRET_KEY_OUT_OF_RANGE`, and those of `gecc_hash_to_curve`.
///
/// Private keys and messages are read in place. The caller has to wipe the keys. A masked point
/// does not reveal its message to anybody without the key.
///
/// Returns `GECC_STATUS_INVALID_ARGUMENT` if the suite requires a tag and there is none, or the
/// other way round, and the statuses listed at the head of this file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_mask_items(
    engine: *const GeccEngine,
    suite: i32,
    dst: GeccBytes,
    items: usize,
    secret_keys: GeccRows,
    messages: *const GeccBytes,
    form: i32,
    masked: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    let inputs = CallInputs {
        signed: Some(SignedContents::messages(messages)),
        secret_keys: Some(("secret_keys", secret_keys)),
        dst,
        ..CallInputs::NONE
    };
    // SAFETY: the caller's promises, passed on.
    unsafe {
        compute(
            engine,
            || {
                Ok(Operation::MaskItems(
                    choices::suite(suite)?,
                    choices::mask_form(form)?,
                ))
            },
            items,
            inputs,
            [("masked", masked), NO_RESULT],
            codes,
        )
    }
}

/// Multiplies points by private keys, `d * P`, for example the masked points of the other party.
/// **Constant-time** in the private keys; the points are public.
///
/// Reads `secret_keys`, 32 bytes each, big-endian; `points`. Writes `masked`, points in the given
/// form; `codes`. `curve` is a `GeccCurve`, `form` a `GeccMaskForm`, or a number from 1 to 31 for
/// as many bytes of x. Codes other than valid: `GECC_CODE_SECRET_KEY_OUT_OF_RANGE`,
/// `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_IDENTITY_KEY`.
///
/// Private keys are read in place. The caller has to wipe them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_mask_points(
    engine: *const GeccEngine,
    curve: i32,
    items: usize,
    secret_keys: GeccRows,
    points: GeccKeys,
    form: i32,
    masked: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises, passed on.
    unsafe {
        compute(
            engine,
            || {
                Ok(Operation::MaskPoints(
                    choices::curve(curve)?,
                    choices::mask_form(form)?,
                ))
            },
            items,
            of_points(secret_keys, points),
            [("masked", masked), NO_RESULT],
            codes,
        )
    }
}

/// Removes the masks of points: multiplies them by the inverses of private keys modulo the group
/// order. **Constant-time** in the private keys; the points are public.
///
/// Reads the columns of `gecc_mask_points`. Writes `unmasked`, points in the given form; `codes`:
/// those of `gecc_mask_points`.
///
/// Private keys are read in place. The caller has to wipe them. The library wipes their inverses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_unmask_points(
    engine: *const GeccEngine,
    curve: i32,
    items: usize,
    secret_keys: GeccRows,
    points: GeccKeys,
    form: i32,
    unmasked: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises, passed on.
    unsafe {
        compute(
            engine,
            || {
                Ok(Operation::UnmaskPoints(
                    choices::curve(curve)?,
                    choices::mask_form(form)?,
                ))
            },
            items,
            of_points(secret_keys, points),
            [("unmasked", unmasked), NO_RESULT],
            codes,
        )
    }
}

fn of_points(secret_keys: GeccRows, points: GeccKeys) -> CallInputs {
    CallInputs {
        secret_keys: Some(("secret_keys", secret_keys)),
        public_keys: Some(("points", points)),
        ..CallInputs::NONE
    }
}

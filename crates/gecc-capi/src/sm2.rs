//! SM2 signatures.

use super::engine::GeccEngine;
use super::memory::{GeccBytes, GeccKeys, GeccRows};
use super::operation::{CallInputs, NO_RESULT, SignedContents, compute};
use super::status::GeccStatus;
use gecc::call::Operation;

/// Verifies one SM2 signature per item over the digest e (GB/T 32918.2, section 7). **Not constant-time**: everything
/// here is public.
///
/// Reads `digests`, 32 bytes e = SM3(Z_A || M) each, big-endian; `signatures`, 64 bytes `r || s`; `keys`. Writes
/// `codes`.
///
/// The first check that fails is the item's code: `GECC_CODE_R_OUT_OF_RANGE`, `GECC_CODE_S_OUT_OF_RANGE`,
/// `GECC_CODE_ZERO_T`, `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_IDENTITY_KEY`,
/// `GECC_CODE_IDENTITY_RESULT`, `GECC_CODE_MISMATCH`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_sm2_verify(
    engine: *const GeccEngine,
    items: usize,
    digests: GeccRows,
    signatures: GeccRows,
    keys: GeccKeys,
    codes: *mut u8,
) -> GeccStatus {
    let inputs = CallInputs::of_verification(SignedContents::Rows("digests", digests), signatures, keys);
    // SAFETY: the caller's promises, passed on.
    unsafe { compute(engine, || Ok(Operation::Sm2Verify), items, inputs, [NO_RESULT; 2], codes) }
}

/// Signs one digest e per item with SM2 (GB/T 32918.2, section 6), with nonces of RFC 6979 (HMAC-SM3).
/// **Constant-time** in keys and nonces.
///
/// Reads `digests`, 32 bytes e each; `secret_keys`, 32 bytes each, big-endian; `additional_data`. Writes
/// `signatures`, 64 bytes `r || s`; `codes`. Codes other than valid: `GECC_CODE_SECRET_KEY_OUT_OF_RANGE`, and
/// `GECC_CODE_FAULTY_SIGNATURE` where the engine checks signatures.
///
/// `additional_data`, 32 bytes each, are hashed into the nonces (RFC 6979, section 3.6). They need be neither secret
/// nor random; null as their data stands for none.
///
/// Private keys are read where they lie. They are the caller's to wipe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_sm2_sign(
    engine: *const GeccEngine,
    items: usize,
    digests: GeccRows,
    secret_keys: GeccRows,
    additional_data: GeccRows,
    signatures: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    let inputs = CallInputs::of_signing(SignedContents::Rows("digests", digests), secret_keys, additional_data);
    // SAFETY: the caller's promises, passed on.
    unsafe { compute(engine, || Ok(Operation::Sm2Sign), items, inputs, [("signatures", signatures), NO_RESULT], codes) }
}

/// Verifies one SM2 signature per item over a message: e = SM3(Z_A || M), where Z_A is of the user id and the key.
/// **Not constant-time**: everything here is public.
///
/// Reads `messages`, as many as items; `user_ids`, `user_id_count` of them: as many as items, one for all items, or
/// none for the id that GM/T 0009 prescribes, `1234567812345678`; `signatures`, 64 bytes `r || s`; `keys`. Writes
/// `codes`: those of `gecc_sm2_verify`, and `GECC_CODE_USER_ID_TOO_LONG` above 8191 bytes.
///
/// On the way an item takes up to 300 bytes of the library's memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_sm2_verify_messages(
    engine: *const GeccEngine,
    items: usize,
    messages: *const GeccBytes,
    user_ids: *const GeccBytes,
    user_id_count: usize,
    signatures: GeccRows,
    keys: GeccKeys,
    codes: *mut u8,
) -> GeccStatus {
    let inputs =
        CallInputs::of_verification(SignedContents::Messages(messages, user_ids, user_id_count), signatures, keys);
    // SAFETY: the caller's promises, passed on.
    unsafe { compute(engine, || Ok(Operation::Sm2Verify), items, inputs, [NO_RESULT; 2], codes) }
}

/// Signs one message per item with SM2: e = SM3(Z_A || M), where Z_A is of the user id and the private key's public
/// key. **Constant-time** in keys and nonces, not in the length of messages.
///
/// Reads `messages` and `user_ids` as `gecc_sm2_verify_messages` does; `secret_keys`, 32 bytes each, big-endian;
/// `additional_data` as `gecc_sm2_sign` does. Writes `signatures`, 64 bytes `r || s`; `codes`: those of
/// `gecc_sm2_sign`, and `GECC_CODE_USER_ID_TOO_LONG` above 8191 bytes.
///
/// Private keys are read where they lie. They are the caller's to wipe. On the way an item takes up to 300 bytes of the
/// library's memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_sm2_sign_messages(
    engine: *const GeccEngine,
    items: usize,
    messages: *const GeccBytes,
    user_ids: *const GeccBytes,
    user_id_count: usize,
    secret_keys: GeccRows,
    additional_data: GeccRows,
    signatures: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    let signed = SignedContents::Messages(messages, user_ids, user_id_count);
    let inputs = CallInputs::of_signing(signed, secret_keys, additional_data);
    // SAFETY: the caller's promises, passed on.
    unsafe { compute(engine, || Ok(Operation::Sm2Sign), items, inputs, [("signatures", signatures), NO_RESULT], codes) }
}

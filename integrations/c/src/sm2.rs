//! SM2 signatures.

use super::engine::GeccEngine;
use super::memory::{GeccBytes, GeccKeys, GeccRows};
use super::operation::{CallInputs, NO_RESULT, SignedContents, compute};
use super::status::GeccStatus;
use gecc::call::Operation;

/// Verifies one SM2 signature per item over the digest e (GB/T 32918.2, section 7). **Not
/// constant-time**: all inputs are public.
///
/// Reads `digests`, 32 bytes e = SM3(Z_A || M) each, big-endian; `signatures`, 64 bytes `r || s`;
/// `keys`. Writes `codes`.
///
/// The code of an item is that of the first check that fails: `GECC_CODE_R_OUT_OF_RANGE`,
/// `GECC_CODE_S_OUT_OF_RANGE`, `GECC_CODE_ZERO_T`, `GECC_CODE_MALFORMED_POINT`,
/// `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_IDENTITY_KEY`, `GECC_CODE_IDENTITY_RESULT`,
/// `GECC_CODE_MISMATCH`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_sm2_verify(
    engine: *const GeccEngine,
    items: usize,
    digests: GeccRows,
    signatures: GeccRows,
    keys: GeccKeys,
    codes: *mut u8,
) -> GeccStatus {
    let inputs =
        CallInputs::of_verification(SignedContents::Rows("digests", digests), signatures, keys);
    // SAFETY: the caller's promises, passed on.
    unsafe {
        compute(
            engine,
            || Ok(Operation::Sm2Verify),
            items,
            inputs,
            [NO_RESULT; 2],
            codes,
        )
    }
}

/// Signs one digest e per item with SM2 (GB/T 32918.2, section 6). Nonces follow RFC 6979
/// (HMAC-SM3). **Constant-time** in keys and nonces.
///
/// Reads `digests`, 32 bytes e each; `secret_keys`, 32 bytes each, big-endian; `additional_data`.
/// Writes `signatures`, 64 bytes `r || s`; `codes`. Codes other than valid:
/// `GECC_CODE_SECRET_KEY_OUT_OF_RANGE`, and `GECC_CODE_FAULTY_SIGNATURE` if the engine checks
/// signatures.
///
/// `additional_data`, 32 bytes each, are hashed into the nonces (RFC 6979, section 3.6). They need
/// be neither secret nor random. Null data means none.
///
/// Private keys are read in place. The caller has to wipe them.
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
    let inputs = CallInputs::of_signing(
        SignedContents::Rows("digests", digests),
        secret_keys,
        additional_data,
    );
    // SAFETY: the caller's promises, passed on.
    unsafe {
        compute(
            engine,
            || Ok(Operation::Sm2Sign),
            items,
            inputs,
            [("signatures", signatures), NO_RESULT],
            codes,
        )
    }
}

/// Verifies one SM2 signature per item over a message: e = SM3(Z_A || M), where Z_A depends on the
/// user id and the key. **Not constant-time**: all inputs are public.
///
/// Reads `messages`, one per item; `user_ids`, `user_id_count` of them: one per item, one for all
/// items, or none for the id that GM/T 0009 prescribes, `1234567812345678`; `signatures`, 64 bytes
/// `r || s`; `keys`. Writes `codes`: those of `gecc_sm2_verify`, and `GECC_CODE_USER_ID_TOO_LONG`
/// for ids of more than 8191 bytes.
///
/// An item takes up to 300 bytes of the library's memory during the call.
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
    let inputs = CallInputs::of_verification(
        SignedContents::Messages(messages, user_ids, user_id_count),
        signatures,
        keys,
    );
    // SAFETY: the caller's promises, passed on.
    unsafe {
        compute(
            engine,
            || Ok(Operation::Sm2Verify),
            items,
            inputs,
            [NO_RESULT; 2],
            codes,
        )
    }
}

/// Signs one message per item with SM2: e = SM3(Z_A || M), where Z_A depends on the user id and the
/// public key of the private key. **Constant-time** in keys and nonces, but not in the length of
/// messages.
///
/// Reads `messages` and `user_ids` like `gecc_sm2_verify_messages`; `secret_keys`, 32 bytes each,
/// big-endian; `additional_data` like `gecc_sm2_sign`. Writes `signatures`, 64 bytes `r || s`;
/// `codes`: those of `gecc_sm2_sign`, and `GECC_CODE_USER_ID_TOO_LONG` for ids of more than 8191
/// bytes.
///
/// Private keys are read in place. The caller has to wipe them. An item takes up to 300 bytes of
/// the library's memory during the call.
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
    unsafe {
        compute(
            engine,
            || Ok(Operation::Sm2Sign),
            items,
            inputs,
            [("signatures", signatures), NO_RESULT],
            codes,
        )
    }
}

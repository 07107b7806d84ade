//! ECDSA on secp256k1, P-256 and brainpoolP256r1, and digests of messages for it.

use super::choices;
use super::engine::{GeccEngine, engine_of};
use super::memory::{GeccBytes, GeccKeys, GeccRows, Memory};
use super::operation::{CallInputs, NO_RESULT, SignedContents, compute};
use super::progress::in_pieces;
use super::status::{GeccStatus, call};
use gecc::call::Operation;
use gecc::hash;

/// Hashes messages to digests, which the calls over digests take. **Not constant-time**: all inputs
/// are public.
///
/// Reads `messages`, one per item. Writes `digests`, 32 bytes each. `hash` is a `GeccHash`. For
/// large batches, SHA-256, SHA-256 applied twice and Keccak-256 are computed on GPUs, if there are
/// any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_message_digests(
    engine: *const GeccEngine,
    hash: i32,
    items: usize,
    messages: *const GeccBytes,
    digests: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is checked by `memory` before digests are
    // written.
    call(|| unsafe {
        let engine = engine_of(engine)?;
        let hash = choices::hash(hash)?;
        let mut memory = Memory::of(items);
        let digests = memory.writes("digests", digests)?;
        let messages = memory.reads_strings("messages", messages, items)?;
        let digests = digests.rows();
        in_pieces(engine, items, Some(&messages), |piece| {
            hash::digests_into(engine, hash, piece.of_all(&messages), piece.out(digests))
        })
    })
}

/// Verifies one ECDSA signature per item (SEC 1, section 4.1.4). **Not constant-time**: all inputs
/// are public.
///
/// Reads `digests`, 32 bytes each; `signatures`, 64 bytes `r || s`; `keys`. Writes `codes`, one
/// byte per item. `curve` is a `GeccCurve`, `policy` a `GeccPolicy`.
///
/// The code of an item is that of the first check that fails: `GECC_CODE_R_OUT_OF_RANGE`,
/// `GECC_CODE_S_OUT_OF_RANGE`, `GECC_CODE_HIGH_S` (by policy), `GECC_CODE_MALFORMED_POINT`,
/// `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_IDENTITY_KEY`, `GECC_CODE_IDENTITY_RESULT`,
/// `GECC_CODE_MISMATCH`.
///
/// Returns `GECC_STATUS_NO_SCHEME` for `GECC_CURVE_SM2`, and the statuses listed at the head of
/// this file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_ecdsa_verify(
    engine: *const GeccEngine,
    curve: i32,
    items: usize,
    digests: GeccRows,
    signatures: GeccRows,
    keys: GeccKeys,
    policy: i32,
    codes: *mut u8,
) -> GeccStatus {
    let inputs =
        CallInputs::of_verification(SignedContents::Rows("digests", digests), signatures, keys);
    // SAFETY: the caller's promises, passed on.
    unsafe {
        compute(
            engine,
            || {
                Ok(Operation::EcdsaVerify(
                    choices::curve(curve)?,
                    choices::policy(policy)?,
                ))
            },
            items,
            inputs,
            [NO_RESULT; 2],
            codes,
        )
    }
}

/// Verifies ECDSA signatures that come with recovery ids. The codes are those of
/// `gecc_ecdsa_verify`; the ids are only hints. If the engine verifies in groups
/// (`batch_verification` of its options), they make verification faster; otherwise they are
/// ignored. **Not constant-time**: all inputs are public.
///
/// Reads `recovery_ids`, one byte each, in addition to the columns of `gecc_ecdsa_verify`. An id
/// that is wrong or above 3 costs time but never changes a code, so a valid code does not prove
/// that the id is right.
///
/// Returns `GECC_STATUS_NO_SCHEME` for `GECC_CURVE_SM2`, and the statuses listed at the head of
/// this file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_ecdsa_verify_recoverable(
    engine: *const GeccEngine,
    curve: i32,
    items: usize,
    digests: GeccRows,
    signatures: GeccRows,
    recovery_ids: GeccRows,
    keys: GeccKeys,
    policy: i32,
    codes: *mut u8,
) -> GeccStatus {
    let inputs = CallInputs {
        recovery_ids: Some(recovery_ids),
        ..CallInputs::of_verification(SignedContents::Rows("digests", digests), signatures, keys)
    };
    // SAFETY: the caller's promises, passed on.
    unsafe {
        compute(
            engine,
            || {
                Ok(Operation::EcdsaVerifyRecoverable(
                    choices::curve(curve)?,
                    choices::policy(policy)?,
                ))
            },
            items,
            inputs,
            [NO_RESULT; 2],
            codes,
        )
    }
}

/// Signs one digest per item with ECDSA. Nonces follow RFC 6979 (HMAC-SHA-256). **Constant-time**
/// in keys and nonces.
///
/// Reads `digests`, 32 bytes each; `secret_keys`, 32 bytes each, big-endian; `additional_data`.
/// Writes `signatures`, 64 bytes `r || s`; `codes`. `curve` is a `GeccCurve`, `s_form` a
/// `GeccSForm`. Codes other than valid: `GECC_CODE_SECRET_KEY_OUT_OF_RANGE`, and
/// `GECC_CODE_FAULTY_SIGNATURE` if the engine checks signatures.
///
/// `additional_data`, 32 bytes each, are hashed into the nonces (RFC 6979, section 3.6). They need
/// be neither secret nor random. Null data means none.
///
/// **Without additional data, using a private key on two curves discloses it**: the nonce then
/// depends on the key and the digest only, and two signatures of one digest determine the key. Use
/// a separate key, or at least separate additional data, for each curve.
///
/// Private keys are read in place. The caller has to wipe them.
///
/// Returns `GECC_STATUS_NO_SCHEME` for `GECC_CURVE_SM2`, and the statuses listed at the head of
/// this file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_ecdsa_sign(
    engine: *const GeccEngine,
    curve: i32,
    items: usize,
    digests: GeccRows,
    secret_keys: GeccRows,
    additional_data: GeccRows,
    s_form: i32,
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
            || {
                Ok(Operation::EcdsaSign(
                    choices::curve(curve)?,
                    choices::s_form(s_form)?,
                ))
            },
            items,
            inputs,
            [("signatures", signatures), NO_RESULT],
            codes,
        )
    }
}

/// Signs like `gecc_ecdsa_sign`, and also writes `recovery_ids`, one byte per item, 0 to 3: bit 0
/// is set if y(R) is odd, bit 1 if x(R) is not below n (SEC 1, section 4.1.6). **Constant-time** in
/// keys and nonces.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_ecdsa_sign_recoverable(
    engine: *const GeccEngine,
    curve: i32,
    items: usize,
    digests: GeccRows,
    secret_keys: GeccRows,
    additional_data: GeccRows,
    s_form: i32,
    signatures: *mut u8,
    recovery_ids: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    let inputs = CallInputs::of_signing(
        SignedContents::Rows("digests", digests),
        secret_keys,
        additional_data,
    );
    let results = [("signatures", signatures), ("recovery_ids", recovery_ids)];
    // SAFETY: the caller's promises, passed on.
    unsafe {
        compute(
            engine,
            || {
                Ok(Operation::EcdsaSignRecoverable(
                    choices::curve(curve)?,
                    choices::s_form(s_form)?,
                ))
            },
            items,
            inputs,
            results,
            codes,
        )
    }
}

/// Verifies one ECDSA signature per item over the SHA-256 of a message. Use `gecc_message_digests`
/// for other hashes. **Not constant-time**: all inputs are public.
///
/// Reads `messages`, one per item; `signatures`, 64 bytes `r || s`; `keys`. Writes `codes`: those
/// of `gecc_ecdsa_verify`. `curve` is a `GeccCurve`, `policy` a `GeccPolicy`.
///
/// An item takes up to 64 bytes of the library's memory during the call.
///
/// Returns `GECC_STATUS_NO_SCHEME` for `GECC_CURVE_SM2`, and the statuses listed at the head of
/// this file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_ecdsa_verify_messages(
    engine: *const GeccEngine,
    curve: i32,
    items: usize,
    messages: *const GeccBytes,
    signatures: GeccRows,
    keys: GeccKeys,
    policy: i32,
    codes: *mut u8,
) -> GeccStatus {
    let inputs = CallInputs::of_verification(SignedContents::messages(messages), signatures, keys);
    // SAFETY: the caller's promises, passed on.
    unsafe {
        compute(
            engine,
            || {
                Ok(Operation::EcdsaVerify(
                    choices::curve(curve)?,
                    choices::policy(policy)?,
                ))
            },
            items,
            inputs,
            [NO_RESULT; 2],
            codes,
        )
    }
}

/// Signs the SHA-256 of one message per item with ECDSA. Nonces follow RFC 6979 (HMAC-SHA-256). Use
/// `gecc_message_digests` for other hashes. **Constant-time** in keys and nonces, but not in the
/// length of messages.
///
/// Reads `messages`, one per item; `secret_keys`, 32 bytes each, big-endian; `additional_data` like
/// `gecc_ecdsa_sign`. Writes `signatures`, 64 bytes `r || s`; `codes`: those of `gecc_ecdsa_sign`.
/// `curve` is a `GeccCurve`, `s_form` a `GeccSForm`.
///
/// Private keys are read in place. The caller has to wipe them. An item takes up to 64 bytes of the
/// library's memory during the call.
///
/// Returns `GECC_STATUS_NO_SCHEME` for `GECC_CURVE_SM2`, and the statuses listed at the head of
/// this file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_ecdsa_sign_messages(
    engine: *const GeccEngine,
    curve: i32,
    items: usize,
    messages: *const GeccBytes,
    secret_keys: GeccRows,
    additional_data: GeccRows,
    s_form: i32,
    signatures: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    let inputs = CallInputs::of_signing(
        SignedContents::messages(messages),
        secret_keys,
        additional_data,
    );
    // SAFETY: the caller's promises, passed on.
    unsafe {
        compute(
            engine,
            || {
                Ok(Operation::EcdsaSign(
                    choices::curve(curve)?,
                    choices::s_form(s_form)?,
                ))
            },
            items,
            inputs,
            [("signatures", signatures), NO_RESULT],
            codes,
        )
    }
}

/// Recovers the public key that made each ECDSA signature (SEC 1, section 4.1.6). **Not
/// constant-time**: all inputs are public.
///
/// Reads `digests`, 32 bytes each; `signatures`, 64 bytes `r || s`; `recovery_ids`, one byte each,
/// 0 to 3. Writes `keys`, 64 bytes `x || y`; `codes`. `curve` is a `GeccCurve`. High s is accepted.
///
/// The code of an item is that of the first check that fails: `GECC_CODE_R_OUT_OF_RANGE`,
/// `GECC_CODE_S_OUT_OF_RANGE`, `GECC_CODE_RECOVERY_ID_OUT_OF_RANGE`, `GECC_CODE_NO_SUCH_R`,
/// `GECC_CODE_IDENTITY_RESULT`.
///
/// Returns `GECC_STATUS_NO_SCHEME` for `GECC_CURVE_SM2`, and the statuses listed at the head of
/// this file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_ecdsa_recover(
    engine: *const GeccEngine,
    curve: i32,
    items: usize,
    digests: GeccRows,
    signatures: GeccRows,
    recovery_ids: GeccRows,
    keys: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    let inputs = of_recovery(digests, signatures, recovery_ids, None);
    // SAFETY: the caller's promises, passed on.
    unsafe {
        compute(
            engine,
            || Ok(Operation::EcdsaRecover(choices::curve(curve)?)),
            items,
            inputs,
            [("keys", keys), NO_RESULT],
            codes,
        )
    }
}

/// Recovers the Ethereum address of the key that made each signature on secp256k1: the last 20
/// bytes of the Keccak-256 of `x || y`. **Not constant-time**: all inputs are public.
///
/// Reads the columns of `gecc_ecdsa_recover`. Writes `addresses`, 20 bytes each; `codes`: those of
/// `gecc_ecdsa_recover`. EIP-2 also requires low s for transactions, which is not checked here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_ecdsa_recover_addresses(
    engine: *const GeccEngine,
    items: usize,
    digests: GeccRows,
    signatures: GeccRows,
    recovery_ids: GeccRows,
    addresses: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    let inputs = of_recovery(digests, signatures, recovery_ids, None);
    // SAFETY: the caller's promises, passed on.
    unsafe {
        compute(
            engine,
            || Ok(Operation::EcdsaRecoverAddresses),
            items,
            inputs,
            [("addresses", addresses), NO_RESULT],
            codes,
        )
    }
}

/// Recovers like `gecc_ecdsa_recover`, with a candidate for all keys or some of them: the key of
/// the expected signer, known from an earlier signature. If the engine verifies in groups
/// (`batch_verification` of its options), correct candidates make recovery faster; otherwise they
/// are ignored. **Not constant-time**: all inputs are public.
///
/// Reads `candidates` in addition to the columns of `gecc_ecdsa_recover`. A candidate that is wrong
/// or is not a key costs time but never changes a key or a code. A row of zeros with
/// `GECC_KEY_ENCODING_RAW` means that an item has no candidate.
///
/// Returns `GECC_STATUS_NO_SCHEME` for `GECC_CURVE_SM2`, and the statuses listed at the head of
/// this file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_ecdsa_recover_with_candidates(
    engine: *const GeccEngine,
    curve: i32,
    items: usize,
    digests: GeccRows,
    signatures: GeccRows,
    recovery_ids: GeccRows,
    candidates: GeccKeys,
    keys: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    let inputs = of_recovery(digests, signatures, recovery_ids, Some(candidates));
    // SAFETY: the caller's promises, passed on.
    unsafe {
        compute(
            engine,
            || Ok(Operation::EcdsaRecover(choices::curve(curve)?)),
            items,
            inputs,
            [("keys", keys), NO_RESULT],
            codes,
        )
    }
}

/// Recovers addresses like `gecc_ecdsa_recover_addresses`, with candidates like
/// `gecc_ecdsa_recover_with_candidates`. The candidates are public keys, not addresses. **Not
/// constant-time**: all inputs are public.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_ecdsa_recover_addresses_with_candidates(
    engine: *const GeccEngine,
    items: usize,
    digests: GeccRows,
    signatures: GeccRows,
    recovery_ids: GeccRows,
    candidates: GeccKeys,
    addresses: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    let inputs = of_recovery(digests, signatures, recovery_ids, Some(candidates));
    // SAFETY: the caller's promises, passed on.
    unsafe {
        compute(
            engine,
            || Ok(Operation::EcdsaRecoverAddresses),
            items,
            inputs,
            [("addresses", addresses), NO_RESULT],
            codes,
        )
    }
}

fn of_recovery(
    digests: GeccRows,
    signatures: GeccRows,
    recovery_ids: GeccRows,
    candidates: Option<GeccKeys>,
) -> CallInputs {
    CallInputs {
        signed: Some(SignedContents::Rows("digests", digests)),
        signatures: Some(signatures),
        recovery_ids: Some(recovery_ids),
        candidates,
        ..CallInputs::NONE
    }
}

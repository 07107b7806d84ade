//! Schnorr signatures of BIP 340, and outputs of Taproot.

use super::engine::{GeccEngine, engine_of};
use super::memory::{GeccBytes, GeccKeys, GeccRows, Memory};
use super::operation::{CallInputs, NO_RESULT, SignedContents, compute};
use super::status::{GeccStatus, call};
use gecc::bip340::{self, Auxiliary, SigningKeys};
use gecc::call::{Contents, Operation};
use gecc::{SecretKeys, tweak};

/// Verifies one BIP 340 signature per item over a message of 32 bytes, on secp256k1. **Not
/// constant-time**: all inputs are public.
///
/// Reads `messages`, 32 bytes each; `signatures`, 64 bytes; `keys`, with `GECC_KEY_ENCODING_X_ONLY`
/// or in another encoding, of which only the x-coordinates are used. Writes `codes`.
///
/// The code of an item is that of the first check that fails: `GECC_CODE_R_OUT_OF_RANGE`,
/// `GECC_CODE_S_OUT_OF_RANGE`, `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`,
/// `GECC_CODE_IDENTITY_KEY`, `GECC_CODE_IDENTITY_RESULT`, `GECC_CODE_MISMATCH`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_bip340_verify(
    engine: *const GeccEngine,
    items: usize,
    messages: GeccRows,
    signatures: GeccRows,
    keys: GeccKeys,
    codes: *mut u8,
) -> GeccStatus {
    let inputs =
        CallInputs::of_verification(SignedContents::Rows("messages", messages), signatures, keys);
    // SAFETY: the caller's promises, passed on.
    unsafe {
        compute(
            engine,
            || Ok(Operation::Bip340Verify),
            items,
            inputs,
            [NO_RESULT; 2],
            codes,
        )
    }
}

/// Signs one message of 32 bytes per item by BIP 340, on secp256k1. **Constant-time** in keys,
/// auxiliary data and nonces.
///
/// Reads `messages`, 32 bytes each; `secret_keys`, 32 bytes each, big-endian; `public_keys`, in any
/// encoding but x-only, or with null data if they are to be computed; `auxiliary`, 32 bytes of
/// auxiliary random data each, or with null data for fresh data from the operating system. Writes
/// `signatures`, 64 bytes; `codes`. Codes other than valid: `GECC_CODE_SECRET_KEY_OUT_OF_RANGE`,
/// those of an invalid public key, and `GECC_CODE_FAULTY_SIGNATURE` if the engine checks
/// signatures.
///
/// Public keys are not checked against their private keys unless the engine checks signatures: a
/// wrong one is then rejected with `GECC_CODE_MISMATCH`. A signature made with a wrong public key
/// does not verify, and discloses nothing about the private key.
///
/// Private keys are read in place. The caller has to wipe them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_bip340_sign(
    engine: *const GeccEngine,
    items: usize,
    messages: GeccRows,
    secret_keys: GeccRows,
    public_keys: GeccKeys,
    auxiliary: GeccRows,
    signatures: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    let messages = SignedContents::Rows("messages", messages);
    // SAFETY: the caller's promises, passed on.
    unsafe {
        sign(
            engine,
            items,
            messages,
            secret_keys,
            public_keys,
            auxiliary,
            signatures,
            codes,
        )
    }
}

/// Verifies one BIP 340 signature per item over a message of any length. **Not constant-time**: all
/// inputs are public.
///
/// Reads `messages`, one per item, and the other columns of `gecc_bip340_verify`. Writes `codes`:
/// those of `gecc_bip340_verify`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_bip340_verify_messages(
    engine: *const GeccEngine,
    items: usize,
    messages: *const GeccBytes,
    signatures: GeccRows,
    keys: GeccKeys,
    codes: *mut u8,
) -> GeccStatus {
    let inputs = CallInputs::of_verification(SignedContents::messages(messages), signatures, keys);
    // SAFETY: the caller's promises, passed on.
    unsafe {
        compute(
            engine,
            || Ok(Operation::Bip340Verify),
            items,
            inputs,
            [NO_RESULT; 2],
            codes,
        )
    }
}

/// Signs one message of any length per item by BIP 340. **Constant-time** in keys, auxiliary data
/// and nonces, but not in the length of messages.
///
/// Reads `messages`, one per item, and the other columns of `gecc_bip340_sign`. Writes the columns
/// of `gecc_bip340_sign`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_bip340_sign_messages(
    engine: *const GeccEngine,
    items: usize,
    messages: *const GeccBytes,
    secret_keys: GeccRows,
    public_keys: GeccKeys,
    auxiliary: GeccRows,
    signatures: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises, passed on.
    unsafe {
        sign(
            engine,
            items,
            SignedContents::messages(messages),
            secret_keys,
            public_keys,
            auxiliary,
            signatures,
            codes,
        )
    }
}

/// Computes the output key of each internal key (BIP 341): `P + t G`, where P is the point of the
/// key with an even y, and t the tagged hash of its x and a Merkle root. **Not constant-time**: all
/// inputs are public.
///
/// Reads `keys`; `roots`, 32 bytes each, or with null data if there are none. Writes `outputs`, 64
/// bytes `x || y`, of which x is the output and the last bit of y its parity; `codes`. Codes other
/// than valid: `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_IDENTITY_KEY`,
/// `GECC_CODE_SCALAR_OUT_OF_RANGE`, `GECC_CODE_IDENTITY_RESULT`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_taproot(
    engine: *const GeccEngine,
    items: usize,
    keys: GeccKeys,
    roots: GeccRows,
    outputs: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is checked by `memory` before results are written.
    call(|| unsafe {
        let engine = engine_of(engine)?;
        let mut memory = Memory::of(items);
        let outputs = memory.writes("outputs", outputs)?;
        let codes = memory.writes("codes", codes)?;
        let keys = memory.reads_keys("keys", keys)?;
        let roots = memory.reads_given("roots", roots)?;
        let outputs = outputs.rows();
        codes.answer(engine, None, |piece, codes| {
            tweak::taproot_into(
                engine,
                piece.of(keys),
                piece.of(roots),
                piece.out(outputs),
                codes,
            )
        })
    })
}

/// Signs messages: the common part of the signing calls.
///
/// # Safety
/// See `Memory::reads`.
unsafe fn sign(
    engine: *const GeccEngine,
    items: usize,
    messages: SignedContents,
    secret_keys: GeccRows,
    public_keys: GeccKeys,
    auxiliary: GeccRows,
    signatures: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is checked by `memory` before results are written.
    call(|| unsafe {
        let engine = engine_of(engine)?;
        let mut memory = Memory::of(items);
        let signatures = memory.writes("signatures", signatures)?;
        let codes = memory.writes("codes", codes)?;
        let messages = messages.read(&memory, items)?;
        let keys = SecretKeys::rows(memory.reads("secret_keys", secret_keys)?);
        let keys = match public_keys.data.is_null() {
            true => SigningKeys::from(keys),
            false => SigningKeys::with_public(keys, memory.reads_keys("public_keys", public_keys)?),
        };
        let auxiliary = memory
            .reads_given("auxiliary", auxiliary)?
            .map_or_else(Auxiliary::fresh, Auxiliary::given);
        let signatures = signatures.rows();
        codes.answer(engine, messages.messages(), |piece, codes| {
            let keys = piece.of(keys);
            let auxiliary = piece.of(auxiliary);
            let signatures = piece.out(signatures);
            match messages.of(piece) {
                Contents::Digests(messages) => {
                    bip340::sign_into(engine, messages, keys, auxiliary, signatures, codes)
                }
                Contents::Messages { messages, .. } => {
                    bip340::sign_messages_into(engine, messages, keys, auxiliary, signatures, codes)
                }
            }
        })
    })
}

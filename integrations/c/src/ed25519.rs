//! Ed25519 signatures (RFC 8032).

use super::choices;
use super::ed25519_variant::GeccEd25519Variant;
use super::engine::{GeccEngine, engine_of};
use super::keys::{keys_of_32_bytes, one_secret_key};
use super::memory::{GeccBytes, GeccRows, Memory};
use super::operation::{CallInputs, NO_RESULT, SignedContents, compute};
use super::progress::in_pieces;
use super::status::{GeccStatus, call};
use gecc::SecretKeys;
use gecc::call::Operation;
use gecc::ed25519;
use gecc_keys::KeyKind;

/// Verifies one Ed25519 signature per item over a message of any length, by a rule. **Not
/// constant-time**: all inputs are public.
///
/// Reads `messages`, one per item; `signatures`, 64 bytes `R || S`; `keys`, 32 bytes each (RFC
/// 8032, section 5.1.2); `variant`, null for plain Ed25519. Writes `codes`. `rule` is a
/// `GeccEd25519Rule`. There is no default, because programs that must agree on signatures must
/// agree on the rule.
///
/// The code of an item is that of the first check that fails: `GECC_CODE_S_OUT_OF_RANGE`,
/// `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_SMALL_ORDER_KEY`,
/// `GECC_CODE_SMALL_ORDER_R`, `GECC_CODE_NO_SUCH_R` or `GECC_CODE_R_OUT_OF_RANGE`,
/// `GECC_CODE_MISMATCH`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_ed25519_verify(
    engine: *const GeccEngine,
    rule: i32,
    variant: *const GeccEd25519Variant,
    items: usize,
    messages: *const GeccBytes,
    signatures: GeccRows,
    keys: GeccRows,
    codes: *mut u8,
) -> GeccStatus {
    let messages = SignedContents::messages(messages);
    let inputs = CallInputs {
        variant,
        ..CallInputs::of_verification(messages, signatures, keys.as_x_only())
    };
    // SAFETY: the caller's promises, passed on.
    unsafe {
        compute(
            engine,
            || Ok(Operation::Ed25519Verify(choices::ed25519_rule(rule)?)),
            items,
            inputs,
            [NO_RESULT; 2],
            codes,
        )
    }
}

/// Signs one message of any length per item by Ed25519. **Constant-time** in keys and nonces, but
/// not in the length of messages.
///
/// Reads `messages`, one per item; `seeds`, the private keys, 32 bytes each; `variant`, null for
/// plain Ed25519. Every seed is a valid key. Writes `signatures`, 64 bytes `R || S`; `codes`. Code
/// other than valid: `GECC_CODE_FAULTY_SIGNATURE`, if the engine checks signatures.
///
/// Seeds are read in place. The caller has to wipe them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_ed25519_sign(
    engine: *const GeccEngine,
    variant: *const GeccEd25519Variant,
    items: usize,
    messages: *const GeccBytes,
    seeds: GeccRows,
    signatures: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    let signed = Some(SignedContents::messages(messages));
    let inputs = CallInputs {
        signed,
        secret_keys: Some(("seeds", seeds)),
        variant,
        ..CallInputs::NONE
    };
    // SAFETY: the caller's promises, passed on.
    unsafe {
        compute(
            engine,
            || Ok(Operation::Ed25519Sign),
            items,
            inputs,
            [("signatures", signatures), NO_RESULT],
            codes,
        )
    }
}

/// Computes the Ed25519 public key of each seed. **Constant-time** in seeds.
///
/// Reads `seeds`, 32 bytes each. Writes `public_keys`, 32 bytes each; zeros after any status but
/// `GECC_STATUS_OK`, or untouched if an argument was rejected. There are no codes, because every
/// seed is a valid key.
///
/// Seeds are read in place. The caller has to wipe them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_ed25519_public_keys(
    engine: *const GeccEngine,
    items: usize,
    seeds: GeccRows,
    public_keys: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is checked by `memory` before results are written.
    call(|| unsafe {
        let engine = engine_of(engine)?;
        let mut memory = Memory::of(items);
        let public_keys = memory.writes::<32>("public_keys", public_keys)?;
        let seeds = SecretKeys::rows(memory.reads::<32>("seeds", seeds)?);
        public_keys.complete(|public_keys| {
            let public_keys = public_keys.as_chunks_mut().0;
            in_pieces(engine, items, None, |piece| {
                ed25519::public_keys_into(engine, piece.of(seeds), piece.out(public_keys))
            })
        })
    })
}

/// Reads Ed25519 public keys in any form: PEM (`PUBLIC KEY`), SubjectPublicKeyInfo in DER (RFC
/// 8410), JSON Web Keys (RFC 8037), lines of OpenSSH (`ssh-ed25519 AAAA...`), or the 32 bytes
/// themselves. **Not constant-time**: all inputs are public.
///
/// Reads `keys`, one per item. Writes `public_keys`, 32 bytes each; `codes`. Code other than valid:
/// `GECC_CODE_MALFORMED_POINT`. Only verification checks whether a key is a point. Any thread may
/// call this at any time.
///
/// Returns `GECC_STATUS_INVALID_ARGUMENT` if all keys are in forms that state a purpose and none
/// can be read. The text of the error states the problem of the first one. Empty keys are ignored
/// here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_ed25519_public_keys_read(
    items: usize,
    keys: *const GeccBytes,
    public_keys: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises, passed on.
    call(|| unsafe { keys_of_32_bytes(KeyKind::Ed25519, items, keys, public_keys, codes) })
}

/// Reads the seed in a file with an Ed25519 private key: PEM or DER (PKCS#8, RFC 8410), a JSON Web
/// Key (RFC 8037), or OpenSSH's format. A public key in the file must match it. **Constant-time**
/// in the seed, except for its base64.
///
/// Reads `file`, which has `bytes` bytes. Writes `seed`, 32 bytes; zeros on failure. The caller has
/// to wipe the file and the seed. Any thread may call this at any time.
///
/// Returns `GECC_STATUS_INVALID_ARGUMENT` like `gecc_secret_key_read`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_ed25519_seed_read(
    file: *const u8,
    bytes: usize,
    seed: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises, passed on.
    call(|| unsafe { one_secret_key(KeyKind::Ed25519, file, bytes, "seed", seed) })
}

//! X25519 (RFC 7748).

use super::choices;
use super::engine::{GeccEngine, engine_of};
use super::keys::{keys_of_32_bytes, one_secret_key};
use super::memory::{GeccBytes, GeccRows, Memory};
use super::operation::{CallInputs, NO_RESULT, compute};
use super::progress::in_pieces;
use super::status::{GeccStatus, call};
use gecc::call::Operation;
use gecc::{SecretKeys, x25519};
use gecc_keys::KeyKind;

/// Computes the X25519 shared secret of each private key with its peer (RFC 7748, section 6.1).
/// **Constant-time** in the private keys.
///
/// Reads `secret_keys`, 32 bytes each, and `peers`, 32 bytes each: u-coordinates, little-endian.
/// All values of 32 bytes are keys. Writes `secrets`, 32 bytes each; `codes`. `all_zero` is a
/// `GeccAllZero`. Code other than valid: `GECC_CODE_IDENTITY_RESULT`, if the secret is zero and
/// `all_zero` is `GECC_ALL_ZERO_REJECT`.
///
/// Private keys are read in place, and secrets are written directly to the caller's memory. The
/// caller has to wipe both. A secret is not uniformly random: derive keys from it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_x25519(
    engine: *const GeccEngine,
    all_zero: i32,
    items: usize,
    secret_keys: GeccRows,
    peers: GeccRows,
    secrets: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    let inputs = CallInputs {
        secret_keys: Some(("secret_keys", secret_keys)),
        public_keys: Some(("peers", peers.as_x_only())),
        ..CallInputs::NONE
    };
    // SAFETY: the caller's promises, passed on.
    unsafe {
        compute(
            engine,
            || Ok(Operation::X25519(choices::all_zero(all_zero)?)),
            items,
            inputs,
            [("secrets", secrets), NO_RESULT],
            codes,
        )
    }
}

/// Computes the X25519 public key of each private key (RFC 7748, section 6.1). **Constant-time** in
/// the private keys.
///
/// Reads `secret_keys`, 32 bytes each. Writes `public_keys`, 32 bytes each; zeros after any status
/// but `GECC_STATUS_OK`, or untouched if an argument was rejected. There are no codes, because all
/// values of 32 bytes are keys.
///
/// Private keys are read in place. The caller has to wipe them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_x25519_public_keys(
    engine: *const GeccEngine,
    items: usize,
    secret_keys: GeccRows,
    public_keys: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is checked by `memory` before results are written.
    call(|| unsafe {
        let engine = engine_of(engine)?;
        let mut memory = Memory::of(items);
        let public_keys = memory.writes::<32>("public_keys", public_keys)?;
        let secret_keys = SecretKeys::rows(memory.reads::<32>("secret_keys", secret_keys)?);
        public_keys.complete(|public_keys| {
            let public_keys = public_keys.as_chunks_mut().0;
            in_pieces(engine, items, None, |piece| {
                x25519::public_keys_into(engine, piece.of(secret_keys), piece.out(public_keys))
            })
        })
    })
}

/// Reads X25519 public keys in any form: SubjectPublicKeyInfo (RFC 8410) or an X.509 certificate,
/// each in DER or PEM (`PUBLIC KEY`, `CERTIFICATE`), JSON Web Keys (RFC 8037), COSE_Keys (RFC
/// 9053), or the 32 bytes themselves. A key that states another purpose, such as Ed25519, is not
/// read. **Not constant-time**: all inputs are public.
///
/// Reads `keys`, one per item. Writes `public_keys`, 32 bytes each; `codes`. Code other than valid:
/// `GECC_CODE_MALFORMED_POINT`. Any thread may call this at any time.
///
/// Returns `GECC_STATUS_INVALID_ARGUMENT` if all keys are in forms that state a purpose and none
/// can be read. The text of the error states the problem of the first one. Empty keys are ignored
/// here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_x25519_public_keys_read(
    items: usize,
    keys: *const GeccBytes,
    public_keys: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises, passed on.
    call(|| unsafe { keys_of_32_bytes(KeyKind::X25519, items, keys, public_keys, codes) })
}

/// Reads the private key in a file with an X25519 key: PEM or DER (PKCS#8, RFC 8410), a JSON Web
/// Key (RFC 8037), or a COSE_Key (RFC 9053). A public key in the file must match it.
/// **Constant-time** in the key, except for its base64.
///
/// Reads `file`, which has `bytes` bytes. Writes `secret_key`, 32 bytes; zeros on failure. The
/// caller has to wipe the file and the key. Any thread may call this at any time.
///
/// Returns `GECC_STATUS_INVALID_ARGUMENT` like `gecc_secret_key_read`, also for a key of Ed25519.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_x25519_secret_key_read(
    file: *const u8,
    bytes: usize,
    secret_key: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises, passed on.
    call(|| unsafe { one_secret_key(KeyKind::X25519, file, bytes, "secret_key", secret_key) })
}

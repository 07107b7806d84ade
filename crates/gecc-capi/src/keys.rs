//! Operations on private keys other than signing.

use super::choices;
use super::engine::{GeccEngine, engine_of};
use super::memory::{GeccKeys, GeccRows, Memory};
use super::status::{GeccStatus, call};
use gecc::any;

/// The public key of each private key, `d * G`. **Constant-time** in the keys.
///
/// Reads `secret_keys`, 32 bytes each, big-endian. Writes `public_keys`, 64 bytes `x || y`; `codes`. `curve` is a `GeccCurve`.
/// Code other than valid: `GECC_CODE_SECRET_KEY_OUT_OF_RANGE`.
///
/// Private keys are read where they lie. They are the caller's to wipe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_public_keys(
    engine: *const GeccEngine,
    curve: i32,
    items: usize,
    secret_keys: GeccRows,
    public_keys: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is told to `memory` before results are written.
    call(|| unsafe {
        let (engine, curve) = (engine_of(engine)?, choices::curve(curve)?);
        let mut memory = Memory::of(items);
        let (public_keys, codes) = (memory.writes("public_keys", public_keys)?, memory.writes("codes", codes)?);
        let keys = memory.reads_secret_keys(secret_keys)?;
        let public_keys = public_keys.rows();
        codes.answer(|codes| any::keys::public_keys_into(engine, curve, keys, public_keys, codes))
    })
}

/// The ECDH shared secret of each private key with its peer: the x-coordinate of `d * Q` (SEC 1, section 3.3.1).
/// **Constant-time** in the private keys.
///
/// Reads `secret_keys`, 32 bytes each, big-endian; `peers`. Writes `secrets`, 32 bytes each; `codes`. `curve` is a `GeccCurve`.
/// Codes other than valid: `GECC_CODE_SECRET_KEY_OUT_OF_RANGE`, `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`,
/// `GECC_CODE_IDENTITY_KEY`.
///
/// Private keys are read where they lie, and secrets are written where they stay. Both are the caller's to wipe. A secret is
/// not uniformly random: derive keys from it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_ecdh_secrets(
    engine: *const GeccEngine,
    curve: i32,
    items: usize,
    secret_keys: GeccRows,
    peers: GeccKeys,
    secrets: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is told to `memory` before results are written.
    call(|| unsafe {
        let (engine, curve) = (engine_of(engine)?, choices::curve(curve)?);
        let mut memory = Memory::of(items);
        let (secrets, codes) = (memory.writes("secrets", secrets)?, memory.writes("codes", codes)?);
        let keys = memory.reads_secret_keys(secret_keys)?;
        let peers = memory.reads_keys("peers", peers)?;
        let secrets = secrets.rows();
        codes.answer(|codes| any::ecdh::shared_secrets_into(engine, curve, keys, peers, secrets, codes))
    })
}

//! Operations on private keys other than signing.

use super::choices;
use super::engine::{GeccEngine, engine_of};
use super::memory::{GeccKeys, GeccRows, Memory};
use super::progress::in_pieces;
use super::status::{GeccStatus, call};
use gecc::{ecdh, keys};
use zeroize::Zeroize;

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
        codes.answer(engine, |piece, codes| {
            keys::public_keys_into(engine, curve, piece.of(keys), piece.out(public_keys), codes)
        })
    })
}

/// Fresh key pairs from the operating system's randomness. **Constant-time** in the keys.
///
/// Writes `secret_keys`, 32 bytes each, big-endian; `public_keys`, 64 bytes `x || y`. There are no codes, as no item can fail. `curve` is
/// a `GeccCurve`. After any status but `GECC_STATUS_OK` both are zeros, or untouched if an argument was refused.
///
/// Private keys are written where they stay, and are the caller's to wipe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_generate_keys(
    engine: *const GeccEngine,
    curve: i32,
    items: usize,
    secret_keys: *mut u8,
    public_keys: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is told to `memory` before results are written.
    call(|| unsafe {
        let (engine, curve) = (engine_of(engine)?, choices::curve(curve)?);
        let mut memory = Memory::of(items);
        let secret_keys = memory.writes::<32>("secret_keys", secret_keys)?;
        let public_keys = memory.writes::<64>("public_keys", public_keys)?;
        let (secret_keys, public_keys) = (secret_keys.rows(), public_keys.rows());
        secret_keys.fill([0; 32]);
        public_keys.fill([0; 64]);
        let generated = in_pieces(engine, items, None, |piece| {
            let (drawn, points) = keys::generate(engine, curve, piece.items().len())?;
            for (row, secret) in piece.out(secret_keys).iter_mut().zip(&drawn) {
                row.copy_from_slice(secret.expose_bytes());
            }
            for (row, point) in piece.out(public_keys).iter_mut().zip(points) {
                row.copy_from_slice(&point.as_bytes()[1..]);
            }
            Ok(())
        });
        if generated.is_err() {
            secret_keys.as_flattened_mut().zeroize();
            public_keys.fill([0; 64]);
        }
        generated
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
        codes.answer(engine, |piece, codes| {
            ecdh::shared_secrets_into(engine, curve, piece.of(keys), piece.of(peers), piece.out(secrets), codes)
        })
    })
}

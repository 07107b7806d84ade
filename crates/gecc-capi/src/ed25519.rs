//! Ed25519 signatures (RFC 8032).

use super::choices;
use super::engine::{GeccEngine, engine_of};
use super::memory::{GeccBytes, GeccRows, Memory};
use super::progress::in_pieces;
use super::status::{GeccStatus, call};
use gecc::ed25519::{self, Variant};
use gecc::{PublicKeys, SecretKeys};

/// Verifies one Ed25519 signature per item over a message of any length, by a rule. **Not constant-time**: everything
/// here is public.
///
/// Reads `messages`, as many as items; `signatures`, 64 bytes `R || S`; `keys`, 32 bytes each (RFC 8032, section
/// 5.1.2). Writes `codes`. `rule` is a `GeccEd25519Rule`: programs that must agree on signatures must agree on it, and
/// there is no default.
///
/// The first check that fails is the item's code: `GECC_CODE_S_OUT_OF_RANGE`, `GECC_CODE_MALFORMED_POINT`,
/// `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_SMALL_ORDER_KEY`, `GECC_CODE_SMALL_ORDER_R`, `GECC_CODE_NO_SUCH_R` or
/// `GECC_CODE_R_OUT_OF_RANGE`, `GECC_CODE_MISMATCH`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_ed25519_verify(
    engine: *const GeccEngine,
    rule: i32,
    items: usize,
    messages: *const GeccBytes,
    signatures: GeccRows,
    keys: GeccRows,
    codes: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is told to `memory` before codes are written.
    call(|| unsafe {
        let (engine, rule) = (engine_of(engine)?, choices::ed25519_rule(rule)?);
        let mut memory = Memory::of(items);
        let codes = memory.writes("codes", codes)?;
        let messages = memory.reads_strings("messages", messages, items)?;
        let signatures = memory.reads::<64>("signatures", signatures)?;
        let keys = PublicKeys::ed25519(memory.reads::<32>("keys", keys)?);
        codes.answer_messages(engine, &messages, |piece, messages, codes| {
            let (signatures, keys) = (piece.of(signatures), piece.of(keys));
            ed25519::verify_into(engine, messages, signatures, keys, Variant::PURE, rule, codes)
        })
    })
}

/// Signs one message of any length per item by Ed25519. **Constant-time** in keys and nonces, not in the length of
/// messages.
///
/// Reads `messages`, as many as items; `seeds`, the private keys, 32 bytes each. Every seed is a key. Writes
/// `signatures`, 64 bytes `R || S`; `codes`. Code other than valid: `GECC_CODE_FAULTY_SIGNATURE`, where the engine
/// checks signatures.
///
/// Seeds are read where they lie. They are the caller's to wipe. Computed by the CPU, also
/// where there are GPUs. An engine with `GECC_BACKEND_GPU` returns `GECC_STATUS_NO_DEVICE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_ed25519_sign(
    engine: *const GeccEngine,
    items: usize,
    messages: *const GeccBytes,
    seeds: GeccRows,
    signatures: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is told to `memory` before results are written.
    call(|| unsafe {
        let engine = engine_of(engine)?;
        let mut memory = Memory::of(items);
        let (signatures, codes) = (memory.writes("signatures", signatures)?, memory.writes("codes", codes)?);
        let messages = memory.reads_strings("messages", messages, items)?;
        let seeds = SecretKeys::rows(memory.reads::<32>("seeds", seeds)?);
        let signatures = signatures.rows();
        codes.answer_messages(engine, &messages, |piece, messages, codes| {
            ed25519::sign_into(engine, messages, piece.of(seeds), Variant::PURE, piece.out(signatures), codes)
        })
    })
}

/// The Ed25519 public key of each seed. **Constant-time** in seeds.
///
/// Reads `seeds`, 32 bytes each. Writes `public_keys`, 32 bytes each; zeros after any status but `GECC_STATUS_OK`, or
/// untouched if an argument was refused. There are no codes, as every seed is a key.
///
/// Seeds are read where they lie. They are the caller's to wipe. Computed by the CPU, also
/// where there are GPUs. An engine with `GECC_BACKEND_GPU` returns `GECC_STATUS_NO_DEVICE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_ed25519_public_keys(
    engine: *const GeccEngine,
    items: usize,
    seeds: GeccRows,
    public_keys: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is told to `memory` before results are written.
    call(|| unsafe {
        let engine = engine_of(engine)?;
        let mut memory = Memory::of(items);
        let public_keys = memory.writes::<32>("public_keys", public_keys)?;
        let seeds = SecretKeys::rows(memory.reads::<32>("seeds", seeds)?);
        let public_keys = public_keys.rows();
        public_keys.fill([0; 32]);
        let made = in_pieces(engine, items, None, |piece| {
            ed25519::public_keys_into(engine, piece.of(seeds), piece.out(public_keys))
        });
        if made.is_err() {
            public_keys.fill([0; 32]);
        }
        made
    })
}

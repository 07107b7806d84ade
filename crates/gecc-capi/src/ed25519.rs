//! Ed25519 signatures (RFC 8032).

use super::choices::{self, GeccKeyEncoding};
use super::codes::GeccCode;
use super::engine::{GeccEngine, engine_of};
use super::keys::one_secret_key;
use super::memory::{GeccBytes, GeccKeys, GeccRows, Memory};
use super::operation::{CallInputs, NO_RESULT, SignedContents, compute};
use super::progress::in_pieces;
use super::status::{Failure, GeccStatus, call};
use gecc::SecretKeys;
use gecc::call::Operation;
use gecc::ed25519::{self, Variant};
use gecc_keys::{KeyKind, Reader};

/// A variant of Ed25519 (RFC 8032, section 5.1). Its signatures never verify as those of another, or of Ed25519 itself.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GeccEd25519Variant {
    /// 1 for Ed25519ph, which signs SHA-512 of a message in its place: calls take messages, and hash them. 0 for
    /// Ed25519ctx.
    pub prehashed: i32,
    /// What signatures are made for: at most 255 bytes. That of Ed25519ctx should not be empty.
    pub context: GeccBytes,
}

/// Reads the variant of a call, which is plain Ed25519 if the pointer is null.
///
/// # Safety
/// The caller of the interface promises that the variant and its context may be read.
pub(super) unsafe fn variant_of(memory: &Memory, variant: *const GeccEd25519Variant) -> Result<Variant, Failure> {
    if variant.is_null() {
        return Ok(Variant::PURE);
    }
    // SAFETY: passed on.
    let GeccEd25519Variant { prehashed, context } = unsafe { memory.reads_values("variant", variant, 1)? }[0];
    // SAFETY: passed on.
    let context = unsafe { memory.reads_values("context", context.data, context.length)? };
    let variant = match choices::flag("value of prehashed", prehashed)? {
        true => Variant::prehashed(context),
        false => Variant::context(context),
    };
    variant.map_err(|problem| Failure::invalid(problem.to_string()))
}

/// Verifies one Ed25519 signature per item over a message of any length, by a rule. **Not constant-time**: everything
/// here is public.
///
/// Reads `messages`, as many as items; `signatures`, 64 bytes `R || S`; `keys`, 32 bytes each (RFC 8032, section
/// 5.1.2); `variant`, which is null for Ed25519 itself. Writes `codes`. `rule` is a `GeccEd25519Rule`: programs that
/// must agree on signatures must agree on it, and there is no default.
///
/// The first check that fails is the item's code: `GECC_CODE_S_OUT_OF_RANGE`, `GECC_CODE_MALFORMED_POINT`,
/// `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_SMALL_ORDER_KEY`, `GECC_CODE_SMALL_ORDER_R`, `GECC_CODE_NO_SUCH_R` or
/// `GECC_CODE_R_OUT_OF_RANGE`, `GECC_CODE_MISMATCH`.
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
    let GeccRows { data, stride } = keys;
    let keys = GeccKeys { data, stride, encoding: GeccKeyEncoding::XOnly as i32 };
    let inputs =
        CallInputs { variant, ..CallInputs::of_verification(SignedContents::messages(messages), signatures, keys) };
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

/// Signs one message of any length per item by Ed25519. **Constant-time** in keys and nonces, not in the length of
/// messages.
///
/// Reads `messages`, as many as items; `seeds`, the private keys, 32 bytes each; `variant`, which is null for Ed25519
/// itself. Every seed is a key. Writes `signatures`, 64 bytes `R || S`; `codes`. Code other than valid:
/// `GECC_CODE_FAULTY_SIGNATURE`, where the engine checks signatures.
///
/// Seeds are read where they lie. They are the caller's to wipe.
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
    let inputs = CallInputs { signed, secret_keys: Some(("seeds", seeds)), variant, ..CallInputs::NONE };
    // SAFETY: the caller's promises, passed on.
    unsafe {
        compute(engine, || Ok(Operation::Ed25519Sign), items, inputs, [("signatures", signatures), NO_RESULT], codes)
    }
}

/// The Ed25519 public key of each seed. **Constant-time** in seeds.
///
/// Reads `seeds`, 32 bytes each. Writes `public_keys`, 32 bytes each; zeros after any status but `GECC_STATUS_OK`, or
/// untouched if an argument was refused. There are no codes, as every seed is a key.
///
/// Seeds are read where they lie. They are the caller's to wipe.
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

/// The 32 bytes of Ed25519 public keys in any form: PEM (`PUBLIC KEY`), SubjectPublicKeyInfo in DER (RFC 8410), JSON
/// Web Keys (RFC 8037), lines of OpenSSH (`ssh-ed25519 AAAA...`), or the bytes themselves. **Not constant-time**:
/// everything here is public.
///
/// Reads `keys`, as many as items. Writes `public_keys`, 32 bytes each; `codes`. Code other than valid:
/// `GECC_CODE_MALFORMED_POINT`. Whether a key is a point is not looked at, but by verification. Any thread may call
/// this at any time.
///
/// Returns `GECC_STATUS_INVALID_ARGUMENT` where all keys are in forms that say what they are for, and none can be read:
/// the error text says why of the first. Empty keys do not count.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_ed25519_public_keys_read(
    items: usize,
    keys: *const GeccBytes,
    public_keys: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is checked by `memory` before results are written.
    call(|| unsafe {
        let mut memory = Memory::of(items);
        let public_keys = memory.writes::<32>("public_keys", public_keys)?;
        let codes = memory.writes::<1>("codes", codes)?;
        let keys = memory.reads_strings("keys", keys, items)?;
        let mut reader = Reader::new(KeyKind::Ed25519);
        let read: Vec<Option<[u8; 32]>> =
            keys.iter().map(|key| reader.octets(key).and_then(|key| key[..].try_into().ok())).collect();
        reader.finish().map_err(|problem| Failure::invalid(format!("keys: {problem}")))?;
        let public_keys = public_keys.rows();
        codes.complete(|codes| {
            for ((row, code), key) in public_keys.iter_mut().zip(codes).zip(read) {
                *row = key.unwrap_or_default();
                *code = if key.is_some() { GeccCode::Valid } else { GeccCode::MalformedPoint } as u8;
            }
            Ok(())
        })
    })
}

/// The seed in a file with an Ed25519 private key: PEM or DER (PKCS#8, RFC 8410), a JSON Web Key (RFC 8037), or as
/// OpenSSH writes it. A public key beside it has to be its own. **Constant-time** in the seed, but for its base64.
///
/// Reads `file`, which has `bytes` bytes. Writes `seed`, 32 bytes; zeros on failure. The file and the seed are the
/// caller's to wipe. Any thread may call this at any time.
///
/// Returns `GECC_STATUS_INVALID_ARGUMENT` as `gecc_secret_key_read` does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_ed25519_seed_read(file: *const u8, bytes: usize, seed: *mut u8) -> GeccStatus {
    // SAFETY: the caller's promises, passed on.
    call(|| unsafe { one_secret_key(KeyKind::Ed25519, file, bytes, "seed", seed) })
}

//! Operations on private keys other than signing.

use super::choices;
use super::codes::GeccCode;
use super::engine::{GeccEngine, engine_of};
use super::memory::{GeccBytes, GeccKeys, GeccRows, Memory};
use super::operation::{CallInputs, NO_RESULT, compute};
use super::progress::in_pieces;
use super::status::{Failure, GeccStatus, call};
use gecc::call::Operation;
use gecc::{PublicKeys, SecretKeys, ecdh, keys, point, stack};
use gecc_keys::{KeyKind, Reader};

/// Computes the public key of each private key, `d * G`. **Constant-time** in the keys.
///
/// Reads `secret_keys`, 32 bytes each, big-endian. Writes `public_keys`, 64 bytes `x || y`;
/// `codes`. `curve` is a `GeccCurve`. Code other than valid: `GECC_CODE_SECRET_KEY_OUT_OF_RANGE`.
///
/// Private keys are read in place. The caller has to wipe them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_public_keys(
    engine: *const GeccEngine,
    curve: i32,
    items: usize,
    secret_keys: GeccRows,
    public_keys: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    let inputs = CallInputs {
        secret_keys: Some(("secret_keys", secret_keys)),
        ..CallInputs::NONE
    };
    // SAFETY: the caller's promises, passed on.
    unsafe {
        compute(
            engine,
            || Ok(Operation::PublicKeys(choices::curve(curve)?)),
            items,
            inputs,
            [("public_keys", public_keys), NO_RESULT],
            codes,
        )
    }
}

/// Generates key pairs from the operating system's randomness. **Constant-time** in the keys.
///
/// Writes `secret_keys`, 32 bytes each, big-endian; `public_keys`, 64 bytes `x || y`. There are no
/// codes, because no item can fail. `curve` is a `GeccCurve`. After any status but `GECC_STATUS_OK`
/// both are zeros, or untouched if an argument was rejected.
///
/// Private keys are written directly to the caller's memory. The caller has to wipe them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_generate_keys(
    engine: *const GeccEngine,
    curve: i32,
    items: usize,
    secret_keys: *mut u8,
    public_keys: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is checked by `memory` before results are written.
    call(|| unsafe {
        let engine = engine_of(engine)?;
        let curve = choices::curve(curve)?;
        let mut memory = Memory::of(items);
        let secret_keys = memory.writes::<32>("secret_keys", secret_keys)?;
        let public_keys = memory.writes::<64>("public_keys", public_keys)?;
        secret_keys.complete(|secret_keys| {
            public_keys.complete(|public_keys| {
                in_pieces(engine, items, None, |piece| {
                    let (drawn, points) = keys::generate(engine, curve, piece.items().len())?;
                    for (row, secret) in
                        piece.wide(secret_keys, 32).chunks_exact_mut(32).zip(&drawn)
                    {
                        row.copy_from_slice(secret.expose_bytes());
                    }
                    for (row, point) in piece.wide(public_keys, 64).chunks_exact_mut(64).zip(points)
                    {
                        row.copy_from_slice(&point.as_bytes()[1..]);
                    }
                    Ok(())
                })
            })
        })
    })
}

/// Reads the coordinates of public keys in any form: SubjectPublicKeyInfo (RFC 5480) or an X.509
/// certificate, each in DER or PEM (`PUBLIC KEY`, `CERTIFICATE`), JSON Web Keys, SEC 1 octet
/// strings, or `x || y`. A key that names a curve must name this one. Of a certificate, only the
/// key of its subject is read: neither its signature nor its dates are checked. **Not
/// constant-time**: all inputs are public.
///
/// Reads `keys`, one per item. Writes `points`, 64 bytes `x || y`; `codes`. `curve` is a
/// `GeccCurve`. Codes other than valid: `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`,
/// `GECC_CODE_IDENTITY_KEY`.
///
/// Returns `GECC_STATUS_INVALID_ARGUMENT` if all keys are in forms that name a curve and none can
/// be read. The text of the error states the problem of the first one. Empty keys are ignored here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_public_keys_read(
    engine: *const GeccEngine,
    curve: i32,
    items: usize,
    keys: *const GeccBytes,
    points: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is checked by `memory` before results are written.
    call(|| unsafe {
        let engine = engine_of(engine)?;
        let curve = choices::curve(curve)?;
        let mut memory = Memory::of(items);
        let points = memory.writes("points", points)?;
        let codes = memory.writes("codes", codes)?;
        let keys = memory.reads_strings("keys", keys, items)?;
        let mut reader = Reader::new(curve);
        let rows: Vec<[u8; 65]> = keys.iter().map(|key| reader.row(key)).collect();
        reader
            .finish()
            .map_err(|problem| Failure::invalid(format!("keys: {problem}")))?;
        let keys = PublicKeys::mixed(&rows);
        let points = points.rows();
        codes.answer(engine, None, |piece, codes| {
            point::decode_keys_into(engine, curve, piece.of(keys), piece.out(points), codes)
        })
    })
}

/// Reads the private key in a file: PEM (`EC PRIVATE KEY`, `PRIVATE KEY`) or DER (SEC 1, PKCS#8),
/// or a JSON Web Key. Text around it and other PEM blocks are skipped. A curve in the file must be
/// this one, and a public key in the file must match the private key. **Constant-time** in the key,
/// except for its base64.
///
/// Reads `file`, which has `bytes` bytes. Writes `secret_key`, 32 bytes, big-endian; zeros on
/// failure. `curve` is a `GeccCurve`. The caller has to wipe the file and the key. Any thread may
/// call this at any time.
///
/// Returns `GECC_STATUS_INVALID_ARGUMENT` for a file with no key or several, with an encrypted key,
/// or with a key of another curve. The text of the error states the problem without disclosing
/// anything about a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_secret_key_read(
    curve: i32,
    file: *const u8,
    bytes: usize,
    secret_key: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises, passed on.
    call(|| unsafe {
        one_secret_key(
            choices::curve(curve)?.into(),
            file,
            bytes,
            "secret_key",
            secret_key,
        )
    })
}

/// Writes the only private key in a file, which must be for `kind`, to the caller's memory. `name`
/// is the name of that memory in errors.
///
/// # Safety
/// The caller of the interface promises that the file may be read, and 32 bytes written.
pub(super) unsafe fn one_secret_key(
    kind: KeyKind,
    file: *const u8,
    bytes: usize,
    name: &'static str,
    secret_key: *mut u8,
) -> Result<(), Failure> {
    let mut memory = Memory::of(1);
    let secret_key = memory.writes::<32>(name, secret_key)?;
    // SAFETY: the caller's promises; all memory is checked by `memory` before the key is
    // written.
    let (file, secret_key) =
        unsafe { (memory.reads_values("file", file, bytes)?, secret_key.rows()) };
    secret_key.fill([0; 32]);
    let keys = stack::wiped(|| gecc_keys::secret_keys(file, kind));
    match &keys.map_err(|problem| Failure::invalid(format!("file: {problem}")))?[..] {
        [key] => secret_key[0].copy_from_slice(key.expose_bytes()),
        keys => {
            return Err(Failure::invalid(format!(
                "file: {} private keys, not one",
                keys.len()
            )));
        }
    }
    Ok(())
}

/// Writes the public keys of Ed25519 or X25519 that are read from any form, and a code for each, to
/// the caller's memory.
///
/// # Safety
/// The caller of the interface promises that the keys may be read, and 32 bytes and a code written
/// for each.
pub(super) unsafe fn keys_of_32_bytes(
    kind: KeyKind,
    items: usize,
    keys: *const GeccBytes,
    public_keys: *mut u8,
    codes: *mut u8,
) -> Result<(), Failure> {
    let mut memory = Memory::of(items);
    let public_keys = memory.writes::<32>("public_keys", public_keys)?;
    let codes = memory.writes::<1>("codes", codes)?;
    // SAFETY: the caller's promises; all memory is checked by `memory` before results are written.
    let keys = unsafe { memory.reads_strings("keys", keys, items)? };
    let mut reader = Reader::new(kind);
    let read: Vec<Option<[u8; 32]>> = keys
        .iter()
        .map(|key| reader.octets(key).and_then(|key| key[..].try_into().ok()))
        .collect();
    reader
        .finish()
        .map_err(|problem| Failure::invalid(format!("keys: {problem}")))?;
    // SAFETY: as above.
    let public_keys = unsafe { public_keys.rows() };
    // SAFETY: as above.
    unsafe {
        codes.complete(|codes| {
            for ((row, code), key) in public_keys.iter_mut().zip(codes).zip(read) {
                *row = key.unwrap_or_default();
                *code = if key.is_some() {
                    GeccCode::Valid
                } else {
                    GeccCode::MalformedPoint
                } as u8;
            }
            Ok(())
        })
    }
}

/// Computes the ECDH shared secret of each private key with its peer: the x-coordinate of `d * Q`
/// (SEC 1, section 3.3.1). **Constant-time** in the private keys.
///
/// Reads `secret_keys`, 32 bytes each, big-endian; `peers`. Writes `secrets`, 32 bytes each;
/// `codes`. `curve` is a `GeccCurve`. Codes other than valid: `GECC_CODE_SECRET_KEY_OUT_OF_RANGE`,
/// `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_IDENTITY_KEY`.
///
/// Private keys are read in place, and secrets are written directly to the caller's memory. The
/// caller has to wipe both. A secret is not uniformly random: derive keys from it.
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
    let secret_keys = Some(("secret_keys", secret_keys));
    let public_keys = Some(("peers", peers));
    let inputs = CallInputs {
        secret_keys,
        public_keys,
        ..CallInputs::NONE
    };
    // SAFETY: the caller's promises, passed on.
    unsafe {
        compute(
            engine,
            || Ok(Operation::SharedSecrets(choices::curve(curve)?)),
            items,
            inputs,
            [("secrets", secrets), NO_RESULT],
            codes,
        )
    }
}

/// Computes the point `d * Q` of each private key and its peer, of which `gecc_ecdh_secrets`
/// returns the x-coordinate. **Constant-time** in the private keys.
///
/// Reads `secret_keys`, 32 bytes each, big-endian; `peers`. Writes `points`, 64 bytes `x || y`;
/// `codes`: those of `gecc_ecdh_secrets`. `curve` is a `GeccCurve`.
///
/// Private keys are read in place, and points are written directly to the caller's memory. The
/// caller has to wipe both: a point is as secret as its x-coordinate. After any status but
/// `GECC_STATUS_OK` points are zeros, or untouched if an argument was rejected.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_ecdh_points(
    engine: *const GeccEngine,
    curve: i32,
    items: usize,
    secret_keys: GeccRows,
    peers: GeccKeys,
    points: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is checked by `memory` before results are written.
    call(|| unsafe {
        let engine = engine_of(engine)?;
        let curve = choices::curve(curve)?;
        let mut memory = Memory::of(items);
        let points = memory.writes::<64>("points", points)?;
        let codes = memory.writes("codes", codes)?;
        let secret_keys = memory.reads("secret_keys", secret_keys)?;
        let peers = memory.reads_keys("peers", peers)?;
        points.complete(|points| {
            codes.answer(engine, None, |piece, codes| {
                ecdh::shared_points_into(
                    engine,
                    curve,
                    piece.of(SecretKeys::rows(secret_keys)),
                    piece.of(peers),
                    piece.wide(points, 64).as_chunks_mut().0,
                    codes,
                )
            })
        })
    })
}

//! Operations on public points.

use super::choices;
use super::engine::{GeccEngine, engine_of};
use super::memory::{GeccKeys, GeccRows, Memory};
use super::status::{GeccStatus, call};
use gecc::point;

/// Computes `scalars[i] * G` for public scalars. **Not constant-time**: use `gecc_public_keys` for
/// private keys.
///
/// Reads `scalars`, 32 bytes each, big-endian. Writes `points`, 64 bytes `x || y`, zeros for the
/// identity; `codes`. `curve` is a `GeccCurve`. Code other than valid:
/// `GECC_CODE_SCALAR_OUT_OF_RANGE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_mul_base(
    engine: *const GeccEngine,
    curve: i32,
    items: usize,
    scalars: GeccRows,
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
        let scalars = memory.reads("scalars", scalars)?;
        let points = points.rows();
        codes.answer(engine, None, |piece, codes| {
            point::mul_base_into(engine, curve, piece.of(scalars), piece.out(points), codes)
        })
    })
}

/// Computes `scalars[i] * points[i]` for public scalars. **Not constant-time**: use
/// `gecc_ecdh_secrets` for private keys.
///
/// Reads `scalars`, 32 bytes each, big-endian; `points`, in which a row of zeros is the identity.
/// Writes `products`, 64 bytes `x || y`, zeros for the identity; `codes`. `curve` is a `GeccCurve`.
/// Codes other than valid: `GECC_CODE_SCALAR_OUT_OF_RANGE`, `GECC_CODE_MALFORMED_POINT`,
/// `GECC_CODE_NOT_ON_CURVE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_mul(
    engine: *const GeccEngine,
    curve: i32,
    items: usize,
    scalars: GeccRows,
    points: GeccKeys,
    products: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is checked by `memory` before results are written.
    call(|| unsafe {
        let engine = engine_of(engine)?;
        let curve = choices::curve(curve)?;
        let mut memory = Memory::of(items);
        let products = memory.writes("products", products)?;
        let codes = memory.writes("codes", codes)?;
        let scalars = memory.reads("scalars", scalars)?;
        let points = memory.reads_keys("points", points)?;
        let products = products.rows();
        codes.answer(engine, None, |piece, codes| {
            point::mul_into(
                engine,
                curve,
                piece.of(scalars),
                piece.of(points),
                piece.out(products),
                codes,
            )
        })
    })
}

/// Computes `a[i] + b[i]`. **Not constant-time**: all inputs are public.
///
/// Reads points `a` and `b`, in which a row of zeros is the identity. Writes `sums`, 64 bytes `x ||
/// y`, zeros for the identity; `codes`. `curve` is a `GeccCurve`. Codes other than valid:
/// `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_add(
    engine: *const GeccEngine,
    curve: i32,
    items: usize,
    a: GeccKeys,
    b: GeccKeys,
    sums: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is checked by `memory` before results are written.
    call(|| unsafe {
        let engine = engine_of(engine)?;
        let curve = choices::curve(curve)?;
        let mut memory = Memory::of(items);
        let sums = memory.writes("sums", sums)?;
        let codes = memory.writes("codes", codes)?;
        let a = memory.reads_keys("a", a)?;
        let b = memory.reads_keys("b", b)?;
        let sums = sums.rows();
        codes.answer(engine, None, |piece, codes| {
            point::add_into(
                engine,
                curve,
                piece.of(a),
                piece.of(b),
                piece.out(sums),
                codes,
            )
        })
    })
}

/// Computes `2 * points[i]`. **Not constant-time**: all inputs are public.
///
/// Reads `points`, in which a row of zeros is the identity. Writes `doubles`, 64 bytes `x || y`,
/// zeros for the identity; `codes`. `curve` is a `GeccCurve`. Codes other than valid:
/// `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_double(
    engine: *const GeccEngine,
    curve: i32,
    items: usize,
    points: GeccKeys,
    doubles: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is checked by `memory` before results are written.
    call(|| unsafe {
        let engine = engine_of(engine)?;
        let curve = choices::curve(curve)?;
        let mut memory = Memory::of(items);
        let doubles = memory.writes("doubles", doubles)?;
        let codes = memory.writes("codes", codes)?;
        let points = memory.reads_keys("points", points)?;
        let doubles = doubles.rows();
        codes.answer(engine, None, |piece, codes| {
            point::double_into(engine, curve, piece.of(points), piece.out(doubles), codes)
        })
    })
}

/// Computes the coordinates of public keys: decompresses compressed keys, and checks others. **Not
/// constant-time**: all inputs are public.
///
/// Reads `keys`. Writes `points`, 64 bytes `x || y`; `codes`. `curve` is a `GeccCurve`. Codes other
/// than valid: `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_IDENTITY_KEY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_decompress(
    engine: *const GeccEngine,
    curve: i32,
    items: usize,
    keys: GeccKeys,
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
        let keys = memory.reads_keys("keys", keys)?;
        let points = points.rows();
        codes.answer(engine, None, |piece, codes| {
            point::decode_keys_into(engine, curve, piece.of(keys), piece.out(points), codes)
        })
    })
}

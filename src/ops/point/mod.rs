//! Point operations on public data: PADD, PDBL, fixed-base (FPMUL) and unknown-point (UPMUL) multiplication.
//!
//! **Variable-time.** Scalars given here are public. For secret scalars there are [`crate::keys::public_keys`] and
//! [`crate::ecdh`]. Scalars are 32 bytes, big-endian, below n; points are [`Point`]s, and the identity is a point like
//! any other. Every input point is checked to lie on the curve.

use crate::curve::Curve;
use crate::encoding::{Point, PublicKeys};
use crate::engine::Engine;
use crate::error::{Error, Rejection, require_lengths};
use crate::{cpu, gpu};

/// Items that one thread of the CPU computes before a GPU gives its first results (`Engine::dispatch`, PERFORMANCE.md).
mod worth {
    use crate::engine::Worth;

    pub const ADD: Worth = Worth::of(300);
    pub const DOUBLE: Worth = Worth::of(300);
    pub const MUL_BASE: Worth = Worth { portable: 40, lanes: 50 };
    pub const MUL: Worth = Worth { portable: 30, lanes: 60 };
}

/// One result per item, in input order.
pub type Points = Vec<Result<Point, Rejection>>;

/// `a[i] + b[i]` (PADD), complete: equal, opposite and identity operands all come out right. Variable-time.
///
/// Items are rejected with [`Rejection::MalformedPoint`] or [`Rejection::NotOnCurve`].
///
/// # Errors
/// [`Error::LengthMismatch`] when the slices differ in length; [`Error::Device`] when every GPU fails and the CPU
/// may not take over.
///
/// ```
/// use gecc::{Engine, P256, point};
/// let engine = Engine::new()?;
/// let mut two = [0; 32];
/// two[31] = 2;
/// let mut one = [0; 32];
/// one[31] = 1;
/// let g = point::mul_base::<P256>(&engine, &[one])?[0].unwrap();
/// assert_eq!(point::add::<P256>(&engine, &[g], &[g])?, point::mul_base::<P256>(&engine, &[two])?);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn add<C: Curve>(engine: &Engine, a: &[Point], b: &[Point]) -> Result<Points, Error> {
    require_lengths(a.len(), &[("second points", b.len())])?;
    let on_gpu = |engines| gpu::point::add::<C>(engines, a, b);
    engine.dispatch(a.len(), worth::ADD, on_gpu, |engine| cpu::point::add::<C>(engine, a, b))
}

/// `2 * points[i]` (PDBL); the double of the identity is the identity. Variable-time.
///
/// Items are rejected with [`Rejection::MalformedPoint`] or [`Rejection::NotOnCurve`].
///
/// # Errors
/// [`Error::Device`] when every GPU fails and the CPU may not take over.
///
/// ```
/// use gecc::{Engine, Point, Sm2, point};
/// let engine = Engine::new()?;
/// assert_eq!(point::double::<Sm2>(&engine, &[Point::IDENTITY])?, [Ok(Point::IDENTITY)]);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn double<C: Curve>(engine: &Engine, points: &[Point]) -> Result<Points, Error> {
    let on_gpu = |engines| gpu::point::double::<C>(engines, points);
    engine.dispatch(points.len(), worth::DOUBLE, on_gpu, |engine| cpu::point::double::<C>(engine, points))
}

/// `scalars[i] * G` (FPMUL) for public scalars. Variable-time.
///
/// Items are rejected with [`Rejection::ScalarOutOfRange`] when the scalar is not below n; zero gives the identity.
///
/// # Errors
/// [`Error::Device`] when every GPU fails and the CPU may not take over.
///
/// ```
/// use gecc::{Engine, Secp256k1, point};
/// let engine = Engine::new()?;
/// let points = point::mul_base::<Secp256k1>(&engine, &[[0x11; 32], [0xff; 32]])?;
/// assert!(points[0].is_ok());
/// assert_eq!(points[1], Err(gecc::Rejection::ScalarOutOfRange));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn mul_base<C: Curve>(engine: &Engine, scalars: &[[u8; 32]]) -> Result<Points, Error> {
    let on_gpu = |engines| gpu::point::mul_base::<C>(engines, scalars);
    engine.dispatch(scalars.len(), worth::MUL_BASE, on_gpu, |engine| cpu::point::mul_base::<C>(engine, scalars))
}

/// `scalars[i] * points[i]` (UPMUL) for public scalars. Variable-time.
///
/// Items are rejected with [`Rejection::ScalarOutOfRange`], [`Rejection::MalformedPoint`] or [`Rejection::NotOnCurve`].
///
/// # Errors
/// [`Error::LengthMismatch`] when the slices differ in length; [`Error::Device`] when every GPU fails and the CPU
/// may not take over.
///
/// ```
/// use gecc::{Engine, P256, point};
/// let engine = Engine::new()?;
/// let (a, b) = ([0x22; 32], [0x33; 32]);
/// let ag = point::mul_base::<P256>(&engine, &[a])?[0].unwrap();
/// let bg = point::mul_base::<P256>(&engine, &[b])?[0].unwrap();
/// assert_eq!(point::mul::<P256>(&engine, &[a], &[bg])?, point::mul::<P256>(&engine, &[b], &[ag])?);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn mul<C: Curve>(engine: &Engine, scalars: &[[u8; 32]], points: &[Point]) -> Result<Points, Error> {
    require_lengths(scalars.len(), &[("points", points.len())])?;
    let on_gpu = |engines| gpu::point::mul::<C>(engines, scalars, points);
    engine.dispatch(scalars.len(), worth::MUL, on_gpu, |engine| cpu::point::mul::<C>(engine, scalars, points))
}

/// The points of SEC 1 compressed encodings (SEC 1, section 2.3.4). Variable-time.
///
/// Items are rejected with [`Rejection::MalformedPoint`] or [`Rejection::NotOnCurve`].
///
/// # Errors
/// [`Error::Device`] when every GPU fails and the CPU may not take over.
///
/// ```
/// use gecc::{Engine, Secp256k1, point};
/// let engine = Engine::new()?;
/// let point = point::mul_base::<Secp256k1>(&engine, &[[7; 32]])?[0].unwrap();
/// let compressed = point.to_compressed().unwrap();
/// assert_eq!(point::decompress::<Secp256k1>(&engine, &[compressed])?, [Ok(point)]);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn decompress<C: Curve>(engine: &Engine, compressed: &[[u8; 33]]) -> Result<Points, Error> {
    let keys = PublicKeys::compressed(compressed);
    engine.decode_keys::<C>(compressed.len(), keys)
}

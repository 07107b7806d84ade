//! Points of edwards25519, the curve of Ed25519: decoding, sums, products by secrets, and hashing to
//! points.
//!
//! Points are encoded in 32 bytes as RFC 8032, section 5.1.2, specifies, or given as coordinates
//! ([`Points`]). They are public, and may have any order: the curve has 8 l points, where l = 2^252 +
//! 27742317777372353535851937790883648493 is the order of the base point B. Additions have no
//! exceptions, and results that are the identity are encoded as any other point ([`IDENTITY`]).
//!
//! # Scalars
//! The scalars of [`mul`], [`mul_cofactored`] and [`public_keys`] are
//! [`SecretKey`](crate::SecretKey)s of 32 bytes, **little-endian**, from 1 to l - 1. Others are
//! rejected and never reduced, because that would change the product by a point of small order:
//!
//! - Numbers that are secret keys modulo l, as view keys of Monero are, can be used as they are.
//! - Any other number k of 256 or 512 bits is reduced by [`reduce`] and [`reduce_wide`]. The product
//!   with the cofactor, 8 k P, and products of points of order l, such as multiples of B, do not
//!   depend on whether k was reduced.
//! - A clamped key k of X25519 or Ed25519 (RFC 8032, section 5.1.5) is a multiple of 8 above l. Its
//!   exact product is that of [`mul_cofactored`] with k / 8, which is below l.
//!
//! # Small order
//! A product k P with a P that the other party chose reveals k modulo 8. Use [`mul_cofactored`], or
//! reject points of small order, whose product by [`mul_by_cofactor`] is [`IDENTITY`]. Protocols that
//! need a group of prime order are better served by [`ristretto255`](crate::ristretto255).
//!
//! So far, all calls compute on the CPU, whichever backend the engine uses.

mod cpu;
mod hash;
pub(crate) mod known_answers;
mod points;

use super::keys::require_keys;
use super::ristretto255::key_pairs;
use crate::cpu::CpuEngine;
use crate::cpu::edwards::curves::Ed25519;
pub use crate::cpu::edwards::decode::Encoding;
use crate::engine::Engine;
use crate::host::stack;
use crate::known_answers::bytes;
use crate::operation::CpuComputation;
use crate::types::{
    Error, Rejection, ResultSink, ResultsMut, Rows, SecretKey, SecretKeys, bytes_of,
    require_lengths,
};
pub use hash::{Suite, UnknownSuite, hash_to_curve, hash_to_curve_into};
pub use points::{Points, UnknownEncoding};
use std::ops::Range;

/// The encoding of the identity, the point (0, 1).
pub const IDENTITY: [u8; 32] =
    bytes("0100000000000000000000000000000000000000000000000000000000000000");

/// The encoding of the base point B (RFC 8032, section 5.1).
pub const BASE_POINT: [u8; 32] =
    bytes("5866666666666666666666666666666666666666666666666666666666666666");

/// The points that are multiplied.
#[derive(Clone, Copy)]
pub(crate) enum Bases<'a> {
    Points(Points<'a>),
    Generator,
}

/// The operation that multiplies points by private keys.
#[derive(Clone, Copy)]
pub(crate) struct Multiply<'a> {
    pub secret_keys: SecretKeys<'a>,
    pub bases: Bases<'a>,
    /// True if products are multiplied by the cofactor, too.
    pub is_cofactored: bool,
    pub items: usize,
}

impl<'a> Multiply<'a> {
    fn new(
        secret_keys: SecretKeys<'a>,
        bases: Bases<'a>,
        is_cofactored: bool,
        items: usize,
    ) -> Result<Self, Error> {
        require_keys(items, &secret_keys)?;
        if let Bases::Points(points) = bases {
            require_lengths(items, &[("points", points.len_for(items))])?;
        }
        Ok(Multiply {
            secret_keys,
            bases,
            is_cofactored,
            items,
        })
    }

    fn of_points(
        secret_keys: SecretKeys<'a>,
        points: Points<'a>,
        is_cofactored: bool,
    ) -> Result<Self, Error> {
        let items = points.len_for(secret_keys.len_for(1));
        Self::new(secret_keys, Bases::Points(points), is_cofactored, items)
    }

    /// Computes the batch into the caller's columns.
    fn run(&self, engine: &Engine, rows: &mut [[u8; 32]], codes: &mut [u8]) -> Result<(), Error> {
        require_lengths(self.items, &[("products", rows.len())])?;
        engine.run(self, ResultsMut::rows(codes, rows))
    }
}

impl CpuComputation for Multiply<'_> {
    fn items(&self) -> usize {
        self.items
    }

    fn compute(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        self.compute_in_chunks::<Ed25519>(engine, items.start, out);
    }
}

/// The operations on public points.
#[derive(Clone, Copy)]
pub(crate) enum Operation<'a> {
    Decompress,
    Compress,
    Add(Points<'a>),
    MultiplyByCofactor,
}

impl Operation<'_> {
    /// Returns the bytes of a result.
    fn width(&self) -> usize {
        match self {
            Operation::Decompress => 64,
            _ => 32,
        }
    }
}

/// An operation on public points.
#[derive(Clone, Copy)]
pub(crate) struct Arithmetic<'a> {
    pub operation: Operation<'a>,
    pub points: Points<'a>,
    pub items: usize,
}

impl<'a> Arithmetic<'a> {
    fn new(operation: Operation<'a>, points: Points<'a>) -> Self {
        Arithmetic {
            operation,
            points,
            items: points.len_for(1),
        }
    }

    /// The sums of points. There are as many items as there are points on either side.
    fn sums(left: Points<'a>, right: Points<'a>) -> Result<Self, Error> {
        let items = left.len_for(right.len_for(1));
        require_lengths(items, &[("addends", right.len_for(items))])?;
        Ok(Arithmetic {
            operation: Operation::Add(right),
            points: left,
            items,
        })
    }

    /// Computes the batch into the caller's columns.
    fn run<const W: usize>(
        &self,
        engine: &Engine,
        rows: &mut [[u8; W]],
        codes: &mut [u8],
    ) -> Result<(), Error> {
        require_lengths(
            self.items,
            &[("results", rows.len()), ("codes", codes.len())],
        )?;
        engine.run(self, ResultsMut::rows(codes, rows))
    }
}

impl CpuComputation for Arithmetic<'_> {
    fn items(&self) -> usize {
        self.items
    }

    fn compute(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        self.compute_in_chunks::<Ed25519>(engine, items.start, out);
    }
}

/// Multiplies each point by the private key of its item: k P. **Constant-time** in private keys; the
/// points are public.
///
/// `secret_keys` is one key per item (`&[SecretKey]`) or one for all (`&SecretKey`), little-endian
/// (see [scalars](self#scalars)); `points` are [`Points`], of which there may be one for all
/// ([`Rows::all`]). The batch has as many items as there are points; with one point for all, as many
/// as there are private keys. Results are canonical encodings.
///
/// The exact product is computed for points of any order: that of a point of small order has small
/// order, too, and that of the identity is [`IDENTITY`]. See [small order](self#small-order). If
/// products are shared secrets, the caller has to wipe them.
///
/// Items are rejected with the first of these that applies: [`Rejection::SecretKeyOutOfRange`] if
/// the key is 0 or not below l; [`Rejection::MalformedPoint`] if the encoding of the point is not
/// one of those that are accepted; [`Rejection::NotOnCurve`] if the curve has no such point.
///
/// # Errors
/// [`Error::LengthMismatch`] if the inputs differ in length; [`Error::Forked`] in a process that was
/// forked after the engine was built.
///
/// ```
/// use gecc::edwards25519::{self, Points};
/// use gecc::{Engine, Rows};
/// let engine = Engine::new()?;
/// let (keys, public) = edwards25519::generate(&engine, 3)?;
/// // Diffie-Hellman: one secret times many points.
/// let ours = edwards25519::mul(&engine, &keys[0], Points::canonical(&public))?;
/// let theirs = edwards25519::mul(&engine, &keys, Points::canonical(Rows::all(&public[0])))?;
/// assert_eq!(ours, theirs);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn mul<'a>(
    engine: &Engine,
    secret_keys: impl Into<SecretKeys<'a>>,
    points: Points<'a>,
) -> Result<Vec<Result<[u8; 32], Rejection>>, Error> {
    let multiply = Multiply::of_points(secret_keys.into(), points, false)?;
    engine.collect(&multiply, bytes_of)
}

/// Multiplies points by private keys as [`mul`] does, into columns of the caller: 32 bytes per item,
/// and a one-byte code ([`crate::Verdict::VALID_CODE`], or that of a [`Rejection`], in which case the
/// row is meaningless). **Constant-time** in private keys.
///
/// # Errors
/// The errors of [`mul`], and [`Error::LengthMismatch`] if a column has another number of rows.
pub fn mul_into<'a>(
    engine: &Engine,
    secret_keys: impl Into<SecretKeys<'a>>,
    points: Points<'a>,
    products: &mut [[u8; 32]],
    codes: &mut [u8],
) -> Result<(), Error> {
    let items = codes.len();
    Multiply::new(secret_keys.into(), Bases::Points(points), false, items)?
        .run(engine, products, codes)
}

/// Multiplies each point by the private key of its item and by the cofactor: 8 k P, in one pass.
/// **Constant-time** in private keys; the points are public.
///
/// The product has order l or is [`IDENTITY`], and the latter exactly if P has small order. It is
/// the key derivation of CryptoNote, as Monero uses it. Inputs and rejections are those of [`mul`].
///
/// # Errors
/// The errors of [`mul`].
///
/// ```
/// use gecc::edwards25519::{self, IDENTITY, Points};
/// use gecc::{Engine, Rejection};
/// let engine = Engine::new()?;
/// let (keys, public) = edwards25519::generate(&engine, 2)?;
/// let points = [public[1], IDENTITY, [2; 32]];
/// let shared = edwards25519::mul_cofactored(&engine, &keys[0], Points::canonical(&points))?;
/// assert!(shared[0].is_ok());
/// assert_eq!(shared[1..], [Ok(IDENTITY), Err(Rejection::NotOnCurve)]);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn mul_cofactored<'a>(
    engine: &Engine,
    secret_keys: impl Into<SecretKeys<'a>>,
    points: Points<'a>,
) -> Result<Vec<Result<[u8; 32], Rejection>>, Error> {
    let multiply = Multiply::of_points(secret_keys.into(), points, true)?;
    engine.collect(&multiply, bytes_of)
}

/// Multiplies points by private keys and the cofactor as [`mul_cofactored`] does, into columns of the
/// caller. See [`mul_into`]. **Constant-time** in private keys.
///
/// # Errors
/// The errors of [`mul_into`].
pub fn mul_cofactored_into<'a>(
    engine: &Engine,
    secret_keys: impl Into<SecretKeys<'a>>,
    points: Points<'a>,
    products: &mut [[u8; 32]],
    codes: &mut [u8],
) -> Result<(), Error> {
    let items = codes.len();
    Multiply::new(secret_keys.into(), Bases::Points(points), true, items)?
        .run(engine, products, codes)
}

/// Multiplies the base point by private keys, little-endian: k B. **Constant-time** in private keys.
///
/// These are not the public keys of Ed25519, whose private keys are seeds:
/// [`ed25519::public_keys`](crate::ed25519::public_keys) computes those. An item is rejected with
/// [`Rejection::SecretKeyOutOfRange`] if its key is 0 or not below l.
///
/// # Errors
/// [`Error::Forked`] in a process that was forked after the engine was built.
///
/// ```
/// use gecc::edwards25519::{self, BASE_POINT};
/// use gecc::{Engine, SecretKey};
/// let one: [u8; 32] = std::array::from_fn(|byte| u8::from(byte == 0));
/// let key = [SecretKey::from_bytes(one)];
/// assert_eq!(edwards25519::public_keys(&Engine::new()?, &key)?, [Ok(BASE_POINT)]);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn public_keys<'a>(
    engine: &Engine,
    secret_keys: impl Into<SecretKeys<'a>>,
) -> Result<Vec<Result<[u8; 32], Rejection>>, Error> {
    let keys = secret_keys.into();
    let multiply = Multiply::new(keys, Bases::Generator, false, keys.len_for(1))?;
    engine.collect(&multiply, bytes_of)
}

/// Computes public keys into columns of the caller. See [`public_keys`] and [`mul_into`].
/// **Constant-time** in private keys.
///
/// # Errors
/// The errors of [`public_keys`], and [`Error::LengthMismatch`] if the inputs and columns differ in
/// length.
pub fn public_keys_into<'a>(
    engine: &Engine,
    secret_keys: impl Into<SecretKeys<'a>>,
    public: &mut [[u8; 32]],
    codes: &mut [u8],
) -> Result<(), Error> {
    let items = codes.len();
    Multiply::new(secret_keys.into(), Bases::Generator, false, items)?.run(engine, public, codes)
}

/// Generates `count` private keys from the operating system's random number generator, uniform up to
/// 2^-256, and computes their public keys ([`public_keys`]). **Constant-time** in the keys.
///
/// # Errors
/// [`Error::Randomness`] if the generator fails; [`Error::Forked`] in a process that was forked
/// after the engine was built.
pub fn generate(engine: &Engine, count: usize) -> Result<(Vec<SecretKey>, Vec<[u8; 32]>), Error> {
    key_pairs(engine, count, |secret| public_keys(engine, secret))
}

/// Reduces a number of 256 bits, little-endian, modulo l: `sc_reduce32` of Monero. **Constant-time.**
///
/// The result may be 0, which calls reject as a private key. See [scalars](self#scalars) for when
/// numbers may be reduced.
pub fn reduce(number: &[u8; 32]) -> SecretKey {
    reduced(|key| cpu::reduce(number, key))
}

/// Reduces a number of 512 bits, little-endian, modulo l, such as a SHA-512 digest.
/// **Constant-time.** See [`reduce`].
pub fn reduce_wide(number: &[u8; 64]) -> SecretKey {
    reduced(|key| cpu::reduce_wide(number, key))
}

/// Returns the key that `write` writes.
fn reduced(write: impl FnOnce(&mut SecretKey)) -> SecretKey {
    let mut key = SecretKey::from_bytes([0; 32]);
    stack::wiped(|| write(&mut key));
    // Moving a key leaves a copy behind, so a clone is returned and this one is wiped.
    key.clone()
}

/// Decodes points to coordinates `x || y`, 32 bytes each, little-endian and below p. Variable-time.
///
/// Items are rejected with [`Rejection::MalformedPoint`] if the encoding is not one of those that are
/// accepted, and with [`Rejection::NotOnCurve`] if the curve has no such point.
///
/// # Errors
/// [`Error::Forked`] in a process that was forked after the engine was built.
///
/// ```
/// use gecc::edwards25519::{self, IDENTITY, Points};
/// use gecc::{Engine, Rejection};
/// let engine = Engine::new()?;
/// // The encoding of y = 1 with the bit of an odd x, which is 0.
/// let mut other = IDENTITY;
/// other[31] |= 0x80;
/// let strict = edwards25519::decompress(&engine, Points::canonical(&[IDENTITY, other]))?;
/// assert_eq!(strict[1], Err(Rejection::MalformedPoint));
/// let lenient = edwards25519::decompress(&engine, Points::lenient(&[IDENTITY, other]))?;
/// assert_eq!(lenient, [strict[0]; 2]);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn decompress(
    engine: &Engine,
    points: Points,
) -> Result<Vec<Result<[u8; 64], Rejection>>, Error> {
    engine.collect(&Arithmetic::new(Operation::Decompress, points), bytes_of)
}

/// Decodes points as [`decompress`] does, into columns of the caller: 64 bytes per item, and a
/// one-byte code ([`crate::Verdict::VALID_CODE`], or that of a [`Rejection`], in which case the row
/// is meaningless). Variable-time.
///
/// # Errors
/// The errors of [`decompress`], and [`Error::LengthMismatch`] if a column has another number of
/// rows than there are points.
pub fn decompress_into(
    engine: &Engine,
    points: Points,
    coordinates: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    Arithmetic::new(Operation::Decompress, points).run(engine, coordinates, codes)
}

/// Encodes points canonically in 32 bytes: coordinates ([`Points::affine`]), or points that were
/// decoded leniently. Variable-time. Rejections are those of [`decompress`].
///
/// # Errors
/// The errors of [`decompress`].
///
/// ```
/// use gecc::Engine;
/// use gecc::edwards25519::{self, BASE_POINT, Points};
/// let engine = Engine::new()?;
/// let coordinates = edwards25519::decompress(&engine, Points::canonical(&[BASE_POINT]))?[0].unwrap();
/// let encoded = edwards25519::compress(&engine, Points::affine(&[coordinates]))?;
/// assert_eq!(encoded, [Ok(BASE_POINT)]);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn compress(
    engine: &Engine,
    points: Points,
) -> Result<Vec<Result<[u8; 32], Rejection>>, Error> {
    engine.collect(&Arithmetic::new(Operation::Compress, points), bytes_of)
}

/// Encodes points as [`compress`] does, into columns of the caller. See [`decompress_into`].
/// Variable-time.
///
/// # Errors
/// The errors of [`decompress_into`].
pub fn compress_into(
    engine: &Engine,
    points: Points,
    encodings: &mut [[u8; 32]],
    codes: &mut [u8],
) -> Result<(), Error> {
    Arithmetic::new(Operation::Compress, points).run(engine, encodings, codes)
}

/// Adds points, either of which may be one for all. Results are canonical encodings. Variable-time.
///
/// Rejections are those of [`decompress`]: the reason of the left point if both are invalid.
///
/// # Errors
/// [`Error::LengthMismatch`] if the inputs differ in length; [`Error::Forked`] in a process that was
/// forked after the engine was built.
///
/// ```
/// use gecc::edwards25519::{self, BASE_POINT, IDENTITY, Points};
/// use gecc::{Engine, Rows};
/// let engine = Engine::new()?;
/// let mut opposite = BASE_POINT;
/// opposite[31] ^= 0x80;
/// let left = [IDENTITY, opposite];
/// let right = Points::canonical(Rows::all(&BASE_POINT));
/// let sums = edwards25519::add(&engine, Points::canonical(&left), right)?;
/// assert_eq!(sums, [Ok(BASE_POINT), Ok(IDENTITY)]);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn add<'a>(
    engine: &Engine,
    left: Points<'a>,
    right: Points<'a>,
) -> Result<Vec<Result<[u8; 32], Rejection>>, Error> {
    engine.collect(&Arithmetic::sums(left, right)?, bytes_of)
}

/// Adds points as [`add`] does, into columns of the caller. See [`decompress_into`]. Variable-time.
///
/// # Errors
/// The errors of [`add`], and [`Error::LengthMismatch`] if a column has another number of rows.
pub fn add_into<'a>(
    engine: &Engine,
    left: Points<'a>,
    right: Points<'a>,
    sums: &mut [[u8; 32]],
    codes: &mut [u8],
) -> Result<(), Error> {
    Arithmetic::sums(left, right)?.run(engine, sums, codes)
}

/// Multiplies points by the cofactor: 8 P, which has order l or is [`IDENTITY`]. Results are
/// canonical encodings. Variable-time. Rejections are those of [`decompress`].
///
/// # Errors
/// The errors of [`decompress`].
pub fn mul_by_cofactor(
    engine: &Engine,
    points: Points,
) -> Result<Vec<Result<[u8; 32], Rejection>>, Error> {
    let operation = Arithmetic::new(Operation::MultiplyByCofactor, points);
    engine.collect(&operation, bytes_of)
}

/// Multiplies points by the cofactor as [`mul_by_cofactor`] does, into columns of the caller. See
/// [`decompress_into`]. Variable-time.
///
/// # Errors
/// The errors of [`decompress_into`].
pub fn mul_by_cofactor_into(
    engine: &Engine,
    points: Points,
    products: &mut [[u8; 32]],
    codes: &mut [u8],
) -> Result<(), Error> {
    Arithmetic::new(Operation::MultiplyByCofactor, points).run(engine, products, codes)
}

/// Computes `scalars[0] * points[0] + scalars[1] * points[1] + ...` (multi-scalar multiplication)
/// for public scalars, and encodes it. The sum of no products is [`IDENTITY`]. Variable-time.
///
/// Scalars are any numbers of 256 bits, little-endian, which are **not** reduced modulo l: the sum is
/// exact for points of any order. An item whose point is invalid makes the whole sum `Err`, with the
/// index of the first such item and [`Rejection::MalformedPoint`] or [`Rejection::NotOnCurve`].
///
/// # Errors
/// [`Error::LengthMismatch`] if the inputs differ in length; [`Error::Forked`] in a process that was
/// forked after the engine was built.
///
/// ```
/// use gecc::Engine;
/// use gecc::edwards25519::{self, BASE_POINT, Points};
/// let engine = Engine::new()?;
/// let two: [u8; 32] = std::array::from_fn(|byte| if byte == 0 { 2 } else { 0 });
/// let sum = edwards25519::msm(&engine, &[two; 4], Points::canonical(&[BASE_POINT; 4]))?;
/// let eight = edwards25519::mul_by_cofactor(&engine, Points::canonical(&[BASE_POINT]))?;
/// assert_eq!(sum.unwrap(), eight[0].unwrap());
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn msm<'a>(
    engine: &Engine,
    scalars: impl Into<Rows<'a, 32>>,
    points: Points,
) -> Result<Result<[u8; 32], (usize, Rejection)>, Error> {
    let scalars = scalars.into();
    let items = points.len_for(scalars.len_for(1));
    require_lengths(items, &[("scalars", scalars.len_for(items))])?;
    let cpu = &engine.devices()?.cpu;
    Ok(cpu::sum_of_products::<Ed25519>(cpu, scalars, points, items))
}

//! Point operations on public data: addition, doubling, fixed-base and variable-base
//! multiplication, sums, and multi-scalar multiplication.
//!
//! **Variable-time**: scalars are public. For secret scalars use [`crate::keys::public_keys`] and
//! [`crate::ecdh`]. Scalars are 32 bytes, big-endian, below n; points are [`Point`]s, and the
//! identity is a valid point. Every input point is checked to lie on the curve.
//!
//! Functions whose names end in `_into` read columns and write to columns of the caller: 64 bytes
//! `x || y` (zeros for the identity) and a one-byte code per item ([`crate::Verdict::VALID_CODE`],
//! or that of a [`Rejection`], in which case the row is meaningless). The batch has as many items
//! as there are codes. Points may have any encoding of [`PublicKeys`]; zeros are the identity.
//! Results are written without a copy by the host if rows and codes are page-locked
//! ([`crate::PageLocked`]). Functions whose names end in `_columns` read the same columns and
//! return a single result.

pub(crate) mod cpu;
mod gpu;
pub(crate) mod known_answers;
mod msm;
mod msm_gpu;
mod sum;

use crate::cpu::CpuEngine;
use crate::curve::{CurveChoice, CurveId, PerCurve, per_curve};
use crate::engine::Engine;
use crate::gpu::runtime::Plan;
use crate::gpu::{Launch, SelfTest};
use crate::operation::{Computation, GpuThreshold};
use crate::types::{
    Error, Point, Points, PublicKeys, Rejection, ResultSink, Results, ResultsMut, Rows,
    require_lengths,
};
pub(crate) use msm::SumsOfProducts;
pub use msm::{msm, msm_columns};
use std::ops::Range;
pub(crate) use sum::Sums;
pub use sum::{sum, sum_columns};

/// Returns the point in an item's results.
pub(crate) fn point_of(results: &Results, item: usize) -> Result<Point, Rejection> {
    results.get(item).map(Point::from_row)
}

/// The operation that adds two batches of points.
pub(crate) struct Add<'a> {
    pub curve: CurveId,
    pub operands: [PublicKeys<'a>; 2],
    pub items: usize,
}

impl Computation for Add<'_> {
    fn items(&self) -> usize {
        self.items
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        GpuThreshold::of(300)
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        static ON_CPU: PerCurve<fn(&CpuEngine, [PublicKeys; 2], &mut ResultSink)> =
            per_curve!(cpu::add);
        ON_CPU.of(self.curve)(
            engine,
            self.operands.map(|points| points.slice(items.clone())),
            out,
        );
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (self.curve.name(), vec!["layout", "point_add", "results"])
    }

    fn self_tests(&self, _: usize) -> Vec<SelfTest> {
        vec![known_answers::sums(self.curve)]
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        self.plan_gpu_chunk(plan, items)
    }
}

/// The operation that doubles points.
pub(crate) struct Double<'a> {
    pub curve: CurveId,
    pub points: PublicKeys<'a>,
    pub items: usize,
}

impl Computation for Double<'_> {
    fn items(&self) -> usize {
        self.items
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        GpuThreshold::of(300)
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        static ON_CPU: PerCurve<fn(&CpuEngine, PublicKeys, &mut ResultSink)> =
            per_curve!(cpu::double);
        ON_CPU.of(self.curve)(engine, self.points.slice(items), out);
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (self.curve.name(), vec!["layout", "point_add", "results"])
    }

    fn self_tests(&self, _: usize) -> Vec<SelfTest> {
        vec![known_answers::doubles(self.curve)]
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        self.plan_gpu_chunk(plan, items)
    }
}

/// The operation that computes multiples of G.
pub(crate) struct MulBase<'a> {
    pub curve: CurveId,
    pub scalars: Rows<'a, 32>,
    pub items: usize,
}

impl Computation for MulBase<'_> {
    fn items(&self) -> usize {
        self.items
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        GpuThreshold {
            portable: 40,
            simd: 50,
        }
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        static ON_CPU: PerCurve<fn(&CpuEngine, Rows<32>, &mut ResultSink)> =
            per_curve!(cpu::mul_base);
        ON_CPU.of(self.curve)(engine, self.scalars.slice(items), out);
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (
            self.curve.name(),
            vec!["layout", "table", "fpmul", "normalize", "results"],
        )
    }

    fn self_tests(&self, _: usize) -> Vec<SelfTest> {
        vec![known_answers::base_products(self.curve)]
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        self.plan_gpu_chunk(plan, items)
    }
}

/// The operation that computes multiples of points.
pub(crate) struct Mul<'a> {
    pub curve: CurveId,
    pub scalars: Rows<'a, 32>,
    pub points: PublicKeys<'a>,
    pub items: usize,
}

impl Computation for Mul<'_> {
    fn items(&self) -> usize {
        self.items
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        GpuThreshold {
            portable: 30,
            simd: 60,
        }
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        static ON_CPU: PerCurve<fn(&CpuEngine, Rows<32>, PublicKeys, &mut ResultSink)> =
            per_curve!(cpu::mul);
        ON_CPU.of(self.curve)(
            engine,
            self.scalars.slice(items.clone()),
            self.points.slice(items),
            out,
        );
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (
            self.curve.name(),
            vec!["layout", "upmul", "normalize", "results"],
        )
    }

    fn self_tests(&self, _: usize) -> Vec<SelfTest> {
        vec![known_answers::products(self.curve)]
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        self.plan_gpu_chunk(plan, items)
    }
}

/// The operation that decodes public keys in any encoding. The identity is rejected.
pub(crate) struct DecodeKeys<'a> {
    pub curve: CurveId,
    pub keys: PublicKeys<'a>,
    pub items: usize,
}

impl Computation for DecodeKeys<'_> {
    fn items(&self) -> usize {
        self.items
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        // Decompression takes most of the time; a GPU responds after 0.1 ms.
        GpuThreshold {
            portable: 20,
            simd: 120,
        }
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        static ON_CPU: PerCurve<fn(&CpuEngine, PublicKeys, &mut ResultSink)> =
            per_curve!(cpu::decode_keys);
        ON_CPU.of(self.curve)(engine, self.keys.slice(items), out);
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (self.curve.name(), vec!["layout", "results"])
    }

    fn self_tests(&self, _: usize) -> Vec<SelfTest> {
        vec![known_answers::keys(self.curve)]
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        self.plan_gpu_chunk(plan, items)
    }
}

/// Computes `a[i] + b[i]`. The addition is complete: equal, opposite and identity operands give
/// correct results. Variable-time.
///
/// Items are rejected with [`Rejection::MalformedPoint`] or [`Rejection::NotOnCurve`].
///
/// # Errors
/// [`Error::LengthMismatch`] if the slices differ in length; [`Error::Device`] if every GPU fails
/// and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, P256, point};
/// let engine = Engine::new()?;
/// let mut two = [0; 32];
/// two[31] = 2;
/// let mut one = [0; 32];
/// one[31] = 1;
/// let g = point::mul_base(&engine, P256, &[one])?[0].unwrap();
/// assert_eq!(point::add(&engine, P256, &[g], &[g])?, point::mul_base(&engine, P256, &[two])?);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn add(
    engine: &Engine,
    curve: impl CurveChoice,
    a: &[Point],
    b: &[Point],
) -> Result<Points, Error> {
    require_lengths(a.len(), &[("second points", b.len())])?;
    let operands = [PublicKeys::points(a), PublicKeys::points(b)];
    engine.collect(
        &Add {
            curve: curve.id(),
            operands,
            items: a.len(),
        },
        point_of,
    )
}

/// Adds points from columns into columns. See [`add`]. Variable-time.
///
/// # Errors
/// The errors of [`add`].
///
/// ```
/// use gecc::{Engine, P256, PublicKeys, point};
/// let engine = Engine::new()?;
/// let mut multiples = vec![[0; 64]; 2];
/// point::mul_base_into(&engine, P256, &[[1; 32], [2; 32]], &mut multiples, &mut [0; 2])?;
/// let mut sums = [[0; 64]; 2];
/// let mut codes = [0; 2];
/// let points = PublicKeys::raw(&multiples);
/// point::add_into(&engine, P256, points, points, &mut sums, &mut codes)?;
/// assert_eq!((codes, sums[0]), ([1; 2], multiples[1]));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn add_into<'k>(
    engine: &Engine,
    curve: impl CurveChoice,
    a: impl Into<PublicKeys<'k>>,
    b: impl Into<PublicKeys<'k>>,
    sums: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    let curve = curve.id();
    let a = a.into();
    let b = b.into();
    let items = codes.len();
    require_lengths(
        items,
        &[
            ("points", a.len_for(items)),
            ("second points", b.len_for(items)),
            ("sums", sums.len()),
        ],
    )?;
    engine.run(
        &Add {
            curve,
            operands: [a, b],
            items,
        },
        ResultsMut::rows(codes, sums),
    )
}

/// Computes `2 * points[i]`; the double of the identity is the identity. Variable-time.
///
/// Items are rejected with [`Rejection::MalformedPoint`] or [`Rejection::NotOnCurve`].
///
/// # Errors
/// [`Error::Device`] if every GPU fails and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, Point, Sm2, point};
/// let engine = Engine::new()?;
/// assert_eq!(point::double(&engine, Sm2, &[Point::IDENTITY])?, [Ok(Point::IDENTITY)]);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn double(engine: &Engine, curve: impl CurveChoice, points: &[Point]) -> Result<Points, Error> {
    engine.collect(
        &Double {
            curve: curve.id(),
            points: PublicKeys::points(points),
            items: points.len(),
        },
        point_of,
    )
}

/// Doubles points from columns into columns. See [`double`]. Variable-time.
///
/// # Errors
/// [`Error::LengthMismatch`] if the columns differ in length, and the errors of [`double`].
pub fn double_into<'k>(
    engine: &Engine,
    curve: impl CurveChoice,
    points: impl Into<PublicKeys<'k>>,
    doubles: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    let curve = curve.id();
    let points = points.into();
    let items = codes.len();
    require_lengths(
        items,
        &[
            ("points", points.len_for(items)),
            ("doubles", doubles.len()),
        ],
    )?;
    engine.run(
        &Double {
            curve,
            points,
            items,
        },
        ResultsMut::rows(codes, doubles),
    )
}

/// Computes `scalars[i] * G` for public scalars. Variable-time.
///
/// Items are rejected with [`Rejection::ScalarOutOfRange`] if the scalar is not below n; a scalar
/// of zero yields the identity.
///
/// # Errors
/// [`Error::Device`] if every GPU fails and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, Secp256k1, point};
/// let engine = Engine::new()?;
/// let points = point::mul_base(&engine, Secp256k1, &[[0x11; 32], [0xff; 32]])?;
/// assert!(points[0].is_ok());
/// assert_eq!(points[1], Err(gecc::Rejection::ScalarOutOfRange));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn mul_base(
    engine: &Engine,
    curve: impl CurveChoice,
    scalars: &[[u8; 32]],
) -> Result<Points, Error> {
    engine.collect(
        &MulBase {
            curve: curve.id(),
            scalars: scalars.into(),
            items: scalars.len(),
        },
        point_of,
    )
}

/// Multiplies G by scalars from a column into columns. See [`mul_base`]. Variable-time.
///
/// # Errors
/// [`Error::LengthMismatch`] if the columns differ in length, and the errors of [`mul_base`].
///
/// ```
/// use gecc::{Engine, Secp256k1, point};
/// let engine = Engine::new()?;
/// // Buffers that are filled and used many times; with a GPU, without a copy by the host.
/// let mut scalars = engine.page_lock(vec![[0; 32]; 1000]);
/// let mut points = engine.page_lock(vec![[0; 64]; 1000]);
/// let mut codes = engine.page_lock(vec![0; 1000]);
/// scalars[7][31] = 1;
/// point::mul_base_into(&engine, Secp256k1, &scalars, &mut points, &mut codes)?;
/// assert!(codes.iter().all(|code| *code == gecc::Verdict::VALID_CODE));
/// assert_eq!((points[6], points[7][0]), ([0; 64], 0x79));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn mul_base_into<'a>(
    engine: &Engine,
    curve: impl CurveChoice,
    scalars: impl Into<Rows<'a, 32>>,
    points: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    let curve = curve.id();
    let scalars = scalars.into();
    let items = codes.len();
    require_lengths(
        items,
        &[
            ("scalars", scalars.len_for(items)),
            ("points", points.len()),
        ],
    )?;
    engine.run(
        &MulBase {
            curve,
            scalars,
            items,
        },
        ResultsMut::rows(codes, points),
    )
}

/// Computes `scalars[i] * points[i]` for public scalars. Variable-time.
///
/// Items are rejected with [`Rejection::ScalarOutOfRange`], [`Rejection::MalformedPoint`] or
/// [`Rejection::NotOnCurve`].
///
/// # Errors
/// [`Error::LengthMismatch`] if the slices differ in length; [`Error::Device`] if every GPU fails
/// and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, P256, point};
/// let engine = Engine::new()?;
/// let a = [0x22; 32];
/// let b = [0x33; 32];
/// let ag = point::mul_base(&engine, P256, &[a])?[0].unwrap();
/// let bg = point::mul_base(&engine, P256, &[b])?[0].unwrap();
/// assert_eq!(point::mul(&engine, P256, &[a], &[bg])?, point::mul(&engine, P256, &[b], &[ag])?);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn mul(
    engine: &Engine,
    curve: impl CurveChoice,
    scalars: &[[u8; 32]],
    points: &[Point],
) -> Result<Points, Error> {
    require_lengths(scalars.len(), &[("points", points.len())])?;
    let points = PublicKeys::points(points);
    let items = scalars.len();
    engine.collect(
        &Mul {
            curve: curve.id(),
            scalars: scalars.into(),
            points,
            items,
        },
        point_of,
    )
}

/// Multiplies points by scalars from columns into columns. See [`mul`]. Variable-time.
///
/// # Errors
/// [`Error::LengthMismatch`] if the columns differ in length, and the errors of [`mul`].
pub fn mul_into<'a, 'k>(
    engine: &Engine,
    curve: impl CurveChoice,
    scalars: impl Into<Rows<'a, 32>>,
    points: impl Into<PublicKeys<'k>>,
    products: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    let curve = curve.id();
    let scalars = scalars.into();
    let points = points.into();
    let items = codes.len();
    let lengths = [
        ("scalars", scalars.len_for(items)),
        ("points", points.len_for(items)),
        ("products", products.len()),
    ];
    require_lengths(items, &lengths)?;
    engine.run(
        &Mul {
            curve,
            scalars,
            points,
            items,
        },
        ResultsMut::rows(codes, products),
    )
}

/// Decodes points in SEC 1 compressed form (SEC 1, section 2.3.4). Variable-time.
///
/// Items are rejected with [`Rejection::MalformedPoint`] or [`Rejection::NotOnCurve`].
///
/// # Errors
/// [`Error::Device`] if every GPU fails and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, Secp256k1, point};
/// let engine = Engine::new()?;
/// let point = point::mul_base(&engine, Secp256k1, &[[7; 32]])?[0].unwrap();
/// let compressed = point.to_compressed().unwrap();
/// assert_eq!(point::decompress(&engine, Secp256k1, &[compressed])?, [Ok(point)]);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn decompress(
    engine: &Engine,
    curve: impl CurveChoice,
    compressed: &[[u8; 33]],
) -> Result<Points, Error> {
    decode_keys(
        engine,
        curve,
        compressed.len(),
        PublicKeys::compressed(compressed),
    )
}

/// Decodes `items` public keys in any encoding. Items are rejected as in [`decompress`], and with
/// [`Rejection::IdentityKey`].
///
/// # Errors
/// The errors of [`decompress`], and [`Error::LengthMismatch`].
pub fn decode_keys(
    engine: &Engine,
    curve: impl CurveChoice,
    items: usize,
    keys: PublicKeys,
) -> Result<Points, Error> {
    require_lengths(items, &[("public keys", keys.len_for(items))])?;
    engine.collect(
        &DecodeKeys {
            curve: curve.id(),
            keys,
            items,
        },
        point_of,
    )
}

/// Decodes public keys in any encoding from columns into columns. Compressed keys are decompressed,
/// others are validated. Items are rejected as in [`decompress`], and with
/// [`Rejection::IdentityKey`]. Variable-time.
///
/// # Errors
/// [`Error::LengthMismatch`] if the columns differ in length, and the errors of [`decompress`].
///
/// ```
/// use gecc::{Engine, Secp256k1, point};
/// let engine = Engine::new()?;
/// let point = point::mul_base(&engine, Secp256k1, &[[7; 32]])?[0].unwrap();
/// let compressed = [point.to_compressed().unwrap(), [5; 33]];
/// let mut points = [[0; 64]; 2];
/// let mut codes = [0; 2];
/// point::decode_keys_into(&engine, Secp256k1, &compressed, &mut points, &mut codes)?;
/// assert_eq!((points[0], codes[0]), (point.as_bytes()[1..].try_into().unwrap(), 1));
/// assert_eq!(codes[1], gecc::Rejection::MalformedPoint.code());
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn decode_keys_into<'k>(
    engine: &Engine,
    curve: impl CurveChoice,
    keys: impl Into<PublicKeys<'k>>,
    points: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    let curve = curve.id();
    let keys = keys.into();
    let items = codes.len();
    require_lengths(
        items,
        &[
            ("public keys", keys.len_for(items)),
            ("points", points.len()),
        ],
    )?;
    engine.run(
        &DecodeKeys { curve, keys, items },
        ResultsMut::rows(codes, points),
    )
}

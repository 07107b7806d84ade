//! Masking: points times one secret scalar, for private set intersection and oblivious
//! pseudorandom functions.
//!
//! [`items`] hashes byte strings to points and multiplies them. [`points`] multiplies points that
//! the other party sent, and [`unmask`] removes a mask. Masks commute: with keys a and b, masking
//! with a, then b gives the same points as masking with b, then a.
//!
//! **Constant-time** in keys. Items are hashed in constant time if
//! [`Suite::is_constant_time`](crate::hash_to_curve::Suite::is_constant_time). Points that were
//! received are public.
//!
//! All calls take the secret key of all items (`&SecretKey`) or one per item (`&[SecretKey]`).
//! Generate keys with [`SecretKey::generate`](crate::SecretKey::generate). A masked point does not
//! reveal its key, and is returned in the [`Form`] that the protocol exchanges.
//!
//! Items are rejected with the first of these that applies:
//! [`Rejection::SecretKeyOutOfRange`](crate::Rejection::SecretKeyOutOfRange); for points, as in
//! [`ecdh`](crate::ecdh), [`Rejection::MalformedPoint`](crate::Rejection::MalformedPoint),
//! [`Rejection::NotOnCurve`](crate::Rejection::NotOnCurve) or
//! [`Rejection::IdentityKey`](crate::Rejection::IdentityKey); for items the rejections of
//! [`hash_to_curve::points`](crate::hash_to_curve::points).

pub(crate) mod cpu;
mod form;
mod gpu;
#[cfg(test)]
mod gpu_tests;
pub(crate) mod known_answers;
mod masked;

use super::hash_to_curve::{Dst, HashToCurve, Suite};
use super::keys::require_keys;
use super::{hash_to_curve, point};
use crate::cpu::CpuEngine;
use crate::curve::{CurveChoice, CurveId};
use crate::engine::Engine;
use crate::gpu::runtime::Plan;
use crate::gpu::{Launch, SelfTest};
use crate::operation::{Computation, GpuThreshold};
use crate::types::{Error, PublicKeys, ResultSink, ResultsMut, SecretKeys, require_lengths};
pub use form::{Form, UnknownForm};
pub use masked::Masked;
use std::ops::Range;

/// The batch size above which a GPU is faster.
pub(crate) const GPU_THRESHOLD: GpuThreshold = GpuThreshold {
    portable: 33,
    simd: 75,
};

/// The points that are masked.
#[allow(clippy::large_enum_variant, reason = "there is one per call")]
pub(crate) enum Source<'a> {
    /// Messages, which are hashed first.
    Items(HashToCurve<'a>),
    /// Points in the encoding of the caller.
    Points {
        curve: CurveId,
        points: PublicKeys<'a>,
        items: usize,
    },
}

impl Source<'_> {
    fn items(&self) -> usize {
        match self {
            Source::Items(hashing) => hashing.items(),
            Source::Points { items, .. } => *items,
        }
    }

    pub fn curve(&self) -> CurveId {
        match self {
            Source::Items(hashing) => hashing.suite.curve(),
            Source::Points { curve, .. } => *curve,
        }
    }
}

/// The operation that masks the points of a batch.
pub(crate) struct Mask<'a> {
    pub source: Source<'a>,
    /// The factors, which for unmasking are the inverses of the caller's keys.
    pub keys: SecretKeys<'a>,
    pub form: Form,
    /// True if the results are not meant for the other party, so that copies of them are wiped.
    pub are_results_secret: bool,
}

impl<'a> Mask<'a> {
    pub fn new(source: Source<'a>, keys: SecretKeys<'a>, form: Form) -> Result<Self, Error> {
        form.require()?;
        require_keys(source.items(), &keys)?;
        Ok(Mask {
            source,
            keys,
            form,
            are_results_secret: false,
        })
    }

    /// Returns the operation with results that are secret.
    pub fn with_secret_results(self) -> Self {
        Mask {
            are_results_secret: true,
            ..self
        }
    }

    fn of_points(
        curve: CurveId,
        keys: SecretKeys<'a>,
        points: PublicKeys<'a>,
        form: Form,
        items: usize,
    ) -> Result<Self, Error> {
        require_lengths(items, &[("points", points.len_for(items))])?;
        let source = Source::Points {
            curve,
            points,
            items,
        };
        Self::new(source, keys, form)
    }

    /// Computes the batch into new columns.
    fn collect(&self, engine: &Engine) -> Result<Masked, Error> {
        let mut masked = Masked::new(self.form, self.items());
        let (rows, codes) = masked.columns();
        self.run(engine, rows, codes)?;
        masked.clear_rejected();
        Ok(masked)
    }

    /// Computes the batch into the caller's columns.
    pub fn run(&self, engine: &Engine, rows: &mut [u8], codes: &mut [u8]) -> Result<(), Error> {
        let width = self.form.width();
        if rows.len() != width * codes.len() {
            return Err(Error::LengthMismatch {
                what: "masked points",
                expected: codes.len(),
                found: rows.len() / width,
            });
        }
        engine.run(self, ResultsMut::new(codes, [rows, &mut []], [width, 0]))
    }
}

impl Computation for Mask<'_> {
    fn items(&self) -> usize {
        self.source.items()
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        GPU_THRESHOLD
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        cpu::mask(engine, self, items, out);
    }

    fn is_secret(&self) -> bool {
        true
    }

    fn data_bytes(&self, items: &Range<usize>) -> usize {
        match &self.source {
            Source::Items(hashing) => hashing.data_bytes(items),
            Source::Points { .. } => 0,
        }
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        let hashing: &[&str] = match &self.source {
            Source::Items(hashing) => hashing.suite.kernel_files(),
            Source::Points { .. } => &[],
        };
        let mut files = vec!["layout", "nonces", "upmul", "normalize", "results", "mask"];
        files.extend(hashing.iter().filter(|file| **file != "normalize"));
        (self.source.curve().name(), files)
    }

    fn self_tests(&self, _: usize) -> Vec<SelfTest> {
        let of_source = match &self.source {
            Source::Items(hashing) => hash_to_curve::known_answers::of(hashing.suite),
            Source::Points { curve, .. } => point::known_answers::keys(*curve),
        };
        vec![of_source, known_answers::of(self.source.curve())]
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        self.plan_gpu_chunk(plan, items)
    }
}

/// Hashes items to points and multiplies each by the secret key: `d * H(item)`. See
/// [`hash_to_curve::points`](crate::hash_to_curve::points) for suites and domain separation tags.
/// **Constant-time** in keys, and in items if the suite is.
///
/// # Errors
/// [`Error::DomainSeparation`] if the suite takes a tag and there is none, or the other way round;
/// [`Error::InvalidForm`] if a truncated form does not have 1 to 32 bytes; [`Error::LengthMismatch`]
/// if there are several keys, but not one per item; [`Error::Device`] if every GPU fails and the
/// engine may not fall back to the CPU.
///
/// ```
/// use gecc::hash_to_curve::Suite;
/// use gecc::mask::{self, Form};
/// use gecc::{Engine, P256, PublicKeys, SecretKey};
/// let engine = Engine::new()?;
/// let [ours, theirs] = [SecretKey::generate(P256)?, SecretKey::generate(P256)?];
/// let dst = b"example-V01-CS02-with-P256_XMD:SHA-256_SSWU_RO_";
/// let mask = |key, item| mask::items(&engine, Suite::P256SswuRo, dst, key, &[item], Form::Raw);
/// let again = |key, masked: mask::Masked| {
///     let points = [masked.get(0).unwrap().try_into().unwrap()];
///     mask::points(&engine, P256, key, PublicKeys::raw(&points), Form::Truncated(12))
/// };
/// // The parties find out that they have the same item, without showing it.
/// assert_eq!(again(&theirs, mask(&ours, "item")?)?, again(&ours, mask(&theirs, "item")?)?);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn items<'a, M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    suite: Suite,
    dst: &[u8],
    secret_keys: impl Into<SecretKeys<'a>>,
    items: &'a [M],
    form: Form,
) -> Result<Masked, Error> {
    masking_of_items(engine, suite, dst, secret_keys.into(), items, form)?.collect(engine)
}

/// Hashes and masks items as [`items`] does, into columns of the caller: [`Form::width`] bytes and
/// a one-byte code per item ([`crate::Verdict::VALID_CODE`], or that of a
/// [`Rejection`](crate::Rejection), in which case the row is meaningless). **Constant-time** in
/// keys, and in items if the suite is.
///
/// # Errors
/// The errors of [`items`], and [`Error::LengthMismatch`] if a column has another number of rows
/// than there are items.
#[allow(
    clippy::too_many_arguments,
    reason = "two of them are the columns of the caller"
)]
pub fn items_into<'a, M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    suite: Suite,
    dst: &[u8],
    secret_keys: impl Into<SecretKeys<'a>>,
    items: &'a [M],
    form: Form,
    rows: &mut [u8],
    codes: &mut [u8],
) -> Result<(), Error> {
    require_lengths(items.len(), &[("codes", codes.len())])?;
    masking_of_items(engine, suite, dst, secret_keys.into(), items, form)?.run(engine, rows, codes)
}

/// Returns the operation of [`items`].
pub(crate) fn masking_of_items<'a, M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    suite: Suite,
    dst: &[u8],
    keys: SecretKeys<'a>,
    items: &'a [M],
    form: Form,
) -> Result<Mask<'a>, Error> {
    let hashing = HashToCurve::new(engine, suite, Dst::new(dst), items.len(), |item| {
        items[item].as_ref()
    })?;
    Mask::new(Source::Items(hashing), keys, form)
}

/// Multiplies points by the secret key: `d * P`. **Constant-time** in keys; the points are public.
///
/// There are as many items as points; with one point for all, as many as keys.
///
/// # Errors
/// The errors of [`items`], except [`Error::DomainSeparation`].
///
/// ```
/// use gecc::mask::{self, Form};
/// use gecc::{Engine, P256, SecretKey, keys};
/// let engine = Engine::new()?;
/// let (_, points) = keys::generate(&engine, P256, 2)?;
/// let key = SecretKey::generate(P256)?;
/// let masked = mask::points(&engine, P256, &key, &points, Form::Uncompressed)?;
/// let masked: Vec<&[u8]> = masked.iter().collect::<Result<_, _>>().unwrap();
/// let unmasked = mask::unmask(&engine, P256, &key, &masked, Form::Uncompressed)?;
/// assert_eq!(unmasked.get(1).unwrap(), points[1].as_sec1());
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn points<'a, 'k>(
    engine: &Engine,
    curve: impl CurveChoice,
    secret_keys: impl Into<SecretKeys<'a>>,
    points: impl Into<PublicKeys<'k>>,
    form: Form,
) -> Result<Masked, Error> {
    let keys = secret_keys.into();
    let points = points.into();
    let items = points.len_for(keys.len_for(1));
    Mask::of_points(curve.id(), keys, points, form, items)?.collect(engine)
}

/// Multiplies points as [`points`] does, into columns of the caller: [`Form::width`] bytes and a
/// one-byte code per item. **Constant-time** in keys; the points are public.
///
/// # Errors
/// The errors of [`points`], and [`Error::LengthMismatch`] if a column has another number of rows
/// than there are codes.
pub fn points_into<'a, 'k>(
    engine: &Engine,
    curve: impl CurveChoice,
    secret_keys: impl Into<SecretKeys<'a>>,
    points: impl Into<PublicKeys<'k>>,
    form: Form,
    rows: &mut [u8],
    codes: &mut [u8],
) -> Result<(), Error> {
    let keys = secret_keys.into();
    Mask::of_points(curve.id(), keys, points.into(), form, codes.len())?.run(engine, rows, codes)
}

/// Removes the mask of points: multiplies them by the inverse of the secret key modulo the group
/// order. **Constant-time** in keys; the points are public. The library's own copies of the results
/// are wiped.
///
/// Inputs and errors are those of [`points`].
///
/// # Errors
/// The errors of [`points`].
pub fn unmask<'a, 'k>(
    engine: &Engine,
    curve: impl CurveChoice,
    secret_keys: impl Into<SecretKeys<'a>>,
    points: impl Into<PublicKeys<'k>>,
    form: Form,
) -> Result<Masked, Error> {
    let curve = curve.id();
    let inverses = cpu::inverses(curve, secret_keys.into());
    let points = points.into();
    let items = points.len_for(inverses.keys().len_for(1));
    Mask::of_points(curve, inverses.keys(), points, form, items)?
        .with_secret_results()
        .collect(engine)
}

/// Removes the mask of points as [`unmask`] does, into columns of the caller: [`Form::width`] bytes
/// and a one-byte code per item. **Constant-time** in keys; the points are public.
///
/// # Errors
/// The errors of [`unmask`], and [`Error::LengthMismatch`] if a column has another number of rows
/// than there are codes.
pub fn unmask_into<'a, 'k>(
    engine: &Engine,
    curve: impl CurveChoice,
    secret_keys: impl Into<SecretKeys<'a>>,
    points: impl Into<PublicKeys<'k>>,
    form: Form,
    rows: &mut [u8],
    codes: &mut [u8],
) -> Result<(), Error> {
    let curve = curve.id();
    let inverses = cpu::inverses(curve, secret_keys.into());
    Mask::of_points(curve, inverses.keys(), points.into(), form, codes.len())?
        .with_secret_results()
        .run(engine, rows, codes)
}

//! Hashing to points of a curve: RFC 9380, and what deployed private set intersection uses.
//!
//! The points are inputs of [`mask`](crate::mask), which computes both steps in one call.

pub(crate) mod cpu;
mod dst;
mod expand;
mod gpu;
pub(crate) mod known_answers;
mod suite;
mod tries;

use super::hash::SizedTexts;
use crate::cpu::CpuEngine;
use crate::engine::Engine;
use crate::gpu::runtime::Plan;
use crate::gpu::{Launch, SelfTest};
use crate::operation::{Computation, GpuThreshold};
use crate::types::{Error, Point, Rejection, ResultSink, ResultsMut, require_lengths};
pub use dst::Dst;
pub(crate) use expand::{ExpandingHash, expand_message};
pub(crate) use gpu::{ExpandingShape, ExpansionColumns, HashedPoints};
use std::ops::Range;
pub use suite::{Suite, UnknownSuite};

/// Returns the batch size above which a GPU is faster. A GPU finishes the tries of a small batch as
/// late as the unluckiest item does.
pub(crate) const fn gpu_threshold(suite: Suite) -> GpuThreshold {
    if suite.is_constant_time() {
        GpuThreshold {
            portable: 45,
            simd: 85,
        }
    } else {
        GpuThreshold {
            portable: 145,
            simd: 300,
        }
    }
}

/// The operation that hashes the messages of a batch to points.
pub(crate) struct HashToCurve<'a> {
    pub suite: Suite,
    /// A tag exactly if the suite takes one.
    pub dst: Dst,
    pub messages: SizedTexts<'a>,
}

impl<'a> HashToCurve<'a> {
    pub fn new(
        engine: &Engine,
        suite: Suite,
        dst: Dst,
        items: usize,
        messages: impl Fn(usize) -> &'a [u8] + Sync + 'a,
    ) -> Result<Self, Error> {
        suite.require_dst(&dst)?;
        let messages = SizedTexts::new(&engine.devices()?.cpu, items, messages);
        Ok(HashToCurve {
            suite,
            dst,
            messages,
        })
    }
}

impl Computation for HashToCurve<'_> {
    fn items(&self) -> usize {
        self.messages.items()
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        gpu_threshold(self.suite)
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        cpu::points(engine, self, items, out);
    }

    /// Messages may be passwords. With the other suites the time reveals them anyway.
    fn is_secret(&self) -> bool {
        self.suite.is_constant_time()
    }

    fn data_bytes(&self, items: &Range<usize>) -> usize {
        self.messages.bytes(items)
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        let files = [self.suite.kernel_files(), &["layout", "results", "mask"]];
        (self.suite.curve().name(), files.concat())
    }

    fn self_tests(&self, _: usize) -> Vec<SelfTest> {
        vec![known_answers::of(self.suite)]
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        self.plan_gpu_chunk(plan, items)
    }
}

/// Hashes messages of any length to points of [`Suite::curve`]. **Constant-time** in the bytes of
/// the messages, though not in their lengths, if [`Suite::is_constant_time`].
///
/// `dst` is the domain separation tag of the protocol, for example
/// `b"myapp-V01-CS02-with-P256_XMD:SHA-256_SSWU_RO_"`, if [`Suite::takes_dst`], and empty otherwise.
/// Tags above 255 bytes are hashed, as RFC 9380, section 5.3.3, specifies.
///
/// An item is rejected with [`Rejection::IdentityResult`] if its point is the identity, and with
/// [`Rejection::NotOnCurve`] if none of [`MOST_TRIES`] x-coordinates belongs to a point. No message
/// for which that happens is known, and finding one takes about 2^100 steps.
///
/// # Errors
/// [`Error::DomainSeparation`] if the suite takes a tag and there is none, or the other way round;
/// [`Error::Device`] if every GPU fails and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, hash_to_curve, hash_to_curve::Suite};
/// let engine = Engine::new()?;
/// // The second vector of RFC 9380, appendix J.1.1.
/// let dst = b"QUUX-V01-CS02-with-P256_XMD:SHA-256_SSWU_RO_";
/// let points = hash_to_curve::points(&engine, Suite::P256SswuRo, dst, &["abc"])?;
/// let x = "0bb8b87485551aa43ed54f009230450b492fead5f1cc91658775dac4a3388a0f";
/// assert_eq!(hex::encode(points[0].unwrap().x()), x);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn points<M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    suite: Suite,
    dst: &[u8],
    messages: &[M],
) -> Result<Vec<Result<Point, Rejection>>, Error> {
    let operation = HashToCurve::new(engine, suite, Dst::new(dst), messages.len(), |item| {
        messages[item].as_ref()
    })?;
    engine.collect(&operation, |results, item| {
        // Not `from_row`, which branches on the point: none is the identity.
        results.get(item).map(Point::from_raw)
    })
}

/// Hashes messages to points in columns of the caller: 64 bytes `x || y` and a one-byte code per
/// item ([`crate::Verdict::VALID_CODE`], or that of a [`Rejection`], in which case the row is
/// meaningless). See [`points`], also for constant time.
///
/// # Errors
/// The errors of [`points`], and [`Error::LengthMismatch`] if a column has another number of rows
/// than there are messages.
pub fn points_into<M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    suite: Suite,
    dst: &[u8],
    messages: &[M],
    points: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    require_lengths(
        messages.len(),
        &[("points", points.len()), ("codes", codes.len())],
    )?;
    let operation = HashToCurve::new(engine, suite, Dst::new(dst), messages.len(), |item| {
        messages[item].as_ref()
    })?;
    engine.run(&operation, ResultsMut::rows(codes, points))
}

/// The number of x-coordinates that the suites of try-and-rehash and try-and-increment try before
/// they reject an item. It is the limit of YACL.
pub const MOST_TRIES: usize = 100;

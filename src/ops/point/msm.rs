//! Multi-scalar multiplication: the sum of a batch of products.

use super::cpu;
use super::sum::{SumOrRejection, sum_of_rows};
use crate::cpu::CpuEngine;
use crate::curve::{CurveChoice, CurveId, PerCurve, per_curve};
use crate::engine::Engine;
use crate::gpu::runtime::Plan;
use crate::gpu::{Launch, SelfTest};
use crate::operation::{Computation, GpuThreshold, Reduction};
use crate::types::{Error, Point, PublicKeys, ResultSink, Rows, Verdict, require_lengths};
use std::ops::Range;

/// The number of products in a part of a batch. It is small enough that a chunk of a few waves of
/// parts is not larger than the best size for a GPU, and large enough that the rows of all parts
/// take little memory.
pub(crate) const PART: usize = 32;

/// The sum of a batch of products, as an operation on its parts. An engine that computes several
/// parts at a time returns their sum as the result of the first part and the identity for the
/// others.
pub(crate) struct SumsOfProducts<'a> {
    pub curve: CurveId,
    pub scalars: Rows<'a, 32>,
    pub points: PublicKeys<'a>,
    /// The number of items.
    pub of: usize,
}

impl SumsOfProducts<'_> {
    /// Returns the products of a range of parts.
    pub fn products_of(&self, parts: &Range<usize>) -> Range<usize> {
        parts.start * PART..self.of.min(parts.end * PART)
    }
}

impl Computation for SumsOfProducts<'_> {
    fn items(&self) -> usize {
        self.of.div_ceil(PART)
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        GpuThreshold {
            portable: 10,
            simd: 37,
        }
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, parts: Range<usize>, out: &mut ResultSink) {
        static ON_CPU: PerCurve<fn(&CpuEngine, Rows<32>, PublicKeys, usize, &mut ResultSink)> =
            per_curve!(cpu::sums_of_products);
        let products = self.products_of(&parts);
        let scalars = self.scalars.slice(products.clone());
        let points = self.points.slice(products.clone());
        ON_CPU.of(self.curve)(engine, scalars, points, products.len(), out);
    }

    fn most_waves(&self) -> usize {
        2
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (
            self.curve.name(),
            vec!["layout", "msm", "buckets", "normalize", "results"],
        )
    }

    fn self_tests(&self, _: usize) -> Vec<SelfTest> {
        self.gpu_self_tests()
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, parts: Range<usize>) -> Launch<'a> {
        self.plan_gpu_chunk(plan, parts)
    }
}

impl Reduction for SumsOfProducts<'_> {
    type Output = SumOrRejection;

    fn combine(&self, engine: &CpuEngine, codes: &[u8], rows: &[[u8; 64]]) -> SumOrRejection {
        static MSM: PerCurve<fn(&CpuEngine, Rows<32>, PublicKeys, usize) -> SumOrRejection> =
            per_curve!(cpu::msm);
        if codes.iter().all(|code| *code == Verdict::VALID_CODE) {
            return sum_of_rows(engine, self.curve, rows);
        }
        // The CPU decodes all items before it computes anything.
        MSM.of(self.curve)(engine, self.scalars, self.points, self.of)
    }
}

/// Computes `scalars[0] * points[0] + scalars[1] * points[1] + ...` (multi-scalar multiplication)
/// for public scalars. The additions are complete; the sum of no products is the identity.
/// Variable-time.
///
/// Scalars are 32 bytes, big-endian. An item whose scalar is not below n or whose point is invalid
/// makes the whole sum `Err`, with the index of the first such item and
/// [`crate::Rejection::ScalarOutOfRange`], [`crate::Rejection::MalformedPoint`] or
/// [`crate::Rejection::NotOnCurve`]. The time depends little on the items: equal or opposite points
/// and equal scalars take about as long as others.
///
/// # Errors
/// [`Error::LengthMismatch`] if the slices differ in length; [`Error::Device`] if every GPU fails
/// and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, P256, point};
/// let engine = Engine::new()?;
/// let number = |last| -> [u8; 32] { std::array::from_fn(|i| if i == 31 { last } else { 0 }) };
/// let points: Vec<_> = point::mul_base(&engine, P256, &[number(5), number(7)])?.into_iter().flatten().collect();
/// let expected = point::mul_base(&engine, P256, &[number(2 * 5 + 3 * 7)])?[0].unwrap();
/// assert_eq!(point::msm(&engine, P256, &[number(2), number(3)], &points)?, Ok(expected));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn msm(
    engine: &Engine,
    curve: impl CurveChoice,
    scalars: &[[u8; 32]],
    points: &[Point],
) -> Result<SumOrRejection, Error> {
    msm_columns(engine, curve, scalars.len(), scalars, points)
}

/// Computes a multi-scalar multiplication over `items` items of columns. Points may have any
/// encoding of [`PublicKeys`]; zeros are the identity. See [`msm`]. Variable-time.
///
/// # Errors
/// [`Error::LengthMismatch`] if a column has another number of rows, and the errors of [`msm`].
///
/// ```
/// use gecc::{Engine, P256, PublicKeys, Rows, point};
/// let engine = Engine::new()?;
/// let mut rows = [[0; 64]; 2];
/// point::mul_base_into(&engine, P256, &[[1; 32], [2; 32]], &mut rows, &mut [0; 2])?;
/// let three: [u8; 32] = std::array::from_fn(|i| if i == 31 { 3 } else { 0 });
/// let sum = point::msm_columns(&engine, P256, 2, Rows::all(&three), PublicKeys::raw(&rows))?;
/// assert_eq!(sum, Ok(point::mul_base(&engine, P256, &[[9; 32]])?[0].unwrap()));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn msm_columns<'a, 'k>(
    engine: &Engine,
    curve: impl CurveChoice,
    items: usize,
    scalars: impl Into<Rows<'a, 32>>,
    points: impl Into<PublicKeys<'k>>,
) -> Result<SumOrRejection, Error> {
    let curve = curve.id();
    let scalars = scalars.into();
    let points = points.into();
    require_lengths(
        items,
        &[
            ("scalars", scalars.len_for(items)),
            ("points", points.len_for(items)),
        ],
    )?;
    engine.reduce(&SumsOfProducts {
        curve,
        scalars,
        points,
        of: items,
    })
}

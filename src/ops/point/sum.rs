//! The sum of a batch of points.

use super::cpu;
use crate::cpu::CpuEngine;
use crate::curve::{Curve, CurveId, PerCurve, per_curve};
use crate::engine::Engine;
use crate::op::{Operation, Reduction, Worth};
use crate::types::{Batch, Error, Place, Point, PublicKeys, Rejection, Verdict};
use std::ops::Range;

/// Points of a part of a batch: few enough that a GPU has parts for all its threads, enough that little is left to the CPU.
pub(crate) const PART: usize = 64;

/// Sums of the parts of a batch. A device shares the points of a chunk out among its parts as it likes.
pub(crate) struct Sums<'a> {
    pub curve: CurveId,
    pub points: PublicKeys<'a>,
    /// How many.
    pub of: usize,
}

impl Sums<'_> {
    /// The points of some parts.
    pub fn points_of(&self, parts: &Range<usize>) -> Range<usize> {
        parts.start * PART..self.of.min(parts.end * PART)
    }
}

impl Batch for Sums<'_> {
    fn items(&self) -> usize {
        self.of.div_ceil(PART)
    }
}

impl Operation for Sums<'_> {
    fn worth(&self) -> Worth {
        Worth::of(300)
    }

    fn on_cpu(&self, engine: &CpuEngine, parts: Range<usize>, out: &mut dyn Place) {
        static ON_CPU: PerCurve<fn(&CpuEngine, PublicKeys, usize, usize, &mut dyn Place)> = per_curve!(cpu::sums);
        let points = self.points_of(&parts);
        ON_CPU.of(self.curve)(engine, self.points.slice(points.clone()), points.len(), PART, out);
    }
}

/// The sum of a batch.
pub(crate) struct Sum<'a> {
    pub curve: CurveId,
    pub points: PublicKeys<'a>,
    pub items: usize,
}

impl Reduction for Sum<'_> {
    type Parts<'a>
        = Sums<'a>
    where
        Self: 'a;
    type Output = Result<Point, (usize, Rejection)>;

    fn parts(&self) -> Sums<'_> {
        Sums { curve: self.curve, points: self.points, of: self.items }
    }

    fn combine(&self, engine: &CpuEngine, codes: &[u8], rows: &[[u8; 64]]) -> Self::Output {
        static SUM: PerCurve<fn(&CpuEngine, usize, PublicKeys) -> Result<[u8; 64], (usize, Rejection)>> =
            per_curve!(cpu::sum);
        let all_good = codes.iter().all(|code| *code == Verdict::VALID_CODE);
        // Where there is a bad point, the sum of all points says which.
        let (items, points) = if all_good { (rows.len(), PublicKeys::raw(rows)) } else { (self.items, self.points) };
        SUM.of(self.curve)(engine, items, points).map(|row| Point::from_row(&row))
    }
}

/// `points[0] + points[1] + ...`, complete; of no points the identity. Variable-time.
///
/// A point that is malformed or not on the curve makes the whole sum `Err`: with the number of the first, and
/// [`Rejection::MalformedPoint`] or [`Rejection::NotOnCurve`].
///
/// # Errors
/// [`Error::Device`] when every GPU fails and the CPU may not take over.
///
/// ```
/// use gecc::{Engine, P256, point};
/// let engine = Engine::new()?;
/// let number = |last| -> [u8; 32] { std::array::from_fn(|i| if i == 31 { last } else { 0 }) };
/// let points: Vec<_> = point::mul_base::<P256>(&engine, &[number(1), number(2), number(3)])?.into_iter().flatten().collect();
/// let six = point::mul_base::<P256>(&engine, &[number(6)])?[0].unwrap();
/// assert_eq!(point::sum::<P256>(&engine, &points)?, Ok(six));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn sum<C: Curve>(engine: &Engine, points: &[Point]) -> Result<Result<Point, (usize, Rejection)>, Error> {
    sum_on(engine, C::ID, points)
}

/// [`crate::point::sum`] on a curve chosen when the program runs.
pub fn sum_on(engine: &Engine, curve: CurveId, points: &[Point]) -> Result<Result<Point, (usize, Rejection)>, Error> {
    engine.reduce(&Sum { curve, points: PublicKeys::points(points), items: points.len() })
}

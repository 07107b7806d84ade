//! The sum of a batch of points.

use super::cpu;
use crate::cpu::CpuEngine;
use crate::curve::{CurveChoice, CurveId, PerCurve, per_curve};
use crate::engine::Engine;
use crate::gpu::runtime::Plan;
use crate::gpu::{Launch, SelfTest};
use crate::operation::{Computation, GpuThreshold, Reduction};
use crate::types::{Error, Point, PublicKeys, Rejection, ResultSink, Verdict, require_lengths};
use std::ops::Range;

/// The number of points in a part of a batch. It is small enough that there are parts for all
/// threads of a GPU, and large enough that the CPU has little left to add.
pub(crate) const PART: usize = 64;

/// The sum, or the index and rejection of the first invalid point.
pub(super) type SumOrRejection = Result<Point, (usize, Rejection)>;

/// The sum of a batch of points, as an operation on its parts. A device may distribute the points
/// of a chunk over its parts in any way.
pub(crate) struct Sums<'a> {
    pub curve: CurveId,
    pub points: PublicKeys<'a>,
    /// The number of items.
    pub of: usize,
}

impl Sums<'_> {
    /// Returns the points of a range of parts.
    pub fn points_of(&self, parts: &Range<usize>) -> Range<usize> {
        parts.start * PART..self.of.min(parts.end * PART)
    }
}

impl Computation for Sums<'_> {
    fn items(&self) -> usize {
        self.of.div_ceil(PART)
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        GpuThreshold::of(300)
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, parts: Range<usize>, out: &mut ResultSink) {
        static ON_CPU: PerCurve<fn(&CpuEngine, PublicKeys, usize, usize, &mut ResultSink)> =
            per_curve!(cpu::sums);
        let points = self.points_of(&parts);
        ON_CPU.of(self.curve)(
            engine,
            self.points.slice(points.clone()),
            points.len(),
            PART,
            out,
        );
    }

    fn most_waves(&self) -> usize {
        2
    }

    fn data_bytes(&self, parts: &Range<usize>) -> usize {
        64 * self.points_of(parts).len()
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (
            self.curve.name(),
            vec!["layout", "point_sum", "normalize", "results"],
        )
    }

    fn self_tests(&self, _: usize) -> Vec<SelfTest> {
        self.gpu_self_tests()
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, parts: Range<usize>) -> Launch<'a> {
        self.plan_gpu_chunk(plan, parts)
    }
}

impl Reduction for Sums<'_> {
    type Output = SumOrRejection;

    fn combine(&self, engine: &CpuEngine, codes: &[u8], rows: &[[u8; 64]]) -> SumOrRejection {
        if codes.iter().all(|code| *code == Verdict::VALID_CODE) {
            return sum_of_rows(engine, self.curve, rows);
        }
        // If there is an invalid point, summing all points on the CPU finds the first one.
        sum_on_cpu(engine, self.curve, self.of, self.points)
    }
}

/// Returns the sum of the sums of parts.
pub(super) fn sum_of_rows(engine: &CpuEngine, curve: CurveId, rows: &[[u8; 64]]) -> SumOrRejection {
    sum_on_cpu(engine, curve, rows.len(), PublicKeys::raw(rows))
}

fn sum_on_cpu(
    engine: &CpuEngine,
    curve: CurveId,
    items: usize,
    points: PublicKeys,
) -> SumOrRejection {
    static SUM: PerCurve<fn(&CpuEngine, usize, PublicKeys) -> SumOrRejection> =
        per_curve!(cpu::sum);
    SUM.of(curve)(engine, items, points)
}

/// Computes `points[0] + points[1] + ...`. The additions are complete; the sum of no points is the
/// identity. Variable-time.
///
/// A point that is malformed or not on the curve makes the whole sum `Err`, with the index of the
/// first such point and [`Rejection::MalformedPoint`] or [`Rejection::NotOnCurve`].
///
/// # Errors
/// [`Error::Device`] if every GPU fails and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, P256, point};
/// let engine = Engine::new()?;
/// let number = |last| -> [u8; 32] { std::array::from_fn(|i| if i == 31 { last } else { 0 }) };
/// let points = point::mul_base(&engine, P256, &[number(1), number(2), number(3)])?;
/// let points: Vec<_> = points.into_iter().flatten().collect();
/// let six = point::mul_base(&engine, P256, &[number(6)])?[0].unwrap();
/// assert_eq!(point::sum(&engine, P256, &points)?, Ok(six));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn sum(
    engine: &Engine,
    curve: impl CurveChoice,
    points: &[Point],
) -> Result<SumOrRejection, Error> {
    sum_columns(engine, curve, points.len(), PublicKeys::points(points))
}

/// Sums `items` points of a column. Points may have any encoding of [`PublicKeys`]; zeros are the
/// identity. See [`sum`]. Variable-time.
///
/// # Errors
/// [`Error::LengthMismatch`] if the column has another number of rows, and the errors of [`sum`].
///
/// ```
/// use gecc::{Engine, P256, PublicKeys, point};
/// let engine = Engine::new()?;
/// let mut rows = [[0; 64]; 2];
/// point::mul_base_into(&engine, P256, &[[1; 32], [2; 32]], &mut rows, &mut [0; 2])?;
/// let sum = point::sum_columns(&engine, P256, 2, PublicKeys::raw(&rows))?;
/// assert_eq!(sum, Ok(point::mul_base(&engine, P256, &[[3; 32]])?[0].unwrap()));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn sum_columns<'k>(
    engine: &Engine,
    curve: impl CurveChoice,
    items: usize,
    points: impl Into<PublicKeys<'k>>,
) -> Result<SumOrRejection, Error> {
    let curve = curve.id();
    let points = points.into();
    require_lengths(items, &[("points", points.len_for(items))])?;
    engine.reduce(&Sums {
        curve,
        points,
        of: items,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::point::{Add, MulBase, point_of};
    use crate::types::{Results, ResultsMut, Rows};

    /// Returns the codes and rows of all items, or parts, computed by the CPU.
    fn computed(cpu: &CpuEngine, operation: &dyn Computation) -> (Vec<u8>, Vec<[u8; 64]>) {
        let items = operation.items();
        let mut codes = vec![0; items];
        let mut rows = vec![[0xee; 64]; items];
        operation.compute_on_cpu(
            cpu,
            0..items,
            &mut ResultsMut::rows(&mut codes, &mut rows).into(),
        );
        (codes, rows)
    }

    fn points_of(cpu: &CpuEngine, operation: &dyn Computation) -> Vec<Point> {
        let (codes, rows) = computed(cpu, operation);
        let results = Results::new(&codes, [rows.as_flattened(), &[]], [64, 0]);
        (0..results.items())
            .map(|item| point_of(&results, item).unwrap())
            .collect()
    }

    fn sum_of(cpu: &CpuEngine, curve: CurveId, points: PublicKeys, items: usize) -> SumOrRejection {
        let sums = Sums {
            curve,
            points,
            of: items,
        };
        let (codes, rows) = computed(cpu, &sums);
        sums.combine(cpu, &codes, &rows)
    }

    /// Returns G, 2 G, ..., with occasional equal neighbours, opposite neighbours and identities.
    fn points(cpu: &CpuEngine, curve: CurveId, count: usize) -> Vec<Point> {
        let mut scalars = vec![[0; 32]; count];
        for (number, scalar) in (1_u16..).zip(&mut scalars) {
            scalar[30..].copy_from_slice(&number.to_be_bytes());
        }
        let mut points = points_of(
            cpu,
            &MulBase {
                curve,
                scalars: Rows::from(&scalars),
                items: count,
            },
        );
        for place in (3..count).step_by(11) {
            points[place] = points[place - 1];
        }
        for place in (5..count).step_by(17) {
            points[place] = Point::IDENTITY;
        }
        for place in (9..count).step_by(23) {
            points[place] = opposite(cpu, curve, &points[place - 1]);
        }
        points
    }

    /// Returns -P, whose compressed form has the other tag.
    fn opposite(cpu: &CpuEngine, curve: CurveId, point: &Point) -> Point {
        let Some(mut compressed) = point.to_compressed() else {
            return *point;
        };
        compressed[0] ^= 1;
        let keys = [compressed];
        points_of(
            cpu,
            &crate::ops::point::DecodeKeys {
                curve,
                keys: PublicKeys::compressed(&keys),
                items: 1,
            },
        )[0]
    }

    /// Adds the points one after the other.
    fn one_by_one(cpu: &CpuEngine, curve: CurveId, points: &[Point]) -> Point {
        points.iter().fold(Point::IDENTITY, |sum, point| {
            let sum = [sum];
            let point = [*point];
            let operands = [PublicKeys::points(&sum), PublicKeys::points(&point)];
            points_of(
                cpu,
                &Add {
                    curve,
                    operands,
                    items: 1,
                },
            )[0]
        })
    }

    #[test]
    fn sums_equal_repeated_additions() {
        let cpu = CpuEngine::new(Some(3), None).unwrap();
        for &curve in CurveId::ALL {
            let points = points(&cpu, curve, 700);
            for items in [
                0,
                1,
                2,
                6,
                10,
                PART - 1,
                PART,
                PART + 1,
                2 * PART,
                5 * PART + 7,
                700,
            ] {
                let expected = one_by_one(&cpu, curve, &points[..items]);
                assert_eq!(
                    sum_of(&cpu, curve, PublicKeys::points(&points), items),
                    Ok(expected),
                    "{items} on {curve}"
                );
            }
            // Points whose sum is the identity.
            let mut both = points[..100].to_vec();
            both.extend(
                points[..100]
                    .iter()
                    .map(|point| opposite(&cpu, curve, point)),
            );
            assert_eq!(
                sum_of(&cpu, curve, PublicKeys::points(&both), 200),
                Ok(Point::IDENTITY)
            );
        }
    }

    /// Tests sums of parts as devices compute them: in pieces, and with the points of a chunk
    /// distributed differently.
    #[test]
    fn parts_may_be_computed_by_any_device() {
        let cpu = CpuEngine::new(Some(2), None).unwrap();
        let curve = CurveId::P256;
        let points = points(&cpu, curve, 5 * PART + 7);
        let sums = Sums {
            curve,
            points: PublicKeys::points(&points),
            of: points.len(),
        };
        let (codes, rows) = computed(&cpu, &sums);
        assert_eq!(
            (codes.len(), sums.points_of(&(4..6))),
            (6, 4 * PART..points.len())
        );
        for part in 0..6 {
            let mut code = [0];
            let mut row = [[0; 64]];
            sums.compute_on_cpu(
                &cpu,
                part..part + 1,
                &mut ResultsMut::rows(&mut code, &mut row).into(),
            );
            assert_eq!((code[0], row[0]), (codes[part], rows[part]));
        }
        let expected = sums.combine(&cpu, &codes, &rows);
        let mut other_rows = rows.clone();
        for part in [0, 1] {
            let every_second: Vec<Point> = points[4 * PART..]
                .iter()
                .skip(part)
                .step_by(2)
                .copied()
                .collect();
            let row = one_by_one(&cpu, curve, &every_second);
            other_rows[4 + part] = row.as_bytes()[1..].try_into().unwrap();
        }
        assert_ne!(rows, other_rows);
        assert_eq!(sums.combine(&cpu, &codes, &other_rows), expected);
    }

    #[test]
    fn first_invalid_point_is_reported() {
        let cpu = CpuEngine::new(Some(3), None).unwrap();
        let curve = CurveId::Secp256k1;
        let good = points(&cpu, curve, 300);
        let off_curve = Point::from_coordinates(&[1; 32], &[1; 32]);
        let too_large = Point::from_coordinates(&[0xff; 32], &[1; 32]);
        for (bad, first) in [
            (vec![(0, off_curve)], (0, Rejection::NotOnCurve)),
            (vec![(299, too_large)], (299, Rejection::MalformedPoint)),
            (
                vec![(200, off_curve), (70, too_large)],
                (70, Rejection::MalformedPoint),
            ),
            (
                vec![(64, off_curve), (63, off_curve), (65, too_large)],
                (63, Rejection::NotOnCurve),
            ),
        ] {
            let mut points = good.clone();
            for (place, point) in bad {
                points[place] = point;
            }
            assert_eq!(
                sum_of(&cpu, curve, PublicKeys::points(&points), 300),
                Err(first)
            );
            // The sum of the points before the invalid one is not affected.
            let before = one_by_one(&cpu, curve, &points[..first.0]);
            assert_eq!(
                sum_of(&cpu, curve, PublicKeys::points(&points), first.0),
                Ok(before)
            );
        }
    }

    #[test]
    fn points_may_have_any_encoding() {
        let cpu = CpuEngine::new(Some(1), None).unwrap();
        let curve = CurveId::Sm2;
        let points = points(&cpu, curve, 200);
        let expected = sum_of(&cpu, curve, PublicKeys::points(&points), 200);
        let sec1: Vec<&[u8]> = points.iter().map(Point::as_sec1).collect();
        assert_eq!(sum_of(&cpu, curve, PublicKeys::sec1(&sec1), 200), expected);
        // Zeros are the identity.
        let raw: Vec<[u8; 64]> = points
            .iter()
            .map(|point| point.as_bytes()[1..].try_into().unwrap())
            .collect();
        assert!(raw.contains(&[0; 64]));
        assert_eq!(sum_of(&cpu, curve, PublicKeys::raw(&raw), 200), expected);
        let finite: Vec<Point> = points
            .iter()
            .filter(|point| !point.is_identity())
            .copied()
            .collect();
        let compressed: Vec<[u8; 33]> = finite
            .iter()
            .map(|point| point.to_compressed().unwrap())
            .collect();
        assert_eq!(
            sum_of(
                &cpu,
                curve,
                PublicKeys::compressed(&compressed),
                finite.len()
            ),
            expected
        );
        // One point for all items.
        let all = PublicKeys::all(points[0].as_sec1());
        assert_eq!(
            sum_of(&cpu, curve, all, 200),
            Ok(one_by_one(&cpu, curve, &[points[0]; 200]))
        );
    }
}

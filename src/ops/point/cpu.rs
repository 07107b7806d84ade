//! Point operations on public data, on the CPU.

use crate::cpu::field::Field;
use crate::cpu::msm::{self, Terms};
use crate::cpu::multiply::{mul_add, normalize, sum_products};
use crate::cpu::point::affine::{Affine, Denominators, add_assign, double_assign};
use crate::cpu::tables::BaseTables;
use crate::cpu::{CpuCurve, CpuEngine, decode};
use crate::types::{Point, PublicKeys, Rejection, ResultSink, ResultsMut, Rows};
use std::ops::Range;

/// The widths of results: one column `x || y`.
const WIDTHS: [usize; 2] = [64, 0];

pub fn add<C: CpuCurve>(engine: &CpuEngine, [a, b]: [PublicKeys; 2], out: &mut ResultSink) {
    engine.fill(out, WIDTHS, |range, out| {
        let operands = range.map(|item| {
            Ok((
                decode::point::<C>(a.get(item))?,
                decode::point::<C>(b.get(item))?,
            ))
        });
        decode::compute_accepted(operands, out, decode::put, |operands| {
            let (mut left, right): (Vec<_>, Vec<_>) = operands.into_iter().unzip();
            add_assign::<C>(&mut left, &right, &mut Denominators::new());
            left
        });
    });
}

pub fn double<C: CpuCurve>(engine: &CpuEngine, points: PublicKeys, out: &mut ResultSink) {
    engine.fill(out, WIDTHS, |range, out| {
        let operands = range.map(|item| decode::point::<C>(points.get(item)));
        decode::compute_accepted(operands, out, decode::put, |mut points| {
            double_assign::<C>(&mut points, &mut Denominators::new());
            points
        });
    });
}

pub fn mul_base<C: BaseTables>(engine: &CpuEngine, scalars: Rows<32>, out: &mut ResultSink) {
    engine.fill(out, WIDTHS, |range, out| {
        let table = C::tables().table(engine, range.len());
        let operands = range.map(|item| scalar::<C>(scalars.get(item)));
        decode::compute_accepted(operands, out, decode::put, |scalars| {
            let products: Vec<_> = scalars.iter().map(|scalar| [(table, scalar)]).collect();
            normalize(engine.lanes, &sum_products::<C, 1>(engine.lanes, &products))
        });
    });
}

pub fn mul<C: CpuCurve>(
    engine: &CpuEngine,
    scalars: Rows<32>,
    points: PublicKeys,
    out: &mut ResultSink,
) {
    engine.fill(out, WIDTHS, |range, out| {
        let operands = range.map(|item| {
            Ok((
                scalar::<C>(scalars.get(item))?,
                decode::point::<C>(points.get(item))?,
            ))
        });
        decode::compute_accepted(operands, out, decode::put, |operands| {
            let (scalars, points): (Vec<_>, Vec<_>) = operands.into_iter().unzip();
            normalize(
                engine.lanes,
                &mul_add::<C>(engine.lanes, &scalars, &points, None),
            )
        });
    });
}

/// Decodes public keys in any encoding.
pub fn decode_keys<C: CpuCurve>(engine: &CpuEngine, keys: PublicKeys, out: &mut ResultSink) {
    engine.fill(out, WIDTHS, |range, out| {
        let points = decode::public_keys::<C>(engine.lanes, range.map(|item| keys.get(item)));
        for (place, point) in points.into_iter().enumerate() {
            put(out, place, point);
        }
    });
}

/// Computes the sums of parts of `part` points each; the last part may be shorter.
pub fn sums<C: CpuCurve>(
    engine: &CpuEngine,
    points: PublicKeys,
    of: usize,
    part: usize,
    out: &mut ResultSink,
) {
    engine.fill(out, WIDTHS, |range, out| {
        for (place, index) in range.enumerate() {
            let items = index * part..of.min((index + 1) * part);
            let points: Result<Vec<_>, _> = items
                .map(|item| decode::point::<C>(points.get(item)))
                .collect();
            put(out, place, points.map(sum_of::<C>));
        }
    });
}

/// Returns the sum of points, which may include the identity.
///
/// # Errors
/// The index and rejection of the first invalid point.
pub fn sum<C: CpuCurve>(
    engine: &CpuEngine,
    items: usize,
    points: PublicKeys,
) -> Result<Point, (usize, Rejection)> {
    let sums = engine.map_parts(items, |range| {
        let decoded =
            range.map(|item| decode::point::<C>(points.get(item)).map_err(|reason| (item, reason)));
        decoded.collect::<Result<Vec<_>, _>>().map(sum_of::<C>)
    });
    let sums = sums.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(encoded(&sum_of::<C>(sums)))
}

fn encoded<F: Field>(point: &Affine<F>) -> Point {
    let mut row = [[0; 64]];
    decode::put(&mut ResultsMut::rows(&mut [0], &mut row), 0, point);
    Point::from_row(&row[0])
}

/// The number of products that are summed at a time. It limits the memory that they take.
const PRODUCTS: usize = 1 << 19;

/// Computes the sum of `items` products as the first result; the other results are the identity.
pub fn sums_of_products<C: CpuCurve>(
    engine: &CpuEngine,
    scalars: Rows<32>,
    points: PublicKeys,
    items: usize,
    out: &mut ResultSink,
) {
    let sum = sum_of_products::<C>(engine, scalars, points, items).map_err(|(_, reason)| reason);
    engine.fill(out, WIDTHS, |range, out| {
        for (place, index) in range.enumerate() {
            put(
                out,
                place,
                if index == 0 {
                    sum
                } else {
                    Ok(Affine::IDENTITY)
                },
            );
        }
    });
}

/// Returns the sum of scalars[i] points[i]. Points may include the identity.
///
/// # Errors
/// The index and rejection of the first item with an invalid scalar or point.
pub fn msm<C: CpuCurve>(
    engine: &CpuEngine,
    scalars: Rows<32>,
    points: PublicKeys,
    items: usize,
) -> Result<Point, (usize, Rejection)> {
    sum_of_products::<C>(engine, scalars, points, items).map(|sum| encoded(&sum))
}

fn sum_of_products<C: CpuCurve>(
    engine: &CpuEngine,
    scalars: Rows<32>,
    points: PublicKeys,
    items: usize,
) -> Result<Affine<C::Base>, (usize, Rejection)> {
    let mut sums = Vec::with_capacity(items.div_ceil(PRODUCTS));
    for start in (0..items).step_by(PRODUCTS) {
        let range = start..items.min(start + PRODUCTS);
        sums.push(if range.len() < msm::FEWEST {
            let (scalars, points) = operands::<C>(engine, scalars, points, range)?;
            sum_of::<C>(normalize(
                engine.lanes,
                &mul_add::<C>(engine.lanes, &scalars, &points, None),
            ))
        } else {
            let parts = engine.map_parts(range.len(), |part| {
                let part = range.start + part.start..range.start + part.end;
                let (scalars, points) = operands::<C>(engine, scalars, points, part)?;
                Ok(Terms::<C>::new(engine.lanes, &scalars, &points))
            });
            let mut terms = Terms::with_capacity(range.len());
            for part in parts {
                terms.append(part?);
            }
            msm::sum(&engine.pool, engine.lanes, &terms)
        });
    }
    Ok(sum_of::<C>(sums))
}

/// Decodes the scalars and points of a range of products.
///
/// # Errors
/// The index and rejection of the first invalid item.
fn operands<C: CpuCurve>(
    engine: &CpuEngine,
    scalars: Rows<32>,
    points: PublicKeys,
    items: Range<usize>,
) -> Result<(Vec<C::Scalar>, Vec<Affine<C::Base>>), (usize, Rejection)> {
    let decoded =
        decode::public_keys::<C>(engine.lanes, items.clone().map(|item| points.get(item)));
    let operands = items.zip(decoded).map(|(item, point)| {
        let scalar = scalar::<C>(scalars.get(item)).map_err(|reason| (item, reason))?;
        match point {
            Err(Rejection::IdentityKey) => Ok((scalar, Affine::IDENTITY)),
            point => Ok((scalar, point.map_err(|reason| (item, reason))?)),
        }
    });
    operands.collect()
}

/// Sums points by repeatedly adding the upper half to the lower half.
fn sum_of<C: CpuCurve>(mut points: Vec<Affine<C::Base>>) -> Affine<C::Base> {
    let mut denominators = Denominators::new();
    while points.len() > 1 {
        let upper = points.split_off(points.len().div_ceil(2));
        add_assign::<C>(&mut points[..upper.len()], &upper, &mut denominators);
    }
    points.pop().unwrap_or(Affine::IDENTITY)
}

fn scalar<C: CpuCurve>(bytes: &[u8; 32]) -> Result<C::Scalar, Rejection> {
    C::Scalar::from_be_bytes(bytes).ok_or(Rejection::ScalarOutOfRange)
}

fn put<F: Field>(out: &mut ResultsMut, place: usize, point: Result<Affine<F>, Rejection>) {
    match point {
        Ok(point) => decode::put(out, place, &point),
        Err(reason) => out.reject(place, reason),
    }
}

//! Point operations on public data.

use super::affine::{Affine, Denominators, add_assign, double_assign};
use super::field::Field;
use super::multiply::{mul_add, normalize, sum_products};
use super::{CpuCurve, CpuEngine, decode};
use crate::encoding::{Point, PublicKeys};
use crate::error::Rejection;
use crate::point::Points;

/// What a result holds until its chunk is computed.
const PENDING: Result<Point, Rejection> = Err(Rejection::MalformedPoint);

pub(crate) fn add<C: CpuCurve>(engine: &CpuEngine, a: &[Point], b: &[Point]) -> Points {
    engine.map_chunks(a.len(), PENDING, |range, out| {
        let operands = range.map(|item| Ok((decode::point::<C>(&a[item])?, decode::point::<C>(&b[item])?)));
        compute_accepted(operands, out, |operands| {
            let (mut left, right): (Vec<_>, Vec<_>) = operands.into_iter().unzip();
            add_assign::<C>(&mut left, &right, &mut Denominators::new());
            left
        });
    })
}

pub(crate) fn double<C: CpuCurve>(engine: &CpuEngine, points: &[Point]) -> Points {
    engine.map_chunks(points.len(), PENDING, |range, out| {
        compute_accepted(range.map(|item| decode::point::<C>(&points[item])), out, |mut points| {
            double_assign::<C>(&mut points, &mut Denominators::new());
            points
        });
    })
}

pub(crate) fn mul_base<C: CpuCurve>(engine: &CpuEngine, scalars: &[[u8; 32]]) -> Points {
    engine.map_chunks(scalars.len(), PENDING, |range, out| {
        let table = C::precomputed().table(engine, range.len());
        compute_accepted(range.map(|item| scalar::<C>(&scalars[item])), out, |scalars| {
            let products: Vec<_> = scalars.iter().map(|scalar| [(table, scalar)]).collect();
            normalize(engine.lanes, &sum_products::<C, 1>(engine.lanes, &products))
        });
    })
}

pub(crate) fn mul<C: CpuCurve>(engine: &CpuEngine, scalars: &[[u8; 32]], points: &[Point]) -> Points {
    engine.map_chunks(scalars.len(), PENDING, |range, out| {
        let operands = range.map(|item| Ok((scalar::<C>(&scalars[item])?, decode::point::<C>(&points[item])?)));
        compute_accepted(operands, out, |operands| {
            let (scalars, points): (Vec<_>, Vec<_>) = operands.into_iter().unzip();
            normalize(engine.lanes, &mul_add::<C>(engine.lanes, &scalars, &points, None))
        });
    })
}

/// The points of public keys in any encoding.
pub(crate) fn decode_keys<C: CpuCurve>(engine: &CpuEngine, items: usize, keys: PublicKeys) -> Points {
    engine.map_chunks(items, PENDING, |range, out| {
        let points = decode::public_keys::<C>(engine.lanes, range.map(|item| keys.get(item)));
        for (place, point) in out.iter_mut().zip(points) {
            *place = point.map(|point| decode::encode(&point));
        }
    })
}

fn scalar<C: CpuCurve>(bytes: &[u8; 32]) -> Result<C::Scalar, Rejection> {
    C::Scalar::from_be_bytes(bytes).ok_or(Rejection::ScalarOutOfRange)
}

/// Passes the operands that decoded to `compute` in one batch, and puts its results and the rejections in their places.
fn compute_accepted<T, F: Field>(
    operands: impl Iterator<Item = Result<T, Rejection>>,
    out: &mut [Result<Point, Rejection>],
    compute: impl FnOnce(Vec<T>) -> Vec<Affine<F>>,
) {
    let mut accepted = Vec::with_capacity(out.len());
    let mut places = Vec::with_capacity(out.len());
    for (place, operand) in out.iter_mut().zip(operands) {
        match operand {
            Err(rejection) => *place = Err(rejection),
            Ok(operand) => {
                accepted.push(operand);
                places.push(place);
            }
        }
    }
    for (place, result) in places.into_iter().zip(compute(accepted)) {
        *place = Ok(decode::encode(&result));
    }
}

//! Point operations on public data.

use super::Fault;
use super::kernels::{self, window_tables_bytes};
use super::pipeline::Footprint;
use super::rows::{
    self, JACOBIAN, KEY_ROW, NUMBER, POINT, POINT_ROW, Points as Columns, Rows, SCALAR, TOO_LARGE, convert,
};
use crate::cpu;
use crate::curve::Curve;
use crate::encoding::{Point, PublicKeys};
use crate::engine::Engines;
use crate::error::Rejection;
use crate::point::Points;

/// Bytes of inputs, and of what an operation needs beside, per item.
fn footprint(device: usize, pinned: usize) -> Footprint {
    Footprint { device: device + 64, device_fixed: 0, most_waves: 6, pinned: pinned + POINT_ROW, secret: false }
}

pub fn add<C: Curve>(engines: Engines, a: &[Point], b: &[Point]) -> Result<Points, Fault> {
    let cpu = engines.cpu;
    engines.run(
        a.len(),
        footprint(2 * (KEY_ROW + POINT) + POINT + NUMBER, 2 * KEY_ROW),
        &|lane, range, out| {
            let n = range.len();
            lane.device.clone().prepare(C::NAME, &["layout", "point_add"])?;
            let inputs = [Rows::of_points(&a[range.clone()]), Rows::of_points(&b[range])];
            let [left, right] = rows::upload(lane, cpu, inputs)?;
            let left = rows::import_points(lane, C::NAME, left, n)?;
            let right = rows::import_points(lane, C::NAME, right, n)?;
            let sum = Columns { xy: lane.buffer(64 * n)?, kinds: lane.buffer(n)? };
            let prefixes = lane.prefixes(n)?;
            kernels::point_add(
                lane,
                C::NAME,
                left.xy,
                left.kinds,
                right.xy,
                right.kinds,
                sum.xy,
                sum.kinds,
                prefixes,
                n as u64,
            )?;
            let result = rows::download_points(lane, C::NAME, sum, n)?;
            lane.finish()?;
            convert(lane, cpu, out, |i| result.get(lane, i));
            Ok(())
        },
        &|range| cpu::point::add::<C>(cpu, &a[range.clone()], &b[range]),
    )
}

pub fn double<C: Curve>(engines: Engines, points: &[Point]) -> Result<Points, Fault> {
    let cpu = engines.cpu;
    engines.run(
        points.len(),
        footprint(KEY_ROW + 2 * POINT + NUMBER, KEY_ROW),
        &|lane, range, out| {
            let n = range.len();
            lane.device.clone().prepare(C::NAME, &["layout", "point_add"])?;
            let [from] = rows::upload(lane, cpu, [Rows::of_points(&points[range])])?;
            let from = rows::import_points(lane, C::NAME, from, n)?;
            let to = Columns { xy: lane.buffer(64 * n)?, kinds: lane.buffer(n)? };
            let prefixes = lane.prefixes(n)?;
            kernels::point_double(lane, C::NAME, from.xy, from.kinds, to.xy, to.kinds, prefixes, n as u64)?;
            let result = rows::download_points(lane, C::NAME, to, n)?;
            lane.finish()?;
            convert(lane, cpu, out, |i| result.get(lane, i));
            Ok(())
        },
        &|range| cpu::point::double::<C>(cpu, &points[range]),
    )
}

pub fn mul_base<C: Curve>(engines: Engines, scalars: &[[u8; 32]]) -> Result<Points, Fault> {
    let cpu = engines.cpu;
    engines.run(
        scalars.len(),
        footprint(SCALAR + POINT + JACOBIAN, NUMBER + 1),
        &|lane, range, out| {
            let n = range.len();
            lane.device.clone().prepare(C::NAME, &["layout", "table", "fpmul", "normalize"])?;
            let table = lane.device.clone().tables().public(lane, C::NAME)?;
            let [scalars] = rows::upload(lane, cpu, [Rows::of(&scalars[range])])?;
            let (columns, kinds) = rows::import_scalars(lane, C::NAME, scalars, n)?;
            let (xyz, product) = (lane.buffer(96 * n)?, Columns { xy: lane.buffer(64 * n)?, kinds: lane.buffer(n)? });
            let prefixes = lane.prefixes(n)?;
            kernels::fpmul_var(lane, C::NAME, columns, table.address(), table.bits, xyz, n as u64)?;
            kernels::normalize(lane, C::NAME, xyz, product.xy, product.kinds, 0, prefixes, n as u64)?;
            let kinds = lane.download(kinds, n)?;
            let result = rows::download_points(lane, C::NAME, product, n)?;
            lane.finish()?;
            let too_large = |i: usize| lane.read(kinds.clone())[i] == TOO_LARGE;
            convert(
                lane,
                cpu,
                out,
                |i| if too_large(i) { Err(Rejection::ScalarOutOfRange) } else { result.get(lane, i) },
            );
            Ok(())
        },
        &|range| cpu::point::mul_base::<C>(cpu, &scalars[range]),
    )
}

pub fn mul<C: Curve>(engines: Engines, scalars: &[[u8; 32]], points: &[Point]) -> Result<Points, Fault> {
    let cpu = engines.cpu;
    let mut footprint = footprint(SCALAR + KEY_ROW + POINT + JACOBIAN, NUMBER + KEY_ROW + 1);
    footprint.device_fixed = window_tables_bytes(1);
    engines.run(
        scalars.len(),
        footprint,
        &|lane, range, out| {
            let n = range.len();
            lane.device.clone().prepare(C::NAME, &["layout", "upmul", "normalize"])?;
            let inputs = [Rows::of(&scalars[range.clone()]), Rows::of_points(&points[range])];
            let [scalars, points] = rows::upload(lane, cpu, inputs)?;
            let (columns, kinds) = rows::import_scalars(lane, C::NAME, scalars, n)?;
            let Columns { xy, kinds: of_points } = rows::import_points(lane, C::NAME, points, n)?;
            let (tables, next_tile) = kernels::window_scratch(lane, n)?;
            let (xyz, prefixes) = (lane.buffer(96 * n)?, lane.prefixes(n)?);
            kernels::upmul_var(lane, C::NAME, columns, xy, of_points, tables, xyz, next_tile, n as u64)?;
            kernels::normalize(lane, C::NAME, xyz, xy, of_points, 1, prefixes, n as u64)?;
            let kinds = lane.download(kinds, n)?;
            let result = rows::download_points(lane, C::NAME, Columns { xy, kinds: of_points }, n)?;
            lane.finish()?;
            let too_large = |i: usize| lane.read(kinds.clone())[i] == TOO_LARGE;
            convert(
                lane,
                cpu,
                out,
                |i| if too_large(i) { Err(Rejection::ScalarOutOfRange) } else { result.get(lane, i) },
            );
            Ok(())
        },
        &|range| cpu::point::mul::<C>(cpu, &scalars[range.clone()], &points[range]),
    )
}

/// The points of public keys in any encoding.
pub fn decode_keys<C: Curve>(engines: Engines, items: usize, keys: PublicKeys) -> Result<Points, Fault> {
    let cpu = engines.cpu;
    engines.run(
        items,
        footprint(KEY_ROW + POINT, KEY_ROW),
        &|lane, range, out| {
            let n = range.len();
            lane.device.clone().prepare(C::NAME, &["layout"])?;
            let [key_rows] = rows::upload(lane, cpu, [Rows::of_keys(keys, range)])?;
            let points = rows::import_keys(lane, C::NAME, keys.form(), key_rows, n)?;
            let result = rows::download_points(lane, C::NAME, points, n)?;
            lane.finish()?;
            // A public key is not the identity.
            let key = |i| {
                result
                    .get(lane, i)
                    .and_then(|key| if key.is_identity() { Err(Rejection::IdentityKey) } else { Ok(key) })
            };
            convert(lane, cpu, out, key);
            Ok(())
        },
        &|range| cpu::point::decode_keys::<C>(cpu, range.len(), keys.slice(range)),
    )
}

//! Between the caller's rows of bytes and the columns of words on the device.

use super::fault::Fault;
use super::kernels;
use super::lane::Lane;
use super::memory::Address;
use super::turn;
use crate::cpu::CpuEngine;
use crate::encoding::{KeyRows, Point, PublicKeys};
use crate::error::Rejection;
use rayon::prelude::*;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Items that one thread copies or converts at a time.
const BLOCK: usize = 1 << 13;

/// Points on the device: coordinates in columns, one kind byte each (`cuda/curve/point.cuh`).
#[derive(Clone, Copy, Debug)]
pub struct Points {
    pub xy: Address,
    pub kinds: Address,
}

/// Bytes of `Points` per item.
pub const POINT: usize = 64 + 1;
/// Bytes of a column of numbers per item.
pub const NUMBER: usize = 32;
/// Bytes of a Jacobian point in columns, and of the normalisation's scratch, per item.
pub const JACOBIAN: usize = 96 + NUMBER;
/// Bytes of an uploaded scalar: its row, its column and its kind.
pub const SCALAR: usize = 2 * NUMBER + 1;
/// Bytes of the longest row of a key.
pub const KEY_ROW: usize = 65;

/// `PointKind` of the device code; the others are malformed points.
pub mod kind {
    pub const FINITE: u8 = 1;
    pub const IDENTITY: u8 = 2;
    pub const OFF_CURVE: u8 = 4;
}

/// `NumberKind` of the device code: the one that is not below n.
pub const TOO_LARGE: u8 = 3;

/// `TagSet` of the device code: first bytes that a row of 65 bytes may have.
mod tags {
    pub const IDENTITY: u32 = 1;
    pub const COMPRESSED: u32 = 2;
    pub const UNCOMPRESSED: u32 = 4;
}

/// Copies rows of N bytes, on several threads where there are many.
pub fn copy_rows<const N: usize>(cpu: &CpuEngine, to: &mut [u8], rows: &[[u8; N]]) {
    fill_rows(cpu, to, rows.len(), |items, to| to.copy_from_slice(rows[items].as_flattened()));
}

/// Fills rows of equal length block by block, on several threads where there are many.
pub fn fill_rows(cpu: &CpuEngine, to: &mut [u8], items: usize, fill: impl Fn(Range<usize>, &mut [u8]) + Sync) {
    let Some(width) = to.len().checked_div(items) else { return };
    if items <= BLOCK {
        return fill(0..items, to);
    }
    cpu.install(|| {
        to.par_chunks_mut(BLOCK * width).enumerate().for_each(|(index, to)| {
            let start = index * BLOCK;
            fill(start..start + to.len() / width, to);
        });
    });
}

/// One result per item from what the device gave, on several threads where there are many.
pub fn convert<T: Send>(cpu: &CpuEngine, out: &mut [MaybeUninit<T>], result: impl Fn(usize) -> T + Sync) {
    let block = |start: usize, out: &mut [MaybeUninit<T>]| {
        for (offset, place) in out.iter_mut().enumerate() {
            place.write(result(start + offset));
        }
    };
    if out.len() <= BLOCK {
        return block(0, out);
    }
    let _turn = turn::take();
    cpu.install(|| out.par_chunks_mut(BLOCK).enumerate().for_each(|(index, out)| block(index * BLOCK, out)));
}

/// Scalars as columns, with the kind of each.
pub fn upload_scalars(
    lane: &mut Lane,
    cpu: &CpuEngine,
    curve: &'static str,
    scalars: &[[u8; 32]],
) -> Result<(Address, Address), Fault> {
    let n = scalars.len();
    let rows = lane.upload(32 * n, |to| copy_rows(cpu, to, scalars))?;
    let (columns, kinds) = (lane.buffer(NUMBER * n)?, lane.buffer(n)?);
    kernels::import_scalars(lane, curve, rows, columns, kinds, n as u64)?;
    Ok((columns, kinds))
}

/// Points that the caller may have got from this crate, the identity among them.
pub fn upload_points(lane: &mut Lane, cpu: &CpuEngine, curve: &'static str, points: &[Point]) -> Result<Points, Fault> {
    upload_keys(lane, cpu, curve, PublicKeys::points(points), 0..points.len())
}

/// The public keys of some items, in any encoding.
pub fn upload_keys(
    lane: &mut Lane,
    cpu: &CpuEngine,
    curve: &'static str,
    keys: PublicKeys,
    items: Range<usize>,
) -> Result<Points, Fault> {
    let n = items.len();
    let points = Points { xy: lane.buffer(64 * n)?, kinds: lane.buffer(n)? };
    let Points { xy, kinds } = points;
    let (form, count) = (keys.rows(), n as u64);
    let width = match form {
        KeyRows::Compressed => 33,
        KeyRows::Raw => 64,
        KeyRows::Uncompressed | KeyRows::Points | KeyRows::Mixed => 65,
    };
    let rows = lane.upload(width * n, |to| {
        fill_rows(cpu, to, n, |block, to| keys.write_rows(items.start + block.start..items.start + block.end, to));
    })?;
    match form {
        KeyRows::Compressed => kernels::import_points_compressed(lane, curve, rows, xy, kinds, count),
        KeyRows::Raw => kernels::import_points_raw(lane, curve, rows, 0, xy, kinds, count),
        KeyRows::Uncompressed => import_sec1(lane, curve, rows, tags::UNCOMPRESSED, points, count),
        KeyRows::Points => import_sec1(lane, curve, rows, tags::UNCOMPRESSED | tags::IDENTITY, points, count),
        KeyRows::Mixed => {
            let all = tags::UNCOMPRESSED | tags::COMPRESSED | tags::IDENTITY;
            import_sec1(lane, curve, rows, all, points, count)
        }
    }?;
    Ok(points)
}

fn import_sec1(
    lane: &mut Lane,
    curve: &'static str,
    rows: Address,
    tags: u32,
    points: Points,
    n: u64,
) -> Result<(), Fault> {
    kernels::import_points_sec1(lane, curve, rows, tags, points.xy, points.kinds, n)
}

/// Points on their way to the host: rows of `x || y`, and kinds.
pub struct PointRows {
    rows: Range<usize>,
    kinds: Range<usize>,
}

/// Pinned and device bytes of `PointRows` per item.
pub const POINT_ROW: usize = 64 + 1;

pub fn download_points(lane: &mut Lane, curve: &'static str, points: Points, n: usize) -> Result<PointRows, Fault> {
    let rows = export_points(lane, curve, points, n)?;
    Ok(PointRows { rows: lane.download(rows, 64 * n)?, kinds: lane.download(points.kinds, n)? })
}

/// Like `download_points`, for points that are secret.
pub fn download_secret_points(
    lane: &mut Lane,
    curve: &'static str,
    points: Points,
    n: usize,
) -> Result<PointRows, Fault> {
    let rows = export_points(lane, curve, points, n)?;
    Ok(PointRows { rows: lane.download_secret(rows, 64 * n)?, kinds: lane.download(points.kinds, n)? })
}

fn export_points(lane: &mut Lane, curve: &'static str, points: Points, n: usize) -> Result<Address, Fault> {
    let rows = lane.buffer(64 * n)?;
    kernels::export_points_raw(lane, curve, points.xy, points.kinds, rows, n as u64)?;
    Ok(rows)
}

impl PointRows {
    /// Point i of a lane that has finished.
    pub fn get(&self, lane: &Lane, i: usize) -> Result<Point, Rejection> {
        match lane.read(self.kinds.clone())[i] {
            kind::FINITE => {
                let row = &lane.read(self.rows.clone())[64 * i..64 * i + 64];
                Ok(Point::from_raw(row.try_into().expect("64 bytes")))
            }
            kind::IDENTITY => Ok(Point::IDENTITY),
            other => Err(point_rejection(other)),
        }
    }
}

/// Why a kind is not a point.
fn point_rejection(kind: u8) -> Rejection {
    match kind {
        kind::OFF_CURVE => Rejection::NotOnCurve,
        _ => Rejection::MalformedPoint,
    }
}

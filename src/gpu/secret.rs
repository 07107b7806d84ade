//! Operations on secret scalars: kernels whose branches and addresses do not depend on them, and memory that is wiped.

use super::Fault;
use super::kernels::{self, window_tables_bytes};
use super::lane::Lane;
use super::memory::Address;
use super::pipeline::Footprint;
use super::rows::{
    self, JACOBIAN, KEY_ROW, NUMBER, POINT, POINT_ROW, Points as Columns, Rows, SCALAR, convert, convert_secret,
};
use crate::cpu;
use crate::curve::SecretCurve;
use crate::encoding::PublicKeys;
use crate::engine::Engines;
use crate::error::Rejection;
use crate::point::Points;
use crate::secret::{SecretKey, SecretKeys, SharedPoint, SharedSecret};
use std::ops::Range;

/// Kernel files of `d * G` and of `d * Q`.
const BASE_FILES: &[&str] = &["layout", "nonces", "table", "fpmul", "normalize"];
const POINT_FILES: &[&str] = &["layout", "nonces", "upmul", "normalize"];

/// `SignStatus` of the device code: a key that is in `1..n`.
const IN_RANGE: u8 = 1;

/// Rows of private keys on the device: one per item, or one for all.
#[derive(Clone, Copy, Debug)]
pub struct KeyRows {
    pub rows: Address,
    /// Bytes between the keys of neighbouring items: 32 or 0.
    pub stride: u64,
}

impl KeyRows {
    /// Those of `Rows::of_secret_keys`, on the device.
    pub fn new(keys: SecretKeys, rows: Address) -> Self {
        KeyRows { rows, stride: if keys.single().is_some() { 0 } else { 32 } }
    }
}

/// The keys as columns, with the status of each.
pub fn scalars(lane: &mut Lane, curve: &'static str, keys: KeyRows, n: usize) -> Result<(Address, Address), Fault> {
    let (columns, status) = (lane.buffer(NUMBER * n)?, lane.buffer(n)?);
    kernels::secret_scalars(lane, curve, keys.rows, keys.stride, columns, status, n as u64)?;
    Ok((columns, status))
}

pub fn public_keys<C: SecretCurve>(engines: Engines, secret_keys: &[SecretKey]) -> Result<Points, Fault> {
    let cpu = engines.cpu;
    let footprint = Footprint {
        device: SCALAR + POINT + JACOBIAN + POINT_ROW,
        device_fixed: 0,
        most_waves: 6,
        pinned: NUMBER + 1 + POINT_ROW,
        secret: true,
    };
    engines.run(
        secret_keys.len(),
        footprint,
        &|lane, range, out| {
            let n = range.len();
            lane.device.clone().prepare(C::NAME, BASE_FILES)?;
            let table = lane.device.clone().tables().uniform(lane, C::NAME)?;
            let keys = SecretKeys::from(secret_keys);
            let [key_rows] = rows::upload(lane, cpu, [Rows::of_secret_keys(keys, range)])?;
            let (columns, status) = scalars(lane, C::NAME, KeyRows::new(keys, key_rows), n)?;
            let (xyz, product) = (lane.buffer(96 * n)?, Columns { xy: lane.buffer(64 * n)?, kinds: lane.buffer(n)? });
            let prefixes = lane.prefixes(n)?;
            kernels::fpmul_uniform(lane, C::NAME, columns, table, xyz, n as u64)?;
            kernels::normalize(lane, C::NAME, xyz, product.xy, product.kinds, 0, prefixes, n as u64)?;
            let status = lane.download(status, n)?;
            let result = rows::download_points(lane, C::NAME, product, n)?;
            lane.finish()?;
            let in_range = |i: usize| lane.read(status.clone())[i] == IN_RANGE;
            convert(lane, cpu, out, |i| {
                if in_range(i) { result.get(lane, i) } else { Err(Rejection::SecretKeyOutOfRange) }
            });
            Ok(())
        },
        &|range| cpu::secret::public_keys::<C>(cpu, &secret_keys[range]),
    )
}

/// What `take` makes of each shared point, `x || y`.
fn shared<C: SecretCurve, T: Send>(
    engines: Engines,
    items: usize,
    secret_keys: SecretKeys,
    peers: PublicKeys,
    take: impl Fn(&[u8; 64]) -> T + Sync,
    rescue: impl Fn(Range<usize>) -> Vec<Result<T, Rejection>> + Sync,
) -> Result<Vec<Result<T, Rejection>>, Fault> {
    let cpu = engines.cpu;
    let footprint = Footprint {
        device: SCALAR + KEY_ROW + POINT + JACOBIAN + POINT_ROW,
        device_fixed: window_tables_bytes(1),
        most_waves: 6,
        pinned: NUMBER + KEY_ROW + 1 + POINT_ROW,
        secret: true,
    };
    engines.run(
        items,
        footprint,
        &|lane, range, out| {
            let n = range.len();
            lane.device.clone().prepare(C::NAME, POINT_FILES)?;
            let inputs = [Rows::of_secret_keys(secret_keys, range.clone()), Rows::of_keys(peers, range)];
            let [key_rows, peer_rows] = rows::upload(lane, cpu, inputs)?;
            let (columns, status) = scalars(lane, C::NAME, KeyRows::new(secret_keys, key_rows), n)?;
            let Columns { xy, kinds: of_points } = rows::import_keys(lane, C::NAME, peers.form(), peer_rows, n)?;
            let (tables, next_tile) = kernels::window_scratch(lane, n)?;
            let (xyz, prefixes) = (lane.buffer(96 * n)?, lane.prefixes(n)?);
            kernels::upmul_uniform(lane, C::NAME, columns, xy, of_points, tables, xyz, next_tile, n as u64)?;
            kernels::normalize(lane, C::NAME, xyz, xy, of_points, 1, prefixes, n as u64)?;
            let status = lane.download(status, n)?;
            let result = rows::download_secret_points(lane, C::NAME, Columns { xy, kinds: of_points }, n)?;
            lane.finish()?;
            let item = |i: usize| {
                if lane.read(status.clone())[i] != IN_RANGE {
                    return Err(Rejection::SecretKeyOutOfRange);
                }
                // A key in range times a point of prime order is never the identity: that was the peer's key.
                Ok(take(result.row(lane, i)?.ok_or(Rejection::IdentityKey)?))
            };
            convert_secret(lane, cpu, out, item);
            Ok(())
        },
        &rescue,
    )
}

pub fn shared_points<C: SecretCurve>(
    engines: Engines,
    items: usize,
    secret_keys: SecretKeys,
    peers: PublicKeys,
) -> Result<Vec<Result<SharedPoint, Rejection>>, Fault> {
    let rescue = |range: Range<usize>| {
        cpu::agree::shared_points::<C>(engines.cpu, range.len(), secret_keys.slice(range.clone()), peers.slice(range))
    };
    shared::<C, _>(engines, items, secret_keys, peers, SharedPoint::of, rescue)
}

pub fn shared_secrets<C: SecretCurve>(
    engines: Engines,
    items: usize,
    secret_keys: SecretKeys,
    peers: PublicKeys,
) -> Result<Vec<Result<SharedSecret, Rejection>>, Fault> {
    let rescue = |range: Range<usize>| {
        cpu::agree::shared_secrets::<C>(engines.cpu, range.len(), secret_keys.slice(range.clone()), peers.slice(range))
    };
    shared::<C, _>(engines, items, secret_keys, peers, SharedSecret::of, rescue)
}

//! Recovery of public keys, and of what is computed from them.

use super::Fault;
use super::kernels::{self, window_tables_bytes};
use super::lane::Lane;
use super::memory;
use super::pipeline::Footprint;
use super::rows::{self, JACOBIAN, NUMBER, POINT, POINT_ROW, Points as Columns, Rows, convert};
use super::verify::{EQUATIONS, SIGNED, verdict};
use crate::cpu;
use crate::cpu::recover::Inputs;
use crate::curve::EcdsaCurve;
use crate::ecdsa::Address;
use crate::engine::Engines;
use crate::error::{Rejection, Verdict};
use crate::point::Points;
use std::ops::Range;

const FILES: &[&str] = &["layout", "table", "recover", "normalize"];
/// What addresses need besides.
const ADDRESS_FILES: &[&str] = &["address"];
/// Bytes of an address.
const ADDRESS: usize = size_of::<Address>();

pub fn keys<C: EcdsaCurve>(engines: Engines, inputs: Inputs) -> Result<Points, Fault> {
    let download = |lane: &mut Lane, keys, n| rows::download_points(lane, C::NAME, keys, n);
    let on_cpu = |items| cpu::recover::recover::<C>(engines.cpu, inputs.slice(items));
    recover::<C, _, _>(engines, inputs, POINT_ROW, &download, &|lane, rows, i| rows.get(lane, i), &on_cpu)
}

/// Ethereum addresses of the keys.
pub fn addresses<C: EcdsaCurve>(engines: Engines, inputs: Inputs) -> Result<Vec<Result<Address, Rejection>>, Fault> {
    let download = |lane: &mut Lane, keys: Columns, n| {
        lane.device.clone().prepare(C::NAME, ADDRESS_FILES)?;
        let rows = lane.buffer(ADDRESS * n)?;
        kernels::ethereum_addresses(lane, C::NAME, keys.xy, keys.kinds, rows, n as u64)?;
        lane.download(rows, ADDRESS * n)
    };
    let address = |lane: &Lane, rows: &Range<usize>, i| {
        let row = &lane.read(rows.clone())[ADDRESS * i..ADDRESS * (i + 1)];
        Ok(row.try_into().expect("the bytes of an address"))
    };
    let on_cpu = |items| cpu::recover::addresses::<C>(engines.cpu, inputs.slice(items));
    recover::<C, _, _>(engines, inputs, ADDRESS, &download, &address, &on_cpu)
}

/// The keys of a chunk's signatures, and the verdicts, from rows of digests, signatures and recovery ids.
pub fn recover_chunk(
    lane: &mut Lane,
    curve: &'static str,
    [digests, signatures, ids]: [memory::Address; 3],
    n: usize,
) -> Result<(Columns, memory::Address), Fault> {
    let count = n as u64;
    let table = lane.device.clone().tables().public(lane, curve)?;
    let (u1, u2, verdicts) = (lane.buffer(NUMBER * n)?, lane.buffer(NUMBER * n)?, lane.buffer(n)?);
    let (xy, kinds) = (lane.buffer(64 * n)?, lane.buffer(n)?);
    let (xyz, prefixes) = (lane.buffer(96 * n)?, lane.prefixes(n)?);
    kernels::recover_equations(lane, curve, digests, signatures, ids, u1, u2, xy, kinds, verdicts, prefixes, count)?;
    let (tables, next_tile) = kernels::window_scratch(lane, n)?;
    let (address, bits) = (table.address(), table.bits);
    kernels::multiply_add(lane, curve, u1, u2, xy, kinds, address, bits, tables, next_tile, xyz, count)?;
    kernels::normalize(lane, curve, xyz, xy, kinds, 1, prefixes, count)?;
    kernels::recover_verdicts(lane, curve, kinds, verdicts, count)?;
    Ok((Columns { xy, kinds }, verdicts))
}

/// Recovers the keys of a batch. `download` starts the copy of what is wanted of a chunk's keys, `row` bytes per item;
/// `result` then gives that of a key that was recovered.
fn recover<C: EcdsaCurve, D: Sync, T: Send>(
    engines: Engines,
    inputs: Inputs,
    row: usize,
    download: &(dyn Fn(&mut Lane, Columns, usize) -> Result<D, Fault> + Sync),
    result: &(dyn Fn(&Lane, &D, usize) -> Result<T, Rejection> + Sync),
    on_cpu: &(dyn Fn(Range<usize>) -> Vec<Result<T, Rejection>> + Sync),
) -> Result<Vec<Result<T, Rejection>>, Fault> {
    let cpu = engines.cpu;
    let footprint = Footprint {
        device: SIGNED + 1 + EQUATIONS + POINT + JACOBIAN + NUMBER + row,
        device_fixed: window_tables_bytes(1),
        most_waves: 8,
        pinned: SIGNED + 2 + row,
        secret: false,
    };
    engines.run(
        inputs.digests.len(),
        footprint,
        &|lane, range, out| {
            let (n, Inputs { digests, signatures, recovery_ids }) = (range.len(), inputs.slice(range));
            lane.device.clone().prepare(C::NAME, FILES)?;
            let inputs = [Rows::of(digests), Rows::of(signatures), Rows::of::<1>(recovery_ids.as_chunks().0)];
            let [digests, signatures, ids] = rows::upload(lane, cpu, inputs)?;
            let (keys, verdicts) = recover_chunk(lane, C::NAME, [digests, signatures, ids], n)?;
            let downloaded = download(lane, keys, n)?;
            let verdicts = lane.download(verdicts, n)?;
            lane.finish()?;
            let codes = lane.read(verdicts);
            convert(lane, cpu, out, |i| match verdict(codes[i]) {
                Verdict::Valid => result(lane, &downloaded, i),
                Verdict::Rejected(reason) => Err(reason),
            });
            Ok(())
        },
        on_cpu,
    )
}

//! Verification and recovery.

use super::Fault;
use super::kernels::{self, window_tables_bytes};
use super::key_tables::{self, Grouping};
use super::lane::Lane;
use super::memory::Address;
use super::pipeline::Footprint;
use super::rows::{self, JACOBIAN, KEY_ROW, NUMBER, POINT, POINT_ROW, Points as Columns, convert, copy_rows};
use crate::cpu::{self, CpuEngine};
use crate::curve::EcdsaCurve;
use crate::curve::{Curve, Sm2};
use crate::ecdsa::Policy;
use crate::encoding::PublicKeys;
use crate::engine::Engines;
use crate::error::{Rejection, Verdict, Verdicts};
use crate::point::Points;
use std::ops::Range;

const FILES: &[&str] = &["layout", "table", "equations", "verify", "key_groups", "key_tables"];
const RECOVER_FILES: &[&str] = &["layout", "table", "recover", "normalize"];
/// Bytes of a digest and a signature per item.
const SIGNED: usize = 32 + 64;

/// What every item claims: x(u1 G + u2 Q) = x modulo n, unless its verdict is known already.
#[derive(Clone, Copy, Debug)]
pub struct Equations {
    pub u1: Address,
    pub u2: Address,
    pub x: Address,
    pub verdicts: Address,
}

/// Bytes of `Equations` per item.
pub const EQUATIONS: usize = 3 * NUMBER + 1;

impl Equations {
    pub fn new(lane: &mut Lane, n: usize) -> Result<Self, Fault> {
        let mut number = || lane.buffer(NUMBER * n);
        let (u1, u2, x) = (number()?, number()?, number()?);
        Ok(Equations { u1, u2, x, verdicts: lane.buffer(n)? })
    }
}

pub fn ecdsa<C: EcdsaCurve>(
    engines: Engines,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    keys: PublicKeys,
    policy: Policy,
) -> Result<Verdicts, Fault> {
    let equations = |lane: &mut Lane, digests, signatures, to: Equations, n: u64| {
        let (low_s, prefixes) = (u32::from(policy.low_s), lane.buffer(NUMBER * n as usize)?);
        let Equations { u1, u2, x, verdicts } = to;
        kernels::ecdsa_equations(lane, C::NAME, digests, signatures, low_s, u1, u2, x, verdicts, prefixes, n)
    };
    let on_cpu = |cpu: &CpuEngine, items: Range<usize>| {
        let (digests, signatures) = (&digests[items.clone()], &signatures[items.clone()]);
        cpu::verify::ecdsa::<C>(cpu, digests, signatures, keys.slice(items), policy)
    };
    verify::<C>(engines, digests, signatures, keys, &equations, &on_cpu)
}

pub fn sm2(
    engines: Engines,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    keys: PublicKeys,
) -> Result<Verdicts, Fault> {
    let equations = |lane: &mut Lane, digests, signatures, to: Equations, n: u64| {
        let Equations { u1, u2, x, verdicts } = to;
        kernels::sm2_equations(lane, Sm2::NAME, digests, signatures, u1, u2, x, verdicts, n)
    };
    let on_cpu = |cpu: &CpuEngine, items: Range<usize>| {
        let (digests, signatures) = (&digests[items.clone()], &signatures[items.clone()]);
        cpu::verify::sm2::<Sm2>(cpu, digests, signatures, keys.slice(items))
    };
    verify::<Sm2>(engines, digests, signatures, keys, &equations, &on_cpu)
}

/// From rows of digests and signatures to equations.
type ToEquations<'a> = dyn Fn(&mut Lane, Address, Address, Equations, u64) -> Result<(), Fault> + Sync + 'a;

fn verify<C: Curve>(
    engines: Engines,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    keys: PublicKeys,
    to_equations: &ToEquations,
    on_cpu: &(dyn Fn(&CpuEngine, Range<usize>) -> Verdicts + Sync),
) -> Result<Verdicts, Fault> {
    let cpu = engines.cpu;
    let footprint = Footprint {
        device: SIGNED + EQUATIONS + NUMBER + KEY_ROW + POINT + Grouping::BYTES,
        device_fixed: window_tables_bytes(1),
        pinned: SIGNED + KEY_ROW + 1,
        secret: false,
    };
    let verdicts = engines.run(
        digests.len(),
        footprint,
        &|lane, range, out| {
            let n = range.len();
            lane.device.clone().prepare(C::NAME, FILES)?;
            let digest_rows = lane.upload(32 * n, |to| copy_rows(cpu, to, &digests[range.clone()]))?;
            let signature_rows = lane.upload(64 * n, |to| copy_rows(cpu, to, &signatures[range.clone()]))?;
            let points = rows::upload_keys(lane, cpu, C::NAME, keys, range)?;
            let equations = Equations::new(lane, n)?;
            to_equations(lane, digest_rows, signature_rows, equations, n as u64)?;
            check(lane, C::NAME, equations, points, n)?;
            let verdicts = lane.download(equations.verdicts, n)?;
            lane.finish()?;
            let codes = lane.read(verdicts);
            convert(cpu, out, |i| verdict(codes[i]));
            Ok(())
        },
        &|range| on_cpu(cpu, range).as_slice().to_vec(),
    )?;
    Ok(Verdicts::new(verdicts))
}

/// Replaces every verdict that is still open. Keys that occur often enough get a table each.
pub fn check(
    lane: &mut Lane,
    curve: &'static str,
    equations: Equations,
    points: Columns,
    n: usize,
) -> Result<(), Fault> {
    let table = lane.device.clone().tables().public(lane, curve)?;
    let Equations { u1, u2, x, verdicts } = equations;
    let tables = lane.buffer(window_tables_bytes(lane.device.multiprocessors))?;
    let (items, count) = key_tables::check_repeated(lane, curve, equations, points, &table, n)?;
    let Columns { xy, kinds } = points;
    let (address, bits) = (table.address(), table.bits);
    kernels::verify(lane, curve, u1, u2, x, xy, kinds, address, bits, tables, items, count, verdicts, n as u64)
}

/// The verdict of a code that the device wrote.
fn verdict(code: u8) -> Verdict {
    match code {
        Verdict::VALID_CODE => Verdict::Valid,
        // A code that no kernel writes would be a defect: it must not pass for valid.
        code => Verdict::Rejected(Rejection::from_code(code).unwrap_or(Rejection::Mismatch)),
    }
}

pub fn recover<C: EcdsaCurve>(
    engines: Engines,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    recovery_ids: &[u8],
) -> Result<Points, Fault> {
    let cpu = engines.cpu;
    let footprint = Footprint {
        device: SIGNED + 1 + EQUATIONS + POINT + JACOBIAN + NUMBER + POINT_ROW,
        device_fixed: window_tables_bytes(1),
        pinned: SIGNED + 2 + POINT_ROW,
        secret: false,
    };
    engines.run(
        digests.len(),
        footprint,
        &|lane, range, out| {
            let (n, count) = (range.len(), range.len() as u64);
            lane.device.clone().prepare(C::NAME, RECOVER_FILES)?;
            let table = lane.device.clone().tables().public(lane, C::NAME)?;
            let digest_rows = lane.upload(32 * n, |to| copy_rows(cpu, to, &digests[range.clone()]))?;
            let signature_rows = lane.upload(64 * n, |to| copy_rows(cpu, to, &signatures[range.clone()]))?;
            let ids = lane.upload(n, |to| to.copy_from_slice(&recovery_ids[range]))?;
            let (u1, u2, verdicts) = (lane.buffer(NUMBER * n)?, lane.buffer(NUMBER * n)?, lane.buffer(n)?);
            let Columns { xy, kinds } = Columns { xy: lane.buffer(64 * n)?, kinds: lane.buffer(n)? };
            let (xyz, prefixes) = (lane.buffer(96 * n)?, lane.buffer(NUMBER * n)?);
            kernels::recover_equations(
                lane, C::NAME, digest_rows, signature_rows, ids, u1, u2, xy, kinds, verdicts, prefixes, count,
            )?;
            let tables = lane.buffer(window_tables_bytes(lane.device.multiprocessors))?;
            let (address, bits) = (table.address(), table.bits);
            kernels::multiply_add(lane, C::NAME, u1, u2, xy, kinds, address, bits, tables, xyz, count)?;
            kernels::normalize(lane, C::NAME, xyz, xy, kinds, 1, prefixes, count)?;
            kernels::recover_verdicts(lane, C::NAME, kinds, verdicts, count)?;
            let result = rows::download_points(lane, C::NAME, Columns { xy, kinds }, n)?;
            let verdicts = lane.download(verdicts, n)?;
            lane.finish()?;
            let codes = lane.read(verdicts);
            convert(cpu, out, |i| match verdict(codes[i]) {
                Verdict::Valid => result.get(lane, i),
                Verdict::Rejected(reason) => Err(reason),
            });
            Ok(())
        },
        &|range| {
            let (digests, signatures) = (&digests[range.clone()], &signatures[range.clone()]);
            cpu::recover::recover::<C>(cpu, digests, signatures, &recovery_ids[range])
        },
    )
}

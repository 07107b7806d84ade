//! Verification.

use super::Fault;
use super::kernels::{self, window_tables_bytes};
use super::key_tables::{self, Grouping};
use super::lane::Lane;
use super::memory::Address;
use super::pipeline::Footprint;
use super::rows::{self, KEY_ROW, NUMBER, POINT, Points as Columns, Rows, convert};
use crate::cpu::{self, CpuEngine};
use crate::curve::EcdsaCurve;
use crate::curve::{Curve, Sm2};
use crate::ecdsa::Policy;
use crate::encoding::PublicKeys;
use crate::engine::Engines;
use crate::error::{Rejection, Verdict, Verdicts};
use std::ops::Range;

const FILES: &[&str] = &["layout", "table", "equations", "verify", "key_groups", "key_tables"];
/// Bytes of a digest and a signature per item.
pub const SIGNED: usize = 32 + 64;

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
        let (low_s, prefixes) = (u32::from(policy.low_s), lane.prefixes(n as usize)?);
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
        most_waves: 5,
        pinned: SIGNED + KEY_ROW + 1,
        secret: false,
    };
    let verdicts = engines.run(
        digests.len(),
        footprint,
        &|lane, range, out| {
            let n = range.len();
            lane.device.clone().prepare(C::NAME, FILES)?;
            let expected = engines.gpu.expected(digests.len() - range.start);
            let inputs =
                [Rows::of(&digests[range.clone()]), Rows::of(&signatures[range.clone()]), Rows::of_keys(keys, range)];
            let [digest_rows, signature_rows, key_rows] = rows::upload(lane, cpu, inputs)?;
            let points = rows::import_keys(lane, C::NAME, keys.form(), key_rows, n)?;
            let equations = Equations::new(lane, n)?;
            to_equations(lane, digest_rows, signature_rows, equations, n as u64)?;
            check(lane, C::NAME, equations, points, n, expected)?;
            let verdicts = lane.download(equations.verdicts, n)?;
            lane.finish()?;
            let codes = lane.read(verdicts);
            convert(lane, cpu, out, |i| verdict(codes[i]));
            Ok(())
        },
        &|range| on_cpu(cpu, range).as_slice().to_vec(),
    )?;
    Ok(Verdicts::new(verdicts))
}

/// Replaces every verdict that is still open. Keys that occur often enough get a table each; `expected`: items still to
/// come to the device in this call, this chunk's included.
pub fn check(
    lane: &mut Lane,
    curve: &'static str,
    equations: Equations,
    points: Columns,
    n: usize,
    expected: usize,
) -> Result<(), Fault> {
    let table = lane.device.clone().tables().public(lane, curve)?;
    let Equations { u1, u2, x, verdicts } = equations;
    let (tables, next_tile) = kernels::window_scratch(lane, n)?;
    let (items, count) = key_tables::check_repeated(lane, curve, equations, points, &table, n, expected)?;
    let Columns { xy, kinds } = points;
    let (address, bits) = (table.address(), table.bits);
    kernels::verify(
        lane, curve, u1, u2, x, xy, kinds, address, bits, tables, items, count, next_tile, verdicts, n as u64,
    )
}

/// The verdict of a code that the device wrote.
pub fn verdict(code: u8) -> Verdict {
    match code {
        Verdict::VALID_CODE => Verdict::Valid,
        // A code that no kernel writes would be a defect: it must not pass for valid.
        code => Verdict::Rejected(Rejection::from_code(code).unwrap_or(Rejection::Mismatch)),
    }
}

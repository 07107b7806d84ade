//! Verification.

use super::Fault;
use super::kernels::{self, WindowScratch};
use super::key_tables::{self, Grouping};
use super::known_answers::{Test, Tests, with_tables};
use super::lane::{Lane, PREFIX};
use super::memory::Address;
use super::pipeline::{Chunk, Operation};
use super::plan::{Download, Plan, Upload};
use super::rows::{self, NUMBER, Points as Columns, Rows, convert, plan_keys};
use crate::cpu::{self, CpuEngine};
use crate::curve::EcdsaCurve;
use crate::curve::{Curve, Sm2};
use crate::ecdsa::Policy;
use crate::encoding::PublicKeys;
use crate::engine::Engines;
use crate::error::{Rejection, Verdict, Verdicts};
use std::mem::MaybeUninit;
use std::ops::Range;

const FILES: &[&str] = &["layout", "table", "equations", "verify", "key_groups", "key_tables"];
/// What every item claims: x(u1 G + u2 Q) = x modulo n, unless its verdict is known already.
#[derive(Clone, Copy, Debug)]
pub struct Equations {
    pub u1: Address,
    pub u2: Address,
    pub x: Address,
    pub verdicts: Address,
}

impl Equations {
    pub fn new(plan: &mut Plan) -> Self {
        let mut number = || plan.each(NUMBER);
        let (u1, u2, x) = (number(), number(), number());
        Equations { u1, u2, x, verdicts: plan.each(1) }
    }
}

/// What checking equations takes beside them.
pub struct CheckBuffers {
    scratch: WindowScratch,
    grouping: Option<Grouping>,
}

impl CheckBuffers {
    pub fn new(plan: &mut Plan) -> Self {
        CheckBuffers { scratch: WindowScratch::new(plan), grouping: Grouping::new(plan) }
    }
}

pub fn ecdsa<C: EcdsaCurve>(
    engines: Engines,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    keys: PublicKeys,
    policy: Policy,
) -> Result<Verdicts, Fault> {
    let equations = |lane: &mut Lane, rows: [Address; 2], to: Equations, prefixes, n: usize| {
        ecdsa_equations::<C>(lane, rows, policy, to, prefixes, n)
    };
    let on_cpu = |cpu: &CpuEngine, items: Range<usize>| {
        let (digests, signatures) = (&digests[items.clone()], &signatures[items.clone()]);
        cpu::verify::ecdsa::<C>(cpu, digests, signatures, keys.slice(items), policy)
    };
    let (curve, tests) = (C::NAME, Tests::<C>::ECDSA.verify);
    verify(engines, &Verify { curve, digests, signatures, keys, equations: &equations, on_cpu: &on_cpu, tests })
}

/// From rows of digests and signatures to equations.
pub fn ecdsa_equations<C: EcdsaCurve>(
    lane: &mut Lane,
    [digests, signatures]: [Address; 2],
    policy: Policy,
    to: Equations,
    prefixes: Address,
    n: usize,
) -> Result<(), Fault> {
    let (low_s, Equations { u1, u2, x, verdicts }) = (u32::from(policy.low_s), to);
    lane.keep_in_l2(prefixes, n)?;
    kernels::ecdsa_equations(lane, C::NAME, digests, signatures, low_s, u1, u2, x, verdicts, prefixes, n as u64)
}

pub fn sm2(
    engines: Engines,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    keys: PublicKeys,
) -> Result<Verdicts, Fault> {
    let on_cpu = |cpu: &CpuEngine, items: Range<usize>| {
        let (digests, signatures) = (&digests[items.clone()], &signatures[items.clone()]);
        cpu::verify::sm2::<Sm2>(cpu, digests, signatures, keys.slice(items))
    };
    let (equations, tests) = (&sm2_equations, Tests::<Sm2>::SM2.verify);
    verify(engines, &Verify { curve: Sm2::NAME, digests, signatures, keys, equations, on_cpu: &on_cpu, tests })
}

/// Likewise; nothing is inverted, so that there are no prefix products.
pub fn sm2_equations(
    lane: &mut Lane,
    [digests, signatures]: [Address; 2],
    to: Equations,
    _: Address,
    n: usize,
) -> Result<(), Fault> {
    let Equations { u1, u2, x, verdicts } = to;
    kernels::sm2_equations(lane, Sm2::NAME, digests, signatures, u1, u2, x, verdicts, n as u64)
}

fn verify(engines: Engines, operation: &Verify) -> Result<Verdicts, Fault> {
    engines.run(operation).map(Verdicts::new)
}

/// From rows of digests and signatures to equations, with room for prefix products.
pub type ToEquations<'a> = dyn Fn(&mut Lane, [Address; 2], Equations, Address, usize) -> Result<(), Fault> + Sync + 'a;

/// One scheme's verification of a batch.
pub struct Verify<'a> {
    pub curve: &'static str,
    pub digests: &'a [[u8; 32]],
    pub signatures: &'a [[u8; 64]],
    pub keys: PublicKeys<'a>,
    pub equations: &'a ToEquations<'a>,
    pub on_cpu: &'a (dyn Fn(&CpuEngine, Range<usize>) -> Verdicts + Sync),
    /// For chunks without and with tables of keys.
    pub tests: [&'static [Test]; 2],
}

pub struct VerifyBuffers {
    digests: Upload,
    signatures: Upload,
    keys: Upload,
    points: Columns,
    equations: Equations,
    prefixes: Address,
    check: CheckBuffers,
    verdicts: Download,
}

impl Operation for Verify<'_> {
    type Output = Verdict;
    type Buffers = VerifyBuffers;
    const MOST_WAVES: usize = 5;

    fn items(&self) -> usize {
        self.digests.len()
    }

    fn plan(&self, plan: &mut Plan, _: &Range<usize>) -> VerifyBuffers {
        let (digests, signatures, keys) = (plan.rows(32), plan.rows(64), plan_keys(plan, self.keys.form()));
        let (points, equations, prefixes) = (Columns::new(plan), Equations::new(plan), plan.each(PREFIX));
        let (check, verdicts) = (CheckBuffers::new(plan), plan.download_each(equations.verdicts, 1));
        VerifyBuffers { digests, signatures, keys, points, equations, prefixes, check, verdicts }
    }

    fn tests(&self, items: usize) -> &'static [Test] {
        with_tables(self.tests, items)
    }

    fn compute(&self, chunk: Chunk, buffers: &VerifyBuffers, out: &mut [MaybeUninit<Verdict>]) -> Result<(), Fault> {
        let (Chunk { lane, cpu, items, expected }, n) = (chunk, out.len());
        let VerifyBuffers { digests, signatures, keys, points, equations, prefixes, check, verdicts } = buffers;
        lane.device.clone().prepare(self.curve, FILES)?;
        let inputs = [
            (Rows::of(&self.digests[items.clone()]), digests),
            (Rows::of(&self.signatures[items.clone()]), signatures),
            (Rows::of_keys(self.keys, items), keys),
        ];
        rows::upload(lane, cpu, inputs)?;
        rows::import_keys(lane, self.curve, self.keys.form(), keys.address, *points, n)?;
        (self.equations)(lane, [digests.address, signatures.address], *equations, *prefixes, n)?;
        self::check(lane, self.curve, *equations, *points, check, n, expected)?;
        lane.download(verdicts);
        lane.finish()?;
        let codes = lane.read(verdicts);
        convert(lane, cpu, out, |i| verdict(codes[i]));
        Ok(())
    }

    fn on_cpu(&self, cpu: &CpuEngine, items: Range<usize>) -> Vec<Verdict> {
        (self.on_cpu)(cpu, items).into_iter().collect()
    }
}

/// Replaces every verdict that is still open. Keys that occur often enough get a table each; `expected`: items still to
/// come to the device in this call, this chunk's included.
pub fn check(
    lane: &mut Lane,
    curve: &'static str,
    equations: Equations,
    points: Columns,
    buffers: &CheckBuffers,
    n: usize,
    expected: usize,
) -> Result<(), Fault> {
    let table = lane.device.clone().tables().public(lane, curve)?;
    let CheckBuffers { scratch, grouping } = buffers;
    scratch.reset(lane)?;
    let (items, count) = match grouping {
        Some(grouping) => grouping.check_repeated(lane, curve, equations, points, &table, n, expected)?,
        None => key_tables::ALL,
    };
    let (Equations { u1, u2, x, verdicts }, Columns { xy, kinds }) = (equations, points);
    let (WindowScratch { tables, next_tile }, address, bits) = (*scratch, table.address(), table.bits);
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

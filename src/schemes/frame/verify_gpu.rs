//! Verification.

use super::Fault;
use super::columns::{Column, Digests, Prefixes, Scalars, Signatures, Verdicts as VerdictColumn};
use super::kernels::{self, WindowScratch};
use super::key_tables::Grouping;
use super::known_answers::{Test, Tests, with_tables};
use super::lane::Lane;
use super::pipeline::{Chunk, Operation};
use super::plan::{Download, Plan, Upload};
use super::rows::{self, KeyUpload, Points as Columns, Rows, convert};
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
    pub u1: Column<Scalars>,
    pub u2: Column<Scalars>,
    pub x: Column<Scalars>,
    pub verdicts: Column<VerdictColumn>,
}

impl Equations {
    pub fn new(plan: &mut Plan) -> Self {
        Equations { u1: plan.column(), u2: plan.column(), x: plan.column(), verdicts: plan.column() }
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
    let equations = |lane: &mut Lane, signed: Signed, to: Equations, prefixes, n: usize| {
        ecdsa_equations::<C>(lane, signed, policy, to, prefixes, n)
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
    Signed { digests, signatures }: Signed,
    policy: Policy,
    to: Equations,
    prefixes: Column<Prefixes>,
    n: usize,
) -> Result<(), Fault> {
    let (low_s, Equations { u1, u2, x, verdicts }) = (u32::from(policy.low_s), to);
    lane.keep_in_l2(prefixes, n)?;
    kernels::EcdsaEquations { digests, signatures, low_s, u1, u2, x, verdicts, prefixes, n: n as u64 }
        .launch(lane, C::NAME)
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
    Signed { digests, signatures }: Signed,
    to: Equations,
    _: Column<Prefixes>,
    n: usize,
) -> Result<(), Fault> {
    let Equations { u1, u2, x, verdicts } = to;
    kernels::Sm2Equations { digests, signatures, u1, u2, x, verdicts, n: n as u64 }.launch(lane, Sm2::NAME)
}

fn verify(engines: Engines, operation: &Verify) -> Result<Verdicts, Fault> {
    engines.run(operation).map(Verdicts::new)
}

/// Digests and their signatures.
#[derive(Clone, Copy, Debug)]
pub struct Signed {
    pub digests: Column<Digests>,
    pub signatures: Column<Signatures>,
}

/// From digests and signatures to equations, with room for prefix products.
pub type ToEquations<'a> =
    dyn Fn(&mut Lane, Signed, Equations, Column<Prefixes>, usize) -> Result<(), Fault> + Sync + 'a;

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
    digests: Upload<Digests>,
    signatures: Upload<Signatures>,
    keys: KeyUpload,
    points: Columns,
    equations: Equations,
    prefixes: Column<Prefixes>,
    check: CheckBuffers,
    verdicts: Download<VerdictColumn>,
}

impl Operation for Verify<'_> {
    type Output = Verdict;
    type Buffers = VerifyBuffers;
    const MOST_WAVES: usize = 5;

    fn items(&self) -> usize {
        self.digests.len()
    }

    fn plan(&self, plan: &mut Plan, _: &Range<usize>) -> VerifyBuffers {
        let (digests, signatures, keys) = (plan.rows(), plan.rows(), KeyUpload::new(plan, self.keys.form()));
        let (points, equations, prefixes) = (Columns::new(plan), Equations::new(plan), plan.column());
        let (check, verdicts) = (CheckBuffers::new(plan), plan.download_column(equations.verdicts));
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
            (Rows::of(&self.digests[items.clone()]), &digests.staging),
            (Rows::of(&self.signatures[items.clone()]), &signatures.staging),
            (Rows::of_keys(self.keys, items), keys.staging()),
        ];
        rows::upload(lane, cpu, inputs)?;
        rows::import_keys(lane, self.curve, keys, *points, n)?;
        let signed = Signed { digests: digests.column, signatures: signatures.column };
        (self.equations)(lane, signed, *equations, *prefixes, n)?;
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
    let rest = match grouping {
        Some(grouping) => grouping.check_repeated(lane, curve, equations, points, &table, n, expected)?,
        None => None,
    };
    let (Equations { u1, u2, x, verdicts }, Columns { xy, kinds }) = (equations, points);
    let (WindowScratch { tables, next_tile }, table, bits) = (*scratch, table.rows(), table.bits);
    let (items, item_count) = rest.unzip();
    let n = n as u64;
    kernels::Verify { u1, u2, x, xy, kinds, table, bits, tables, items, item_count, next_tile, verdicts, n }
        .launch(lane, curve)
}

/// The verdict of a code that the device wrote.
pub fn verdict(code: u8) -> Verdict {
    match code {
        Verdict::VALID_CODE => Verdict::Valid,
        // A code that no kernel writes would be a defect: it must not pass for valid.
        code => Verdict::Rejected(Rejection::from_code(code).unwrap_or(Rejection::Mismatch)),
    }
}

//! Verification on a GPU.

use super::{Verification, Verify, known_answers};
use crate::gpu::columns::{Column, Digests, Prefixes, Signatures};
use crate::gpu::kernels::{self, WindowScratch};
use crate::gpu::runtime::{Fault, Plan, Stream};
use crate::gpu::tables::key_tables::{self, Grouping};
use crate::gpu::transfer::{Claim, Equations, Imported, Points};
use crate::gpu::{Launch, OnGpu, Running, Test};
use crate::types::Policy;
use std::ops::Range;

/// Kernel files of a check of equations, beside that of what they claim.
pub const CHECK_FILES: &[&str] = &["table", "key_groups", "key_tables"];

/// From digests and signatures to equations, with room for prefix products: for a curve and so many items.
pub type EquationsOnGpu = fn(
    &mut Stream,
    &'static str,
    (Column<Digests>, Column<Signatures>),
    Policy,
    Equations,
    Column<Prefixes>,
    usize,
) -> Result<(), Fault>;

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

impl OnGpu for Verify<'_> {
    fn most_waves(&self) -> usize {
        5
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (self.curve.name(), [&["layout", "equations", "verify"], CHECK_FILES].concat())
    }

    fn tests(&self, items: usize) -> Vec<Test> {
        known_answers::of_verification(self.scheme, self.curve, key_tables::may_build(items))
    }

    fn chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        let Verification { digests, signatures, keys, .. } = self.inputs;
        let rows = (
            plan.input::<Digests>(digests.slice(items.clone()).bytes()),
            plan.input::<Signatures>(signatures.slice(items.clone()).bytes()),
        );
        let keys = Imported::new(plan, keys.slice(items.clone()));
        let (equations, prefixes) = (Equations::new(plan, Claim::XModuloN), plan.column());
        let (buffers, n, curve) = (CheckBuffers::new(plan), items.len(), self.curve.name());
        plan.codes(equations.verdicts);
        Box::new(move |running: &mut Running| {
            keys.import(running.lane, curve, n)?;
            (self.scheme.on_gpu.equations)(running.lane, curve, rows, self.policy, equations, prefixes, n)?;
            check(running, curve, equations, keys.points, &buffers, n)
        })
    }
}

/// Replaces every verdict that is still open. Keys that occur often enough get a table each.
pub fn check(
    Running { lane, expected, .. }: &mut Running,
    curve: &'static str,
    equations: Equations,
    points: Points,
    buffers: &CheckBuffers,
    n: usize,
) -> Result<(), Fault> {
    let kept = lane.kept.clone();
    let table = kept.base_point.public(lane, curve)?;
    let CheckBuffers { scratch, grouping } = buffers;
    scratch.reset(lane)?;
    let list = match grouping {
        Some(grouping) => {
            grouping.check_repeated(lane, &kept.key_cache, curve, equations, points, &table, n, *expected)?
        }
        None => None,
    };
    let (Equations { u1, u2, x, verdicts, claim }, Points { xy, kinds }) = (equations, points);
    let (WindowScratch { tables, next_tile }, (items, item_count)) = (*scratch, list.unzip());
    let (table, bits, n) = (table.column(), table.bits, n as u64);
    match claim {
        Claim::XModuloN => {
            kernels::Verify { u1, u2, x, xy, kinds, table, bits, tables, items, item_count, next_tile, verdicts, n }
                .launch(lane, curve)
        }
        Claim::EvenWithX => kernels::Bip340Verify {
            u1,
            u2,
            r: x,
            xy,
            kinds,
            table,
            bits,
            tables,
            items,
            item_count,
            next_tile,
            verdicts,
            n,
        }
        .launch(lane, curve),
    }
}

//! Recovery of public keys on a GPU, and of addresses.

use super::{Recover, Wanted, known_answers};
use crate::gpu::codes::PointKind;
use crate::gpu::columns::{
    Addresses, ByteRows, Column, Digests, PointKinds, RecoveryIds, Scalars, Signatures, Verdicts,
};
use crate::gpu::kernels::{self, WindowScratch};
use crate::gpu::runtime::{Download, Fault, Plan, Stream};
use crate::gpu::schedule::Lane;
use crate::gpu::transfer::{Jacobian, Points, export_rows};
use crate::gpu::{Launch, OnGpu, Running, Test};
use std::ops::Range;

/// The recovery of a chunk's keys.
#[derive(Clone, Copy)]
pub struct Recovery {
    u1: Column<Scalars>,
    u2: Column<Scalars>,
    pub keys: Points,
    pub verdicts: Column<Verdicts>,
    sums: Jacobian,
    scratch: WindowScratch,
}

impl Recovery {
    pub fn new(plan: &mut Plan) -> Self {
        let (u1, u2, verdicts) = (plan.column(), plan.column(), plan.column());
        let (keys, sums, scratch) = (Points::new(plan), Jacobian::new(plan), WindowScratch::new(plan));
        Recovery { u1, u2, keys, verdicts, sums, scratch }
    }

    /// From rows of digests, signatures and recovery ids to keys and verdicts.
    pub fn compute(
        self,
        lane: &mut Lane,
        curve: &'static str,
        (digests, signatures, ids): (Column<Digests>, Column<Signatures>, Column<RecoveryIds>),
        n: usize,
    ) -> Result<(), Fault> {
        let table = lane.kept.clone().base_point.public(lane, curve)?;
        let (Recovery { u1, u2, keys, verdicts, sums, scratch }, count) = (self, n as u64);
        let (Points { xy, kinds }, Jacobian { xyz, prefixes }) = (keys, sums);
        lane.keep_in_l2(prefixes, n)?;
        kernels::RecoverEquations { digests, signatures, ids, u1, u2, xy, kinds, verdicts, prefixes, n: count }
            .launch(lane, curve)?;
        scratch.reset(lane)?;
        let (WindowScratch { tables, next_tile }, table, bits) = (scratch, table.column(), table.bits);
        kernels::MultiplyAdd { u1, u2, xy, kinds, table, bits, tables, next_tile, xyz, n: count }
            .launch(lane, curve)?;
        sums.normalize(lane, curve, keys, true, n)?;
        kernels::RecoverVerdicts { kinds, verdicts, n: count }.launch(lane, curve)
    }
}

/// What is wanted of keys, on its way to the host.
#[derive(Clone, Copy)]
enum Results {
    Keys(Column<ByteRows<64>>),
    Addresses(Column<Addresses>),
}

impl OnGpu for Recover<'_> {
    fn most_waves(&self) -> usize {
        8
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (self.curve.name(), vec!["layout", "table", "recover", "normalize", "address"])
    }

    fn tests(&self, _: usize) -> Vec<Test> {
        vec![known_answers::recovery(self.curve, self.wanted)]
    }

    fn chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        let inputs = self.inputs.slice(items.clone());
        let rows = (
            plan.input(inputs.digests.bytes()),
            plan.input(inputs.signatures.bytes()),
            plan.input(inputs.recovery_ids.bytes()),
        );
        let recovery = Recovery::new(plan);
        plan.codes(recovery.verdicts);
        let results = match self.wanted {
            Wanted::Keys => {
                let rows = plan.column();
                plan.result(0, rows, 64);
                Results::Keys(rows)
            }
            Wanted::Addresses => {
                let rows = plan.column();
                plan.result(0, rows, 20);
                Results::Addresses(rows)
            }
        };
        let (n, curve) = (items.len(), self.curve.name());
        Box::new(move |Running { lane, .. }: &mut Running| {
            recovery.compute(lane, curve, rows, n)?;
            let Points { xy, kinds } = recovery.keys;
            match results {
                Results::Keys(rows) => export_rows(lane, curve, recovery.keys, rows, n),
                Results::Addresses(rows) => {
                    kernels::EthereumAddresses { xy, kinds, rows, n: n as u64 }.launch(lane, curve)
                }
            }
        })
    }
}

/// Keys as rows that the host compares.
pub struct KeyRows {
    rows: Download<ByteRows<64>>,
    kinds: Download<PointKinds>,
}

impl KeyRows {
    pub fn new(plan: &mut Plan, points: Points) -> Self {
        let rows = plan.column();
        KeyRows { rows: plan.download_column(rows), kinds: plan.download_column(points.kinds) }
    }

    pub fn download(&self, stream: &mut Stream, curve: &'static str, points: Points, n: usize) -> Result<(), Fault> {
        export_rows(stream, curve, points, self.rows.column, n)?;
        stream.download(&self.rows);
        stream.download(&self.kinds);
        Ok(())
    }

    /// A key on a stream that has waited; `None` where there is none.
    pub fn get<'a>(&self, stream: &'a Stream, i: usize) -> Option<&'a [u8]> {
        (stream.read(&self.kinds)[i] == PointKind::Finite as u8).then(|| &stream.read(&self.rows)[64 * i..64 * i + 64])
    }
}

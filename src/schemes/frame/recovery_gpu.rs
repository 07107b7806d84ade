//! Recovery of public keys on a GPU: for those who ask for keys, and for the check of signatures with recovery ids.

use crate::gpu::columns::{ByteRows, Column, Digests, PointKinds, RecoveryIds, Scalars, Signatures, Verdicts};
use crate::gpu::kernels::{self, WindowScratch};
use crate::gpu::runtime::{Download, Fault, Plan, Stream};
use crate::gpu::schedule::Lane;
use crate::gpu::transfer::{Jacobian, Points, export_rows};

/// `PointKind` of the device code: a point with coordinates.
const FINITE: u8 = 1;

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
        (stream.read(&self.kinds)[i] == FINITE).then(|| &stream.read(&self.rows)[64 * i..64 * i + 64])
    }
}

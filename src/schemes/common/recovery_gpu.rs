//! Recovery of keys from signatures with recovery ids on a GPU, for the caller or for the check of
//! signatures.

use crate::gpu::codes::PointKind;
use crate::gpu::columns::{
    ByteRows, Column, Digests, ItemNumbers, PointKinds, RecoveryIds, Scalars, Signatures, Verdicts,
};
use crate::gpu::kernels::{self, WindowScratch};
use crate::gpu::runtime::{Download, Fault, Plan, Stream};
use crate::gpu::schedule::StreamSlot;
use crate::gpu::transfer::{Jacobian, Points, export_rows};

/// Rows of digests, signatures and recovery ids.
pub type SignedRows = (Column<Digests>, Column<Signatures>, Column<RecoveryIds>);

/// The columns for recovering the keys of a chunk, or of some of its items.
#[derive(Clone, Copy)]
pub struct Recovery {
    u1: Column<Scalars>,
    u2: Column<Scalars>,
    pub keys: Points,
    pub verdicts: Column<Verdicts>,
    pub sums: Jacobian,
    scratch: WindowScratch,
}

impl Recovery {
    pub fn new(plan: &mut Plan) -> Self {
        let scalars = (plan.column(), plan.column());
        Self::with_scalars(plan, scalars)
    }

    /// Creates a recovery that overwrites the given scalars.
    pub fn with_scalars(plan: &mut Plan, (u1, u2): (Column<Scalars>, Column<Scalars>)) -> Self {
        let verdicts = plan.column();
        let keys = Points::new(plan);
        let sums = Jacobian::new(plan);
        let scratch = WindowScratch::new(plan);
        Recovery {
            u1,
            u2,
            keys,
            verdicts,
            sums,
            scratch,
        }
    }

    /// Returns the recovery with its results in other columns.
    pub fn into_columns(self, keys: Points, verdicts: Column<Verdicts>) -> Self {
        Recovery {
            keys,
            verdicts,
            ..self
        }
    }

    /// Computes keys and verdicts from rows: of the first n items, or of n listed ones in the order
    /// of the list.
    pub fn compute(
        self,
        slot: &mut StreamSlot,
        curve: &'static str,
        (digests, signatures, ids): SignedRows,
        items: Option<Column<ItemNumbers>>,
        n: usize,
    ) -> Result<(), Fault> {
        let table = slot.cache.clone().base_point.public(slot, curve)?;
        let Recovery {
            u1,
            u2,
            keys,
            verdicts,
            sums,
            scratch,
        } = self;
        let count = n as u64;
        let Points { xy, kinds } = keys;
        let Jacobian { xyz, prefixes } = sums;
        slot.keep_in_l2(prefixes, n)?;
        kernels::RecoverEquations {
            digests,
            signatures,
            ids,
            items,
            u1,
            u2,
            xy,
            kinds,
            verdicts,
            prefixes,
            n: count,
        }
        .launch(slot, curve)?;
        scratch.reset(slot)?;
        let (WindowScratch { tables, next_tile }, table, bits) =
            (scratch, table.column(), table.bits);
        kernels::MultiplyAdd {
            u1,
            u2,
            xy,
            kinds,
            table,
            bits,
            tables,
            next_tile,
            xyz,
            n: count,
        }
        .launch(slot, curve)?;
        sums.normalize(slot, curve, keys, true, n)?;
        kernels::RecoverVerdicts {
            kinds,
            verdicts,
            n: count,
        }
        .launch(slot, curve)
    }

    /// Writes the results of n listed items to their positions in columns of `all` items.
    pub fn scatter(
        self,
        stream: &mut Stream,
        curve: &'static str,
        items: Column<ItemNumbers>,
        to: Recovery,
        (n, all): (usize, usize),
    ) -> Result<(), Fault> {
        let Recovery {
            keys: Points { xy, kinds },
            verdicts,
            ..
        } = self;
        let Recovery {
            keys:
                Points {
                    xy: all_xy,
                    kinds: all_kinds,
                },
            verdicts: all_verdicts,
            ..
        } = to;
        let n = n as u64;
        let all = all as u64;
        kernels::RecoverScatter {
            items,
            xy,
            kinds,
            verdicts,
            all_xy,
            all_kinds,
            all_verdicts,
            all,
            n,
        }
        .launch(stream, curve)
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
        KeyRows {
            rows: plan.download_column(rows),
            kinds: plan.download_column(points.kinds),
        }
    }

    pub fn download(
        &self,
        stream: &mut Stream,
        curve: &'static str,
        points: Points,
        n: usize,
    ) -> Result<(), Fault> {
        export_rows(stream, curve, points, self.rows.column, n)?;
        stream.download(&self.rows);
        stream.download(&self.kinds);
        Ok(())
    }

    /// Returns a key from a synchronized stream, or `None` if it is not a finite point.
    pub fn get<'a>(&self, stream: &'a Stream, i: usize) -> Option<&'a [u8]> {
        (stream.read(&self.kinds)[i] == PointKind::Finite as u8)
            .then(|| &stream.read(&self.rows)[64 * i..64 * i + 64])
    }
}

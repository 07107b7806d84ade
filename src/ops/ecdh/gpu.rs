//! Shared points on a GPU, with kernels whose branches and addresses do not depend on secrets, and
//! memory that is wiped.

use super::Agreement;
use crate::gpu::columns::{ByteRows, Codes, Column};
use crate::gpu::kernels::{self, WindowScratch};
use crate::gpu::runtime::Plan;
use crate::gpu::transfer::{
    Imported, Jacobian, Points, PrivateKeys, Reasons, SecretNumbers, export_rows, point_codes,
};
use crate::gpu::{Launch, Running};
use crate::types::Rejection;
use std::ops::Range;

/// Rows of the shared points: both coordinates, or only x.
#[derive(Clone, Copy)]
enum SharedRows {
    Points(Column<ByteRows<64>>),
    Secrets(Column<ByteRows<32>>),
}

impl Agreement<'_> {
    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let keys = PrivateKeys::new(plan, self.secret_keys.slice(items.clone()));
        let numbers = SecretNumbers::new(plan);
        let peers = Imported::new(plan, self.peers.slice(items.clone()));
        let scratch = WindowScratch::new(plan);
        let sums = Jacobian::new(plan);
        let codes = plan.column::<Codes>();
        plan.codes(codes);
        let shared = if self.width == 64 {
            let rows = plan.column();
            plan.secret_result(0, rows, 64);
            SharedRows::Points(rows)
        } else {
            let rows = plan.column();
            plan.secret_result(0, rows, 32);
            SharedRows::Secrets(rows)
        };
        let n = items.len();
        let curve = self.curve.name();
        Box::new(move |Running { slot, .. }: &mut Running| {
            numbers.import(slot, curve, keys, n)?;
            peers.import(slot, curve, n)?;
            scratch.reset(slot)?;
            let Points { xy, kinds } = peers.points;
            let WindowScratch { tables, next_tile } = scratch;
            let scalars = numbers.scalars;
            let xyz = sums.xyz;
            let count = n as u64;
            kernels::UpmulUniform {
                scalars,
                xy,
                kinds,
                tables,
                xyz,
                next_tile,
                n: count,
            }
            .launch(slot, curve)?;
            // The products overwrite the points.
            sums.normalize(slot, curve, peers.points, true, n)?;
            match shared {
                SharedRows::Points(rows) => export_rows(slot, curve, peers.points, rows, n)?,
                SharedRows::Secrets(rows) => kernels::ExportX {
                    xy,
                    kinds,
                    rows,
                    n: count,
                }
                .launch(slot, curve)?,
            }
            // A key in range times a point of prime order is never the identity, so the peer's key
            // was the identity.
            let status = Some((numbers.status.into(), Rejection::SecretKeyOutOfRange));
            point_codes(
                slot,
                curve,
                kinds,
                Reasons {
                    status,
                    identity: Some(Rejection::IdentityKey),
                },
                codes,
                n,
            )
        })
    }
}

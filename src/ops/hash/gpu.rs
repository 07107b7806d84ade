//! SHA-256, once and twice, and Keccak-256 on a GPU.

use super::{DigestsOf, Function, TextColumns, plan_codes};
use crate::curve::CurveId;
use crate::gpu::columns::Digests;
use crate::gpu::kernels;
use crate::gpu::runtime::Plan;
use crate::gpu::{Launch, Running};
use std::ops::Range;

/// The kernel file is compiled for one curve only: these hashes do not depend on one.
pub(super) const CURVE: &str = CurveId::Sm2.name();

impl DigestsOf<'_> {
    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let n = items.len() as u64;
        let first = items.start;
        let TextColumns { data, offsets } = TextColumns::new(plan, &self.messages, items);
        let digests = plan.column::<Digests>();
        plan_codes(plan, &self.messages, first);
        plan.result(0, digests, 32);
        let function = self.function;
        Box::new(move |Running { slot, .. }: &mut Running| match function {
            Function::Sha256 => kernels::Sha256 {
                data,
                offsets,
                digests,
                n,
            }
            .launch(slot, CURVE),
            Function::Sha256d => kernels::Sha256d {
                data,
                offsets,
                digests,
                n,
            }
            .launch(slot, CURVE),
            Function::Keccak256 => kernels::Keccak256 {
                data,
                offsets,
                digests,
                n,
            }
            .launch(slot, CURVE),
        })
    }
}

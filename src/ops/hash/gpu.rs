//! SHA-256, once and twice, and Keccak-256 on a GPU.

use super::{DigestsOf, Function, TextColumns, known_answers, plan_codes};
use crate::curve::CurveId;
use crate::gpu::columns::Digests;
use crate::gpu::kernels;
use crate::gpu::runtime::Plan;
use crate::gpu::{Launch, OnGpu, Running, SelfTest};
use std::ops::Range;

/// The kernel file is compiled for one curve only: these hashes do not depend on one.
const CURVE: &str = CurveId::Sm2.name();

impl OnGpu for DigestsOf<'_> {
    fn items(&self) -> usize {
        self.messages.items()
    }

    fn most_waves(&self) -> usize {
        4
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (CURVE, vec!["hash"])
    }

    fn data_bytes(&self, items: &Range<usize>) -> usize {
        self.messages.bytes(items)
    }

    fn self_tests(&self, _: usize) -> Vec<SelfTest> {
        vec![known_answers::of(self.function)]
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
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

//! Digests e = SM3(Z_A || M) of messages on a GPU.

use super::digest::MessageDigests;
use super::known_answers;
use crate::curve::{Curve, Sm2};
use crate::gpu::columns::Digests;
use crate::gpu::kernels;
use crate::gpu::runtime::Plan;
use crate::gpu::transfer::{Imported, Points};
use crate::gpu::{Launch, Running, SelfTest};
use crate::ops::hash::{TextColumns, plan_codes};
use std::ops::Range;

impl MessageDigests<'_> {
    pub(super) fn gpu_self_tests(&self) -> Vec<SelfTest> {
        known_answers::of_digests()
    }

    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let n = items.len();
        let first = items.start;
        let TextColumns { data, offsets } = TextColumns::new(plan, &self.messages, items.clone());
        let (ids, id_stride) = self.ids_of(items.clone());
        let TextColumns {
            data: ids,
            offsets: id_offsets,
        } = TextColumns::new(plan, &self.ids, ids);
        let keys = Imported::new(plan, self.keys.slice(items));
        let digests = plan.column::<Digests>();
        plan_codes(plan, &self.messages, first);
        plan.result(0, digests, 32);
        Box::new(move |Running { slot, .. }: &mut Running| {
            keys.import(slot, Sm2::NAME, n)?;
            let Points { xy, kinds } = keys.points;
            let id_stride = id_stride as u64;
            let n = n as u64;
            kernels::Sm3Za {
                data,
                offsets,
                ids,
                id_offsets,
                id_stride,
                xy,
                kinds,
                digests,
                n,
            }
            .launch(slot, Sm2::NAME)
        })
    }
}

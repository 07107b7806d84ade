//! Multi-scalar multiplication on a GPU (`cuda/kernels/msm.cu`).

use super::gpu::POINTS;
use super::{SumsOfProducts, known_answers};
use crate::gpu::buckets::{Buckets, products};
use crate::gpu::columns::{Content, Xy};
use crate::gpu::kernels;
use crate::gpu::runtime::Plan;
use crate::gpu::transfer::{Imported, Jacobian, Numbers, PointResults, Points};
use crate::gpu::{Launch, Running, SelfTest};
use std::ops::Range;

impl SumsOfProducts<'_> {
    pub(super) fn gpu_self_tests(&self) -> Vec<SelfTest> {
        vec![known_answers::sums_of_products(self.curve)]
    }

    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        parts: Range<usize>,
    ) -> Launch<'a> {
        let items = self.products_of(&parts);
        let (scalars, points) = plan.for_items(items.len(), |plan| {
            let scalars = Numbers::new(plan, self.scalars.slice(items.clone()));
            (
                scalars,
                Imported::new(plan, self.points.slice(items.clone())),
            )
        });
        let buckets = Buckets::new(plan, Xy::BYTES, &[products(self.curve, items.len())]);
        let sums = Jacobian::new(plan);
        let to = Points::new(plan);
        let results = PointResults::new(plan);
        let curve = self.curve.name();
        let count = items.len();
        let parts = parts.len();
        Box::new(move |Running { slot, .. }: &mut Running| {
            scalars.import(slot, curve, count)?;
            points.import(slot, curve, count)?;
            let Numbers {
                scalars,
                kinds: scalar_kinds,
                ..
            } = scalars;
            let Points { xy, kinds } = points.points;
            let Buckets {
                rows,
                terms,
                ends,
                counters,
                window_sums,
                ..
            } = buckets;
            let (bits, windows) = buckets.windows();
            let n = count as u64;
            buckets.reset(slot)?;
            kernels::MsmPoints { xy, rows, n }.launch(slot, curve)?;
            kernels::MsmCount {
                scalars,
                scalar_kinds,
                kinds,
                bits,
                windows,
                ends,
                counters,
                n,
            }
            .launch(slot, curve)?;
            buckets.start(slot, curve)?;
            kernels::MsmSort {
                scalars,
                scalar_kinds,
                kinds,
                bits,
                windows,
                ends,
                terms,
                n,
            }
            .launch(slot, curve)?;
            buckets.add_up(slot, curve)?;
            // The sum is the first point; the others are the identity.
            kernels::MsmTotal {
                window_sums,
                windows,
                counters,
                xyz: sums.xyz,
                kinds: to.kinds,
                n: parts as u64,
            }
            .launch(slot, curve)?;
            sums.normalize(slot, curve, to, true, parts)?;
            results.export(slot, curve, to, POINTS, parts)
        })
    }
}

//! Multi-scalar multiplication on a GPU (`cuda/kernels/msm.cu`).

use super::gpu::POINTS;
use super::msm::PART;
use super::{SumsOfProducts, known_answers};
use crate::gpu::buckets::{Buckets, products};
use crate::gpu::columns::{Column, Content, Xy, Xyz};
use crate::gpu::kernels;
use crate::gpu::runtime::{Fault, Plan, Stream};
use crate::gpu::transfer::{Imported, Jacobian, Numbers, PointResults, Points};
use crate::gpu::{Launch, OnGpu, Running, Test};
use std::ops::Range;

/// Writes the sum of n products as the first point of `to`, and as the others the identity.
fn sum(
    buckets: &Buckets,
    stream: &mut Stream,
    curve: &'static str,
    (scalars, points): (Numbers, Points),
    n: usize,
    to: (Column<Xyz>, Points, usize),
) -> Result<(), Fault> {
    let (Buckets { rows, terms, ends, counters, window_sums, .. }, n) = (*buckets, n as u64);
    let ((bits, windows), Points { xy, kinds }) = (buckets.windows(), points);
    let Numbers { scalars, kinds: scalar_kinds, .. } = scalars;
    buckets.reset(stream)?;
    kernels::MsmPoints { xy, rows, n }.launch(stream, curve)?;
    kernels::MsmCount { scalars, scalar_kinds, kinds, bits, windows, ends, counters, n }.launch(stream, curve)?;
    buckets.start(stream, curve)?;
    kernels::MsmSort { scalars, scalar_kinds, kinds, bits, windows, ends, terms, n }.launch(stream, curve)?;
    buckets.add_up(stream, curve)?;
    let (xyz, Points { kinds: out_kinds, .. }, parts) = to;
    kernels::MsmTotal { window_sums, windows, counters, xyz, kinds: out_kinds, n: parts as u64 }.launch(stream, curve)
}

impl OnGpu for SumsOfProducts<'_> {
    fn items(&self) -> usize {
        self.of.div_ceil(PART)
    }

    fn most_waves(&self) -> usize {
        2
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (self.curve.name(), vec!["layout", "msm", "buckets", "normalize", "results"])
    }

    fn tests(&self, _: usize) -> Vec<Test> {
        vec![known_answers::sums_of_products(self.curve)]
    }

    fn chunk<'a>(&'a self, plan: &mut Plan<'a>, parts: Range<usize>) -> Launch<'a> {
        let items = self.products_of(&parts);
        let (scalars, points) = plan.for_items(items.len(), |plan| {
            let scalars = Numbers::new(plan, self.scalars.slice(items.clone()));
            (scalars, Imported::new(plan, self.points.slice(items.clone())))
        });
        let buckets = Buckets::new(plan, Xy::BYTES, &[products(self.curve, items.len())]);
        let (sums, to) = (Jacobian::new(plan), Points::new(plan));
        let (results, curve) = (PointResults::new(plan), self.curve.name());
        let (count, parts) = (items.len(), parts.len());
        Box::new(move |Running { lane, .. }: &mut Running| {
            scalars.import(lane, curve, count)?;
            points.import(lane, curve, count)?;
            sum(&buckets, lane, curve, (scalars, points.points), count, (sums.xyz, to, parts))?;
            sums.normalize(lane, curve, to, true, parts)?;
            results.export(lane, curve, to, POINTS, parts)
        })
    }
}

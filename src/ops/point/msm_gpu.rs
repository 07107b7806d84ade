//! Multi-scalar multiplication on a GPU (`cuda/kernels/msm.cu`).

use super::gpu::POINTS;
use super::{SumsOfProducts, known_answers};
use crate::cpu::CpuCurve;
use crate::curve::{PerCurve, per_curve};
use crate::gpu::columns::{BucketEnds, BucketList, BucketTerms, Column, Counters, XyRows, Xyz, XyzzRows};
use crate::gpu::kernels;
use crate::gpu::runtime::{Fault, Plan, Stream};
use crate::gpu::transfer::{Imported, Jacobian, Numbers, PointResults, Points};
use crate::gpu::{Launch, OnGpu, Running, Test};
use std::ops::Range;

/// Widths of windows: the kernels take 2 to 16 bits.
const WIDTHS: std::ops::RangeInclusive<u32> = 4..=16;
/// A bucket costs as much as so many terms, on an H200.
const BUCKET: u64 = 3;
/// Threads that share the terms of a large chunk: some rounds of all threads of a large device, so that few are idle in the last one.
const RUNS: u64 = 1 << 19;
/// Terms of a thread, at least: its sum has to be added to others.
const SHORTEST_RUN: u64 = 16;
/// Segments of a window and buckets of a segment, as powers of two: no more than the first, and no fewer than the second.
const SEGMENTS_BITS: u32 = 11;
const SEGMENT_BITS: u32 = 2;
/// Buckets whose terms are counted together.
const TILE: u64 = 1024;
/// Partial sums from which on a bucket is listed.
const LARGE: u64 = 32;

/// Bytes of the rows of `XyRows` and `XyzzRows`.
const ROW: u64 = 64;
const SUM_ROW: u64 = 128;

/// How a sum of products is computed.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Points with a scalar of `windows` windows of `width` bits.
    terms: u64,
    width: u32,
    windows: u32,
    /// Buckets of a segment, as a power of two.
    segment_bits: u32,
    /// Terms of a thread.
    run: u64,
}

impl Shape {
    /// For so many products, each of so many terms with scalars below 2^(bits - 1).
    fn new(products: usize, per_product: u64, bits: u32) -> Self {
        let terms = per_product * products as u64;
        // The last window has few digits that are not zero where the others reach all but the sign and a bit.
        let cost = |width: &u32| {
            let (windows, entries) =
                (u64::from(bits.div_ceil(*width)), terms * u64::from(bits - 2) / u64::from(*width));
            entries + windows * (BUCKET << (width - 1))
        };
        let width = WIDTHS.min_by_key(cost).expect("there are widths");
        let windows = bits.div_ceil(width);
        let run = (terms * u64::from(windows)).div_ceil(RUNS).max(SHORTEST_RUN);
        let segment_bits = SEGMENT_BITS.max((width - 1).saturating_sub(SEGMENTS_BITS));
        Shape { terms, width, windows, segment_bits, run }
    }

    fn buckets(&self) -> u64 {
        u64::from(self.windows) << (self.width - 1)
    }

    fn segments(&self) -> u64 {
        self.buckets() >> self.segment_bits
    }

    /// Entries of the list of terms, at most.
    fn entries(&self) -> u64 {
        self.terms * u64::from(self.windows)
    }

    /// Bytes of that list. What its words cannot number is said to fit no device, so that it is cut.
    fn entry_bytes(&self) -> usize {
        if self.entries() > u32::MAX.into() { usize::MAX / 2 } else { (4 * self.entries()) as usize }
    }

    fn runs(&self) -> u64 {
        self.entries().div_ceil(self.run)
    }
}

/// The terms of a product, and bits of their scalars with a sign.
static TERMS: PerCurve<fn() -> (u64, u32)> = per_curve!(terms_of_product);

fn terms_of_product<C: CpuCurve>() -> (u64, u32) {
    if C::ENDOMORPHISM.is_some() { (2, 130) } else { (1, 256) }
}

/// What the sum of a chunk takes beside its points and scalars.
#[derive(Clone, Copy)]
struct Buckets {
    shape: Shape,
    rows: Column<XyRows>,
    terms: Column<BucketTerms>,
    ends: Column<BucketEnds>,
    tiles: Column<BucketEnds>,
    counters: Column<Counters>,
    partials: Column<XyzzRows>,
    large: Column<BucketList>,
    sums: Column<XyzzRows>,
    window_sums: Column<XyzzRows>,
}

impl Buckets {
    fn new(plan: &mut Plan, shape: Shape) -> Self {
        Buckets {
            shape,
            rows: plan.buffer((ROW * shape.terms) as usize),
            terms: plan.buffer(shape.entry_bytes()),
            ends: plan.buffer((4 * shape.buckets()) as usize),
            tiles: plan.buffer((4 * shape.buckets().div_ceil(TILE)) as usize),
            counters: plan.buffer(8),
            partials: plan.buffer((SUM_ROW * (shape.buckets() + shape.runs())) as usize),
            large: plan.buffer((4 * (shape.runs() / LARGE + 1)) as usize),
            sums: plan.buffer((2 * SUM_ROW * shape.segments()) as usize),
            window_sums: plan.buffer((SUM_ROW * u64::from(shape.windows)) as usize),
        }
    }

    /// Writes the sum of n products as the first point of `to`, and as the others the identity.
    fn sum(
        self,
        stream: &mut Stream,
        curve: &'static str,
        (scalars, points): (Numbers, Points),
        n: usize,
        to: (Column<Xyz>, Points, usize),
    ) -> Result<(), Fault> {
        let Buckets { shape, rows, terms, ends, tiles, counters, partials, large, sums, window_sums } = self;
        let Shape { width: bits, windows, segment_bits, .. } = shape;
        let (Numbers { scalars, kinds: scalar_kinds, .. }, Points { xy, kinds }) = (scalars, points);
        let (n, buckets, run) = (n as u64, shape.buckets() as u32, shape.run as u32);
        stream.fill(counters, 0, 8)?;
        stream.fill(ends, 0, 4 * buckets as usize)?;
        kernels::MsmPoints { xy, rows, n }.launch(stream, curve)?;
        kernels::MsmCount { scalars, scalar_kinds, kinds, bits, windows, ends, counters, n }.launch(stream, curve)?;
        kernels::MsmTiles { ends, buckets, tiles }.launch(stream, curve)?;
        kernels::MsmStarts { ends, buckets, tiles }.launch(stream, curve)?;
        kernels::MsmSort { scalars, scalar_kinds, kinds, bits, windows, ends, terms, n }.launch(stream, curve)?;
        kernels::MsmRuns { rows, terms, ends, buckets, run, partials, runs: shape.runs() }.launch(stream, curve)?;
        kernels::MsmBuckets { ends, buckets, run, partials, large, counters }.launch(stream, curve)?;
        kernels::MsmLargeBuckets { ends, run, partials, large, counters, buckets: shape.buckets() }
            .launch(stream, curve)?;
        kernels::MsmSegments { ends, buckets, run, partials, segment_bits, sums, segments: shape.segments() }
            .launch(stream, curve)?;
        kernels::MsmWindows { sums, bits, segment_bits, window_sums, windows: u64::from(windows) }
            .launch(stream, curve)?;
        let (xyz, Points { kinds: out_kinds, .. }, parts) = to;
        kernels::MsmTotal { window_sums, windows, counters, xyz, kinds: out_kinds, n: parts as u64 }
            .launch(stream, curve)
    }
}

impl OnGpu for SumsOfProducts<'_> {
    fn most_waves(&self) -> usize {
        2
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (self.curve.name(), vec!["layout", "msm", "normalize", "results"])
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
        let (per_product, bits) = TERMS.of(self.curve)();
        let buckets = Buckets::new(plan, Shape::new(items.len(), per_product, bits));
        let (sums, sum) = (Jacobian::new(plan), Points::new(plan));
        let (results, curve) = (PointResults::new(plan), self.curve.name());
        let (count, parts) = (items.len(), parts.len());
        Box::new(move |Running { lane, .. }: &mut Running| {
            scalars.import(lane, curve, count)?;
            points.import(lane, curve, count)?;
            buckets.sum(lane, curve, (scalars, points.points), count, (sums.xyz, sum, parts))?;
            sums.normalize(lane, curve, sum, true, parts)?;
            results.export(lane, curve, sum, POINTS, parts)
        })
    }
}

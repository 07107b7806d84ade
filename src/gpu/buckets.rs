//! Multi-scalar multiplication by buckets (`cuda/kernels/msm.cu`, `buckets.cu`): the choice of
//! windows and buckets, and the kernels between the terms of items and the sums of windows.

use super::columns::{BucketEnds, BucketList, BucketTerms, Column, Counters, TermRows, XyzzRows};
use super::kernels;
use super::runtime::{Fault, Plan, Stream};
use crate::cpu::CpuCurve;
use crate::curve::{CurveId, PerCurve, per_curve};

/// Window widths to choose from, in bits. The kernels support 2 to 16.
const WIDTHS: std::ops::RangeInclusive<u32> = 4..=16;
/// The cost of a bucket in terms, measured on an H200.
const BUCKET: u64 = 3;
/// Threads that share the terms of a large chunk: several rounds of all threads of a large device,
/// so that few are idle in the last round.
const RUNS: u64 = 1 << 19;
/// Minimum number of terms per thread. Each thread's sum must be added to others.
const SHORTEST_RUN: u64 = 16;
/// Binary logarithms of the maximum number of segments per window, and of the minimum number of
/// buckets per segment.
const SEGMENTS_BITS: u32 = 11;
const SEGMENT_BITS: u32 = 2;
/// Buckets whose terms are counted together.
const TILE: u64 = 1024;
/// Number of partial sums from which a bucket is added to the list of large buckets.
const LARGE: u64 = 32;

/// Bytes per row of `XyzzRows`.
const SUM_ROW: u64 = 128;

/// Points with scalars of one length.
#[derive(Clone, Copy, Debug)]
pub struct Scaled {
    pub points: u64,
    /// Bits of the scalars' digits: one more than the maximum length of the scalars.
    pub bits: u32,
}

/// Returns the points and scalar lengths of `items` products of a point and a scalar below n.
pub fn products(curve: CurveId, items: usize) -> Scaled {
    static PARTS: PerCurve<fn() -> (u64, u32)> = per_curve!(parts_of_product);
    let (parts, bits) = PARTS.of(curve)();
    Scaled {
        points: parts * items as u64,
        bits,
    }
}

/// Returns the number of points per product, and the bits of the signed part of the scalar for
/// each.
fn parts_of_product<C: CpuCurve>() -> (u64, u32) {
    if C::ENDOMORPHISM.is_some() {
        (2, 130)
    } else {
        (1, 256)
    }
}

/// The parameters of a multi-scalar multiplication by buckets.
#[derive(Clone, Copy, Debug)]
struct Bucketing {
    /// Number of points.
    rows: u64,
    /// Bits of a window.
    width: u32,
    windows: u32,
    /// Maximum number of entries in the list of terms, which has one per digit of a scalar.
    entries: u64,
    /// Binary logarithm of the number of buckets per segment.
    segment_bits: u32,
    /// Terms per thread.
    run: u64,
}

/// Returns the number of windows of this width that cover the longest scalar.
fn windows(of: &[Scaled], width: u32) -> u32 {
    of.iter()
        .map(|each| each.bits.div_ceil(width))
        .max()
        .unwrap_or(1)
}

/// Estimates the cost of windows of this width, in terms. The last window has few nonzero digits if
/// the other windows cover all but the sign and one bit.
fn cost(of: &[Scaled], width: u32) -> u64 {
    let digits: u64 = of
        .iter()
        .map(|each| each.points * u64::from(each.bits - 2))
        .sum();
    digits / u64::from(width) + u64::from(windows(of, width)) * (BUCKET << (width - 1))
}

impl Bucketing {
    fn new(of: &[Scaled]) -> Self {
        let width = WIDTHS
            .min_by_key(|width| cost(of, *width))
            .expect("the range of widths is not empty");
        let entries = of
            .iter()
            .map(|each| each.points * u64::from(each.bits.div_ceil(width)))
            .sum::<u64>();
        let run = entries.div_ceil(RUNS).max(SHORTEST_RUN);
        let segment_bits = SEGMENT_BITS.max((width - 1).saturating_sub(SEGMENTS_BITS));
        let rows = of.iter().map(|each| each.points).sum();
        Bucketing {
            rows,
            width,
            windows: windows(of, width),
            entries,
            segment_bits,
            run,
        }
    }

    fn buckets(&self) -> u64 {
        u64::from(self.windows) << (self.width - 1)
    }

    fn segments(&self) -> u64 {
        self.buckets() >> self.segment_bits
    }

    /// Returns the bytes of the list of terms. If 32-bit words cannot number the terms, the size is
    /// larger than the memory of any device, so that the batch is split.
    fn entry_bytes(&self) -> usize {
        if self.entries > u32::MAX.into() {
            usize::MAX / 2
        } else {
            (4 * self.entries) as usize
        }
    }

    fn runs(&self) -> u64 {
        self.entries.div_ceil(self.run)
    }
}

/// Device memory of a multi-scalar multiplication, except for its points and scalars. The kernels
/// that count and write the terms belong to the operation.
#[derive(Clone, Copy)]
pub struct Buckets {
    shape: Bucketing,
    pub rows: Column<TermRows>,
    pub terms: Column<BucketTerms>,
    /// The number of terms per bucket at first, then the start of each bucket's terms, and after
    /// they are written the end.
    pub ends: Column<BucketEnds>,
    tiles: Column<BucketEnds>,
    /// Two words, the first of which belongs to the operation.
    pub counters: Column<Counters>,
    partials: Column<XyzzRows>,
    large: Column<BucketList>,
    sums: Column<XyzzRows>,
    pub window_sums: Column<XyzzRows>,
}

impl Buckets {
    /// Plans the buffers. `row` is the number of bytes of a point in `TermRows`.
    pub fn new(plan: &mut Plan, row: usize, of: &[Scaled]) -> Self {
        let shape = Bucketing::new(of);
        Buckets {
            shape,
            rows: plan.buffer(row * shape.rows as usize),
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

    /// Returns the width of a window in bits and the number of windows.
    pub fn windows(&self) -> (u32, u32) {
        (self.shape.width, self.shape.windows)
    }

    /// Resets the number of terms of every bucket to zero.
    pub fn reset(&self, stream: &mut Stream) -> Result<(), Fault> {
        stream.fill(self.counters, 0, 8)?;
        stream.fill(self.ends, 0, 4 * self.shape.buckets() as usize)
    }

    /// Converts the numbers of terms into start positions.
    pub fn start(&self, stream: &mut Stream, curve: &'static str) -> Result<(), Fault> {
        let Buckets { ends, tiles, .. } = *self;
        let buckets = self.shape.buckets() as u32;
        kernels::MsmTiles {
            ends,
            buckets,
            tiles,
        }
        .launch(stream, curve)?;
        kernels::MsmStarts {
            ends,
            buckets,
            tiles,
        }
        .launch(stream, curve)
    }

    /// Sums the terms of each window.
    pub fn add_up(&self, stream: &mut Stream, curve: &'static str) -> Result<(), Fault> {
        let Buckets {
            shape,
            rows,
            terms,
            ends,
            counters,
            partials,
            large,
            sums,
            window_sums,
            ..
        } = *self;
        let Bucketing {
            width: bits,
            windows,
            segment_bits,
            ..
        } = shape;
        let buckets = shape.buckets() as u32;
        let run = shape.run as u32;
        kernels::MsmRuns {
            rows,
            terms,
            ends,
            buckets,
            run,
            partials,
            runs: shape.runs(),
        }
        .launch(stream, curve)?;
        kernels::MsmBuckets {
            ends,
            buckets,
            run,
            partials,
            large,
            counters,
        }
        .launch(stream, curve)?;
        kernels::MsmLargeBuckets {
            ends,
            run,
            partials,
            large,
            counters,
            buckets: shape.buckets(),
        }
        .launch(stream, curve)?;
        kernels::MsmSegments {
            ends,
            buckets,
            run,
            partials,
            segment_bits,
            sums,
            segments: shape.segments(),
        }
        .launch(stream, curve)?;
        kernels::MsmWindows {
            sums,
            bits,
            segment_bits,
            window_sums,
            windows: u64::from(windows),
        }
        .launch(stream, curve)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shorter scalars have fewer terms, and windows are limited by the longest scalar.
    #[test]
    fn terms_are_counted_by_the_length_of_scalars() {
        for points in [1, 300, 1 << 16, 1 << 22] {
            let long = Scaled { points, bits: 256 };
            let short = Scaled { points, bits: 129 };
            let shape = Bucketing::new(&[long, short]);
            assert_eq!(shape.windows, 256u32.div_ceil(shape.width));
            let terms = u64::from(shape.windows + 129u32.div_ceil(shape.width));
            assert_eq!((shape.rows, shape.entries), (2 * points, points * terms));
            assert!(shape.runs() * shape.run >= shape.entries && shape.segment_bits < shape.width);
            assert!(Bucketing::new(&[long]).entries < shape.entries);
        }
        assert_eq!(
            Bucketing::new(&[Scaled {
                points: 3 << 22,
                bits: 130
            }])
            .width,
            16
        );
    }
}

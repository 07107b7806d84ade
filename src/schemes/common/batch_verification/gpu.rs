//! Batch verification on a GPU (`cuda/kernels/batch_verification.cu`): a chunk is a group.

use super::Chunks;
use crate::curve::CurveId;
use crate::gpu::buckets::{Buckets, Scaled, products};
use crate::gpu::columns::{
    Codes, Coefficients, Column, Content, Counters, ItemNumbers, RecoveryIds, ScalarRows, Scalars,
    Verdicts, Xy,
};
use crate::gpu::kernels;
use crate::gpu::runtime::{Download, Fault, Plan, Stream};
use crate::gpu::tables::PublicTable;
use crate::gpu::tables::key_tables::ItemList;
use crate::gpu::transfer::{Equations, EquationsOfChunk, Points};

/// Kernel files for the equations of groups, in addition to those of individual checks.
pub const FILES: &[&str] = &["msm", "buckets", "batch_verification", "group_terms"];

/// The number of bits in the digits of a coefficient.
const COEFFICIENT_BITS: u32 = 129;
/// The length in bytes of the counters, and of a row of a sum of scalars.
const COUNTERS: usize = 2 * 4;
const SCALAR_ROW: usize = 32;

/// The data that identifies the point R in addition to x(R).
#[derive(Clone, Copy, Debug, Default)]
pub struct Named {
    /// Recovery ids, or `None` if y is always even.
    pub ids: Option<Column<RecoveryIds>>,
    /// The items that fit on the device, if not all did.
    pub on_device: Option<Column<Codes>>,
}

/// Selects which of the items that take no part in an equation that holds are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// Items without a known defect so far.
    Open,
    All,
}

/// The memory for a chunk's equation, independent of the kind of items.
pub struct Group<'a> {
    chunks: &'a Chunks,
    /// The scalars of keys, and the coefficients.
    pub scalars: Column<Scalars>,
    pub coefficients: Column<Coefficients>,
    /// The scalar of the base point, as a sum of `sums` rows.
    pub of_base: Column<ScalarRows>,
    pub sums: usize,
    /// The items that take no part and are listed.
    pub others: Column<ItemNumbers>,
    /// Two counters: the first is set if the equation holds, the second is the number of listed
    /// items.
    counters: Download<Counters>,
    pub buckets: Buckets,
}

/// The items of a chunk whose results are still open.
pub enum Open {
    None,
    /// A list, and its length.
    Listed(ItemList, usize),
    AsBefore,
}

impl<'a> Group<'a> {
    /// `row` is the length of a point among the terms in bytes; `products` describes the terms of
    /// keys.
    pub fn new(plan: &mut Plan, row: usize, products: Scaled, chunks: &'a Chunks) -> Self {
        let scalars = plan.column();
        let coefficients = plan.column();
        let others = plan.column();
        let sums = kernels::BatchVerifyItems::BLOCKS as usize * plan.multiprocessors();
        let of_base = plan.buffer(SCALAR_ROW * sums);
        let counters = plan.buffer(COUNTERS);
        let of_r = Scaled {
            points: plan.items() as u64,
            bits: COEFFICIENT_BITS,
        };
        let buckets = Buckets::new(plan, row, &[products, of_r]);
        let counters = plan.download(counters, COUNTERS);
        Group {
            chunks,
            scalars,
            coefficients,
            of_base,
            sums,
            others,
            counters,
            buckets,
        }
    }

    pub fn counters(&self) -> Column<Counters> {
        self.counters.column
    }

    /// Returns the seed of the coefficients if the batch can afford to try. The device derives them
    /// from these 32 bytes (`cuda/scheme/batch_verification.cuh`), which are drawn when the items
    /// are already being uploaded.
    pub fn begin(&self, stream: &mut Stream, n: usize) -> Result<Option<[u64; 4]>, Fault> {
        let mut seed = [0; 32];
        if !self.chunks.begin(n) || getrandom::fill(&mut seed).is_err() {
            return Ok(None);
        }
        stream.fill(self.counters.column, 0, COUNTERS)?;
        stream.fill(self.of_base, 0, SCALAR_ROW * self.sums)?;
        let (words, _) = seed.as_chunks();
        Ok(Some(std::array::from_fn(|i| u64::from_be_bytes(words[i]))))
    }

    /// Computes the window sums of all terms, whose points are in rows.
    pub fn add_up(&self, stream: &mut Stream, curve: &'static str, n: usize) -> Result<(), Fault> {
        let &Group {
            scalars,
            coefficients,
            ..
        } = self;
        let n = n as u64;
        let Buckets { terms, ends, .. } = self.buckets;
        let (bits, windows) = self.buckets.windows();
        self.buckets.reset(stream)?;
        kernels::BatchVerifyCount {
            scalars,
            coefficients,
            bits,
            windows,
            ends,
            n,
        }
        .launch(stream, curve)?;
        self.buckets.start(stream, curve)?;
        kernels::BatchVerifySort {
            scalars,
            coefficients,
            bits,
            windows,
            ends,
            terms,
            n,
        }
        .launch(stream, curve)?;
        self.buckets.add_up(stream, curve)
    }

    /// Accepts the items that take part if the equation holds.
    pub fn accept(
        &self,
        stream: &mut Stream,
        curve: &'static str,
        verdicts: Column<Verdicts>,
        n: usize,
    ) -> Result<Open, Fault> {
        let coefficients = self.coefficients;
        let counters = self.counters.column;
        kernels::BatchVerifyAccept {
            coefficients,
            counters,
            verdicts,
            n: n as u64,
        }
        .launch(stream, curve)?;
        stream.download(&self.counters);
        stream.wait()?;
        let (values, _) = stream.read(&self.counters).as_chunks();
        let holds = u32::from_ne_bytes(values[0]) == 1;
        if !holds {
            return Ok(Open::AsBefore);
        }
        let count = u32::from_ne_bytes(values[1]) as usize;
        self.chunks.held(n - count);
        Ok(if count == 0 {
            Open::None
        } else {
            Open::Listed((self.others, counters.count(1)), count)
        })
    }
}

/// Batch verification of a chunk.
pub struct BatchVerification<'a> {
    named: Named,
    listed: Listed,
    group: Group<'a>,
}

impl<'a> BatchVerification<'a> {
    pub fn new(
        plan: &mut Plan,
        curve: CurveId,
        named: Named,
        listed: Listed,
        chunks: &'a Chunks,
    ) -> Self {
        let products = products(curve, plan.items());
        BatchVerification {
            named,
            listed,
            group: Group::new(plan, Xy::BYTES, products, chunks),
        }
    }

    /// Finds valid items with one equation if the batch can afford to try.
    pub fn find_valid(
        &self,
        stream: &mut Stream,
        EquationsOfChunk {
            curve,
            equations,
            keys,
            n,
        }: EquationsOfChunk,
        table: &PublicTable,
    ) -> Result<Open, Fault> {
        let &BatchVerification {
            named: Named { ids, on_device },
            listed,
            ref group,
        } = self;
        let Some([seed0, seed1, seed2, seed3]) = group.begin(stream, n)? else {
            return Ok(Open::AsBefore);
        };
        let Equations {
            u1,
            u2,
            x,
            verdicts,
        } = equations;
        let Points { xy, kinds } = keys;
        let &Group {
            scalars,
            coefficients,
            of_base,
            sums,
            others,
            buckets,
            ..
        } = group;
        let rows = buckets.rows;
        let counters = group.counters();
        kernels::BatchVerifyItems {
            u1,
            u2,
            x,
            kinds,
            verdicts,
            ids,
            on_device,
            seed0,
            seed1,
            seed2,
            seed3,
            list_all: u32::from(listed == Listed::All),
            scalars,
            coefficients,
            rows,
            of_base,
            others,
            counters,
            n: n as u64,
        }
        .launch(stream, curve)?;
        kernels::MsmPoints {
            xy,
            rows,
            n: n as u64,
        }
        .launch(stream, curve)?;
        group.add_up(stream, curve, n)?;
        let (_, windows) = buckets.windows();
        let window_sums = buckets.window_sums;
        kernels::BatchVerifyCompare {
            of_base,
            sums: sums as u32,
            table: table.column(),
            bits: table.bits,
            window_sums,
            windows,
            counters,
        }
        .launch(stream, curve)?;
        group.accept(stream, curve, verdicts, n)
    }
}

//! Batch equations on a GPU (`cuda/kernels/together.cu`): a chunk is a group.

use super::Chunks;
use crate::curve::CurveId;
use crate::gpu::buckets::{Buckets, Scaled, products};
use crate::gpu::columns::{Codes, Coefficients, Column, Counters, ItemNumbers, RecoveryIds, ScalarRows, Scalars};
use crate::gpu::kernels;
use crate::gpu::runtime::{Download, Fault, Plan, Stream};
use crate::gpu::tables::PublicTable;
use crate::gpu::tables::key_tables::ItemList;
use crate::gpu::transfer::{Equations, EquationsOfChunk, Points};

/// Kernel files of equations of groups, beside those of a check.
pub const FILES: &[&str] = &["msm", "together"];

/// Bits of the digits of a coefficient.
const COEFFICIENT_BITS: u32 = 129;
/// Bytes of the counters, and of a row of a sum of scalars.
const COUNTERS: usize = 2 * 4;
const SCALAR_ROW: usize = 32;

/// What says which point R is, beside x(R).
#[derive(Clone, Copy, Debug, Default)]
pub struct Named {
    /// Recovery ids; `None` where y is even.
    pub ids: Option<Column<RecoveryIds>>,
    /// Which items came to the device, where not all did.
    pub on_device: Option<Column<Codes>>,
}

/// Which of the items that take no part in an equation which holds are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// Those with which nothing is wrong so far.
    Open,
    All,
}

/// The equation of a chunk.
pub struct Together<'a> {
    chunks: &'a Chunks,
    named: Named,
    listed: Listed,
    /// Of Q and of R.
    scalars: Column<Scalars>,
    coefficients: Column<Coefficients>,
    /// The scalar of G, as a sum of this many.
    of_base: Column<ScalarRows>,
    sums: usize,
    /// The items that take no part and are listed.
    others: Column<ItemNumbers>,
    /// Whether the equation holds, and how many others there are.
    counters: Download<Counters>,
    buckets: Buckets,
}

/// The items of a chunk whose results are still open.
pub enum Open {
    None,
    /// A list, and its length.
    Listed(ItemList, usize),
    AsBefore,
}

impl<'a> Together<'a> {
    pub fn new(plan: &mut Plan, curve: CurveId, named: Named, listed: Listed, chunks: &'a Chunks) -> Self {
        let (scalars, coefficients, others) = (plan.column(), plan.column(), plan.column());
        let sums = kernels::TogetherItems::BLOCKS as usize * plan.multiprocessors();
        let (of_base, counters) = (plan.buffer(SCALAR_ROW * sums), plan.buffer(COUNTERS));
        let of_r = Scaled { points: plan.items() as u64, bits: COEFFICIENT_BITS };
        let buckets = Buckets::new(plan, &[products(curve, plan.items()), of_r]);
        let counters = plan.download(counters, COUNTERS);
        Together { chunks, named, listed, scalars, coefficients, of_base, sums, others, counters, buckets }
    }

    /// Finds valid items by one equation, where the batch can afford to try.
    pub fn find_valid(
        &self,
        stream: &mut Stream,
        EquationsOfChunk { curve, equations, keys: points, n }: EquationsOfChunk,
        table: &PublicTable,
    ) -> Result<Open, Fault> {
        // A device makes the coefficients of these 32 bytes (`cuda/scheme/together.cuh`), drawn when the items are on
        // their way to it.
        let mut seed = [0; 32];
        if !self.chunks.begin(n) || getrandom::fill(&mut seed).is_err() {
            return Ok(Open::AsBefore);
        }
        self.write_items(stream, curve, equations, points, seed, n)?;
        self.add_up(stream, curve, points, n)?;
        let &Together { of_base, sums, coefficients, others, .. } = self;
        let ((_, windows), window_sums) = (self.buckets.windows(), self.buckets.window_sums);
        let (counters, verdicts) = (self.counters.column, equations.verdicts);
        let (table, bits, sums) = (table.column(), table.bits, sums as u32);
        kernels::TogetherCompare { of_base, sums, table, bits, window_sums, windows, counters }
            .launch(stream, curve)?;
        kernels::TogetherAccept { coefficients, counters, verdicts, n: n as u64 }.launch(stream, curve)?;
        stream.download(&self.counters);
        stream.wait()?;
        let bytes = stream.read(&self.counters);
        let counter = |i: usize| u32::from_ne_bytes(bytes[4 * i..4 * i + 4].try_into().expect("4 bytes"));
        if counter(0) != 1 {
            return Ok(Open::AsBefore);
        }
        let count = counter(1) as usize;
        self.chunks.held(n - count);
        Ok(if count == 0 { Open::None } else { Open::Listed((others, counters.count(1)), count) })
    }

    /// What the items give to the equation.
    fn write_items(
        &self,
        stream: &mut Stream,
        curve: &'static str,
        Equations { u1, u2, x, verdicts, .. }: Equations,
        Points { kinds, .. }: Points,
        seed: [u8; 32],
        n: usize,
    ) -> Result<(), Fault> {
        let &Together { named: Named { ids, on_device }, listed, scalars, coefficients, of_base, others, .. } = self;
        let (counters, rows) = (self.counters.column, self.buckets.rows);
        let word = |i: usize| u64::from_be_bytes(seed[8 * i..8 * i + 8].try_into().expect("8 bytes"));
        let [seed0, seed1, seed2, seed3] = std::array::from_fn(word);
        stream.fill(counters, 0, COUNTERS)?;
        stream.fill(of_base, 0, SCALAR_ROW * self.sums)?;
        kernels::TogetherItems {
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
        .launch(stream, curve)
    }

    /// The sums of windows of all (a u2) Q and -a R.
    fn add_up(
        &self,
        stream: &mut Stream,
        curve: &'static str,
        Points { xy, .. }: Points,
        n: usize,
    ) -> Result<(), Fault> {
        let (&Together { scalars, coefficients, .. }, n) = (self, n as u64);
        let (Buckets { rows, terms, ends, .. }, (bits, windows)) = (self.buckets, self.buckets.windows());
        self.buckets.reset(stream)?;
        kernels::MsmPoints { xy, rows, n }.launch(stream, curve)?;
        kernels::TogetherCount { scalars, coefficients, bits, windows, ends, n }.launch(stream, curve)?;
        self.buckets.start(stream, curve)?;
        kernels::TogetherSort { scalars, coefficients, bits, windows, ends, terms, n }.launch(stream, curve)?;
        self.buckets.add_up(stream, curve)
    }
}

//! Batch verification on a GPU (`cuda/kernels/ed25519_batch_verification.cu`): a chunk is a group.
//! Only for cofactored rules.

use super::batch::CURVE;
use crate::gpu::buckets::Scaled;
use crate::gpu::columns::{Codes, Column, ItemNumbers, Scalars, Signatures, Verdicts, Xy};
use crate::gpu::kernels;
use crate::gpu::runtime::{Fault, Plan, Stream};
use crate::gpu::tables::PublicTable;
use crate::gpu::tables::form::EDWARDS;
use crate::schemes::common::Chunks;
use crate::schemes::common::batch_verification::gpu::{Group, Open};

/// Kernel files for the equations of groups, in addition to those of verification.
pub const BATCH_VERIFICATION_FILES: &[&str] =
    &["ed25519_batch_verification", "buckets", "group_terms"];

/// The number of bits in the digits of a scalar. A scalar above n / 2 is replaced by n minus the
/// scalar.
const SCALAR_BITS: u32 = 253;

/// The items of a chunk after their individual checks.
#[derive(Clone, Copy)]
pub struct CheckedItems {
    pub signatures: Column<Signatures>,
    pub k: Column<Scalars>,
    pub representative: Option<Column<ItemNumbers>>,
    pub minus_a: Column<Xy>,
    /// The rule as a bit mask.
    pub rule: u32,
    pub verdicts: Column<Verdicts>,
    pub on_device: Column<Codes>,
    pub n: usize,
}

/// Batch verification of a chunk.
pub struct BatchVerification<'a>(Group<'a>);

impl<'a> BatchVerification<'a> {
    pub fn new(plan: &mut Plan, chunks: &'a Chunks) -> Self {
        let products = Scaled {
            points: plan.items() as u64,
            bits: SCALAR_BITS,
        };
        BatchVerification(Group::new(plan, EDWARDS.entry, products, chunks))
    }

    /// Finds valid items with one equation if the batch can afford to try.
    pub fn find_valid(
        &self,
        stream: &mut Stream,
        items: CheckedItems,
        table: &PublicTable,
    ) -> Result<Open, Fault> {
        let BatchVerification(group) = self;
        let Some([seed0, seed1, seed2, seed3]) = group.begin(stream, items.n)? else {
            return Ok(Open::AsBefore);
        };
        let CheckedItems {
            signatures,
            k,
            representative,
            minus_a,
            rule,
            verdicts,
            on_device,
            n,
        } = items;
        let &Group {
            scalars,
            coefficients,
            of_base,
            sums,
            others,
            buckets,
            ..
        } = group;
        let counters = group.counters();
        kernels::Ed25519BatchVerifyItems {
            signatures,
            k,
            representative,
            minus_a,
            rule,
            verdicts,
            on_device,
            seed0,
            seed1,
            seed2,
            seed3,
            scalars,
            coefficients,
            rows: buckets.rows,
            of_base,
            others,
            counters,
            n: n as u64,
        }
        .launch(stream, CURVE)?;
        group.add_up(stream, CURVE, n)?;
        let (_, windows) = buckets.windows();
        let window_sums = buckets.window_sums;
        kernels::Ed25519BatchVerifyCompare {
            of_base,
            sums: sums as u32,
            table: table.column(),
            bits: table.bits,
            window_sums,
            windows,
            counters,
        }
        .launch(stream, CURVE)?;
        group.accept(stream, CURVE, verdicts, n)
    }
}

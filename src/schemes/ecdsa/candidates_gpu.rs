//! Recovery on a GPU with candidates. For the reasons why they may be used, see `candidates_cpu`.
//!
//! A chunk is a group. If its equation holds, the candidates that take part are the keys, and the
//! other items are recovered into separate columns, from which their results are copied to those of
//! the chunk.

use super::gpu;
use super::recover::Candidates;
use crate::curve::CurveId;
use crate::gpu::runtime::{Fault, Plan};
use crate::gpu::schedule::StreamSlot;
use crate::gpu::transfer::{Equations, EquationsOfChunk, Imported};
use crate::schemes::common::batch_verification::gpu::{
    BatchVerification, FILES as BATCH_VERIFICATION_FILES, Listed, Named, Open,
};
use crate::schemes::common::{Recovery, SignedRows};
use crate::types::Policy;
use std::ops::Range;

/// Returns the kernel files needed in addition to those of recovery.
pub fn files() -> Vec<&'static str> {
    [&["equations"], BATCH_VERIFICATION_FILES].concat()
}

/// The recovery of a chunk with candidates.
pub struct WithCandidates<'a> {
    candidates: Imported,
    equations: Equations,
    batch_verification: BatchVerification<'a>,
    /// The recovery of items whose candidate is not confirmed.
    others: Recovery,
}

impl<'a> WithCandidates<'a> {
    pub fn new(
        plan: &mut Plan<'a>,
        curve: CurveId,
        candidates: &'a Candidates<'a>,
        items: Range<usize>,
        (_, _, ids): SignedRows,
    ) -> Self {
        let keys = Imported::new(plan, candidates.keys.slice(items));
        let equations = Equations::new(plan);
        let named = Named {
            ids: Some(ids),
            on_device: None,
        };
        let batch_verification =
            BatchVerification::new(plan, curve, named, Listed::All, &candidates.chunks);
        // The equation no longer needs its scalars when the others are recovered.
        let others = Recovery::with_scalars(plan, (equations.u1, equations.u2));
        WithCandidates {
            candidates: keys,
            equations,
            batch_verification,
            others,
        }
    }

    /// Returns the columns that finally hold the results of all items.
    pub fn all(&self) -> Recovery {
        self.others
            .into_columns(self.candidates.points, self.equations.verdicts)
    }

    /// Computes keys and verdicts from rows.
    pub fn compute(
        &self,
        slot: &mut StreamSlot,
        curve: &'static str,
        rows: SignedRows,
        n: usize,
    ) -> Result<(), Fault> {
        let &WithCandidates {
            candidates,
            equations,
            others,
            ..
        } = self;
        let (digests, signatures, _) = rows;
        let prefixes = others.sums.prefixes;
        candidates.import(slot, curve, n)?;
        gpu::equations(
            slot,
            curve,
            (digests, signatures),
            Policy::default(),
            equations,
            prefixes,
            n,
        )?;
        let table = slot.cache.clone().base_point.public(slot, curve)?;
        let chunk = EquationsOfChunk {
            curve,
            equations,
            keys: candidates.points,
            n,
        };
        match self.batch_verification.find_valid(slot, chunk, &table)? {
            Open::None => Ok(()),
            Open::AsBefore => self.all().compute(slot, curve, rows, None, n),
            Open::Listed((items, _), count) => {
                others.compute(slot, curve, rows, Some(items), count)?;
                others.scatter(slot, curve, items, self.all(), (count, n))
            }
        }
    }
}
